/// The integer core: the passes of pcg_core in fixed-point words, one token (Lanes elements) of each vector per clock.
/// Registers, streams and their order are pcg_core's; words are two's complement, and engine.hpp ("Fixed-point words")
/// says what each becomes.
///
///   s_axis_band        in, Coefs streams side by side, each with its own handshake: the weights to E, NW, N and NE
///                      (SymmetricBands), then with RowSums the row sums. None is read with CoefMode 1.
///   m_axis_sum         out, with Alone 0: {over, rr, pq, qq}, this core's part of a pass's totals, and whether one of
///                      its words overflowed; one beat a pass
///   s_axis_sum         in, with Alone 0: the same of all cores together, one beat a pass
///
/// With Alone 0 a core has a slab of the vectors (fx_slab): it reads LENGTH elements, the first HALO_FIRST and the last
/// HALO_LAST of which are its neighbours', and writes those between, so its output streams are that much shorter.
/// Coefficients of the last HALO_LAST elements are not read either. fx_cores puts several cores side by side.
///
/// With Chebyshev there are neither dot products nor a scalar unit: alpha and beta come from a table (step_pairs), which
/// the registers ALPHA, BETA and RHO_STOP write. Such a core has no Alone 0, and its scalars read as zero.
///
/// A word that overflows keeps its low bits, and the pass ends the run with WINDOW_OVERFLOW.
/// Parameters: see fx_parameters.svh; registers: see core_regs.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module fx_core #(
`include "fx_parameters.svh"
) (
  input  wire                          clk_i,
  input  wire                          rst_ni,

  `AXIL_PORTS(8)
  `CORE_STREAM_PORTS(Lanes)

  output logic [SumW-1:0]              m_axis_sum_tdata,
  output logic                         m_axis_sum_tvalid,
  input  wire                          m_axis_sum_tready,
  input  wire  [SumW-1:0]              s_axis_sum_tdata,
  input  wire                          s_axis_sum_tvalid,
  output logic                         s_axis_sum_tready,

  output logic                         busy_o,   ///< a run is on; its end can serve as an interrupt
  output logic [16:0]                  waiting_o ///< what a stopped pipeline waits for: see pcg_core
);
`include "fx_checks.svh"
`include "fx_grid_checks.svh"
  localparam integer Log    = $clog2(Lanes);
`include "fx_row_plan.svh"
  localparam integer DrainN = `FX_DRAIN_CLOCKS(UpdatePOut, PlanLatency, DotLatency);

  `REQUIRE_OF_TOP(g_drain, LenW > 24 || DrainN < (1 << LenW), "LenW bits must hold the clocks in which the pipeline drains: take 8 or more")

  // ---- Control -----------------------------------------------------------------------------------------------------
`include "core_front.svh"
  wire checking; // the scalars are formed once more
  wire fault;    // a check has failed since the start
  assign busy_o = busy | checking;
  wire [UW-1:0] words_u;
  wire [RW-1:0] words_r;
  wire [PW-1:0] words_p;
  wire [QW-1:0] words_q;
  wire [8:0] unused_coefs;

  wire [LenW-1:0] halo_first, halo_last, own_first, own_last;
  wire [RowLenW-1:0] halo_column;
  core_regs #(.ScalarW(ScalarW), .CoefW(1), .LenW(LenW), .RowLenW(RowLenW), .Integer(1), .Slab(1 - Alone),
              .Config(Log + 8 * CoefMode + 32 + 128 + 256 * RowSums + ((Chebyshev != 0) ? 2048 : 0) + 4096 * Checks)) i_regs (
`ifndef UNWATCHED
    .length_bad_o(length_bad),
