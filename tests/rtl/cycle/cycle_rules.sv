// The rules of the cycle core's interfaces, as assertions beside it.
`default_nettype none
bind fx_cycle stream_rules #(.W(BusWords * UW + 1)) i_u_rules (
  .clk_i, .rst_ni, .tvalid_i(m_axis_u_tvalid), .tready_i(m_axis_u_tready), .payload_i({m_axis_u_tlast, m_axis_u_tdata}));
bind fx_cycle axil_rules #(.Within(10)) i_axil_rules (
  .clk_i, .rst_ni, .awvalid_i(s_axil_awvalid), .awready_i(s_axil_awready), .wvalid_i(s_axil_wvalid),
  .wready_i(s_axil_wready), .bvalid_i(s_axil_bvalid), .bready_i(s_axil_bready), .bresp_i(s_axil_bresp),
  .arvalid_i(s_axil_arvalid), .arready_i(s_axil_arready), .rvalid_i(s_axil_rvalid), .rready_i(s_axil_rready),
  .rresp_i(s_axil_rresp), .rdata_i(s_axil_rdata), .aw_o(), .w_o(), .ar_o());
`default_nettype wire
