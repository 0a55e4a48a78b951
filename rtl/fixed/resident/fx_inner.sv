/// The passes of the integer core on vectors that stay on the chip (fx_memory): fx_core without registers on a bus and
/// without streams. The memories are always ready, so the pipeline moves in every clock, and a vector is updated in
/// place: an element is read before it is written.
///
/// A run is that of fx_core, passes_i passes at most, and differs in its first pass (first_i): u' is 0, r' is not
/// written, and r.r in rho's place is the outer unit's rr_i. With close_i it is one pass that adds alpha p to u and
/// does nothing else: u' saturates, and close_over_o says that it did.
///
/// Between runs the scalar sequencer serves the outer unit: form_i begins one of its programs (SCALAR_ENTRY_FORM and
/// SCALAR_ENTRY_BETAS), and its scalars are read and set.
`include "mantissa.svh"
`include "scalar_program.svh"
`include "core_streams.svh"
`default_nettype none
module fx_inner #(
`include "fx_parameters.svh"
  , parameter integer Depth = 1024, ///< words of a lane
  localparam integer AW = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,
  input  wire                 start_i,       ///< one clock: a run begins
  input  wire                 close_i,       ///< stands while the run is on
  input  wire                 clear_words_i, ///< a solve begins
  input  wire  [LenW-1:0]     length_i,
  input  wire  [RowLenW-1:0]  row_length_i,
  input  wire  [31:0]         passes_i,
  output logic                busy_o,
  output logic                done_o,        ///< the last run has ended, and how
  output logic [2:0]          end_o,
  output logic [31:0]         pass_count_o,
  output logic [31:0]         sigma_guards_o,
  output logic                close_over_o,
  output logic [UW-1:0]       words_u_o,
  output logic [RW-1:0]       words_r_o,
  output logic [PW-1:0]       words_p_o,
  output logic [QW-1:0]       words_q_o,
  // With Alone 0 a core has a slab (fx_resident_slab): tokens that are its own, its halo and its first column,
  input  wire  [LenW-1:0]     own_first_i,
  input  wire  [LenW-1:0]     own_last_i,
  input  wire  [LenW-1:0]     last_halo_i,
  input  wire  [RowLenW-1:0]  column_i,
  input  wire                 ready_i,       ///< a pass may begin: the halos are there
  output logic [SumW-1:0]     m_axis_sum_tdata,  ///< and its part of a pass's totals goes out as fx_core's
  output logic                m_axis_sum_tvalid,
  input  wire                 m_axis_sum_tready,
  input  wire  [SumW-1:0]     s_axis_sum_tdata,
  input  wire                 s_axis_sum_tvalid,
  output logic                s_axis_sum_tready,
  output logic                bad_o,         ///< one clock, with Checks: a pass read or wrote too few words or too many

  input  wire                 form_i,        ///< one clock: a program of the outer unit, or the end test and quotients
  input  wire                 betas_i,
  input  wire  [DotRrW-1:0]   rr_i,          ///< the outer unit's totals r.r and r.p
  input  wire  [DotPqW-1:0]   rp_i,
  input  wire  [7:0]          set_i,         ///< as scalar_sequencer's
  input  wire  [2:0]          set_at_i,
  input  wire  [31:0]         set_word_i,
  input  wire                 scalar_read_i, ///< only while no program runs
  input  wire  [2:0]          scalar_at_i,
  output logic [ScalarW-1:0]  scalar_o,
  output logic                scalar_done_o,
  output logic [2:0]          scalar_end_o,

  output core_vectors_t       read_o,        ///< an element a clock; its words are there two clocks later
  output logic [AW-1:0]       u_read_at_o,
  output logic [AW-1:0]       r_read_at_o,
  output logic [AW-1:0]       p_read_at_o,
  output logic [AW-1:0]       q_read_at_o,
  input  wire  [Lanes*UW-1:0] u_i,
  input  wire  [Lanes*RW-1:0] r_i,
  input  wire  [Lanes*PW-1:0] p_i,
  input  wire  [Lanes*QW-1:0] q_i,
  output core_vectors_t       write_o,
  output logic [AW-1:0]       u_write_at_o,
  output logic [AW-1:0]       r_write_at_o,
  output logic [AW-1:0]       p_write_at_o,
  output logic [AW-1:0]       q_write_at_o,
  output logic [Lanes*UW-1:0] u_o,
  output logic [Lanes*RW-1:0] r_o,
  output logic [Lanes*PW-1:0] p_o,
  output logic [Lanes*QW-1:0] q_o
);
`include "fx_row_plan.svh"
  localparam integer DrainN = `FX_DRAIN_CLOCKS(UpdatePOut, PlanLatency, DotLatency) + 1;

  // ---- Control -----------------------------------------------------------------------------------------------------
  wire clear, slot_now, slot_real_now, slot_last_now, token_last_now, drained, close, scalar_start, aborting, run;
  wire [2:0] scalar_end;
  wire scalar_done, scalar_guard, bank, pass_valid;
  wire [1:0] pass_data;
  wire [`ERRORS_W-1:0] errors;
  wire [63:0] cycles;
  logic bypass_q; // the pass that closes a run has no scalars
  always_ff @(posedge clk_i) bypass_q <= rst_ni & scalar_start & close_i;
  wire unused_lost, sums_done;
  core_control #(.Lanes(Lanes), .MaxRow(MaxRow), .LenW(LenW), .DrainN(DrainN), .Slab(1 - Alone)) i_control (
