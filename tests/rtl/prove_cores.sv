// The register port of two cores side by side (fx_cores_axil before a core_regs each) and a manager that may do anything: AXI4-Lite's
// rules hold outside. Broken 1 answers before the data is here, and must be refuted.
`include "mantissa.svh"
`default_nettype none
module prove_cores #(
  parameter integer Shadow = 0, // nothing here is for some clocks only
  parameter integer Broken = 0
) (
  input wire        clk_i,
  input wire [9:0]  awaddr,
  input wire        awvalid,
  input wire [31:0] wdata,
  input wire [3:0]  wstrb,
  input wire        wvalid,
  input wire        bready,
  input wire [9:0]  araddr,
  input wire        arvalid,
  input wire        rready,
  input wire [1:0]  busy_i
);
  reg rst_ni = 1'b0;
  always @(posedge clk_i) rst_ni <= 1'b1;

  wire awready, wready, bvalid, arready, rvalid, inner_bready, inner_arvalid, inner_rready;
  wire [1:0] bresp, rresp, write, inner_bvalid, inner_arready, inner_rvalid;
  wire [31:0] rdata, inner_wdata;
  wire [7:0] inner_awaddr, inner_araddr;
  wire [3:0] inner_wstrb, inner_bresp, inner_rresp;
  wire [63:0] inner_rdata;
  fx_cores_axil #(.Cores(2)) i_axil (
    .clk_i, .rst_ni, .apart_i(busy_i == 2'b01 || busy_i == 2'b10), .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid),
    .s_axil_awready(awready), .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
    .s_axil_bresp(bresp), .s_axil_bvalid(bvalid), .s_axil_bready(bready), .s_axil_araddr(araddr), .s_axil_arvalid(arvalid),
    .s_axil_arready(arready), .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready),
    .awaddr_o(inner_awaddr), .wdata_o(inner_wdata), .wstrb_o(inner_wstrb), .write_o(write), .bvalid_i(inner_bvalid),
    .bresp_i(inner_bresp), .bready_o(inner_bready), .araddr_o(inner_araddr), .arvalid_o(inner_arvalid),
    .arready_i(inner_arready[0]), .rdata_i(inner_rdata), .rresp_i(inner_rresp[1:0]), .rvalid_i(inner_rvalid[0]),
    .rready_o(inner_rready));
  genvar k;
  generate
    for (k = 0; k < 2; k = k + 1) begin : g_core
      core_regs #(.ScalarW(12), .CoefW(1), .LenW(6), .RowLenW(5), .Integer(1), .Slab(1)) i_regs (
        .clk_i, .rst_ni, .s_axil_awaddr(inner_awaddr), .s_axil_awvalid(write[k]), .s_axil_awready(), .s_axil_wdata(inner_wdata),
        .s_axil_wstrb(inner_wstrb), .s_axil_wvalid(write[k]), .s_axil_wready(), .s_axil_bresp(inner_bresp[2*k +: 2]),
        .s_axil_bvalid(inner_bvalid[k]), .s_axil_bready(inner_bready), .s_axil_araddr(inner_araddr),
        .s_axil_arvalid(inner_arvalid), .s_axil_arready(inner_arready[k]), .s_axil_rdata(inner_rdata[32*k +: 32]),
        .s_axil_rresp(inner_rresp[2*k +: 2]), .s_axil_rvalid(inner_rvalid[k]), .s_axil_rready(inner_rready),
        .busy_i(busy_i[k]), .done_i(1'b0), .end_i(3'd0), .fault_i(1'b0), .bank_i(1'b0), .offering_i(1'b0), .errors_i(9'd0),
        .pass_count_i(32'd0), .sigma_guards_i(32'd0), .cycles_i(64'd0), .scalar_i(12'd0), .words_u_i(64'd0), .words_r_i(64'd0),
        .words_p_i(64'd0), .words_q_i(64'd0), .start_o(), .abort_o(), .length_o(), .length_bad_o(), .row_length_o(),
        .row_bad_o(), .passes_o(), .rho_stop_from_o(), .stall_limit_o(), .stencil_o(), .bank_o(), .halo_first_o(),
        .halo_last_o(), .halo_column_o(), .scalar_read_o(), .scalar_at_o(), .set_o(), .set_at_o(), .set_word_o(), .coef_o());
    end
  endgenerate
  axil_rules #(.Within(15)) i_rules (
    .clk_i, .rst_ni, .awvalid_i(awvalid), .awready_i(awready), .wvalid_i(wvalid), .wready_i(wready),
    .bvalid_i((Broken != 0) ? bvalid | awvalid : bvalid), .bready_i(bready), .bresp_i(bresp), .arvalid_i(arvalid),
    .arready_i(arready), .rvalid_i(rvalid), .rready_i(rready), .rresp_i(rresp), .rdata_i(rdata), .aw_o(), .w_o(), .ar_o());
endmodule
`default_nettype wire
