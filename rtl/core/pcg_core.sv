/// The pipelined CG core: runs PASSES passes of FCCM'06 Eq. 4 and 5 on its own, one token (Lanes elements) of each
/// vector per clock, with u, r, p and q ping-ponged between two banks of the memory attached to its streams.
///
/// Before each pass m_axis_pass sends one beat: bit 0 the bank to read (the other is to be written), bit 1 set when the
/// nine bands are to be streamed too. The memory takes the beat once everything written so far can be read. Then, each
/// a stream of ceil(LENGTH / Lanes) beats with tlast on the last:
///   s_axis_u, _r, _p, _q    in, lane 0 lowest, the formats' own bits
///   s_axis_band             in, nine streams side by side, each with its own handshake (chained row sums take band b
///                           later than band b - 1, so the nine are not in step). Rows of fluxes have four, the
///                           weights towards E, NW, N and NE, and a fifth where they have row sums
///   m_axis_u, _r, _p, _q    out
/// Lanes beyond LENGTH in the last beat are ignored coming in and zero going out. All streams move in step with one
/// pipeline enable: any of them can hold up all of them. A buffer of one beat at each stream makes the enable a
/// register, and every output hangs on registers only. After its tlast a stream's tready is low until the next pass
/// begins. What is offered stays offered until it is taken, whatever becomes of the run. The streams must not depend on
/// each other's progress by more than a few beats' buffering, but for q, which leaves about one row and one pipeline
/// later than it came.
///
/// waiting_o says what a stopped pipeline waits for: [3:0] u r p q in, [12:4] bands, [16:13] u r p q out.
///
/// Parameters: see core_parameters.svh; registers: see core_regs. CoefMode 0: streamed bands; 1: a constant stencil,
/// whose edge rows give q = +0; 2: both, chosen at run time.
/// docs/integration.md says how to attach the core.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module pcg_core #(
`include "core_parameters.svh"
) (
  input  wire                          clk_i,
  input  wire                          rst_ni,

  `AXIL_PORTS(8)
  `CORE_STREAM_PORTS(Lanes)

  output logic                         busy_o,   ///< a run is on; its end can serve as an interrupt
  output logic [16:0]                  waiting_o
);
`include "core_checks.svh"
  localparam integer Log = $clog2(Lanes);
  localparam integer DrainN = `DRAIN_CLOCKS(UpdatePOut, UpdateUOut, RowLatency);

  `REQUIRE_OF_TOP(g_drain, LenW > 24 || DrainN < (1 << LenW), "LenW bits must hold the clocks in which the pipeline drains: take 8 or more")

  // ---- Control -----------------------------------------------------------------------------------------------------
`include "core_front.svh"
  assign busy_o = busy;
  wire [9*CoefW-1:0] coef_regs;
  wire [LenW-1:0] unused_halo_first, unused_halo_last;
  wire [RowLenW-1:0] unused_halo_column;
  core_regs #(.ScalarW(ScalarW), .CoefW(CoefW), .LenW(LenW), .RowLenW(RowLenW),
              .Config(Log + 8 * CoefMode + 32 * Fixed + 64 * ((Order == 1) ? 1 : 0) + ((Chebyshev != 0) ? 2048 : 0) +
                      256 * RowSums + 512 * Order)) i_regs (
`ifndef UNWATCHED
    .length_bad_o(length_bad),
`endif
    `CORE_REGS_CONNECTED, .busy_i(busy | start), .done_i(done), .end_i(run_end), .fault_i(1'b0), .words_u_i(64'd0),
    .words_r_i(64'd0), .words_p_i(64'd0), .words_q_i(64'd0), .halo_first_o(unused_halo_first),
    .halo_last_o(unused_halo_last), .halo_column_o(unused_halo_column), .coef_o(coef_regs));

  wire stencil = (CoefMode == 1) || (CoefMode == 2 && stencil_reg);
  wire dots_done;
  wire unused_lost; // nothing is checked
  core_control #(.Lanes(Lanes), .MaxRow(MaxRow), .LenW(LenW), .DrainN(DrainN)) i_control (
