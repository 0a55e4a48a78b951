// A second top beside the core: the rules of its interfaces, as assertions.
`default_nettype none
module rules;
  wire clk = pcg_core_axis.aclk;
  wire rst_n = pcg_core_axis.aresetn;
  stream_rules #(.W(8)) i_pass (
    .clk_i(clk), .rst_ni(rst_n), .tvalid_i(pcg_core_axis.m_axis_pass_tvalid),
    .tready_i(pcg_core_axis.m_axis_pass_tready), .payload_i(pcg_core_axis.m_axis_pass_tdata));
  stream_rules #(.W(257)) i_u (
    .clk_i(clk), .rst_ni(rst_n), .tvalid_i(pcg_core_axis.m_axis_u_tvalid), .tready_i(pcg_core_axis.m_axis_u_tready),
    .payload_i(257'({pcg_core_axis.m_axis_u_tlast, pcg_core_axis.m_axis_u_tdata})));
  stream_rules #(.W(257)) i_r (
    .clk_i(clk), .rst_ni(rst_n), .tvalid_i(pcg_core_axis.m_axis_r_tvalid), .tready_i(pcg_core_axis.m_axis_r_tready),
    .payload_i(257'({pcg_core_axis.m_axis_r_tlast, pcg_core_axis.m_axis_r_tdata})));
  stream_rules #(.W(257)) i_p (
    .clk_i(clk), .rst_ni(rst_n), .tvalid_i(pcg_core_axis.m_axis_p_tvalid), .tready_i(pcg_core_axis.m_axis_p_tready),
    .payload_i(257'({pcg_core_axis.m_axis_p_tlast, pcg_core_axis.m_axis_p_tdata})));
  stream_rules #(.W(257)) i_q (
    .clk_i(clk), .rst_ni(rst_n), .tvalid_i(pcg_core_axis.m_axis_q_tvalid), .tready_i(pcg_core_axis.m_axis_q_tready),
    .payload_i(257'({pcg_core_axis.m_axis_q_tlast, pcg_core_axis.m_axis_q_tdata})));
  pass_rules #(.N(4)) i_reads (
    .clk_i(clk), .rst_ni(rst_n), .pass_i(pcg_core_axis.m_axis_pass_tvalid & pcg_core_axis.m_axis_pass_tready),
    .tvalid_i({pcg_core_axis.s_axis_q_tvalid, pcg_core_axis.s_axis_p_tvalid, pcg_core_axis.s_axis_r_tvalid,
               pcg_core_axis.s_axis_u_tvalid}),
    .tready_i({pcg_core_axis.s_axis_q_tready, pcg_core_axis.s_axis_p_tready, pcg_core_axis.s_axis_r_tready,
               pcg_core_axis.s_axis_u_tready}),
    .tlast_i({pcg_core_axis.s_axis_q_tlast, pcg_core_axis.s_axis_p_tlast, pcg_core_axis.s_axis_r_tlast,
              pcg_core_axis.s_axis_u_tlast}));
  pass_rules #(.N(9)) i_reads_bands (
    .clk_i(clk), .rst_ni(rst_n), .pass_i(pcg_core_axis.m_axis_pass_tvalid & pcg_core_axis.m_axis_pass_tready),
    .tvalid_i(pcg_core_axis.band_tvalid), .tready_i(pcg_core_axis.band_tready), .tlast_i(pcg_core_axis.band_tlast));
  axil_rules #(.Within(10)) i_axil ( // a write after one to a scalar waits until the operands have been formed
    .clk_i(clk), .rst_ni(rst_n), .awvalid_i(pcg_core_axis.s_axil_awvalid), .awready_i(pcg_core_axis.s_axil_awready),
    .wvalid_i(pcg_core_axis.s_axil_wvalid), .wready_i(pcg_core_axis.s_axil_wready),
    .bvalid_i(pcg_core_axis.s_axil_bvalid), .bready_i(pcg_core_axis.s_axil_bready),
    .bresp_i(pcg_core_axis.s_axil_bresp), .arvalid_i(pcg_core_axis.s_axil_arvalid),
    .arready_i(pcg_core_axis.s_axil_arready), .rvalid_i(pcg_core_axis.s_axil_rvalid),
    .rready_i(pcg_core_axis.s_axil_rready), .rresp_i(pcg_core_axis.s_axil_rresp),
    .rdata_i(pcg_core_axis.s_axil_rdata), .aw_o(), .w_o(), .ar_o());
endmodule
`default_nettype wire
