// The Verilated top of a simulation model: pcg_core with every stream element in 64 bits of its own, so that the
// harness moves whole words whatever the formats. For Verilator only; see model.cpp. With MANTISSA_RULES the rules of
// the core's interfaces are assertions, for a model built with --assert.
`include "mantissa.svh"
`default_nettype none
module model_top #(
`include "core_parameters.svh"
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
  input  wire  [63:0] in_data [0:13*Lanes-1], // u r p q bands 0..8; lane l of stream s at s * Lanes + l
  input  wire  [12:0] in_valid,
  input  wire  [12:0] in_last,
  output logic [12:0] in_ready,
  output logic [63:0] out_data [0:4*Lanes-1],
  output logic [3:0]  out_valid,
  output logic [3:0]  out_last,
  input  wire  [3:0]  out_ready,
  output logic        busy,
  output logic [16:0] waiting
);
  wire [Lanes*UW-1:0] u_in, u_out;
  wire [Lanes*RW-1:0] r_in, r_out;
  wire [Lanes*PW-1:0] p_in, p_out;
  wire [Lanes*QW-1:0] q_in, q_out;
  wire [Coefs*Lanes*CoefW-1:0] band_in;
  wire [Coefs-1:0] band_ready;
  assign in_ready[12:4] = 9'(band_ready);
  genvar l, b;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      assign u_in[l*UW +: UW] = in_data[l][UW-1:0];
      assign r_in[l*RW +: RW] = in_data[Lanes+l][RW-1:0];
      assign p_in[l*PW +: PW] = in_data[2*Lanes+l][PW-1:0];
      assign q_in[l*QW +: QW] = in_data[3*Lanes+l][QW-1:0];
      assign out_data[l] = 64'(u_out[l*UW +: UW]);
      assign out_data[Lanes+l] = 64'(r_out[l*RW +: RW]);
      assign out_data[2*Lanes+l] = 64'(p_out[l*PW +: PW]);
      assign out_data[3*Lanes+l] = 64'(q_out[l*QW +: QW]);
      for (b = 0; b < Coefs; b = b + 1) begin : g_band
        assign band_in[(b*Lanes+l)*CoefW +: CoefW] = in_data[(4+b)*Lanes+l][CoefW-1:0];
      end
    end
  endgenerate

  wire arready;
  pcg_core #(
`include "core_parameters_passed.svh"
  ) core (
    .clk_i, .rst_ni, .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready), .s_axil_wdata(wdata),
    .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_bresp(bresp), .s_axil_bvalid(bvalid),
    .s_axil_bready(1'b1), .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(1'b1),
    .m_axis_pass_tdata(pass_data), .m_axis_pass_tvalid(pass_valid), .m_axis_pass_tready(pass_ready),
    .s_axis_u_tdata(u_in), .s_axis_u_tvalid(in_valid[0]),
    .s_axis_u_tlast(in_last[0]), .s_axis_u_tready(in_ready[0]), .s_axis_r_tdata(r_in), .s_axis_r_tvalid(in_valid[1]),
    .s_axis_r_tlast(in_last[1]), .s_axis_r_tready(in_ready[1]), .s_axis_p_tdata(p_in), .s_axis_p_tvalid(in_valid[2]),
    .s_axis_p_tlast(in_last[2]), .s_axis_p_tready(in_ready[2]), .s_axis_q_tdata(q_in), .s_axis_q_tvalid(in_valid[3]),
    .s_axis_q_tlast(in_last[3]), .s_axis_q_tready(in_ready[3]), .s_axis_band_tdata(band_in),
    .s_axis_band_tvalid(in_valid[4 +: Coefs]), .s_axis_band_tlast(in_last[4 +: Coefs]), .s_axis_band_tready(band_ready),
    .m_axis_u_tdata(u_out), .m_axis_u_tvalid(out_valid[0]), .m_axis_u_tlast(out_last[0]),
    .m_axis_u_tready(out_ready[0]), .m_axis_r_tdata(r_out), .m_axis_r_tvalid(out_valid[1]),
    .m_axis_r_tlast(out_last[1]), .m_axis_r_tready(out_ready[1]), .m_axis_p_tdata(p_out),
    .m_axis_p_tvalid(out_valid[2]), .m_axis_p_tlast(out_last[2]), .m_axis_p_tready(out_ready[2]),
    .m_axis_q_tdata(q_out), .m_axis_q_tvalid(out_valid[3]), .m_axis_q_tlast(out_last[3]),
    .m_axis_q_tready(out_ready[3]), .busy_o(busy), .waiting_o(waiting));

`ifdef MANTISSA_RULES
  stream_rules #(.W(8)) i_pass (
    .clk_i, .rst_ni, .tvalid_i(pass_valid), .tready_i(pass_ready), .payload_i(pass_data));
  stream_rules #(.W(Lanes*UW+1)) i_u (
    .clk_i, .rst_ni, .tvalid_i(out_valid[0]), .tready_i(out_ready[0]), .payload_i({u_out, out_last[0]}));
  stream_rules #(.W(Lanes*RW+1)) i_r (
    .clk_i, .rst_ni, .tvalid_i(out_valid[1]), .tready_i(out_ready[1]), .payload_i({r_out, out_last[1]}));
  stream_rules #(.W(Lanes*PW+1)) i_p (
    .clk_i, .rst_ni, .tvalid_i(out_valid[2]), .tready_i(out_ready[2]), .payload_i({p_out, out_last[2]}));
  stream_rules #(.W(Lanes*QW+1)) i_q (
    .clk_i, .rst_ni, .tvalid_i(out_valid[3]), .tready_i(out_ready[3]), .payload_i({q_out, out_last[3]}));
  // The harness's own streams keep the rule too, in a run: between runs its sources are set back.
  generate
    for (b = 0; b < 13; b = b + 1) begin : g_in
      stream_rules #(.W(1)) i_in (
        .clk_i, .rst_ni(rst_ni & busy), .tvalid_i(in_valid[b]), .tready_i(in_ready[b]), .payload_i(in_last[b]));
    end
  endgenerate
  pass_rules #(.N(13)) i_reads (
    .clk_i, .rst_ni, .pass_i(pass_valid & pass_ready), .tvalid_i(in_valid), .tready_i(in_ready), .tlast_i(in_last));
  axil_rules i_axil (
    .clk_i, .rst_ni, .awvalid_i(awvalid), .awready_i(awready), .wvalid_i(wvalid), .wready_i(wready), .bvalid_i(bvalid),
    .bready_i(1'b1), .bresp_i(bresp), .arvalid_i(arvalid), .arready_i(arready), .rvalid_i(rvalid), .rready_i(1'b1),
    .rresp_i(rresp), .rdata_i(rdata), .aw_o(), .w_o(), .ar_o());
`endif
endmodule
`default_nettype wire
