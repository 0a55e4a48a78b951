// As rules.sv, beside the resident core.
`default_nettype none
module resident_rules;
  wire clk = fx_resident_axis.aclk;
  wire rst_n = fx_resident_axis.aresetn;
  stream_rules #(.W(65)) i_v (
    .clk_i(clk), .rst_ni(rst_n), .tvalid_i(fx_resident_axis.m_axis_v_tvalid), .tready_i(fx_resident_axis.m_axis_v_tready),
    .payload_i({fx_resident_axis.m_axis_v_tlast, fx_resident_axis.m_axis_v_tdata}));
  axil_rules #(.Within(10)) i_axil (
    .clk_i(clk), .rst_ni(rst_n), .awvalid_i(fx_resident_axis.s_axil_awvalid), .awready_i(fx_resident_axis.s_axil_awready),
    .wvalid_i(fx_resident_axis.s_axil_wvalid), .wready_i(fx_resident_axis.s_axil_wready),
    .bvalid_i(fx_resident_axis.s_axil_bvalid), .bready_i(fx_resident_axis.s_axil_bready),
    .bresp_i(fx_resident_axis.s_axil_bresp), .arvalid_i(fx_resident_axis.s_axil_arvalid),
    .arready_i(fx_resident_axis.s_axil_arready), .rvalid_i(fx_resident_axis.s_axil_rvalid),
    .rready_i(fx_resident_axis.s_axil_rready), .rresp_i(fx_resident_axis.s_axil_rresp),
    .rdata_i(fx_resident_axis.s_axil_rdata), .aw_o(), .w_o(), .ar_o());
endmodule
`default_nettype wire
