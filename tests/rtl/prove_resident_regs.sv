// fx_resident_regs and a manager that may do anything with the five channels: AXI4-Lite's rules hold. Shadow 1, for as many clocks as
// are tried: V is never sent beside a solve that begins, nothing begins while busy, and a LENGTH that is written is told. Broken 1
// answers before the data is here, and must be refuted.
`include "mantissa.svh"
`default_nettype none
module prove_resident_regs #(
  parameter integer Shadow = 0,
  parameter integer Broken = 0
) (
  input wire        clk_i,
  input wire [7:0]  awaddr,
  input wire        awvalid,
  input wire [31:0] wdata,
  input wire [3:0]  wstrb,
  input wire        wvalid,
  input wire        bready,
  input wire [7:0]  araddr,
  input wire        arvalid,
  input wire        rready,
  input wire        busy_i
);
  reg rst_ni = 1'b0;
  always @(posedge clk_i) rst_ni <= 1'b1;

  wire awready, wready, bvalid, arready, rvalid, start, send, resized;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata, length;
  fx_resident_regs #(.ScalarW(40)) i_regs (
    .clk_i, .rst_ni, .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready), .s_axil_wdata(wdata),
    .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_bresp(bresp), .s_axil_bvalid(bvalid),
    .s_axil_bready(bready), .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready), .start_o(start), .abort_o(),
    .send_o(send), .length_o(length), .row_length_o(), .inner_o(), .passes_o(), .tolerance_o(), .tolerance_exp_o(), .headroom_o(),
    .relax_o(), .stall_limit_o(), .resized_o(resized), .busy_i, .done_i(1'b0), .sending_i(1'b0), .loaded_i(1'b0), .end_i(4'd0),
    .v_over_i(1'b0), .d_over_i(1'b0), .fault_i(1'b0), .pass_count_i(32'd0), .steps_i(32'd0), .formed_again_i(32'd0), .overflows_i(32'd0),
    .sigma_guards_i(32'd0), .exponent_i(16'd0), .headroom_now_i(16'd0), .rr_i(40'd0), .cycles_i(48'd0), .words_u_i(64'd0),
    .words_r_i(64'd0), .words_p_i(64'd0), .words_q_i(64'd0));

  wire [1:0] aw_open, w_open, ar_open;
  axil_rules #(.Within(9)) i_rules (
    .clk_i, .rst_ni, .awvalid_i(awvalid), .awready_i(awready), .wvalid_i(wvalid), .wready_i(wready),
    .bvalid_i((Broken != 0) ? bvalid | awvalid : bvalid), .bready_i(bready), .bresp_i(bresp), .arvalid_i(arvalid),
    .arready_i(arready), .rvalid_i(rvalid), .rready_i(rready), .rresp_i(rresp), .rdata_i(rdata),
    .aw_o(aw_open), .w_o(w_open), .ar_o(ar_open));
  // What the rules count is what the registers hold.
  always @(posedge clk_i)
    if (rst_ni) begin
      assert (aw_open == {1'b0, ~awready} + {1'b0, bvalid});
      assert (w_open == {1'b0, ~wready} + {1'b0, bvalid});
      assert (ar_open == {1'b0, ~arready});
    end

  reg busy_q;
  reg begun_q = 1'b0; // a clock after reset
  reg [31:0] length_q;
  always @(posedge clk_i) begin
    busy_q   <= busy_i;
    begun_q  <= rst_ni;
    length_q <= length;
  end
  always @(posedge clk_i)
    if (begun_q && Shadow != 0) begin
      assert (!(start && send));
      assert (!((start || send || resized) && busy_q));
      assert (length == length_q || resized);
    end
endmodule
`default_nettype wire
