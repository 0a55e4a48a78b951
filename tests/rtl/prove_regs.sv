// core_regs and a manager that may do anything with the five channels. Shadow 0: AXI4-Lite's rules hold, for ever.
// Shadow 1, for as many clocks as are tried: what is written, in words and by bytes and in any order, is what the
// register holds, and nothing else is. Broken 1 answers before the data is here, and must be refuted.
`include "mantissa.svh"
`default_nettype none
module prove_regs #(
  parameter integer ScalarW = 40,
  parameter integer CoefW = 12,
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
  input wire        busy_i,
  input wire [8:0]  errors_i
);
  reg rst_ni = 1'b0;
  always @(posedge clk_i) rst_ni <= 1'b1;

  wire awready, wready, bvalid, arready, rvalid;
  wire [1:0] bresp, rresp;
  wire [31:0] rdata, passes, set_word;
  wire [7:0] set;
  wire [2:0] set_at;
  wire start, abort;
  core_regs #(.ScalarW(ScalarW), .CoefW(CoefW)) i_regs (
    .clk_i, .rst_ni, .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready), .s_axil_wdata(wdata),
    .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid), .s_axil_wready(wready), .s_axil_bresp(bresp), .s_axil_bvalid(bvalid),
    .s_axil_bready(bready), .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
    .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rvalid(rvalid), .s_axil_rready(rready), .busy_i, .done_i(1'b0),
    .end_i(3'd0), .fault_i(1'b0), .bank_i(1'b0), .offering_i(1'b0), .errors_i, .pass_count_i(32'd0), .sigma_guards_i(32'd0),
    .cycles_i(64'd0), .scalar_i({ScalarW{1'b0}}), .words_u_i(64'd0), .words_r_i(64'd0), .words_p_i(64'd0),
    .words_q_i(64'd0), .start_o(start), .abort_o(abort), .length_o(), .row_length_o(), .length_bad_o(), .row_bad_o(),
    .passes_o(passes), .rho_stop_from_o(), .stall_limit_o(), .stencil_o(), .bank_o(), .halo_first_o(), .halo_last_o(), .halo_column_o(), .scalar_read_o(), .scalar_at_o(),
    .set_o(set), .set_at_o(set_at), .set_word_o(set_word), .coef_o());
  // RHO_STOP as the scalars' memory has it, a clock later.
  reg [ScalarW-1:0] rho_stop, rho_stop_next;
  integer s;
  always @* begin
    rho_stop_next = rho_stop;
    for (s = 0; s < ScalarW; s = s + 1)
      if (set[s/8] && set_at == 3'(`REG_RHO_STOP >> 3)) rho_stop_next[s] = set_word[s%32];
  end
  always @(posedge clk_i)
    if (!rst_ni) rho_stop <= '0;
    else rho_stop <= rho_stop_next;

  wire [1:0] aw_open, w_open, ar_open;
  axil_rules #(.Within(9)) i_rules (
    .clk_i, .rst_ni, .awvalid_i(awvalid), .awready_i(awready), .wvalid_i(wvalid), .wready_i(wready),
    .bvalid_i((Broken != 0) ? bvalid | awvalid : bvalid), .bready_i(bready), .bresp_i(bresp), .arvalid_i(arvalid),
    .arready_i(arready), .rvalid_i(rvalid), .rready_i(rready), .rresp_i(rresp), .rdata_i(rdata),
    .aw_o(aw_open), .w_o(w_open), .ar_o(ar_open));
  // What the rules count is what the registers hold: without this, induction begins where no run can be.
  always @(posedge clk_i)
    if (rst_ni) begin
      assert (aw_open == {1'b0, ~awready} + {1'b0, bvalid});
      assert (w_open == {1'b0, ~wready} + {1'b0, bvalid});
      assert (ar_open == {1'b0, ~arready});
    end

  // What a manager thinks it wrote: address and data as accepted, joined where the response comes.
  reg [7:0]  at_q; // a word's address
  reg [31:0] data_q;
  reg [3:0]  strobe_q;
  reg        bvalid_q, busy_q;
  always @(posedge clk_i) begin
    if (awvalid && awready) at_q <= {awaddr[7:2], 2'b00};
    if (wvalid && wready) begin
      data_q   <= wdata;
      strobe_q <= wstrb;
    end
    bvalid_q <= rst_ni & bvalid & ~bready;
    busy_q   <= busy_i;
  end
  reg [31:0] want_passes;
  reg [ScalarW-1:0] want_stop;
  wire answered = bvalid && !bvalid_q; // the write was done in the clock before
  integer k;
  reg [31:0] now_passes;
  reg [ScalarW-1:0] now_stop;
  always @* begin
    now_passes = want_passes;
    now_stop = want_stop;
    if (answered && !busy_q) begin
      for (k = 0; k < 32; k = k + 1)
        if (strobe_q[k/8] && at_q == `REG_PASSES) now_passes[k] = data_q[k];
      for (k = 0; k < ScalarW; k = k + 1)
        if (strobe_q[(k/8)%4] && at_q == `REG_RHO_STOP + (k < 32 ? 8'd0 : 8'd4)) now_stop[k] = data_q[k%32];
    end
  end
  always @(posedge clk_i)
    if (!rst_ni) begin
      want_passes <= '0;
      want_stop   <= '0;
    end else begin
      want_passes <= now_passes;
      want_stop   <= now_stop;
      if (Shadow != 0) begin
        assert (passes == now_passes);
        assert (rho_stop_next == now_stop);
        assert (!start || (answered && !busy_q && at_q == `REG_CONTROL && strobe_q[0] && data_q[`CONTROL_START]));
        assert (!abort || (answered && at_q == `REG_CONTROL && strobe_q[0] && data_q[`CONTROL_ABORT]));
        // The registers that can be written, one by one.
        if (answered) assert (bresp == {!(at_q == `REG_CONTROL || at_q == `REG_ERRORS || at_q == `REG_LENGTH ||
                                          at_q == `REG_ROW_LENGTH || at_q == `REG_PASSES || at_q == `REG_RHO_STOP_FROM ||
                                          at_q == `REG_STALL_LIMIT || at_q == `REG_MODE || at_q == `REG_BANK ||
                                          (at_q & ~8'h04) == `REG_ALPHA || (at_q & ~8'h04) == `REG_BETA ||
                                          (at_q & ~8'h04) == `REG_RHO_STOP ||
                                          (at_q >= `REG_COEFFICIENT && at_q < `REG_COEFFICIENT + 8'd72)), 1'b0});
      end
    end
endmodule
`default_nettype wire
