// As rules.sv, beside the sparse core; LANES and ENTRY_W, bits of an entry, are macros (run.py).
`default_nettype none
module sparse_rules;
  wire clk = sp_core_axis.aclk;
  wire rst_n = sp_core_axis.aresetn;
  stream_rules #(.W(8)) i_pass (
    .clk_i(clk), .rst_ni(rst_n), .tvalid_i(sp_core_axis.m_axis_pass_tvalid),
    .tready_i(sp_core_axis.m_axis_pass_tready), .payload_i(sp_core_axis.m_axis_pass_tdata));
  stream_rules #(.W(257)) i_word (
    .clk_i(clk), .rst_ni(rst_n), .tvalid_i(sp_core_axis.m_axis_word_tvalid),
    .tready_i(sp_core_axis.m_axis_word_tready),
    .payload_i(257'({sp_core_axis.m_axis_word_tlast, sp_core_axis.m_axis_word_tdata})));
  pass_rules #(.N(1)) i_rows (
    .clk_i(clk), .rst_ni(rst_n), .pass_i(sp_core_axis.m_axis_pass_tvalid & sp_core_axis.m_axis_pass_tready),
    .tvalid_i(sp_core_axis.s_axis_row_tvalid), .tready_i(sp_core_axis.s_axis_row_tready),
    .tlast_i(sp_core_axis.s_axis_row_tlast));
  gather_rules #(.Lanes(`LANES), .EntryW(`ENTRY_W)) i_gather (
    .clk_i(clk), .rst_ni(rst_n), .beat_i(sp_core_axis.s_axis_row_tvalid & sp_core_axis.s_axis_row_tready),
    .entries_i(sp_core_axis.s_axis_row_tdata[`LANES*`ENTRY_W-1:0]));
  axil_rules #(.Within(10)) i_axil ( // a write after one to a scalar waits until the operands have been formed
    .clk_i(clk), .rst_ni(rst_n), .awvalid_i(sp_core_axis.s_axil_awvalid), .awready_i(sp_core_axis.s_axil_awready),
    .wvalid_i(sp_core_axis.s_axil_wvalid), .wready_i(sp_core_axis.s_axil_wready),
    .bvalid_i(sp_core_axis.s_axil_bvalid), .bready_i(sp_core_axis.s_axil_bready),
    .bresp_i(sp_core_axis.s_axil_bresp), .arvalid_i(sp_core_axis.s_axil_arvalid),
    .arready_i(sp_core_axis.s_axil_arready), .rvalid_i(sp_core_axis.s_axil_rvalid),
    .rready_i(sp_core_axis.s_axil_rready), .rresp_i(sp_core_axis.s_axil_rresp),
    .rdata_i(sp_core_axis.s_axil_rdata), .aw_o(), .w_o(), .ar_o());
endmodule
`default_nettype wire
