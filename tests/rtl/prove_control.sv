// core_control in a world that may be anything: the memory's command stays offered, with its payload, whatever aborts,
// faults and programming do; an abort ends the run within two clocks; no run begins while a beat is still offered.
// Broken 1 withdraws the command with the run, and must be refuted.
`default_nettype none
module prove_control #(
  parameter integer Shadow = 0, // nothing here is for some clocks only
  parameter integer Broken = 0
) (
  input wire       clk_i,
  input wire       en_i,
  input wire       start_i,
  input wire       abort_i,
  input wire       bank_i,
  input wire       stencil_i,
  input wire [3:0] length_i,
  input wire [3:0] row_length_i,
  input wire       length_bad_i,
  input wire       row_bad_i,
  input wire [1:0] passes_i,
  input wire [1:0] stall_limit_i,
  input wire       pass_ready_i,
  input wire       ended_early_i,
  input wire       ended_late_i,
  input wire       out_full_i,
  input wire       dots_done_i,
  input wire       scalar_done_i,
  input wire       scalar_guard_i,
  input wire [2:0] scalar_end_i
);
  reg rst_ni = 1'b0;
  always @(posedge clk_i) rst_ni <= 1'b1;

  wire busy, pass_valid, bank, clear, aborting, done;
  wire [1:0] pass_data;
  wire [2:0] run_end;
  wire [8:0] errors;
  core_control #(.Lanes(1), .MaxRow(8), .LenW(4), .DrainN(3)) i_control (
    .clk_i, .rst_ni, .en_i, .start_i, .abort_i, .bank_i, .stencil_i, .length_i, .row_length_i, .length_bad_i, .row_bad_i,
    .halo_last_i(4'd0),
    .passes_i({30'd0, passes_i}), .stall_limit_i({30'd0, stall_limit_i}), .pass_ready_i, .ended_early_i, .ended_late_i,
    .out_full_i, .dots_done_i, .scalar_done_i, .scalar_guard_i, .scalar_end_i, .busy_o(busy), .lost_o(),
    .pass_valid_o(pass_valid), .pass_data_o(pass_data), .bank_o(bank), .clear_o(clear), .slot_o(), .slot_real_o(),
    .slot_last_o(), .token_last_o(), .drained_o(), .close_o(), .scalar_start_o(), .aborting_o(aborting), .run_o(), .done_o(done),
    .end_o(run_end), .errors_o(errors), .pass_count_o(), .sigma_guards_o(), .cycles_o());

  wire offered = (Broken != 0) ? pass_valid & busy : pass_valid;
  stream_rules #(.W(2)) i_rules (
    .clk_i, .rst_ni, .tvalid_i(offered), .tready_i(pass_ready_i), .payload_i(pass_data));

  reg [1:0] aborted_q; // an abort of a run, one and two clocks ago
  reg       left_q;    // a beat was offered in the clock before
  always @(posedge clk_i) begin
    aborted_q <= {aborted_q[0], abort_i & busy & ~aborting} & {2{rst_ni}};
    left_q    <= out_full_i | pass_valid;
  end
  // The clock after a start is the one that looks at what is offered.
  reg checked_q, refused_q;
  always @(posedge clk_i) begin
    checked_q <= rst_ni & start_i & ~busy;
    refused_q <= rst_ni & checked_q & (out_full_i | pass_valid);
  end
  always @(posedge clk_i)
    if (rst_ni) begin
      if (aborted_q[1]) assert (!busy && done && run_end == 3'd6);
      if (checked_q && (out_full_i || pass_valid)) assert (errors[8]);
      if (refused_q && !aborting) assert (!busy && done && run_end == 3'd6);
      // Without a run no pass beat appears: it can only be left over.
      if (pass_valid && !busy) assert (left_q);
    end
endmodule
`default_nettype wire