`endif
    `CORE_REGS_CONNECTED, .busy_i(busy | start | checking), .done_i(done & ~checking),
    .end_i(fault ? `END_FAULT : run_end), .fault_i(fault), .words_u_i(64'(words_u)), .words_r_i(64'(words_r)),
    .words_p_i(64'(words_p)), .words_q_i(64'(words_q)), .halo_first_o(halo_first), .halo_last_o(halo_last),
    .halo_column_o(halo_column), .coef_o(unused_coefs));

  wire slab_bad;
  generate
    if (Alone != 0) begin : g_no_slab
      assign {own_first, own_last, slab_bad} = '0;
      wire unused_halos = &{1'b0, halo_first};
    end else begin : g_slab
      fx_slab #(.Lanes(Lanes), .LenW(LenW), .RowLenW(RowLenW), .CoefMode(CoefMode)) i_slab (
        .clk_i, .length_i(length), .row_length_i(row_length), .first_i(halo_first), .last_i(halo_last),
        .column_i(halo_column), .begin_o(own_first), .end_o(own_last), .bad_o(slab_bad));
    end
  endgenerate

  wire sums_done, unordered;
  core_control #(.Lanes(Lanes), .MaxRow(MaxRow), .LenW(LenW), .DrainN(DrainN), .Slab(1 - Alone)) i_control (
`ifndef UNWATCHED
    .length_bad_i(length_bad),
`endif
    `CORE_CONTROL_CONNECTED, .abort_i(abort | fault), .stencil_i(1'(CoefMode == 1)), .row_bad_i(row_bad | slab_bad),
    .halo_last_i(halo_last), .dots_done_i(sums_done), .lost_o(unordered));

  // ---- Streams -----------------------------------------------------------------------------------------------------
  core_vectors_t in_valid, in_last, in_ready, out_valid, out_last, out_ready;
  assign in_valid  = {s_axis_q_tvalid, s_axis_p_tvalid, s_axis_r_tvalid, s_axis_u_tvalid};
  assign in_last   = {s_axis_q_tlast, s_axis_p_tlast, s_axis_r_tlast, s_axis_u_tlast};
  assign out_ready = {m_axis_q_tready, m_axis_p_tready, m_axis_r_tready, m_axis_u_tready};
  assign {s_axis_q_tready, s_axis_p_tready, s_axis_r_tready, s_axis_u_tready} = in_ready;
  assign {m_axis_q_tvalid, m_axis_p_tvalid, m_axis_r_tvalid, m_axis_u_tvalid} = out_valid;
  assign {m_axis_q_tlast, m_axis_p_tlast, m_axis_r_tlast, m_axis_u_tlast}     = out_last;

  wire [Coefs-1:0] take_band, take_band_ahead, take_band_last;
  wire [Lanes*UW-1:0] u_in, u_new;
  wire [Lanes*RW-1:0] r_in, r_new;
  wire [Lanes*PW-1:0] p_in, p_new, p_middle;
  wire [Lanes*QW-1:0] q_in, q_new;
  wire [Coefs*Lanes*CoefW-1:0] band;
  fx_streams #(
`include "fx_parameters_passed.svh"
  ) i_streams (
    .clk_i, .rst_ni, .run_i(run), .clear_i(clear), .drained_i(drained), .in_valid_i(in_valid),
    .in_last_i(in_last), .in_ready_o(in_ready), .band_valid_i(s_axis_band_tvalid), .band_last_i(s_axis_band_tlast),
    .band_ready_o(s_axis_band_tready), .u_tdata_i(s_axis_u_tdata), .r_tdata_i(s_axis_r_tdata),
    .p_tdata_i(s_axis_p_tdata), .q_tdata_i(s_axis_q_tdata), .band_tdata_i(s_axis_band_tdata), .take_i(take),
    .take_ahead_i(take_ahead), .take_last_i(take_last), .take_band_i(take_band), .take_band_ahead_i(take_band_ahead),
    .take_band_last_i(take_band_last), .u_o(u_in), .r_o(r_in), .p_o(p_in), .q_o(q_in), .band_o(band),
    .give_i(update_give | rows_give), .give_ahead_i(update_give_ahead | rows_give_ahead),
    .give_last_i(update_give_last | rows_give_last), .u_i(u_new), .r_i(r_new), .p_i(p_new), .q_i(q_new),
    .out_valid_o(out_valid), .out_last_o(out_last), .out_ready_i(out_ready), .u_tdata_o(m_axis_u_tdata),
    .r_tdata_o(m_axis_r_tdata), .p_tdata_o(m_axis_p_tdata), .q_tdata_o(m_axis_q_tdata), .out_full_o(out_full),
    .en_o(en), .still_o(still), .ended_early_o(ended_early), .ended_late_o(ended_late), 
`ifndef UNWATCHED
    .waiting_o(waiting));
