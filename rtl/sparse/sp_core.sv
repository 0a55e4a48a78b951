/// The sparse core: passes of the integer core for any matrix, in fixed-point words. u, r, p and q stay in memory on the
/// chip; the matrix is streamed, once a pass. A pass has two parts: u', r' and p' of all elements, Lanes a clock; then the
/// rows of A p', an entry a lane and clock. engine.hpp ("Fixed-point words") says what each word becomes;
/// row_stream.hpp the order in which rows and entries come; docs/sparse_rtl.md how to attach the core.
///
///   s_axis_word  in, a vector, Lanes words of WordW bits a beat (lane 0 lowest, right-aligned), while no run is on; tuser:
///                0 u, 1 r, 2 p, 3 q. In the order of positions, LENGTH / Lanes beats, rounded up; words after the
///                last element are 0; tlast with the last beat. LENGTH stands before
///   s_axis_ask   in, tdata[1:0] a vector, while no run is on and no vector half loaded: it leaves by
///   m_axis_word  out, as many beats of words, sign-extended, tlast with the last one
///   m_axis_pass  out, tdata 0: a pass begins, and takes the matrix once
///   s_axis_row   in, a beat of the matrix: at lane * EntryW {coefficient, address, bank}, above them the bit that marks
///                a slice's last beat; tlast with the pass's last. With one lane there is no bank. MODE[0] 1: an address
///                is a two's complement difference from its slice's
///
/// A run is programmed and ends as fx_core's (core_regs), but ROW_LENGTH and BANK mean nothing, and MODE is as above. A run
/// that ends with a fault leaves vectors half updated: load them again.
///
/// Parameters: fx_parameters.svh, of which RowShift, RowSums, CoefMode, S0 to S8, MaxRow and DelayRam mean nothing, and
/// Alone, Chebyshev and Checks stay at their defaults, and those below.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module sp_core #(
`include "fx_parameters.svh"
  , parameter integer Depth = 1024, ///< words of a lane: LENGTH is at most Lanes * Depth
  parameter integer AddressW = 10,  ///< bits of an address in the stream, up to $clog2(Depth)
  parameter integer RowLog  = 12,   ///< a row has at most 2^RowLog entries
  localparam integer WordW  = `MAX2(`MAX2(UW, RW), `MAX2(PW, QW)),
  localparam integer EntryW = CoefW + AddressW + $clog2(Lanes)
) (
  input  wire                  clk_i,
  input  wire                  rst_ni,

  `AXIL_PORTS(8)

  input  wire  [Lanes*WordW-1:0] s_axis_word_tdata,
  input  wire  [1:0]           s_axis_word_tuser,
  input  wire                  s_axis_word_tvalid,
  input  wire                  s_axis_word_tlast,
  output logic                 s_axis_word_tready,
  input  wire  [7:0]           s_axis_ask_tdata,
  input  wire                  s_axis_ask_tvalid,
  output logic                 s_axis_ask_tready,
  `AXIS_OUT_PORTS(word, Lanes*WordW)

  `PASS_PORTS(8)
  input  wire  [Lanes*EntryW:0] s_axis_row_tdata,
  input  wire                  s_axis_row_tvalid,
  input  wire                  s_axis_row_tlast,
  output logic                 s_axis_row_tready,

  output logic                 busy_o   ///< a run is on; its end can serve as an interrupt
);
`include "fx_checks.svh"
  `REQUIRE_OF_TOP(g_no_chebyshev, Chebyshev == 0, "the sparse core runs pipelined CG: Chebyshev must be 0")
  `REQUIRE_OF_TOP(g_alone, Alone == 1, "Alone must be 1: several sparse cores do not share a matrix")
  `REQUIRE_OF_TOP(g_no_checks, Checks == 0, "Checks must be 0: the sparse core does not look for its own upsets")
  localparam integer Log   = $clog2(Lanes);
  localparam integer AW    = (Depth > 1) ? $clog2(Depth) : 1;
  localparam integer BankW = (Lanes > 1) ? Log : 1;
`include "sp_plan.svh"
  `REQUIRE_OF_TOP(g_coefficients, CoefW >= 3 && CoefW <= 33, "CoefW must be in 3..33")
  `REQUIRE_OF_TOP(g_depth, Depth >= 4 && Depth <= (1 << 24), "Depth must be in 4..2^24")
  `REQUIRE_OF_TOP(g_address, AddressW >= 1 && AddressW <= AW, "AddressW must be in 1..clog2(Depth)")
  `REQUIRE_OF_TOP(g_length_fits, LenW >= AW + Log + 1, "LenW bits must hold Lanes * Depth: clog2(Depth) + log2(Lanes) + 1 or more")
  `REQUIRE_OF_TOP(g_entries, RowLog >= 0 && RowLog <= 20, "RowLog must be in 0..20")

  // ---- Registers and control ---------------------------------------------------------------------------------------
`ifndef UNWATCHED
  wire length_bad;
`endif
  wire start, abort, row_bad, delta, bank_reg, scalar_read, done;
  wire [2:0]  scalar_at, set_at, run_end;
  wire [7:0]  set;
  wire [31:0] set_word, passes, rho_stop_from, stall_limit, pass_count, sigma_guards;
  wire [LenW-1:0] length, unused_first, unused_last;
  wire [10:0] unused_row, unused_column;
  wire [8:0]  unused_coefs;
  wire [ScalarW-1:0] scalar;
  wire [`ERRORS_W-1:0] errors;
  wire sending, loading; // a vector is on its way out, or half loaded
