/// The first part of a pass of the integer core: tokens on their way through u', r' and p', when each meets its streams,
/// and which lanes of the last one hold an element. Clocks count from the slot that takes q. Words of lanes without an
/// element are 0.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module fx_update #(
`include "fx_parameters.svh"
  , parameter integer Residues = 0           ///< 1: residue_o
) (
  input  wire                  clk_i,
  input  wire                  rst_ni,
  input  wire                  en_i,
  input  wire                  clear_i,
  input  wire                  slot_i,       ///< a place in the pipeline: of a token, or of the flush
  input  wire                  slot_real_i,  ///< of a token
  input  wire                  slot_last_i,
  input  wire                  token_last_i,
  input  wire  [Lanes-1:0]     live_last_i,  ///< lanes of the last token that hold an element
  input  wire  [LenW-1:0]      own_first_i,  ///< with Alone 0: the tokens that are written and summed, fx_slab's
  input  wire  [LenW-1:0]      own_last_i,
  input  wire                  load_i,       ///< alpha and beta are new; four clocks before a slot, which is five before p is taken
  input  wire  [1:0]           alpha_cls_i,
  input  wire  [OperandW-1:0]  alpha_i,
  input  wire  [1:0]           beta_cls_i,
  input  wire  [OperandW-1:0]  beta_i,
  input  wire  [Lanes*UW-1:0]  u_i,
  input  wire  [Lanes*RW-1:0]  r_i,
  input  wire  [Lanes*PW-1:0]  p_i,
  input  wire  [Lanes*QW-1:0]  q_i,
  output core_vectors_t        take_o,       ///< beats taken: see stream_control
  output core_vectors_t        take_ahead_o,
  output core_vectors_t        take_last_o,
  output core_vectors_t        give_o,       ///< beats of u', r', p' let go of
  output core_vectors_t        give_ahead_o,
  output core_vectors_t        give_last_o,
  output logic [Lanes*UW-1:0]  u_o,
  output logic [Lanes*RW-1:0]  r_o,
  output logic [Lanes*PW-1:0]  p_o,
  output logic [Lanes-1:0]     u_over_o,     ///< with u_o: words that did not fit
  output logic [Lanes-1:0]     r_over_o,
  output logic [Lanes-1:0]     p_over_o,
  output logic                 row_slot_o,   ///< p_o is that of a slot
  output logic                 row_slot_real_o, ///< of a token
  output logic                 row_slot_last_o,
  input  wire  [4*2*Lanes-1:0] residue_i,    ///< with Residues, with the words: residues modulo 3 of {q, p, r, u}
  output logic [3*2*Lanes-1:0] residue_o,    ///< and those that {p', r', u'} must have
  output logic                 beyond_o,     ///< unless a product did not fit, now or before
  output logic                 over_bad_o    ///< with Residues: a word overflowed, or did not, as its flag does not say
);
  localparam integer Stages = `MAX2(UpdatePOut, UpdateUOut); // the last that a stream meets

  // Tokens, by the clocks after their slot. Place 0 is the slot's own clock plus one, as in core_update.
  wire [Stages:0] real_q, last_q, slot_q, slot_last_q;
  pass_tokens #(.Stages(Stages)) i_tokens (
    .clk_i, .rst_ni, .en_i, .clear_i, .slot_i, .slot_real_i, .slot_last_i, .token_last_i, .slot_o(slot_q),
    .real_o(real_q), .slot_last_o(slot_last_q), .last_o(last_q));
  assign row_slot_o      = slot_q[UpdatePOut];
  assign row_slot_real_o = real_q[UpdatePOut];
  assign row_slot_last_o = slot_last_q[UpdatePOut];

  // Those of them whose words leave.
  logic [Stages:0] own_q, own_last_q;
  generate
    if (Alone != 0) begin : g_all
      assign own_q      = real_q;
      assign own_last_q = last_q;
      wire unused = &{1'b0, own_first_i, own_last_i};
    end else begin : g_own
      wire own, own_last;
      fx_own #(.LenW(LenW)) i_own (
        .clk_i, .en_i, .clear_i, .token_i(slot_real_i), .begin_i(own_first_i), .end_i(own_last_i), .own_o(own),
        .last_o(own_last));
      always_ff @(posedge clk_i)
        if (!rst_ni || clear_i) begin
          own_q      <= '0;
          own_last_q <= '0;
        end else if (en_i) begin
          own_q      <= {own_q[Stages-1:0], own};
          own_last_q <= {own_last_q[Stages-1:0], own_last};
        end
    end
  endgenerate

  // Lanes that hold an element, a clock ahead of their words.
  logic [Lanes-1:0] u_live, r_live, p_live;
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) begin
      u_live <= '0;
      r_live <= '0;
      p_live <= '0;
    end else if (en_i) begin
      u_live <= last_q[UpdateUOut-2] ? live_last_i : {Lanes{real_q[UpdateUOut-2]}};
      r_live <= last_q[UpdateROut-2] ? live_last_i : {Lanes{real_q[UpdateROut-2]}};
      p_live <= last_q[UpdatePOut-2] ? live_last_i : {Lanes{real_q[UpdatePOut-2]}};
    end

  // ---- alpha and beta ----------------------------------------------------------------------------------------------
  localparam integer FactorW  = `FX_OPERAND_W(OperandFracW);
  localparam integer WideP    = `FX_WIDE_P(RW, RF, PW, PF);
  wire [FactorW-1:0] u_factor, r_factor, p_factor, factor;
  wire [2:0] store;
  localparam integer FromMost = `MAX2(PW, QW);
  localparam integer OutMost  = `MAX3(UW, RW, WideP);
  wire [`FX_POSITION_W(OperandFracW, FromMost, OutMost)-1:0]    position;
  wire [`FX_MOVE_W(OperandFracW, FromMost, OutMost, UW)-1:0]    u_move;
  wire [`FX_MOVE_W(OperandFracW, FromMost, OutMost, RW)-1:0]    r_move;
  wire [`FX_MOVE_W(OperandFracW, FromMost, OutMost, WideP)-1:0] p_move;
  fx_operand #(