`else
    .waiting_o(waiting_o));
`endif

  // ---- Datapath ----------------------------------------------------------------------------------------------------
  wire [1:0] alpha_cls, beta_cls;
  wire [OperandW-1:0] alpha_op, beta_op;
  wire operands; // they are new
  wire [Lanes-1:0] u_over, r_over, p_over, q_over;
  wire row_slot, row_slot_real, row_slot_last;
  wire [Lanes-1:0] row_live; // words of other lanes are 0
  wire [8*Lanes-1:0] word_residues;
  wire beyond, over_bad;
  wire [6*Lanes-1:0] new_residues;
  wire [4*Lanes-1:0] row_residues;
  fx_update #(
`include "fx_parameters_passed.svh"
    , .Residues(Checks)) i_update (
    .clk_i, .rst_ni, .en_i(en), .clear_i(clear), .slot_i(slot), .slot_real_i(slot_real), .slot_last_i(slot_last),
    .token_last_i(token_last), .live_last_i(live_last), .own_first_i(own_first), .own_last_i(own_last),
    .load_i(start | operands), .alpha_cls_i(alpha_cls),
    .alpha_i(alpha_op), .beta_cls_i(beta_cls), .beta_i(beta_op), .u_i(u_in), .r_i(r_in), .p_i(p_in), .q_i(q_in),
    .take_o(take), .take_ahead_o(take_ahead), .take_last_o(take_last), .give_o(update_give),
    .give_ahead_o(update_give_ahead), .give_last_o(update_give_last), .u_o(u_new), .r_o(r_new), .p_o(p_new),
    .u_over_o(u_over), .r_over_o(r_over), .p_over_o(p_over), .row_slot_o(row_slot), .row_slot_real_o(row_slot_real),
    .row_slot_last_o(row_slot_last), .residue_i(word_residues), .residue_o(new_residues),
    .beyond_o(beyond), .over_bad_o(over_bad));

  wire rows_bad;
  fx_rows #(
`include "fx_parameters_passed.svh"
    , .Residues(Checks)) i_rows (
    .clk_i, .rst_ni, .en_i(en), .clear_i(clear), .ptr_i(ptr_q), .length_i(length), .row_length_i(row_length),
    .live_last_i(live_last), .own_first_i(own_first), .own_last_i(own_last), .column_i(halo_column),
    .slot_i(row_slot), .slot_real_i(row_slot_real), .slot_last_i(row_slot_last), .p_i(p_new), .band_i(band), .take_band_o(take_band),
    .take_band_ahead_o(take_band_ahead), .take_band_last_o(take_band_last), .give_o(rows_give),
    .give_ahead_o(rows_give_ahead), .give_last_o(rows_give_last), .q_o(q_new), .over_o(q_over), .live_o(row_live),
    .p_o(p_middle), .bad_o(rows_bad), .residue_i(new_residues[6*Lanes-1:4*Lanes]), .residue_o(row_residues));

  wire [DotRrW-1:0] rr_part;
  wire [DotPqW-1:0] pq_part;
  wire [DotQqW-1:0] qq_part;
  generate
    if (Chebyshev == 0) begin : g_dots
      fx_dot #(.Lanes(Lanes), .AW(RW), .BW(RW), .TotalW(DotRrW), .Square(1), .Style(Style)) i_rr (
        .clk_i, .en_i(en), .clear_i(clear), .valid_i(update_give.r), .a_i(r_new), .b_i(r_new), .total_o(rr_part));
      fx_dot #(.Lanes(Lanes), .AW(PW), .BW(QW), .TotalW(DotPqW), .Style(Style)) i_pq (
        .clk_i, .en_i(en), .clear_i(clear), .valid_i(rows_give.q), .a_i(p_middle), .b_i(q_new), .total_o(pq_part));
      fx_dot #(.Lanes(Lanes), .AW(QW), .BW(QW), .TotalW(DotQqW), .Square(1), .Style(Style)) i_qq (
        .clk_i, .en_i(en), .clear_i(clear), .valid_i(rows_give.q), .a_i(q_new), .b_i(q_new), .total_o(qq_part));
    end else begin : g_no_dots
      assign {rr_part, pq_part, qq_part} = '0;
    end
  endgenerate