`ifndef UNWATCHED
    .length_bad_i(length_bad),
`endif
    `CORE_CONTROL_CONNECTED, .abort_i(abort), .stencil_i(stencil), .row_bad_i(row_bad), .halo_last_i({LenW{1'b0}}),
    .dots_done_i(dots_done), .lost_o(unused_lost));

  // ---- Streams -----------------------------------------------------------------------------------------------------
  core_sources_t in_valid, in_last, in_ready, waiting_in;
  core_vectors_t out_valid, out_last, out_ready, waiting_out;
  assign in_valid  = {9'(s_axis_band_tvalid), s_axis_q_tvalid, s_axis_p_tvalid, s_axis_r_tvalid, s_axis_u_tvalid};
  assign in_last   = {9'(s_axis_band_tlast), s_axis_q_tlast, s_axis_p_tlast, s_axis_r_tlast, s_axis_u_tlast};
  assign out_ready = {m_axis_q_tready, m_axis_p_tready, m_axis_r_tready, m_axis_u_tready};
  assign s_axis_band_tready = in_ready.band[Coefs-1:0];
  assign {s_axis_q_tready, s_axis_p_tready, s_axis_r_tready, s_axis_u_tready} =
    {in_ready.q, in_ready.p, in_ready.r, in_ready.u};
  assign {m_axis_q_tvalid, m_axis_p_tvalid, m_axis_r_tvalid, m_axis_u_tvalid} = out_valid;
  assign {m_axis_q_tlast, m_axis_p_tlast, m_axis_r_tlast, m_axis_u_tlast}     = out_last;
`ifndef UNWATCHED
  assign waiting = {
`else
  assign waiting_o = {
`endif
                      waiting_out.q, waiting_out.p, waiting_out.r, waiting_out.u,
                      waiting_in.band, waiting_in.q, waiting_in.p, waiting_in.r, waiting_in.u};

  wire [8:0] take_band, take_band_ahead, take_band_last;
  wire [Lanes*2-1:0]       u_in_cls, r_in_cls, p_in_cls, q_in_cls;
  wire [Lanes*UW-1:0]      u_in, u_bits;
  wire [Lanes*RW-1:0]      r_in, r_bits;
  wire [Lanes*PW-1:0]      p_in, p_bits;
  wire [Lanes*QW-1:0]      q_in, q_bits;
  wire [Coefs*Lanes*2-1:0]     band_cls;
  wire [Coefs*Lanes*CoefW-1:0] band;
  // After an abort the pipeline stands until it has been cleared.
  core_streams #(