`include "fx_parameters_passed.svh"
  ) i_operands (
    .clk_i, .rst_ni, .load_i, .alpha_cls_i, .alpha_i, .beta_cls_i, .beta_i, .u_factor_o(u_factor),
    .u_move_o(u_move), .r_factor_o(r_factor), .r_move_o(r_move), .p_factor_o(p_factor), .p_move_o(p_move),
    .factor_o(factor), .position_o(position), .store_o(store));
  wire [Lanes*(FactorW+PW)-1:0] alpha_p, beta_p;
  wire [Lanes*(FactorW+QW)-1:0] alpha_q;
  localparam integer SumsW = UW + RW + WideP + 6;
  wire [Lanes*SumsW-1:0] sum;
  wire [Lanes*3-1:0] half, longer, longer_q;
  wire [Lanes-1:0] beyond, p_beyond;

  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      fx_lane #(
`include "fx_parameters_passed.svh"
      ) i_lane (
        .clk_i, .en_i, .u_factor_i(u_factor), .u_move_i(u_move), .r_factor_i(r_factor), .r_move_i(r_move),
        .p_factor_i(p_factor), .p_move_i(p_move), .u_i(u_i[l*UW +: UW]), .r_i(r_i[l*RW +: RW]), .p_i(p_i[l*PW +: PW]),
        .q_i(q_i[l*QW +: QW]), .u_live_i(u_live[l]), .r_live_i(r_live[l]), .p_live_i(p_live[l]),
        .u_o(u_o[l*UW +: UW]), .r_o(r_o[l*RW +: RW]), .p_o(p_o[l*PW +: PW]), .u_over_o(u_over_o[l]),
        .r_over_o(r_over_o[l]), .p_over_o(p_over_o[l]), .alpha_p_o(alpha_p[l*(FactorW+PW) +: FactorW+PW]),
        .alpha_q_o(alpha_q[l*(FactorW+QW) +: FactorW+QW]), .beta_p_o(beta_p[l*(FactorW+PW) +: FactorW+PW]),
        .sum_o(sum[l*SumsW +: SumsW]), .beyond_o(beyond[l]), .p_beyond_o(p_beyond[l]), .half_o(half[l*3 +: 3]),
        .longer_o(longer[l*3 +: 3]), .longer_q_o(longer_q[l*3 +: 3]));
    end
    assign beyond_o = |beyond;
    if (Residues != 0) begin : g_checks
      localparam integer Step = `FX_OPERAND_STEP(OperandFracW);
      localparam integer Base = `FX_BASE(OperandFracW, OutMost);
      // Groups that can be dropped: above the product they hold its sign, which of an even number of bits counts as 0.
      localparam integer Group = `MAX2(2, Step);
      localparam integer LowN = (Step == 1) ? (FromMost + OperandFracW + 1) / 2 : (FactorW + FromMost + Step - 1) / Step;
      wire [3*2-1:0] factors;
      wire [3*(LowN+1)-1:0] low;
      wire [2:0] odd, minus;
      wire [Lanes-1:0] other;
      logic odd_longer_q; // a register that says where a term is cut ends the run: they have a parity
      always_ff @(posedge clk_i) if (en_i) odd_longer_q <= ^longer;
      fx_operand_residue #(.Group(Group), .Step(Step), .FactorW(FactorW), .PosW(`FX_POSITION_W(OperandFracW, FromMost, OutMost)),
                           .Base(Base), .LowN(LowN)) i_factors (
        .clk_i, .store_i(store), .factor_i(factor), .position_i(position), .factor_o(factors), .low_o(low), .odd_o(odd),
        .minus_o(minus));
      for (l = 0; l < Lanes; l = l + 1) begin : g_lane
        fx_lane_residue #(
