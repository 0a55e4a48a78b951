/// Several resident cores on one system, in step: each has a slab of the vectors (fx_resident_slab) and memory for that alone. In front of
/// a pass neighbours share a row of r, p and q, in front of a correction one of u; sums are those of all. Words, scalars and reports
/// are those of one core, and so are registers and streams, but for SHARE.
///
/// The host's accesses and words of D go to all cores, which take what is theirs; words of V come from the core that has them.
`include "mantissa.svh"
`default_nettype none
module fx_residents #(
`include "fx_parameters.svh"
`include "resident_parameters.svh"
) (
  input  wire              clk_i,
  input  wire              rst_ni,

  `AXIL_PORTS(8)

  `AXIS_IN_PORTS(d, DW)
  `AXIS_OUT_PORTS(v, VW)

  output logic             accepted_o,   ///< as fx_resident's
  output logic [31:0]      passes_o,
  output logic [31:0]      steps_o,
  output logic signed [15:0] exponent_o,
  output logic [ScalarW-1:0] rr_o,
  output logic             busy_o
);
  localparam integer LinkW  = Lanes * ((UW > RW + PW + QW) ? UW : RW + PW + QW);
  localparam integer PeersW = 8 + UW + RW + PW + QW;
  localparam integer FormW  = DotRrW + DotPqW;
  `REQUIRE_OF_TOP(g_several, Cores >= 1 && Cores <= 16 && Core == 0, "Cores must be in 1..16, and Core is not given: it is 0 to Cores - 1 of the cores in here")
  wire [(Cores+2)*LinkW-1:0] link; // one in front of the first core, one after the last
  wire [Cores+1:0]           link_valid;
  wire unused_links = &{1'b0, link, link_valid}; // (with one core)
  assign {link[(Cores+1)*LinkW +: LinkW], link[0 +: LinkW]} = '0;
  assign {link_valid[Cores+1], link_valid[0]} = '0;
  wire [Cores*VW-1:0]     v;
  wire [Cores*PeersW-1:0] peer;
  wire [Cores*FormW-1:0]  form;
  wire [Cores*SumW-1:0]   parts;
  wire [Cores-1:0]        part_valid, unused_ready;
  wire [SumW-1:0]         total;
  wire                    total_valid;
  // Of all cores the first one answers.
  wire [Cores-1:0] awready, wready, bvalid, arready, rvalid, d_ready, v_valid, v_last, accepted, busy;
  wire [Cores*2-1:0]  bresp, rresp;
  wire [Cores*32-1:0] rdata, passes, steps;
  wire [Cores*16-1:0] exponent;
  wire [Cores*ScalarW-1:0] rr;
  assign {s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid} = {awready[0], wready[0], bvalid[0], arready[0], rvalid[0]};
  assign {s_axil_bresp, s_axil_rresp, s_axil_rdata} = {bresp[1:0], rresp[1:0], rdata[31:0]};
  assign {s_axis_d_tready, m_axis_v_tvalid, m_axis_v_tlast} = {d_ready[0], v_valid[0], v_last[0]};
  assign {accepted_o, busy_o, passes_o, steps_o, rr_o} = {accepted[0], busy[0], passes[31:0], steps[31:0], rr[ScalarW-1:0]};
  assign exponent_o = $signed(exponent[15:0]);
  wire unused = &{1'b0, awready, wready, bvalid, arready, rvalid, d_ready, v_valid, v_last, accepted, busy, bresp, rresp, rdata, passes, steps,
                  exponent, rr, unused_ready};

  logic [PeersW-1:0] all;
  logic [DotRrW-1:0] form_rr;
  logic [DotPqW-1:0] form_rp;
  logic [FormW-1:0]  form_q; // (it stands when it is asked for)
  always_comb begin
    all = PeersW'(3);
    form_rr = '0;
    form_rp = '0;
    m_axis_v_tdata = '0;
    for (int k = 0; k < Cores; k = k + 1) begin
      all[1:0] = all[1:0] & peer[PeersW*k +: 2];
      all[PeersW-1:2] = all[PeersW-1:2] | peer[PeersW*k+2 +: PeersW-2];
      form_rp = form_rp + form[FormW*k +: DotPqW];
      form_rr = form_rr + form[FormW*k+DotPqW +: DotRrW];
      m_axis_v_tdata = m_axis_v_tdata | v[k*VW +: VW];
    end
  end
  always_ff @(posedge clk_i) form_q <= {form_rr, form_rp};
  fx_total_tree #(.N(Cores), .RrW(DotRrW), .PqW(DotPqW), .QqW(DotQqW)) i_tree (
    .clk_i, .rst_ni, .valid_i(&part_valid), .parts_i(parts), .valid_o(total_valid), .total_o(total));

  genvar k;
  generate
    for (k = 0; k < Cores; k = k + 1) begin : g_core
      /* verilator lint_off VARHIDDEN */
      localparam integer Alone = (Cores == 1) ? 1 : 0; // in front of the module's
      /* verilator lint_on VARHIDDEN */
      fx_resident #(
`include "fx_parameters_passed.svh"
        , .MaxLength(MaxLength), .OuterLanes(OuterLanes), .VW(VW), .VF(VF), .DW(DW), .DF(DF), .Cores(Cores), .Core(k)) i_core (
        .clk_i, .rst_ni, .s_axil_awaddr, .s_axil_awvalid, .s_axil_awready(awready[k]), .s_axil_wdata, .s_axil_wstrb, .s_axil_wvalid,
        .s_axil_wready(wready[k]), .s_axil_bresp(bresp[2*k +: 2]), .s_axil_bvalid(bvalid[k]), .s_axil_bready, .s_axil_araddr, .s_axil_arvalid,
        .s_axil_arready(arready[k]), .s_axil_rdata(rdata[32*k +: 32]), .s_axil_rresp(rresp[2*k +: 2]), .s_axil_rvalid(rvalid[k]),
        .s_axil_rready, .s_axis_d_tdata, .s_axis_d_tvalid, .s_axis_d_tlast, .s_axis_d_tready(d_ready[k]),
        .m_axis_v_tdata(v[k*VW +: VW]), .m_axis_v_tvalid(v_valid[k]), .m_axis_v_tlast(v_last[k]), .m_axis_v_tready,
        .accepted_o(accepted[k]), .passes_o(passes[32*k +: 32]), .steps_o(steps[32*k +: 32]), .exponent_o(exponent[16*k +: 16]),
        .rr_o(rr[k*ScalarW +: ScalarW]), .busy_o(busy[k]), .link_valid_o(link_valid[k+1]), .link_o(link[(k+1)*LinkW +: LinkW]),
        .link_valid_i({link_valid[k+2], link_valid[k]}), .link_i({link[(k+2)*LinkW +: LinkW], link[k*LinkW +: LinkW]}),
        .peer_o(peer[PeersW*k +: PeersW]), .all_i(all), .form_o(form[FormW*k +: FormW]), .all_form_i(form_q),
        .m_axis_sum_tdata(parts[k*SumW +: SumW]), .m_axis_sum_tvalid(part_valid[k]), .m_axis_sum_tready(&part_valid),
        .s_axis_sum_tdata(total), .s_axis_sum_tvalid(total_valid), .s_axis_sum_tready(unused_ready[k]));
    end
  endgenerate
endmodule
`default_nettype wire