`include "core_parameters_passed.svh"
  ) i_streams (
    .clk_i, .rst_ni, .run_i(run), .clear_i(clear), .stencil_i(stencil), .drained_i(drained),
    .in_valid_i(in_valid), .in_last_i(in_last), .in_ready_o(in_ready), .u_tdata_i(s_axis_u_tdata),
    .r_tdata_i(s_axis_r_tdata), .p_tdata_i(s_axis_p_tdata), .q_tdata_i(s_axis_q_tdata),
    .band_tdata_i(s_axis_band_tdata), .take_i(take), .take_ahead_i(take_ahead), .take_last_i(take_last),
    .take_band_i(take_band), .take_band_ahead_i(take_band_ahead), .take_band_last_i(take_band_last),
    .u_cls_o(u_in_cls), .u_o(u_in), .r_cls_o(r_in_cls), .r_o(r_in), .p_cls_o(p_in_cls), .p_o(p_in),
    .q_cls_o(q_in_cls), .q_o(q_in), .band_cls_o(band_cls), .band_o(band), .give_i(update_give | rows_give),
    .give_ahead_i(update_give_ahead | rows_give_ahead), .give_last_i(update_give_last | rows_give_last),
    .u_i(u_bits), .r_i(r_bits), .p_i(p_bits), .q_i(q_bits), .out_valid_o(out_valid), .out_last_o(out_last),
    .out_ready_i(out_ready), .u_tdata_o(m_axis_u_tdata), .r_tdata_o(m_axis_r_tdata), .p_tdata_o(m_axis_p_tdata),
    .q_tdata_o(m_axis_q_tdata), .out_full_o(out_full), .en_o(en), .still_o(still), .ended_early_o(ended_early),
    .ended_late_o(ended_late), .waiting_in_o(waiting_in), .waiting_out_o(waiting_out));

  // ---- Datapath ----------------------------------------------------------------------------------------------------
  wire [1:0] alpha_cls, beta_cls;
  wire [OperandW-1:0] alpha_op, beta_op;
  wire [Lanes*2-1:0]  r_cls, p_new_cls, p_middle_cls, q_cls;
  wire [Lanes*PW-1:0] p_new;
  wire [Lanes*RW-1:0] r_new;
  wire [Lanes*PW-1:0] p_middle;
  wire [Lanes*QW-1:0] q_new;
  wire [Lanes-1:0]    r_live, row_live;
  wire row_slot, row_slot_last;
  core_update #(
`include "core_parameters_passed.svh"
  ) i_update (
    .clk_i, .rst_ni, .en_i(en), .clear_i(clear), .ptr_i(ptr_q), .slot_i(slot), .slot_real_i(slot_real),
    .slot_last_i(slot_last), .token_last_i(token_last), .live_last_i(live_last), .alpha_cls_i(alpha_cls),
    .alpha_i(alpha_op), .beta_cls_i(beta_cls), .beta_i(beta_op), .u_cls_i(u_in_cls), .u_i(u_in), .r_cls_i(r_in_cls),
    .r_i(r_in), .p_cls_i(p_in_cls), .p_i(p_in), .q_cls_i(q_in_cls), .q_i(q_in), .take_o(take),
    .take_ahead_o(take_ahead), .take_last_o(take_last), .give_o(update_give), .give_ahead_o(update_give_ahead),
    .give_last_o(update_give_last), .u_o(u_bits), .r_o(r_bits), .p_o(p_bits), .p_cls_o(p_new_cls), .p_word_o(p_new),
    .r_live_o(r_live), .r_cls_o(r_cls),
    .r_word_o(r_new), .row_slot_o(row_slot), .row_slot_last_o(row_slot_last));

  core_rows #(
`include "core_parameters_passed.svh"
  ) i_rows (
    .clk_i, .rst_ni, .en_i(en), .clear_i(clear), .busy_i(busy), .ptr_i(ptr_q), .stencil_i(stencil), .length_i(length),
    .row_length_i(row_length), .live_last_i(live_last), .slot_i(row_slot), .slot_real_i(update_give.p),
    .slot_last_i(row_slot_last), .p_i(p_bits),
    .p_cls_i(p_new_cls), .p_word_i(p_new), .coef_i(coef_regs), .band_cls_i(band_cls), .band_i(band),
    .take_band_o(take_band),     .take_band_ahead_o(take_band_ahead), .take_band_last_o(take_band_last), .give_o(rows_give),
    .give_ahead_o(rows_give_ahead), .give_last_o(rows_give_last), .q_o(q_bits), .live_o(row_live), .q_cls_o(q_cls),
    .q_word_o(q_new), .p_cls_o(p_middle_cls), .p_word_o(p_middle));

  core_scalars #(
`include "core_parameters_passed.svh"
  ) i_scalars (
    .clk_i, .rst_ni, .en_i(en), .clear_i(clear), .aborting_i(aborting), .busy_i(busy), .close_i(close), .r_valid_i(update_give.r),
    .r_live_i(r_live), .r_cls_i(r_cls), .r_i(r_new), .row_valid_i(rows_give.q), .row_live_i(row_live),
    .p_cls_i(p_middle_cls), .p_i(p_middle), .q_cls_i(q_cls), .q_i(q_new), .dots_done_o(dots_done),
    .start_i(scalar_start), .pass_count_i(pass_count), .rho_stop_from_i(rho_stop_from), .set_i(set),
    .set_at_i(set_at), .set_word_i(set_word), .read_i(scalar_read), .read_at_i(scalar_at), .read_o(scalar),
    .done_o(scalar_done), .end_o(scalar_end), .guard_o(scalar_guard),
    .alpha_cls_o(alpha_cls), .alpha_op_o(alpha_op), .beta_cls_o(beta_cls), .beta_op_o(beta_op));
endmodule
`default_nettype wire