`ifndef UNWATCHED
  wire clear_words = start | ~rst_ni;
`endif
  fx_words #(.Lanes(Lanes), .W(UW)) i_words_u (
    .clk_i, .clear_i(`CLEAR_WORDS), .valid_i(update_give.u & en), .word_i(u_new), .over_i(u_over), .mask_o(words_u));
  fx_words #(.Lanes(Lanes), .W(RW)) i_words_r (
    .clk_i, .clear_i(`CLEAR_WORDS), .valid_i(update_give.r & en), .word_i(r_new), .over_i(r_over), .mask_o(words_r));
  fx_words #(.Lanes(Lanes), .W(PW)) i_words_p (
    .clk_i, .clear_i(`CLEAR_WORDS), .valid_i(update_give.p & en), .word_i(p_new), .over_i(p_over), .mask_o(words_p));
  fx_words #(.Lanes(Lanes), .W(QW)) i_words_q (
    .clk_i, .clear_i(`CLEAR_WORDS), .valid_i(rows_give.q & en), .word_i(q_new), .over_i(q_over), .mask_o(words_q));

  wire [4:0] total_checked;
  wire scalars_bad, scalars_late;
  // ---- Totals, and what the next pass takes -----------------------------------------------------------------------
  wire over_part = words_u[UW-1] | words_r[RW-1] | words_p[PW-1] | words_q[QW-1]; // an overflow ends the run
  generate
    if (Chebyshev == 0) begin : g_summed
      wire over;
      wire [DotRrW-1:0] rr_total;
      wire [DotPqW-1:0] pq_total;
      wire [DotQqW-1:0] qq_total;
      fx_totals #(.W(SumW), .Alone(Alone)) i_totals (
        .clk_i, .rst_ni, .clear_i(clear), .close_i(close), .part_i({over_part, rr_part, pq_part, qq_part}),
        .total_o({over, rr_total, pq_total, qq_total}), .done_o(sums_done), .m_axis_sum_tdata, .m_axis_sum_tvalid,
        .m_axis_sum_tready, .s_axis_sum_tdata, .s_axis_sum_tvalid, .s_axis_sum_tready);

      fx_scalars #(