`include "fx_parameters_passed.svh"
          , .LowN(LowN)) i_residues (
          .clk_i, .en_i, .factor_i(factors), .low_i(low), .odd_i(odd), .minus_i(minus), .alpha_p_i(alpha_p[l*(FactorW+PW) +: FactorW+PW]),
          .alpha_q_i(alpha_q[l*(FactorW+QW) +: FactorW+QW]), .beta_p_i(beta_p[l*(FactorW+PW) +: FactorW+PW]),
          .half_i(half[l*3 +: 3]), .sum_i(sum[l*SumsW +: SumsW]), .over_i({p_over_o[l], u_over_o[l], r_over_o[l]}),
          .beyond_i(p_beyond[l]), .u_i(residue_i[l*2 +: 2]), .r_i(residue_i[(Lanes+l)*2 +: 2]),
          .p_i(residue_i[(2*Lanes+l)*2 +: 2]), .q_i(residue_i[(3*Lanes+l)*2 +: 2]), .u_live_i(u_live[l]),
          .r_live_i(r_live[l]), .p_live_i(p_live[l]), .r_word_i(r_o[l*RW +: RW]), .u_o(residue_o[l*2 +: 2]),
          .r_o(residue_o[(Lanes+l)*2 +: 2]), .p_o(residue_o[(2*Lanes+l)*2 +: 2]), .over_bad_o(other[l]));
      end
      assign over_bad_o = (|other) | (^longer_q != odd_longer_q);
    end else begin : g_no_checks
      assign residue_o  = '0;
      assign over_bad_o = 1'b0;
      wire unused = &{1'b0, residue_i, factor, position, store, alpha_p, alpha_q, beta_p, half, sum, longer, longer_q, p_beyond};
    end
  endgenerate

  assign take_o.q = real_q[0];
  assign take_o.p = real_q[UpdatePIn];
  assign take_o.r = real_q[UpdateRIn];
  assign take_o.u = real_q[UpdateUIn];
  assign take_ahead_o.q = slot_real_i;
  generate
    if (UpdatePIn == 0) begin : g_p_first
      assign take_ahead_o.p = slot_real_i;
    end else begin : g_p_later
      assign take_ahead_o.p = real_q[UpdatePIn-1];
    end
  endgenerate
  assign take_ahead_o.r = real_q[UpdateRIn-1];
  assign take_ahead_o.u = real_q[UpdateUIn-1];
  assign take_last_o.q = last_q[0];
  assign take_last_o.p = last_q[UpdatePIn];
  assign take_last_o.r = last_q[UpdateRIn];
  assign take_last_o.u = last_q[UpdateUIn];
  assign give_o = {1'b0, own_q[UpdatePOut], own_q[UpdateROut], own_q[UpdateUOut]};
  assign give_ahead_o = {1'b0, own_q[UpdatePOut-1], own_q[UpdateROut-1], own_q[UpdateUOut-1]};
  assign give_last_o = {1'b0, own_last_q[UpdatePOut], own_last_q[UpdateROut], own_last_q[UpdateUOut]};
endmodule
`default_nettype wire
