/// Several integer cores on one solve: each has a slab of the vectors, and one sum tree makes the totals of a pass, which
/// all of them take, so that their scalar units hold the same scalars. Words, scalars and reports are those of one core.
///
/// The vectors stand in a memory that all cores reach, in two banks as for one core. The memory side gives core k the
/// LENGTH elements of its slab from the bank to be read, its neighbours' at either end among them (fx_slab), and
/// writes what comes back, its own elements, to the other bank: that is the halo exchange. One pass beat is for all cores:
/// it is taken when what every core has written can be read.
///
/// Registers: one port; address bits from 8 up are the page (fx_cores_axil): 0 all cores, k + 1 core k. A host programs
/// page 0 as it does one core, and each core's LENGTH, HALO_FIRST, HALO_LAST and HALO_COLUMN on its page. LENGTHs
/// without halos sum up to less than 2^LenW. A core that ends with a fault ends the others' run: they are aborted.
///
/// Streams are those of fx_core, core 0's lowest. Parameters: fx_core's, of which Alone does not count, and Cores.
`include "mantissa.svh"
`default_nettype none
module fx_cores #(
  parameter integer Cores = 2, ///< from 1
`include "fx_parameters.svh"
  , localparam integer AddrW = 8 + $clog2(Cores + 1)
) (
  input  wire                          clk_i,
  input  wire                          rst_ni,

  `AXIL_PORTS(AddrW)

  `PASS_PORTS(8)
  `AXIS_INS_PORTS(u, Cores, Lanes*UW)
  `AXIS_INS_PORTS(r, Cores, Lanes*RW)
  `AXIS_INS_PORTS(p, Cores, Lanes*PW)
  `AXIS_INS_PORTS(q, Cores, Lanes*QW)
  `AXIS_INS_PORTS(band, Cores*Coefs, Lanes*CoefW)
  `AXIS_OUTS_PORTS(u, Cores, Lanes*UW)
  `AXIS_OUTS_PORTS(r, Cores, Lanes*RW)
  `AXIS_OUTS_PORTS(p, Cores, Lanes*PW)
  `AXIS_OUTS_PORTS(q, Cores, Lanes*QW)

  output logic                         busy_o,   ///< a run is on; its end can serve as an interrupt
  output logic [17*Cores-1:0]          waiting_o ///< what each core's stopped pipeline waits for: see pcg_core
);
`include "fx_checks.svh"
`include "fx_grid_checks.svh"
  `REQUIRE_OF_TOP(g_no_chebyshev, Chebyshev == 0, "several cores share sums of pipelined CG: Chebyshev must be 0")
  `REQUIRE_OF_TOP(g_cores, Cores >= 1 && Cores <= 256, "Cores must be in 1..256")

  // ---- Registers -----------------------------------------------------------------------------------------------------
  wire [Cores-1:0] busy, write, awready, wready, bvalid, arready, rvalid;
  wire [2*Cores-1:0] bresp, rresp;
  wire [32*Cores-1:0] rdata;
  wire [7:0] awaddr, araddr;
  wire [31:0] wdata;
  wire [3:0] wstrb;
  wire bready, arvalid, rready;
  assign busy_o = |busy;
  fx_cores_axil #(.Cores(Cores)) i_axil (
    .clk_i, .rst_ni, .apart_i(|busy & ~(&busy)), `AXIL_PASSED,
    .awaddr_o(awaddr),
    .wdata_o(wdata), .wstrb_o(wstrb), .write_o(write), .bvalid_i(bvalid), .bresp_i(bresp), .bready_o(bready),
    .araddr_o(araddr), .arvalid_o(arvalid), .arready_i(arready[0]), .rdata_i(rdata), .rresp_i(rresp[1:0]),
    .rvalid_i(rvalid[0]), .rready_o(rready));

  // ---- One pass beat: that of all cores. What a core offers alone, after another's fault, is thrown away. ------------
  wire [8*Cores-1:0] pass_data;
  wire [Cores-1:0] pass_valid;
  assign m_axis_pass_tdata  = pass_data[7:0];
  assign m_axis_pass_tvalid = &pass_valid;
  wire pass_ready = m_axis_pass_tvalid ? m_axis_pass_tready : ~(&busy);

  // ---- Totals: the tree takes the parts when all are there ------------------------------------------------------------
  wire [Cores*SumW-1:0] parts;
  wire [Cores-1:0] part_valid, total_ready;
  wire [SumW-1:0] total;
  wire total_valid;
  fx_total_tree #(.N(Cores), .RrW(DotRrW), .PqW(DotPqW), .QqW(DotQqW)) i_tree (
    .clk_i, .rst_ni, .valid_i(&part_valid), .parts_i(parts), .valid_o(total_valid), .total_o(total));

  genvar k;
  generate
    for (k = 0; k < Cores; k = k + 1) begin : g_core
      /* verilator lint_off VARHIDDEN */
      localparam integer Alone = 0; // in front of the module's
      /* verilator lint_on VARHIDDEN */
      fx_core #(
`include "fx_parameters_passed.svh"
      ) i_core (
        .clk_i, .rst_ni, .s_axil_awaddr(awaddr), .s_axil_awvalid(write[k]), .s_axil_awready(awready[k]), .s_axil_wdata(wdata),
        .s_axil_wstrb(wstrb), .s_axil_wvalid(write[k]), .s_axil_wready(wready[k]), .s_axil_bresp(bresp[2*k +: 2]),
        .s_axil_bvalid(bvalid[k]), .s_axil_bready(bready), .s_axil_araddr(araddr), .s_axil_arvalid(arvalid),
        .s_axil_arready(arready[k]), .s_axil_rdata(rdata[32*k +: 32]), .s_axil_rresp(rresp[2*k +: 2]),
        .s_axil_rvalid(rvalid[k]), .s_axil_rready(rready), .m_axis_pass_tdata(pass_data[8*k +: 8]),
        .m_axis_pass_tvalid(pass_valid[k]), .m_axis_pass_tready(pass_ready),
        .s_axis_u_tdata(s_axis_u_tdata[k*Lanes*UW +: Lanes*UW]), .s_axis_u_tvalid(s_axis_u_tvalid[k]),
        .s_axis_u_tlast(s_axis_u_tlast[k]), .s_axis_u_tready(s_axis_u_tready[k]),
        .s_axis_r_tdata(s_axis_r_tdata[k*Lanes*RW +: Lanes*RW]), .s_axis_r_tvalid(s_axis_r_tvalid[k]),
        .s_axis_r_tlast(s_axis_r_tlast[k]), .s_axis_r_tready(s_axis_r_tready[k]),
        .s_axis_p_tdata(s_axis_p_tdata[k*Lanes*PW +: Lanes*PW]), .s_axis_p_tvalid(s_axis_p_tvalid[k]),
        .s_axis_p_tlast(s_axis_p_tlast[k]), .s_axis_p_tready(s_axis_p_tready[k]),
        .s_axis_q_tdata(s_axis_q_tdata[k*Lanes*QW +: Lanes*QW]), .s_axis_q_tvalid(s_axis_q_tvalid[k]),
        .s_axis_q_tlast(s_axis_q_tlast[k]), .s_axis_q_tready(s_axis_q_tready[k]),
        .s_axis_band_tdata(s_axis_band_tdata[k*Coefs*Lanes*CoefW +: Coefs*Lanes*CoefW]),
        .s_axis_band_tvalid(s_axis_band_tvalid[k*Coefs +: Coefs]), .s_axis_band_tlast(s_axis_band_tlast[k*Coefs +: Coefs]),
        .s_axis_band_tready(s_axis_band_tready[k*Coefs +: Coefs]),
        .m_axis_u_tdata(m_axis_u_tdata[k*Lanes*UW +: Lanes*UW]), .m_axis_u_tvalid(m_axis_u_tvalid[k]),
        .m_axis_u_tlast(m_axis_u_tlast[k]), .m_axis_u_tready(m_axis_u_tready[k]),
        .m_axis_r_tdata(m_axis_r_tdata[k*Lanes*RW +: Lanes*RW]), .m_axis_r_tvalid(m_axis_r_tvalid[k]),
        .m_axis_r_tlast(m_axis_r_tlast[k]), .m_axis_r_tready(m_axis_r_tready[k]),
        .m_axis_p_tdata(m_axis_p_tdata[k*Lanes*PW +: Lanes*PW]), .m_axis_p_tvalid(m_axis_p_tvalid[k]),
        .m_axis_p_tlast(m_axis_p_tlast[k]), .m_axis_p_tready(m_axis_p_tready[k]),
        .m_axis_q_tdata(m_axis_q_tdata[k*Lanes*QW +: Lanes*QW]), .m_axis_q_tvalid(m_axis_q_tvalid[k]),
        .m_axis_q_tlast(m_axis_q_tlast[k]), .m_axis_q_tready(m_axis_q_tready[k]),
        .m_axis_sum_tdata(parts[k*SumW +: SumW]), .m_axis_sum_tvalid(part_valid[k]), .m_axis_sum_tready(&part_valid),
        .s_axis_sum_tdata(total), .s_axis_sum_tvalid(total_valid), .s_axis_sum_tready(total_ready[k]), .busy_o(busy[k]),
        .waiting_o(waiting_o[17*k +: 17]));
    end
  endgenerate
  wire unused = &{1'b0, awready, wready, arready, rvalid, rresp, pass_data, total_ready};
endmodule
`default_nettype wire
