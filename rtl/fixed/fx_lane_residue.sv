/// The residues modulo 3 that u', r' and p' of a lane (fx_lane) must have, from those of the words that come in. What rounding
/// drops is added again, and what a word that overflows loses is taken away, so they are exact.
`include "mantissa.svh"
`default_nettype none
module fx_lane_residue #(
`include "fx_parameters.svh"
  , parameter integer LowN = 9,
  localparam integer WideP   = `FX_WIDE_P(RW, RF, PW, PF),
  localparam integer FactorW = `FX_OPERAND_W(OperandFracW)
) (
  input  wire                  clk_i,
  input  wire                  en_i,
  input  wire  [3*2-1:0]       factor_i,   ///< p, u, r: see fx_operand_residue
  input  wire  [3*LowN-1:0]    low_i,
  input  wire  [2:0]           odd_i,
  input  wire  [FactorW+PW-1:0] alpha_p_i, ///< products
  input  wire  [FactorW+QW-1:0] alpha_q_i,
  input  wire  [FactorW+PW-1:0] beta_p_i,
  input  wire  [2:0]           half_i,     ///< p, u, r: a half is added, or taken away
  input  wire  [UW+RW+WideP+5:0] sum_i,    ///< p, u, r, a clock before the words: what they are cut from
  input  wire  [1:0]           u_i,        ///< with the words
  input  wire  [1:0]           r_i,
  input  wire  [1:0]           p_i,
  input  wire  [1:0]           q_i,
  input  wire                  u_live_i,
  input  wire                  r_live_i,
  input  wire                  p_live_i,
  input  wire  [RW-1:0]        r_word_i,   ///< r', as it is rounded for p'
  output logic [1:0]           u_o,        ///< with u', r' and p'
  output logic [1:0]           r_o,
  output logic [1:0]           p_o
);
`include "mod3.svh"
  wire [1:0] ap, aq, bp;
  fx_term_residue #(.M(OperandFracW), .FromW(QW), .LowN(LowN)) i_aq (
    .clk_i, .en_i, .word_i(q_i), .factor_i(factor_i[1:0]), .low_i(low_i[LowN-1:0]), .odd_i(odd_i[0]),
    .product_i(alpha_q_i), .term_o(aq));
  fx_term_residue #(.M(OperandFracW), .FromW(PW), .LowN(LowN)) i_ap (
    .clk_i, .en_i, .word_i(p_i), .factor_i(factor_i[3:2]), .low_i(low_i[2*LowN-1:LowN]), .odd_i(odd_i[1]),
    .product_i(alpha_p_i), .term_o(ap));
  fx_term_residue #(.M(OperandFracW), .FromW(PW), .LowN(LowN)) i_bp (
    .clk_i, .en_i, .word_i(p_i), .factor_i(factor_i[5:4]), .low_i(low_i[3*LowN-1:2*LowN]), .odd_i(odd_i[2]),
    .product_i(beta_p_i), .term_o(bp));

  // rnd_p(r')
  localparam integer Cut = RF - PF;
  wire [1:0] r_in_p;
  generate
    if (Cut <= 0) begin : g_whole
      assign r_in_p = mod3_shifted(r_o, -Cut);
      wire unused = &{1'b0, r_word_i};
    end else begin : g_cut
      wire [Cut-1:0] dropped = Cut'($signed(r_word_i));
      wire [1:0] below;
      mod3_residue #(.W(Cut), .Signed(0)) i_below (.word_i(dropped), .residue_o(below));
      assign r_in_p = mod3_add(mod3_shifted(mod3_add(r_o, mod3_minus(below)), Cut), {1'b0, (PDown == 0) & dropped[Cut-1]});
      wire unused = &{1'b0, r_word_i};
    end
  endgenerate
  // What is cut off above a word, in its units of 2^W, less what its sign takes away then.
  wire [1:0] u_high, r_high, p_high;
  wire [WideP+1:0] p_sum = sum_i[UW+RW+4 +: WideP+2];
  wire [UW+1:0]    u_sum = sum_i[RW+2 +: UW+2];
  wire [RW+1:0]    r_sum = sum_i[RW+1:0];
  mod3_residue #(.W(2)) i_u_high (.word_i(u_sum[UW+1:UW]), .residue_o(u_high));
  mod3_residue #(.W(2)) i_r_high (.word_i(r_sum[RW+1:RW]), .residue_o(r_high));
  mod3_residue #(.W(WideP + 2 - PW)) i_p_high (.word_i(p_sum[WideP+1:PW]), .residue_o(p_high));
  wire [1:0] u_lost = mod3_shifted(mod3_add(u_high, {1'b0, u_sum[UW-1]}), UW);
  wire [1:0] r_lost = mod3_shifted(mod3_add(r_high, {1'b0, r_sum[RW-1]}), RW);
  wire [1:0] p_lost = mod3_shifted(mod3_add(p_high, {1'b0, p_sum[PW-1]}), PW);
  wire unused_sums = &{1'b0, sum_i};
  always_ff @(posedge clk_i)
    if (en_i) begin
      u_o <= mod3_add(mod3_add(u_i, mod3_minus(u_lost)), mod3_add(ap, {1'b0, half_i[1]})) & {2{u_live_i}};
      r_o <= mod3_add(mod3_add(r_i, mod3_minus(r_lost)), mod3_minus(mod3_add(aq, {1'b0, half_i[0]}))) & {2{r_live_i}};
      p_o <= mod3_add(mod3_add(r_in_p, mod3_minus(p_lost)), mod3_add(bp, {1'b0, half_i[2]})) & {2{p_live_i}};
    end
endmodule
`default_nettype wire