`include "fx_parameters_passed.svh"
      ) i_scalars (
        .clk_i, .rst_ni, .aborting_i(aborting), .rr_i(rr_total), .pq_i(pq_total), .qq_i(qq_total), .over_i(over),
        .start_i(scalar_start), .pass_count_i(pass_count), .rho_stop_from_i(rho_stop_from), .set_i(set),
        .set_at_i(set_at), .set_word_i(set_word), .read_i(scalar_read), .read_at_i(scalar_at), .read_o(scalar),
        .done_o(scalar_done), .end_o(scalar_end), .guard_o(scalar_guard),
        .alpha_cls_o(alpha_cls), .alpha_op_o(alpha_op), .beta_cls_o(beta_cls), .beta_op_o(beta_op),
        .operands_o(operands), .late_i(scalars_late), .checking_o(checking), .total_o(total_checked), .bad_o(scalars_bad));
    end else begin : g_pairs
      assign {checking, total_checked, scalars_bad} = '0;
      assign {sums_done, scalar_guard, scalar, m_axis_sum_tdata, m_axis_sum_tvalid, s_axis_sum_tready} =
        {1'b1, 1'b0, {ScalarW{1'b0}}, {SumW{1'b0}}, 1'b0, 1'b0};
      step_pairs #(.OperandExpW(OperandExpW), .OperandFracW(OperandFracW), .Depth(Chebyshev)) i_pairs (
        .clk_i, .rst_ni, .busy_i(busy), .close_i(close), .start_i(scalar_start), .over_i(over_part), .set_i(set),
        .set_at_i(set_at), .set_word_i(set_word), .done_o(scalar_done), .end_o(scalar_end), .alpha_cls_o(alpha_cls),
        .alpha_op_o(alpha_op), .beta_cls_o(beta_cls), .beta_op_o(beta_op), .operands_o(operands));
      wire unused_sums = &{1'b0, p_middle, rr_part, pq_part, qq_part, aborting, rho_stop_from, scalar_read, scalar_at,
                           m_axis_sum_tready, s_axis_sum_tdata, s_axis_sum_tvalid, scalars_late};
    end
  endgenerate

  // ---- Checks ------------------------------------------------------------------------------------------------------
  `REQUIRE_OF_TOP(g_checks_there, Checks == 0 || (Checks == 1 && CoefMode == 1 && Alone == 1 && Chebyshev == 0),
                  "Checks must be 0, or 1 in a core alone with CoefMode 1 and without Chebyshev")
`ifdef LEAN_LANES
  `REQUIRE_OF_TOP(g_checks_lean, Checks == 0, "Checks must be 0 with LEAN_LANES, whose products are moved another way")
`endif
  generate
    if (Checks != 0) begin : g_checks
      wire bad;
      logic fault_q;
      localparam integer ConfigW = RowLenW + 32 + 1;
      fx_core_checks #(
`include "fx_parameters_passed.svh"
        , .ConfigW(ConfigW)) i_checks (
        .clk_i, .rst_ni, .en_i(en), .start_i(start), .busy_i(busy), .clear_i(clear), .close_i(close),
        .config_i({row_length, rho_stop_from, bank_reg}), .length_i(length), .bank_reg_i(bank_reg), .bank_i(bank),
        .pass_count_i(pass_count[7:0]), .pass_done_i(scalar_done), .in_ready_i(in_ready), .u_in_i(s_axis_u_tdata),
        .r_in_i(s_axis_r_tdata), .p_in_i(s_axis_p_tdata), .q_in_i(s_axis_q_tdata), .out_valid_i(out_valid),
        .out_ready_i(out_ready), .out_full_i(out_full), .u_out_i(m_axis_u_tdata), .r_out_i(m_axis_r_tdata),
        .p_out_i(m_axis_p_tdata), .q_out_i(m_axis_q_tdata), .words_o(word_residues), .updated_i(new_residues),
        .rows_i(row_residues), .r_give_i(update_give.r), .q_give_i(rows_give.q),
        .p_word_i(p_in), .q_word_i(q_in), .p_middle_i(p_middle), .token_i(take.q), .beyond_i(beyond),
        .over_i((|u_over) | (|r_over) | (|p_over) | (|q_over)), .overs_i({words_q[QW-1], words_p[PW-1], words_r[RW-1], words_u[UW-1]}),
        .over_bad_i(over_bad | rows_bad), .lost_i(unordered | (en == still)), .total_i(total_checked), .checking_i(checking), .late_o(scalars_late),
        .scalars_bad_i(scalars_bad), .bad_o(bad));
      always_ff @(posedge clk_i)
        if (!rst_ni || start) fault_q <= 1'b0;
        else fault_q <= fault_q | (bad & (busy | checking | done));
      assign fault = fault_q;
    end else begin : g_no_checks
      assign fault        = 1'b0;
      assign scalars_late = 1'b0;
      assign word_residues = '0;
      wire unused_checks = &{1'b0, new_residues, row_residues, total_checked, scalars_bad, beyond, over_bad, rows_bad, unordered};
    end
  endgenerate
  wire unused = &{1'b0, stencil_reg, unused_coefs, row_live};
endmodule
`default_nettype wire