`ifndef UNWATCHED
    .length_bad_i(1'b0),
`endif
    .clk_i, .rst_ni, .en_i(1'b1), .start_i, .abort_i(1'b0), .bank_i(1'b0), .stencil_i(1'b1), .length_i, .row_length_i,
    .row_bad_i(1'b0), .halo_last_i(last_halo_i), .passes_i, .stall_limit_i(32'd0), .pass_ready_i(ready_i), .ended_early_i(1'b0), .ended_late_i(1'b0),
    .out_full_i(1'b0), .dots_done_i(sums_done), .scalar_done_i(close_i ? bypass_q : scalar_done),
    .scalar_guard_i(scalar_guard & ~close_i), .scalar_end_i(close_i ? `END_PASSES : scalar_end), .busy_o,
    .lost_o(unused_lost), .pass_valid_o(pass_valid), .pass_data_o(pass_data), .bank_o(bank), .clear_o(clear), .slot_o(slot_now),
    .slot_real_o(slot_real_now), .slot_last_o(slot_last_now), .token_last_o(token_last_now), .drained_o(drained),
    .close_o(close), .scalar_start_o(scalar_start), .aborting_o(aborting), .run_o(run), .done_o, .end_o, .errors_o(errors),
    .pass_count_o, .sigma_guards_o, .cycles_o(cycles));
  wire first = ~close_i & pass_count_o == 32'd0;
  wire unused_control = &{1'b0, bank, pass_valid, pass_data, errors, cycles, drained, aborting, run};

  wire [Lanes-1:0] live_last; // lanes of the last token that hold an element
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_live
      assign live_last[l] = (length_i & LenW'(Lanes - 1)) == '0 || (length_i & LenW'(Lanes - 1)) > LenW'(l);
    end
  endgenerate

  // ---- Memories ----------------------------------------------------------------------------------------------------
  // Slots go on a clock later: the address of what a stage takes leaves two clocks in front of it.
  localparam integer Waits = `MAX3(UpdateUIn, UpdateRIn, UpdatePIn);
  logic slot, slot_last, token_last;
  logic [Waits:1] real_q; // tokens, by the clocks after their slot
  wire  [Waits:0] real_at = {real_q, slot_real_now};
  always_ff @(posedge clk_i)
    if (!rst_ni || clear) begin
      {slot, slot_last, token_last} <= '0;
      real_q <= '0;
    end else begin
      {slot, slot_last, token_last} <= {slot_now, slot_last_now, token_last_now};
      real_q <= real_at[Waits-1:0];
    end
  assign read_o = {real_at[0], real_at[UpdatePIn], real_at[UpdateRIn], real_at[UpdateUIn]};

  core_vectors_t give;
  wire [LenW-1:0] own_first = (Alone != 0) ? '0 : own_first_i;
  wire [LenW-1:0] own_last  = (Alone != 0) ? '1 : own_last_i;
  wire [RowLenW-1:0] column = (Alone != 0) ? '0 : column_i;
  always_ff @(posedge clk_i)
    if (clear) begin
      {u_read_at_o, r_read_at_o, p_read_at_o, q_read_at_o}     <= '0;
      {u_write_at_o, r_write_at_o, p_write_at_o, q_write_at_o} <= {4{AW'(own_first)}};
    end else begin
      if (read_o.u) u_read_at_o <= u_read_at_o + AW'(1);
      if (read_o.r) r_read_at_o <= r_read_at_o + AW'(1);
      if (read_o.p) p_read_at_o <= p_read_at_o + AW'(1);
      if (read_o.q) q_read_at_o <= q_read_at_o + AW'(1);
      if (give.u) u_write_at_o <= u_write_at_o + AW'(1);
      if (give.r) r_write_at_o <= r_write_at_o + AW'(1);
      if (give.p) p_write_at_o <= p_write_at_o + AW'(1);
      if (give.q) q_write_at_o <= q_write_at_o + AW'(1);
    end
  wire rows_bad; // a word of the rows' memories
  generate
    if (Checks != 0) begin : g_counts
      logic [AW-1:0] tokens_q; // it stands long before a pass ends
      always_ff @(posedge clk_i) begin
        tokens_q <= AW'((length_i + LenW'(Lanes - 1)) >> $clog2(Lanes));
        bad_o    <= rst_ni & (rows_bad & ~close_i | close & (u_read_at_o != tokens_q || r_read_at_o != tokens_q || p_read_at_o != tokens_q ||
                                      q_read_at_o != tokens_q || u_write_at_o != tokens_q || r_write_at_o != tokens_q ||
                                      p_write_at_o != tokens_q || q_write_at_o != tokens_q));
      end
    end else begin : g_no_counts
      assign bad_o = 1'b0;
      wire unused_bad = &{1'b0, rows_bad};
    end
  endgenerate
  assign write_o = give & {~close_i, ~close_i, ~close_i & ~first, 1'b1};

  // ---- Datapath ----------------------------------------------------------------------------------------------------
  logic [6:0] ptr_q; // of the delay lines
  always_ff @(posedge clk_i)
    if (!rst_ni) ptr_q <= '0;
    else ptr_q <= ptr_q + 7'd1;

  wire [1:0] alpha_cls, beta_cls;
  wire [OperandW-1:0] alpha_op, beta_op;
  wire operands; // they are new
  wire [Lanes*UW-1:0] u_new;
  wire [Lanes*PW-1:0] p_middle;
  wire [Lanes-1:0] u_over, r_over, p_over, q_over, row_live;
  wire row_slot, row_slot_real, row_slot_last;
  wire [6*Lanes-1:0] unused_residues;
  wire unused_beyond, unused_over_bad;
  wire [4*Lanes-1:0] unused_row_residues;
  core_vectors_t update_give, rows_give;
  core_vectors_t unused_take, unused_take_ahead, unused_take_last, unused_give_ahead, unused_give_last;
  core_vectors_t unused_rows_ahead, unused_rows_last;
  wire [Coefs-1:0] unused_band, unused_band_ahead, unused_band_last;
  fx_update #(
`include "fx_parameters_passed.svh"
  ) i_update (
    .clk_i, .rst_ni, .en_i(1'b1), .clear_i(clear), .slot_i(slot), .slot_real_i(real_at[1]), .slot_last_i(slot_last),
    .token_last_i(token_last), .live_last_i(live_last), .own_first_i(own_first),
    .own_last_i(own_last), .load_i(start_i | operands), .alpha_cls_i(alpha_cls),
    .alpha_i(alpha_op), .beta_cls_i(beta_cls), .beta_i(beta_op), .u_i, .r_i, .p_i, .q_i, .take_o(unused_take),
    .take_ahead_o(unused_take_ahead), .take_last_o(unused_take_last), .give_o(update_give),
    .give_ahead_o(unused_give_ahead), .give_last_o(unused_give_last), .u_o(u_new), .r_o, .p_o, .u_over_o(u_over),
    .r_over_o(r_over), .p_over_o(p_over), .row_slot_o(row_slot), .row_slot_real_o(row_slot_real),
    .row_slot_last_o(row_slot_last), .residue_i({(8*Lanes){1'b0}}), .residue_o(unused_residues), .beyond_o(unused_beyond), .over_bad_o(unused_over_bad));
  fx_rows #(
`include "fx_parameters_passed.svh"
    , .Parity(Checks)) i_rows (
    .clk_i, .rst_ni, .en_i(1'b1), .clear_i(clear), .ptr_i(ptr_q), .length_i, .row_length_i, .live_last_i(live_last),
    .own_first_i(own_first), .own_last_i(own_last), .column_i(column), .slot_i(row_slot), .slot_real_i(row_slot_real), .slot_last_i(row_slot_last), .p_i(p_o), .band_i({(Coefs*Lanes*CoefW){1'b0}}),
    .take_band_o(unused_band), .take_band_ahead_o(unused_band_ahead), .take_band_last_o(unused_band_last),
    .give_o(rows_give), .give_ahead_o(unused_rows_ahead), .give_last_o(unused_rows_last), .q_o, .over_o(q_over),
    .live_o(row_live), .p_o(p_middle), .bad_o(rows_bad), .residue_i({(2*Lanes){1'b0}}), .residue_o(unused_row_residues));
  assign give = update_give | rows_give;

  // Where u + alpha p leaves the words of u, its sign is that of alpha p.
  logic [Lanes-1:0] p_sign_q [0:UpdateUOut-UpdatePIn-1];
  always_ff @(posedge clk_i) begin
    for (int k = 0; k < Lanes; k = k + 1) p_sign_q[0][k] <= p_i[k*PW+PW-1] ^ alpha_op[OperandW-1];
    for (int k = 1; k < UpdateUOut - UpdatePIn; k = k + 1) p_sign_q[k] <= p_sign_q[k-1];
  end
  wire [Lanes-1:0] sign = p_sign_q[UpdateUOut-UpdatePIn-1];
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_u
      assign u_o[l*UW +: UW] = first ? '0 : (close_i & u_over[l]) ? {sign[l], {(UW-1){~sign[l]}}} : u_new[l*UW +: UW];
    end
  endgenerate
  always_ff @(posedge clk_i)
    if (start_i) close_over_o <= 1'b0;
    else if (close_i & update_give.u & |u_over) close_over_o <= 1'b1;

  // ---- Totals, words and scalars -----------------------------------------------------------------------------------
  wire [DotRrW-1:0] rr, rr_part;
  wire [DotPqW-1:0] pq, pq_part;
  wire [DotQqW-1:0] qq, qq_part;
  fx_dot #(.Lanes(Lanes), .AW(RW), .BW(RW), .TotalW(DotRrW), .Square(1), .Style(Style)) i_rr (
    .clk_i, .en_i(1'b1), .clear_i(clear), .valid_i(update_give.r), .a_i(r_o), .b_i(r_o), .total_o(rr_part));
  fx_dot #(.Lanes(Lanes), .AW(PW), .BW(QW), .TotalW(DotPqW), .Style(Style)) i_pq (
    .clk_i, .en_i(1'b1), .clear_i(clear), .valid_i(rows_give.q), .a_i(p_middle), .b_i(q_o), .total_o(pq_part));
  fx_dot #(.Lanes(Lanes), .AW(QW), .BW(QW), .TotalW(DotQqW), .Square(1), .Style(Style)) i_qq (
    .clk_i, .en_i(1'b1), .clear_i(clear), .valid_i(rows_give.q), .a_i(q_o), .b_i(q_o), .total_o(qq_part));

  // The longest words of a solve, and whether one overflowed in this run.
  wire count = ~close_i;
  fx_words #(.Lanes(Lanes), .W(UW)) i_words_u (
    .clk_i, .clear_i(clear_words_i), .valid_i(update_give.u & count & ~first), .word_i(u_new), .over_i(u_over),
    .mask_o(words_u_o));
  fx_words #(.Lanes(Lanes), .W(RW)) i_words_r (
    .clk_i, .clear_i(clear_words_i), .valid_i(update_give.r & count), .word_i(r_o), .over_i(r_over),
    .mask_o(words_r_o));
  fx_words #(.Lanes(Lanes), .W(PW)) i_words_p (
    .clk_i, .clear_i(clear_words_i), .valid_i(update_give.p & count), .word_i(p_o), .over_i(p_over),
    .mask_o(words_p_o));
  fx_words #(.Lanes(Lanes), .W(QW)) i_words_q (
    .clk_i, .clear_i(clear_words_i), .valid_i(rows_give.q & count), .word_i(q_o), .over_i(q_over), .mask_o(words_q_o));
  logic over_part;
  wire  over;
  always_ff @(posedge clk_i)
    if (start_i) over_part <= 1'b0;
    else over_part <= over_part | (count & ((update_give.u & ~first & |u_over) | (update_give.r & |r_over) |
                                  (update_give.p & |p_over) | (rows_give.q & |q_over)));

  fx_totals #(.W(SumW), .Alone(Alone)) i_totals (
    .clk_i, .rst_ni, .clear_i(clear), .close_i(close), .part_i({over_part, rr_part, pq_part, qq_part}), .total_o({over, rr, pq, qq}),
    .done_o(sums_done), .m_axis_sum_tdata, .m_axis_sum_tvalid, .m_axis_sum_tready, .s_axis_sum_tdata, .s_axis_sum_tvalid,
    .s_axis_sum_tready);

  // The outer unit's totals stand while a run is on: its first pass's r.r is theirs.
  localparam integer TotalW = `MAX3(DotRrW, DotPqW, DotQqW);
  localparam integer EntryW = $clog2(`SCALAR_RESIDENT_PROGRAM_N + 1);
  logic outer_q; // the outer unit's program runs
  always_ff @(posedge clk_i)
    if (!rst_ni) outer_q <= 1'b0;
    else outer_q <= form_i | betas_i | (outer_q & ~start_i);
  wire outer = form_i | betas_i | outer_q;
  wire [EntryW-1:0] entry = form_i ? EntryW'(`SCALAR_ENTRY_FORM) : betas_i ? EntryW'(`SCALAR_ENTRY_BETAS) : '0;
  logic test_rho; // this pass's rho is tested, or the outer unit's
  always_ff @(posedge clk_i) test_rho <= outer | ~first;
  wire [DotRrW-1:0] total_0 = (outer | first) ? rr_i : rr;
  wire [DotPqW-1:0] total_1 = outer ? rp_i : pq;
  wire subtract;
  wire [5:0] unused_checks;
  wire [ScalarW+1:0] minuend;
  scalar_sequencer #(
    .E(ScalarExpW), .M(ScalarFracW), .Rne(ScalarRne), .OperandExpW(OperandExpW), .OperandFracW(OperandFracW),
    .OperandRne(OperandRne), .Blocks((Style == 1) ? 0 : 1), .Integer(1), .W0(DotRrW), .W1(DotPqW), .W2(DotQqW),
    .Lsb0(-2 * RF), .Lsb1(-PF - QF), .Lsb2(-2 * QF), .TotalW(TotalW), .N(`SCALAR_RESIDENT_PROGRAM_N),
    .Program(`SCALAR_RESIDENT_PROGRAM)) i_sequencer (
    .clk_i, .rst_ni, .abort_i(1'b0), .start_i((scalar_start & ~close_i) | form_i | betas_i), .entry_i(entry),
    .totals_i({TotalW'($signed(qq)), TotalW'($signed(total_1)), TotalW'($signed(total_0))}), .over_i(over & ~outer),
    .subtract_o(subtract), .minuend_o(minuend), .subtracted_i(1'b0), .test_i(test_rho), .set_i, .set_at_i, .set_word_i,
    .read_i(scalar_read_i), .read_at_i(scalar_at_i), .read_o(scalar_o), .done_o(scalar_done), .end_o(scalar_end),
    .guard_o(scalar_guard), .alpha_cls_o(alpha_cls), .alpha_op_o(alpha_op), .beta_cls_o(beta_cls), .beta_op_o(beta_op),
    .operands_o(operands), .checks_o(unused_checks));
  assign scalar_done_o = scalar_done & outer_q;
  assign scalar_end_o  = scalar_end;
  wire unused = &{1'b0, subtract, minuend, row_live, unused_take, unused_take_ahead, unused_take_last,
                  unused_give_ahead, unused_give_last, unused_rows_ahead, unused_rows_last, unused_band,
                  unused_band_ahead, unused_band_last, own_first_i, own_last_i, column_i};
endmodule
`default_nettype wire