`ifndef UNWATCHED
  wire bad_length, seam_refused, seam_early, seam_late;
  wire [`ERRORS_W-1:0] all_errors = errors | (`ERRORS_W'(seam_refused) << `ERROR_BAD_LENGTH) |
                                    (`ERRORS_W'(seam_early) << `ERROR_ENDED_EARLY) | (`ERRORS_W'(seam_late) << `ERROR_ENDED_LATE);
`else
  wire [`ERRORS_W-1:0] all_errors = errors;
`endif
  wire [63:0] cycles;
  wire [UW-1:0] words_u;
  wire [RW-1:0] words_r;
  wire [PW-1:0] words_p;
  wire [QW-1:0] words_q;
  core_regs #(.ScalarW(ScalarW), .CoefW(1), .LenW(LenW), .RowLenW(11), .Integer(1),
              .Config(Log + 32 + 128)) i_regs (
`ifndef UNWATCHED
    .length_bad_o(length_bad),
`endif
    .clk_i, .rst_ni, `AXIL_PASSED,
    .busy_i(busy_o | start), .done_i(done), .end_i(run_end), .fault_i(1'b0),
    .bank_i(1'b0), .offering_i(m_axis_pass_tvalid | sending), .errors_i(all_errors),
    .pass_count_i(pass_count), .sigma_guards_i(sigma_guards), .cycles_i(cycles), .scalar_i(scalar),
    .words_u_i(64'(words_u)), .words_r_i(64'(words_r)), .words_p_i(64'(words_p)), .words_q_i(64'(words_q)),
    .start_o(start), .abort_o(abort), .length_o(length), .row_length_o(unused_row), .row_bad_o(row_bad),
    .passes_o(passes), .rho_stop_from_o(rho_stop_from), .stall_limit_o(stall_limit), .stencil_o(delta),
    .bank_o(bank_reg), .halo_first_o(unused_first), .halo_last_o(unused_last), .halo_column_o(unused_column),
    .scalar_read_o(scalar_read), .scalar_at_o(scalar_at), .set_o(set), .set_at_o(set_at), .set_word_o(set_word),
    .coef_o(unused_coefs));

  wire clear, token_now, linear, scalar_start, aborting, scalar_done, scalar_guard;
  wire [2:0]  scalar_end;
  wire [AW:0] tokens;
  wire beat_now = s_axis_row_tvalid & s_axis_row_tready;
  sp_control #(.Lanes(Lanes), .Depth(Depth), .LenW(LenW), .UpdateN(UpdatePOut + 1),
               .DrainN(RowLatency + DotLatency)) i_control (
`ifndef UNWATCHED
    .length_bad_i(length_bad), .bad_length_o(bad_length),
`endif
    .clk_i, .rst_ni, .start_i(start), .abort_i(abort), .length_i(length), .passes_i(passes),
    .stall_limit_i(stall_limit), .pass_ready_i(m_axis_pass_tready), .beat_i(beat_now),
    .beat_ends_i(s_axis_row_tdata[Lanes*EntryW]), .beat_last_i(s_axis_row_tlast), .sending_i(sending), .loading_i(loading),
    .scalar_done_i(scalar_done), .scalar_guard_i(scalar_guard), .scalar_end_i(scalar_end), .busy_o,
    .pass_valid_o(m_axis_pass_tvalid), .clear_o(clear), .token_o(token_now), .linear_o(linear),
    .rows_o(s_axis_row_tready), .scalar_start_o(scalar_start), .aborting_o(aborting), .done_o(done), .end_o(run_end),
    .errors_o(errors), .pass_count_o(pass_count), .sigma_guards_o(sigma_guards), .cycles_o(cycles), .tokens_o(tokens));
  assign m_axis_pass_tdata = '0;

  // ---- Vectors in and out, while no run is on ----------------------------------------------------------------------
  wire [3:0] load;
  wire [AW-1:0] load_at, send_at;
  wire [Lanes*WordW-1:0] load_word;
  wire moves;
  wire [Lanes*UW-1:0] u_word, u_early, u_new;
  wire [Lanes*RW-1:0] r_word, r_early, r_new;
  wire [Lanes*PW-1:0] p_word, p_new, p_gathered, p_own;
  wire [Lanes*QW-1:0] q_word, q_early, q_new;
  wire [4*Lanes*WordW-1:0] all_words;
  wire [Lanes*UW-1:0] u_load;
  wire [Lanes*RW-1:0] r_load;
  wire [Lanes*PW-1:0] p_load;
  wire [Lanes*QW-1:0] q_load;
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_word_of_lane
      assign all_words[(0*Lanes+l)*WordW +: WordW] = WordW'($signed(u_word[l*UW +: UW]));
      assign all_words[(1*Lanes+l)*WordW +: WordW] = WordW'($signed(r_word[l*RW +: RW]));
      assign all_words[(2*Lanes+l)*WordW +: WordW] = WordW'($signed(p_word[l*PW +: PW]));
      assign all_words[(3*Lanes+l)*WordW +: WordW] = WordW'($signed(q_word[l*QW +: QW]));
      assign u_load[l*UW +: UW] = load_word[l*WordW +: UW];
      assign r_load[l*RW +: RW] = load_word[l*WordW +: RW];
      assign p_load[l*PW +: PW] = load_word[l*WordW +: PW];
      assign q_load[l*QW +: QW] = load_word[l*WordW +: QW];
    end
  endgenerate
  sp_seam #(.W(Lanes*WordW), .Depth(Depth)) i_seam (
    .clk_i, .rst_ni, .closed_i(busy_o | start), .tokens_i(tokens), .s_axis_word_tdata, .s_axis_word_tuser,
    .s_axis_word_tvalid, .s_axis_word_tlast, .s_axis_word_tready, .s_axis_ask_tdata, .s_axis_ask_tvalid,
    .s_axis_ask_tready, .m_axis_word_tdata, .m_axis_word_tvalid, .m_axis_word_tlast, .m_axis_word_tready,
