  // For the bodies of pcg_core and fx_core: the signals between registers, control, streams and scalars, and what stands
  // in front of the streams alike.
  wire busy; // the sequence of a run is on
`ifndef UNWATCHED
  wire length_bad;
`endif
  wire start, abort, row_bad, stencil_reg, bank_reg;
  wire        scalar_read;
  wire [2:0]  scalar_at, set_at;
  wire [7:0]  set;
  wire [31:0] set_word;
  wire [LenW-1:0] length;
  wire [RowLenW-1:0] row_length;
  wire [31:0] passes, rho_stop_from, stall_limit;
  wire [ScalarW-1:0] scalar;
  wire [`ERRORS_W-1:0] errors;
  wire [2:0]  run_end;
  wire        done, bank;
  core_vectors_t out_full; // a beat waits to be taken
  wire [31:0] pass_count, sigma_guards;
  wire [63:0] cycles;

  wire en;    // the pipeline moves
  wire still; // ~en, for the logic about the streams
  wire clear, slot, slot_real, slot_last, token_last, drained, close, scalar_start, aborting, run;
  wire ended_early, ended_late;
  wire scalar_done, scalar_guard;
  wire [2:0] scalar_end;
  assign m_axis_pass_tdata[7:2] = '0;

  wire [Lanes-1:0] live_last; // lanes of the last token that hold an element
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_live
      assign live_last[l] = (length & LenW'(Lanes - 1)) == '0 || (length & LenW'(Lanes - 1)) > LenW'(l);
    end
  endgenerate

  logic [6:0] ptr_q; // of the delay lines
  always_ff @(posedge clk_i)
    if (!rst_ni) ptr_q <= '0;
    else if (en) ptr_q <= ptr_q + 7'd1;

`ifndef UNWATCHED
  // What the pipeline waits for, and after a stall what it waited for, until the next run.
  wire [16:0] waiting;
  logic [16:0] held_q;
  always_ff @(posedge clk_i)
    if (!rst_ni || start) held_q <= '0;
    else if (errors[`ERROR_STALLED]) held_q <= waiting;
  assign waiting_o = busy ? waiting : held_q;
`endif

  // Beats that the pipeline takes when it moves in this clock, and after the next clock in which it moves; those with
  // which a pass ends; and the same of what it lets go of.
  core_vectors_t take, take_ahead, take_last;
  core_vectors_t update_give, update_give_ahead, update_give_last, rows_give, rows_give_ahead, rows_give_last;

`ifndef CORE_REGS_CONNECTED
// Connections of core_regs and core_control with these signals; the rest, which differs, stands at the instance.
`define CORE_REGS_CONNECTED \
    .clk_i, .rst_ni, `AXIL_PASSED, .bank_i(bank), .offering_i(m_axis_pass_tvalid | (|out_full)), .errors_i(errors), \
    .pass_count_i(pass_count), .sigma_guards_i(sigma_guards), .cycles_i(cycles), .scalar_i(scalar), .start_o(start), \
    .abort_o(abort), .length_o(length), .row_length_o(row_length), .row_bad_o(row_bad), .passes_o(passes), \
    .rho_stop_from_o(rho_stop_from), .stall_limit_o(stall_limit), .stencil_o(stencil_reg), .bank_o(bank_reg), \
    .scalar_read_o(scalar_read), .scalar_at_o(scalar_at), .set_o(set), .set_at_o(set_at), .set_word_o(set_word)
`define CORE_CONTROL_CONNECTED \
    .clk_i, .rst_ni, .en_i(~still), .start_i(start), .bank_i(bank_reg), .length_i(length), .row_length_i(row_length), \
    .passes_i(passes), .stall_limit_i(stall_limit), .pass_ready_i(m_axis_pass_tready), .ended_early_i(ended_early), \
    .ended_late_i(ended_late), .out_full_i(|out_full), .scalar_done_i(scalar_done), .scalar_guard_i(scalar_guard), \
    .scalar_end_i(scalar_end), .busy_o(busy), .pass_valid_o(m_axis_pass_tvalid), \
    .pass_data_o(m_axis_pass_tdata[1:0]), .bank_o(bank), .clear_o(clear), .slot_o(slot), .slot_real_o(slot_real), \
    .slot_last_o(slot_last), .token_last_o(token_last), .drained_o(drained), .close_o(close), \
    .scalar_start_o(scalar_start), .aborting_o(aborting), .run_o(run), .done_o(done), .end_o(run_end), \
    .errors_o(errors), .pass_count_o(pass_count), .sigma_guards_o(sigma_guards), .cycles_o(cycles)
`endif
