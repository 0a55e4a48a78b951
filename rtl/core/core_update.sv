/// The first part of a pass: tokens on their way through u', r' and p', when each meets its streams, and which lanes of
/// the last one hold an element. Clocks count from the slot that takes p and q.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module core_update #(
`include "core_parameters.svh"
) (
  input  wire                  clk_i,
  input  wire                  rst_ni,
  input  wire                  en_i,
  input  wire                  clear_i,
  input  wire  [6:0]           ptr_i,
  input  wire                  slot_i,       ///< a place in the pipeline: of a token, or of the flush
  input  wire                  slot_real_i,  ///< of a token
  input  wire                  slot_last_i,
  input  wire                  token_last_i,
  input  wire  [Lanes-1:0]     live_last_i,  ///< lanes of the last token that hold an element
  `UPDATE_IN_PORTS(Lanes)
  output core_vectors_t        take_o,       ///< beats taken: see core_streams
  output core_vectors_t        take_ahead_o,
  output core_vectors_t        take_last_o,
  output core_vectors_t        give_o,       ///< beats of u', r', p' let go of
  output core_vectors_t        give_ahead_o,
  output core_vectors_t        give_last_o,
  output logic [Lanes*UW-1:0]  u_o,          ///< the formats' own bits
  output logic [Lanes*RW-1:0]  r_o,
  output logic [Lanes*PW-1:0]  p_o,
  output logic [Lanes*2-1:0]   p_cls_o,      ///< p' as class and word, +0 after the end
  output logic [Lanes*PW-1:0]  p_word_o,
  output logic [Lanes-1:0]     r_live_o,     ///< lanes of r' that hold an element
  output logic [Lanes*2-1:0]   r_cls_o,
  output logic [Lanes*RW-1:0]  r_word_o,
  output logic                 row_slot_o,   ///< p_o is that of a slot
  output logic                 row_slot_last_o
);
  localparam integer Stages = `MAX2(UpdatePOut, UpdateUOut); // the last that a stream meets

  // Tokens, by the clocks after their slot.
  wire [Stages:0] real_q, last_q, slot_q, slot_last_q;
  pass_tokens #(.Stages(Stages)) i_tokens (
    .clk_i, .rst_ni, .en_i, .clear_i, .slot_i, .slot_real_i, .slot_last_i, .token_last_i, .slot_o(slot_q),
    .real_o(real_q), .slot_last_o(slot_last_q), .last_o(last_q));
  assign row_slot_o      = slot_q[UpdatePOut];
  assign row_slot_last_o = slot_last_q[UpdatePOut];

  wire [Lanes*2-1:0] u_cls, p_cls;
  wire [Lanes*UW-1:0] u_new;
  wire [Lanes*PW-1:0] p_new;
  vector_update #(
`include "core_parameters_passed.svh"
  ) i_vectors (
    .clk_i, .en_i, .ptr_i, .alpha_cls_i, .alpha_i, .beta_cls_i, .beta_i, .u_cls_i, .u_i, .r_cls_i, .r_i, .p_cls_i, .p_i,
    .q_cls_i, .q_i, .u_cls_o(u_cls), .u_o(u_new), .r_cls_o, .r_o(r_word_o), .p_cls_o(p_cls), .p_o(p_new));

  // Lanes that hold an element, from registers; u's inverted, so that it is not shared with r's far away.
  logic [Lanes-1:0] u_dead, p_live;
  wire [Lanes-1:0] u_live = ~u_dead;
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) begin
      u_dead   <= '1;
      r_live_o <= '0;
      p_live   <= '0;
    end else if (en_i) begin
      u_dead   <= last_q[UpdateUOut-1] ? ~live_last_i : ~{Lanes{real_q[UpdateUOut-1]}};
      r_live_o <= last_q[UpdateROut-1] ? live_last_i : {Lanes{real_q[UpdateROut-1]}};
      p_live   <= last_q[UpdatePOut-1] ? live_last_i : {Lanes{real_q[UpdatePOut-1]}};
    end
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_out
      fp_pack #(.E(UExpW), .M(UFracW)) i_pack_u (
        .cls_i(u_cls[l*2 +: 2] & {2{u_live[l]}}), .word_i({u_new[l*UW+UW-1] & u_live[l], u_new[l*UW +: UW-1]}),
        .word_o(u_o[l*UW +: UW]));
      fp_pack #(.E(RExpW), .M(RFracW)) i_pack_r (
        .cls_i(r_cls_o[l*2 +: 2] & {2{r_live_o[l]}}),
        .word_i({r_word_o[l*RW+RW-1] & r_live_o[l], r_word_o[l*RW +: RW-1]}), .word_o(r_o[l*RW +: RW]));
      assign p_cls_o[l*2 +: 2]    = p_cls[l*2 +: 2] & {2{p_live[l]}};
      assign p_word_o[l*PW +: PW] = {p_new[l*PW+PW-1] & p_live[l], p_new[l*PW +: PW-1]};
      fp_pack #(.E(PExpW), .M(PFracW)) i_pack_p (
        .cls_i(p_cls_o[l*2 +: 2]), .word_i(p_word_o[l*PW +: PW]), .word_o(p_o[l*PW +: PW]));
    end
  endgenerate

  // u's and q's by registers of their own, inverted, so that they are not shared with r's and p's far away.
  logic idle_u, idle_q;
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) begin
      idle_u <= 1'b1;
      idle_q <= 1'b1;
    end else if (en_i) begin
      idle_u <= ~real_q[UpdateUIn-1];
      idle_q <= ~slot_real_i;
    end
  assign take_o       = {~idle_q, real_q[0], real_q[UpdateRIn], ~idle_u};
  assign take_ahead_o = {slot_real_i, slot_real_i, real_q[UpdateRIn-1], real_q[UpdateUIn-1]};
  assign take_last_o  = {last_q[0], last_q[0], last_q[UpdateRIn], last_q[UpdateUIn]};
  assign give_o = {1'b0, real_q[UpdatePOut], real_q[UpdateROut], real_q[UpdateUOut]};
  assign give_ahead_o = {1'b0, real_q[UpdatePOut-1], real_q[UpdateROut-1], real_q[UpdateUOut-1]};
  assign give_last_o = {1'b0, last_q[UpdatePOut], last_q[UpdateROut], last_q[UpdateUOut]};
endmodule
`default_nettype wire