`ifndef UNWATCHED
    .bad_length_i(bad_length), .refused_o(seam_refused), .early_o(seam_early), .late_o(seam_late),
`endif
    .sending_o(sending), .loading_o(loading), .write_o(load), .write_at_o(load_at), .word_o(load_word), .moves_o(moves),
    .read_at_o(send_at), .read_i(all_words));

  // ---- Updates -----------------------------------------------------------------------------------------------------
  // Tokens go on a clock later: the address of what a stage takes leaves two clocks in front of it.
  localparam integer Waits = `MAX3(UpdateUIn, UpdateRIn, UpdatePIn);
  logic token_q;
  logic [Waits:1] real_q; // tokens, by the clocks after their slot
  wire  [Waits:0] real_at = {real_q, token_now};
  always_ff @(posedge clk_i)
    if (!rst_ni || clear) begin
      token_q <= 1'b0;
      real_q  <= '0;
    end else begin
      token_q <= token_now;
      real_q  <= real_at[Waits-1:0];
    end
  core_vectors_t give;
  wire q_give;
  logic [AW-1:0] u_from, r_from, p_from, q_from, u_to, r_to, p_to, q_to;
  always_ff @(posedge clk_i)
    if (clear) begin
      {u_from, r_from, p_from, q_from} <= '0;
      {u_to, r_to, p_to, q_to}         <= '0;
    end else begin
      if (real_at[UpdateUIn]) u_from <= u_from + AW'(1);
      if (real_at[UpdateRIn]) r_from <= r_from + AW'(1);
      if (real_at[UpdatePIn]) p_from <= p_from + AW'(1);
      if (real_at[0]) q_from <= q_from + AW'(1);
      if (give.u) u_to <= u_to + AW'(1);
      if (give.r) r_to <= r_to + AW'(1);
      if (give.p) p_to <= p_to + AW'(1);
      if (q_give) q_to <= q_to + AW'(1);
    end

  wire [1:0] alpha_cls, beta_cls;
  wire [OperandW-1:0] alpha_op, beta_op;
  wire operands; // they are new
  wire [Lanes-1:0] u_over, r_over, p_over, q_over;
  wire row_slot, row_slot_real, row_slot_last;
  wire [6*Lanes-1:0] unused_residue; // nothing is checked
  wire unused_checking, unused_scalars, unused_beyond, unused_over_bad;
  wire [4:0] unused_total;
  core_vectors_t unused_take, unused_take_ahead, unused_take_last, unused_give_ahead, unused_give_last;
  fx_update #(
`include "fx_parameters_passed.svh"
  ) i_update (
    .clk_i, .rst_ni, .en_i(1'b1), .clear_i(clear), .slot_i(token_q), .slot_real_i(token_q), .slot_last_i(1'b0),
    .token_last_i(1'b0), .live_last_i({Lanes{1'b1}}), .own_first_i({LenW{1'b0}}), .own_last_i({LenW{1'b1}}),
    .load_i(start | operands), .alpha_cls_i(alpha_cls), .alpha_i(alpha_op), .beta_cls_i(beta_cls), .beta_i(beta_op),
    .u_i(u_word), .r_i(r_word), .p_i(p_word), .q_i(q_word), .take_o(unused_take), .take_ahead_o(unused_take_ahead),
    .take_last_o(unused_take_last), .give_o(give), .give_ahead_o(unused_give_ahead),
    .give_last_o(unused_give_last), .u_o(u_new), .r_o(r_new), .p_o(p_new), .u_over_o(u_over), .r_over_o(r_over),
    .p_over_o(p_over), .row_slot_o(row_slot), .row_slot_real_o(row_slot_real), .row_slot_last_o(row_slot_last),
    .residue_i({(8*Lanes){1'b0}}), .residue_o(unused_residue), .beyond_o(unused_beyond), .over_bad_o(unused_over_bad));

  // ---- Rows --------------------------------------------------------------------------------------------------------
  logic beat_q;
  logic [Lanes*EntryW:0] entries_q;
  always_ff @(posedge clk_i) begin
    beat_q <= rst_ni & beat_now;
    if (beat_now) entries_q <= s_axis_row_tdata;
  end
  wire [Lanes*AW-1:0] address;
  wire [Lanes*BankW-1:0] bank;
  sp_rows #(
`include "fx_parameters_passed.svh"
    , .Depth(Depth), .AddressW(AddressW), .RowLog(RowLog)) i_rows (
    .clk_i, .rst_ni, .clear_i(clear), .delta_i(delta), .beat_i(beat_q), .entries_i(entries_q), .address_o(address),
    .bank_o(bank), .p_i(p_gathered), .give_o(q_give), .q_o(q_new), .over_o(q_over), .p_o(p_own));

  // ---- Memories ----------------------------------------------------------------------------------------------------
  wire [2:0] unused_bad;
  fx_memory #(.Lanes(Lanes), .W(UW), .Depth(Depth)) i_u (
    .clk_i, .read_i(moves), .read_at_i(busy_o ? u_from : send_at), .early_o(u_early), .word_o(u_word),
    .write_i({Lanes{give.u | load[0]}}), .write_at_i(busy_o ? u_to : load_at),
    .word_i(busy_o ? u_new : u_load), .check_i(1'b0), .bad_o(unused_bad[0]));
  fx_memory #(.Lanes(Lanes), .W(RW), .Depth(Depth)) i_r (
    .clk_i, .read_i(moves), .read_at_i(busy_o ? r_from : send_at), .early_o(r_early), .word_o(r_word),
    .write_i({Lanes{give.r | load[1]}}), .write_at_i(busy_o ? r_to : load_at),
    .word_i(busy_o ? r_new : r_load), .check_i(1'b0), .bad_o(unused_bad[1]));
  fx_memory #(.Lanes(Lanes), .W(QW), .Depth(Depth)) i_q (
    .clk_i, .read_i(moves), .read_at_i(busy_o ? q_from : send_at), .early_o(q_early), .word_o(q_word),
    .write_i({Lanes{q_give | load[3]}}), .write_at_i(busy_o ? q_to : load_at),
    .word_i(busy_o ? q_new : q_load), .check_i(1'b0), .bad_o(unused_bad[2]));
  sp_gather #(.Lanes(Lanes), .W(PW), .Depth(Depth)) i_p (
    .clk_i, .linear_i(linear), .read_i(moves), .read_at_i(busy_o ? p_from : send_at), .linear_o(p_word),
    .write_i(give.p | load[2]), .write_at_i(busy_o ? p_to : load_at),
    .word_i(busy_o ? p_new : p_load), .address_i(address), .bank_i(bank), .word_o(p_gathered));

  // ---- Totals, words and scalars -----------------------------------------------------------------------------------
  wire [DotRrW-1:0] rr;
  wire [DotPqW-1:0] pq;
  wire [DotQqW-1:0] qq;
  fx_dot #(.Lanes(Lanes), .AW(RW), .BW(RW), .TotalW(DotRrW), .Square(1), .Style(Style)) i_rr (
    .clk_i, .en_i(1'b1), .clear_i(clear), .valid_i(give.r), .a_i(r_new), .b_i(r_new), .total_o(rr));
  fx_dot #(.Lanes(Lanes), .AW(PW), .BW(QW), .TotalW(DotPqW), .Style(Style)) i_pq (
    .clk_i, .en_i(1'b1), .clear_i(clear), .valid_i(q_give), .a_i(p_own), .b_i(q_new), .total_o(pq));
  fx_dot #(.Lanes(Lanes), .AW(QW), .BW(QW), .TotalW(DotQqW), .Square(1), .Style(Style)) i_qq (
    .clk_i, .en_i(1'b1), .clear_i(clear), .valid_i(q_give), .a_i(q_new), .b_i(q_new), .total_o(qq));

`ifndef UNWATCHED
  wire clear_words = start | ~rst_ni;
`endif
  fx_words #(.Lanes(Lanes), .W(UW)) i_words_u (
    .clk_i, .clear_i(`CLEAR_WORDS), .valid_i(give.u), .word_i(u_new), .over_i(u_over), .mask_o(words_u));
  fx_words #(.Lanes(Lanes), .W(RW)) i_words_r (
    .clk_i, .clear_i(`CLEAR_WORDS), .valid_i(give.r), .word_i(r_new), .over_i(r_over), .mask_o(words_r));
  fx_words #(.Lanes(Lanes), .W(PW)) i_words_p (
    .clk_i, .clear_i(`CLEAR_WORDS), .valid_i(give.p), .word_i(p_new), .over_i(p_over), .mask_o(words_p));
  fx_words #(.Lanes(Lanes), .W(QW)) i_words_q (
    .clk_i, .clear_i(`CLEAR_WORDS), .valid_i(q_give), .word_i(q_new), .over_i(q_over), .mask_o(words_q));
  wire over = words_u[UW-1] | words_r[RW-1] | words_p[PW-1] | words_q[QW-1]; // an overflow ends the run

  fx_scalars #(
`include "fx_parameters_passed.svh"
  ) i_scalars (
    .clk_i, .rst_ni, .aborting_i(aborting), .rr_i(rr), .pq_i(pq), .qq_i(qq), .over_i(over), .start_i(scalar_start),
    .pass_count_i(pass_count), .rho_stop_from_i(rho_stop_from), .set_i(set), .set_at_i(set_at),
    .set_word_i(set_word), .read_i(scalar_read), .read_at_i(scalar_at), .read_o(scalar), .done_o(scalar_done),
    .end_o(scalar_end), .guard_o(scalar_guard), .alpha_cls_o(alpha_cls), .alpha_op_o(alpha_op),
    .beta_cls_o(beta_cls), .beta_op_o(beta_op), .operands_o(operands),
    .late_i(1'b0), .checking_o(unused_checking), .total_o(unused_total), .bad_o(unused_scalars));
  wire unused = &{1'b0, unused_bad, row_bad, bank_reg, unused_first, unused_last, unused_row, unused_column, unused_coefs, u_early,
                  r_early, q_early, row_slot, row_slot_real, row_slot_last, unused_take, unused_take_ahead,
                  unused_take_last, unused_give_ahead, unused_give_last, give.q};
endmodule
`default_nettype wire
