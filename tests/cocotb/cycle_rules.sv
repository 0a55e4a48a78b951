// As rules.sv, beside the cycle core.
`default_nettype none
module cycle_rules;
  wire clk = fx_cycle_axis.aclk;
  wire rst_n = fx_cycle_axis.aresetn;
  wire [127:0] u = fx_cycle_axis.m_axis_u_tdata; // of up to two words a beat
  stream_rules #(.W(129)) i_u (
    .clk_i(clk), .rst_ni(rst_n), .tvalid_i(fx_cycle_axis.m_axis_u_tvalid), .tready_i(fx_cycle_axis.m_axis_u_tready),
    .payload_i({fx_cycle_axis.m_axis_u_tlast, u}));
  axil_rules #(.Within(10)) i_axil (
    .clk_i(clk), .rst_ni(rst_n), .awvalid_i(fx_cycle_axis.s_axil_awvalid), .awready_i(fx_cycle_axis.s_axil_awready),
    .wvalid_i(fx_cycle_axis.s_axil_wvalid), .wready_i(fx_cycle_axis.s_axil_wready),
    .bvalid_i(fx_cycle_axis.s_axil_bvalid), .bready_i(fx_cycle_axis.s_axil_bready),
    .bresp_i(fx_cycle_axis.s_axil_bresp), .arvalid_i(fx_cycle_axis.s_axil_arvalid),
    .arready_i(fx_cycle_axis.s_axil_arready), .rvalid_i(fx_cycle_axis.s_axil_rvalid),
    .rready_i(fx_cycle_axis.s_axil_rready), .rresp_i(fx_cycle_axis.s_axil_rresp),
    .rdata_i(fx_cycle_axis.s_axil_rdata), .aw_o(), .w_o(), .ar_o());
endmodule
`default_nettype wire
