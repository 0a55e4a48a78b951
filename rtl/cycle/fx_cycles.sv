/// Several cycle cores on one grid, in step: each has a slab of every level's rows (cycle_slabs.svh) and memory for those alone. After
/// a sweep neighbours share Halo rows, and all agree on the longest word; bits, registers and streams are those of one core.
///
/// The host's accesses and words of D go to all cores, which take what is theirs; words of U come from the core that has them.
`include "mantissa.svh"
`default_nettype none
module fx_cycles #(
`include "cycle_parameters.svh"
  , localparam integer SquaresW = 31 + 2 * MaxLevel
) (
  input  wire              clk_i,
  input  wire              rst_ni,

  `AXIL_PORTS(8)

  `AXIS_IN_PORTS(d, BusWords*DW)
  `AXIS_OUT_PORTS(u, BusWords*UW)

  output logic             accepted_o,   ///< as fx_cycle's
  output logic [31:0]      cycles_o,
  output logic [6:0]       exponent_o,
  output logic [63:0]      squares_o,
  output logic             busy_o
);
  localparam integer LinkW = Lanes * ((DW > 34) ? DW : 34);
  `REQUIRE_OF_TOP(g_several, Cores >= 1 && Cores <= 16, "Cores must be in 1..16")
  `REQUIRE_OF_TOP(g_from_here, Core == 0, "Core is not given: it is 0 to Cores - 1 of the cores in here")
  wire [(Cores+2)*LinkW-1:0] link; // one in front of the first core, one after the last
  wire [Cores+1:0]           link_valid;
  wire unused_links = &{1'b0, link, link_valid}; // (with one core)
  assign {link[(Cores+1)*LinkW +: LinkW], link[0 +: LinkW]} = '0;
  assign {link_valid[Cores+1], link_valid[0]} = '0;
  wire [Cores*BusWords*UW-1:0] u;
  wire [Cores*4-1:0]        peer;
  wire [Cores*14-1:0]       lengths;
  wire [Cores*SquaresW-1:0] squares;
  // Of all cores the first one answers.
  wire [Cores-1:0] awready, wready, bvalid, arready, rvalid, d_ready, u_valid, u_last, accepted, busy;
  wire [Cores*2-1:0]  bresp, rresp;
  wire [Cores*32-1:0] rdata, count;
  wire [Cores*7-1:0]  exponent;
  wire [Cores*64-1:0] sum;
  assign {s_axil_awready, s_axil_wready, s_axil_bvalid, s_axil_arready, s_axil_rvalid} = {awready[0], wready[0], bvalid[0], arready[0], rvalid[0]};
  assign {s_axil_bresp, s_axil_rresp, s_axil_rdata} = {bresp[1:0], rresp[1:0], rdata[31:0]};
  assign {s_axis_d_tready, m_axis_u_tvalid, m_axis_u_tlast} = {d_ready[0], u_valid[0], u_last[0]};
  assign {accepted_o, busy_o, cycles_o, exponent_o, squares_o} = {accepted[0], busy[0], count[31:0], exponent[6:0], sum[63:0]};
  wire unused = &{1'b0, awready, wready, bvalid, arready, rvalid, d_ready, u_valid, u_last, accepted, busy, bresp, rresp, rdata, count, exponent, sum};

  logic [3:0]          all, all_q;
  logic [13:0]         longest, longest_q;
  logic [SquaresW-1:0] squares_q;
  logic [SquaresW-1:0] squares_sum;
  always_comb begin
    all = 4'b1100;
    longest = '0;
    squares_sum = '0;
    m_axis_u_tdata = '0;
    for (int k = 0; k < Cores; k = k + 1) begin
      all[3:2] = all[3:2] & peer[4*k+2 +: 2];
      all[1:0] = all[1:0] | peer[4*k +: 2];
      if (lengths[14*k +: 7] > longest[6:0]) longest[6:0] = lengths[14*k +: 7];
      if (lengths[14*k+7 +: 7] > longest[13:7]) longest[13:7] = lengths[14*k+7 +: 7];
      squares_sum = squares_sum + squares[k*SquaresW +: SquaresW];
      m_axis_u_tdata = m_axis_u_tdata | u[k*BusWords*UW +: BusWords*UW];
    end
  end
  always_ff @(posedge clk_i) {all_q, longest_q, squares_q} <= {all, longest, squares_sum};

  genvar k;
  generate
    for (k = 0; k < Cores; k = k + 1) begin : g_core
      /* verilator lint_off VARHIDDEN */
      localparam integer Core = k; // in front of the module's
      /* verilator lint_on VARHIDDEN */
      fx_cycle #(
`include "cycle_parameters_passed.svh"
        ) i_core (
        .clk_i, .rst_ni, .s_axil_awaddr, .s_axil_awvalid, .s_axil_awready(awready[k]), .s_axil_wdata, .s_axil_wstrb, .s_axil_wvalid,
        .s_axil_wready(wready[k]), .s_axil_bresp(bresp[2*k +: 2]), .s_axil_bvalid(bvalid[k]), .s_axil_bready, .s_axil_araddr, .s_axil_arvalid,
        .s_axil_arready(arready[k]), .s_axil_rdata(rdata[32*k +: 32]), .s_axil_rresp(rresp[2*k +: 2]), .s_axil_rvalid(rvalid[k]),
        .s_axil_rready, .s_axis_d_tdata, .s_axis_d_tvalid, .s_axis_d_tlast, .s_axis_d_tready(d_ready[k]),
        .m_axis_u_tdata(u[k*BusWords*UW +: BusWords*UW]), .m_axis_u_tvalid(u_valid[k]), .m_axis_u_tlast(u_last[k]), .m_axis_u_tready,
        .accepted_o(accepted[k]), .cycles_o(count[32*k +: 32]), .exponent_o(exponent[7*k +: 7]), .squares_o(sum[64*k +: 64]),
        .busy_o(busy[k]), .link_valid_o(link_valid[k+1]), .link_o(link[(k+1)*LinkW +: LinkW]),
        .link_valid_i({link_valid[k+2], link_valid[k]}), .link_i({link[(k+2)*LinkW +: LinkW], link[k*LinkW +: LinkW]}),
        .peer_o(peer[4*k +: 4]), .peer_lengths_o(lengths[14*k +: 14]), .peer_squares_o(squares[k*SquaresW +: SquaresW]), .all_i(all_q),
        .all_lengths_i(longest_q), .all_squares_i(squares_q));
    end
  endgenerate
endmodule
`default_nettype wire
