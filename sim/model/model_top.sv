// The Verilated top of a simulation model: pcg_core or, with MANTISSA_FIXED, fx_core. A stream's port is a whole beat as
// the core has it, lane 0 lowest; coefficient streams have a port each. For Verilator only; see model.cpp. With
// MANTISSA_RULES the rules of the core's interfaces are assertions, for a model built with --assert.
`include "mantissa.svh"
`default_nettype none
module model_top #(
`ifdef MANTISSA_FIXED
`include "fx_parameters.svh"
`else
`include "core_parameters.svh"
`endif
) (
  input  wire         clk_i,
  input  wire         rst_ni,
  input  wire  [7:0]  awaddr,
  input  wire         awvalid,
  output logic        awready,
  input  wire  [31:0] wdata,
  input  wire         wvalid,
  output logic        wready,
  input  wire  [3:0]  wstrb,
  output logic        bvalid,
  output logic [1:0]  bresp,
  input  wire  [7:0]  araddr,
  input  wire         arvalid,
  output logic [31:0] rdata,
  output logic        rvalid,
  output logic [1:0]  rresp,
  output logic [7:0]  pass_data,
  output logic        pass_valid,
  input  wire         pass_ready,
  input  wire  [Lanes*UW-1:0] in_u,
  input  wire  [Lanes*RW-1:0] in_r,
  input  wire  [Lanes*PW-1:0] in_p,
  input  wire  [Lanes*QW-1:0] in_q,
  input  wire  [Lanes*CoefW-1:0] in_coef [0:Coefs-1],
  input  wire  [12:0] in_valid, // u r p q, coefficient streams
  input  wire  [12:0] in_last,
  output logic [12:0] in_ready,
  output logic [Lanes*UW-1:0] out_u,
  output logic [Lanes*RW-1:0] out_r,
  output logic [Lanes*PW-1:0] out_p,
  output logic [Lanes*QW-1:0] out_q,
  output logic [3:0]  out_valid,
  output logic [3:0]  out_last,
  input  wire  [3:0]  out_ready,
  output logic        busy,
  output logic [16:0] waiting
);
  wire [Coefs*Lanes*CoefW-1:0] coefficients;
  wire [Coefs-1:0] coef_ready;
  assign in_ready[12:4] = 9'(coef_ready);
  genvar b;
  generate
    for (b = 0; b < Coefs; b = b + 1) begin : g_coef
      assign coefficients[b*Lanes*CoefW +: Lanes*CoefW] = in_coef[b];
    end
  endgenerate

  wire arready;
`ifdef MANTISSA_FIXED
  fx_core #(
`include "fx_parameters_passed.svh"
  ) core (
    .m_axis_sum_tdata(), .m_axis_sum_tvalid(), .m_axis_sum_tready(1'b0), .s_axis_sum_tdata('0), .s_axis_sum_tvalid(1'b0),
    .s_axis_sum_tready(),
`else
  pcg_core #(
`include "core_parameters_passed.svh"
  ) core (
`endif
    .clk_i, .rst_ni, .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready), .s_axil_wdata(wdata),
    .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_bresp(bresp), .s_axil_bvalid(bvalid),
    .s_axil_bready(1'b1), .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(1'b1),
    .m_axis_pass_tdata(pass_data), .m_axis_pass_tvalid(pass_valid), .m_axis_pass_tready(pass_ready),
    .s_axis_u_tdata(in_u), .s_axis_u_tvalid(in_valid[0]),
    .s_axis_u_tlast(in_last[0]), .s_axis_u_tready(in_ready[0]), .s_axis_r_tdata(in_r), .s_axis_r_tvalid(in_valid[1]),
    .s_axis_r_tlast(in_last[1]), .s_axis_r_tready(in_ready[1]), .s_axis_p_tdata(in_p), .s_axis_p_tvalid(in_valid[2]),
    .s_axis_p_tlast(in_last[2]), .s_axis_p_tready(in_ready[2]), .s_axis_q_tdata(in_q), .s_axis_q_tvalid(in_valid[3]),
    .s_axis_q_tlast(in_last[3]), .s_axis_q_tready(in_ready[3]), .s_axis_band_tdata(coefficients),
    .s_axis_band_tvalid(in_valid[4 +: Coefs]), .s_axis_band_tlast(in_last[4 +: Coefs]),
    .s_axis_band_tready(coef_ready),
    .m_axis_u_tdata(out_u), .m_axis_u_tvalid(out_valid[0]), .m_axis_u_tlast(out_last[0]),
    .m_axis_u_tready(out_ready[0]), .m_axis_r_tdata(out_r), .m_axis_r_tvalid(out_valid[1]),
    .m_axis_r_tlast(out_last[1]), .m_axis_r_tready(out_ready[1]), .m_axis_p_tdata(out_p),
    .m_axis_p_tvalid(out_valid[2]), .m_axis_p_tlast(out_last[2]), .m_axis_p_tready(out_ready[2]),
    .m_axis_q_tdata(out_q), .m_axis_q_tvalid(out_valid[3]), .m_axis_q_tlast(out_last[3]),
    .m_axis_q_tready(out_ready[3]), .busy_o(busy), .waiting_o(waiting));

`ifdef MANTISSA_RULES
  stream_rules #(.W(8)) i_pass (
    .clk_i, .rst_ni, .tvalid_i(pass_valid), .tready_i(pass_ready), .payload_i(pass_data));
  stream_rules #(.W(Lanes*UW+1)) i_u (
    .clk_i, .rst_ni, .tvalid_i(out_valid[0]), .tready_i(out_ready[0]), .payload_i({out_u, out_last[0]}));
  stream_rules #(.W(Lanes*RW+1)) i_r (
    .clk_i, .rst_ni, .tvalid_i(out_valid[1]), .tready_i(out_ready[1]), .payload_i({out_r, out_last[1]}));
  stream_rules #(.W(Lanes*PW+1)) i_p (
    .clk_i, .rst_ni, .tvalid_i(out_valid[2]), .tready_i(out_ready[2]), .payload_i({out_p, out_last[2]}));
  stream_rules #(.W(Lanes*QW+1)) i_q (
    .clk_i, .rst_ni, .tvalid_i(out_valid[3]), .tready_i(out_ready[3]), .payload_i({out_q, out_last[3]}));
  // The harness's own streams keep the rule too, in a run: between runs its sources are set back.
  generate
    for (b = 0; b < 13; b = b + 1) begin : g_in
      stream_rules #(.W(1)) i_in (
        .clk_i, .rst_ni(rst_ni & busy), .tvalid_i(in_valid[b]), .tready_i(in_ready[b]), .payload_i(in_last[b]));
    end
  endgenerate
  pass_rules #(.N(13)) i_reads (
    .clk_i, .rst_ni, .pass_i(pass_valid & pass_ready), .tvalid_i(in_valid), .tready_i(in_ready), .tlast_i(in_last));
  // A write behind one to a scalar waits until the operands have been formed.
  axil_rules #(.Within(10)) i_axil (
    .clk_i, .rst_ni, .awvalid_i(awvalid), .awready_i(awready), .wvalid_i(wvalid), .wready_i(wready), .bvalid_i(bvalid),
    .bready_i(1'b1), .bresp_i(bresp), .arvalid_i(arvalid), .arready_i(arready), .rvalid_i(rvalid), .rready_i(1'b1),
    .rresp_i(rresp), .rdata_i(rdata), .aw_o(), .w_o(), .ar_o());
`endif
endmodule
`default_nettype wire
