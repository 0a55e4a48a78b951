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
  input  wire  [3*(LowN+1)-1:0] low_i,
  input  wire  [2:0]           odd_i,
  input  wire  [2:0]           minus_i,
  input  wire  [FactorW+PW-1:0] alpha_p_i, ///< products
  input  wire  [FactorW+QW-1:0] alpha_q_i,
  input  wire  [FactorW+PW-1:0] beta_p_i,
  input  wire  [2:0]           half_i,     ///< p, u, r: a half is added, of r' taken away
  input  wire  [UW+RW+WideP+5:0] sum_i,    ///< p, u, r, a clock before the words: what they are cut from
  input  wire  [2:0]           over_i,     ///< p, u, r, with the words: they overflow
  input  wire                  beyond_i,   ///< p: since its term does not fit
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
  output logic [1:0]           p_o,
  output logic                 over_bad_o  ///< a word overflows, or does not, as its flag does not say
);
`include "mod3.svh"
  // The terms' digits, fx_term_residue's DigitsN.
  localparam integer Single = (`FX_OPERAND_STEP(OperandFracW) == 1) ? 1 : 0;
  localparam integer Digits = (LowN * `MAX2(2, `FX_OPERAND_STEP(OperandFracW)) % 12 != 0) ? 7 : 8;
  localparam integer UN = Digits + Single * UDown;
  localparam integer RN = Digits + Single * RDown;
  localparam integer PN = Digits + Single * PDown;
  wire [2*UN-1:0] ap;
  wire [2*RN-1:0] aq;
  wire [2*PN-1:0] bp;
  fx_term_residue #(.M(OperandFracW), .FromW(QW), .LowN(LowN), .Down(RDown)) i_aq (
    .clk_i, .en_i, .word_i(q_i), .factor_i(factor_i[1:0]), .low_i(low_i[LowN:0]), .odd_i(odd_i[0]),
    .minus_i(minus_i[0]), .product_i(alpha_q_i), .digits_o(aq));
  fx_term_residue #(.M(OperandFracW), .FromW(PW), .LowN(LowN), .Down(UDown)) i_ap (
    .clk_i, .en_i, .word_i(p_i), .factor_i(factor_i[3:2]), .low_i(low_i[LowN+1 +: LowN+1]), .odd_i(odd_i[1]),
    .minus_i(minus_i[1]), .product_i(alpha_p_i), .digits_o(ap));
  fx_term_residue #(.M(OperandFracW), .FromW(PW), .LowN(LowN), .Down(PDown)) i_bp (
    .clk_i, .en_i, .word_i(p_i), .factor_i(factor_i[5:4]), .low_i(low_i[2*(LowN+1) +: LowN+1]), .odd_i(odd_i[2]),
    .minus_i(minus_i[2]), .product_i(beta_p_i), .digits_o(bp));

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
      mod3_residue #(.W(Cut), .Signed(0)) i_below (.clk_i, .en_i(1'b1), .word_i(dropped), .residue_o(below));
      assign r_in_p = mod3_add(mod3_shifted(mod3_add(r_o, mod3_minus(below)), Cut), {1'b0, (PDown == 0) & dropped[Cut-1]});
      wire unused = &{1'b0, r_word_i};
    end
  endgenerate
  // Halves, which count as their terms do.
  wire [5:0] half = {half_i[2] & minus_i[2], half_i[2] & ~minus_i[2], half_i[1] & minus_i[1], half_i[1] & ~minus_i[1],
                     half_i[0] & minus_i[0], half_i[0] & ~minus_i[0]};
  wire [1:0] u_must, r_must, p_must;
  wire [1:0] u_term, r_term, p_term; // halves come later, and r' for p'
  mod3_sum #(.N(UN + 1)) i_u_sum (.digits_i({u_i, ap}), .sum_o(u_term));
  mod3_sum #(.N(RN + 1)) i_r_sum (.digits_i({r_i, aq}), .sum_o(r_term));
  mod3_sum #(.N(PN)) i_p_sum (.digits_i(bp), .sum_o(p_term));
  assign u_must = mod3_add(u_term, half[3:2]);
  assign r_must = mod3_add(r_term, half[1:0]);
  assign p_must = mod3_add(mod3_add(p_term, half[5:4]), r_in_p);
  logic [1:0] u_q, r_q, p_q; // without what is cut off above the words
  always_ff @(posedge clk_i)
    if (en_i) begin
      u_q <= (Lanes == 1 || u_live_i) ? u_must : 2'd0; // of a lane alone nobody takes another's
      r_q <= (Lanes == 1 || r_live_i) ? r_must : 2'd0;
      p_q <= p_live_i ? p_must : 2'd0;
    end
  // A term has one bit more than the word that it is added to: a word that overflows lacks 2^W, or has it too much, as the sum's
  // sign says.
  wire [WideP+1:0] p_sum = sum_i[UW+RW+4 +: WideP+2];
  wire [UW+1:0]    u_sum = sum_i[RW+2 +: UW+2];
  wire [RW+1:0]    r_sum = sum_i[RW+1:0];
  logic u_sign_q, r_sign_q;
  always_ff @(posedge clk_i)
    if (en_i) begin
      u_sign_q <= u_sum[UW+1];
      r_sign_q <= r_sum[RW+1];
    end
  function automatic [1:0] beside(input over, input sign, input integer by); // what is to be added
    beside = mod3_shifted({over & ~sign, over & sign}, by);
  endfunction
  assign u_o = mod3_add(u_q, beside(over_i[1], u_sign_q, UW));
  assign r_o = mod3_add(r_q, beside(over_i[0], r_sign_q, RW));
  generate
    if (WideP == PW) begin : g_narrow
      logic p_sign_q;
      always_ff @(posedge clk_i) if (en_i) p_sign_q <= p_sum[WideP+1];
      assign p_o = mod3_add(p_q, beside(over_i[2], p_sign_q, PW));
      assign over_bad_o = 1'b0; // residues show it
      wire unused = &{1'b0, beyond_i};
    end else begin : g_wide
      // In units of 2^W what is cut off is what stands there and what the word's sign takes away.
      localparam integer TopW = WideP + 3 - PW;
      logic [TopW-1:0] top_q;
      always_ff @(posedge clk_i) if (en_i) top_q <= p_live_i ? p_sum[WideP+1:PW-1] : '0;
      wire [1:0] high;
      mod3_residue #(.W(TopW - 1)) i_high (.clk_i, .en_i(1'b1), .word_i(top_q[TopW-1:1]), .residue_o(high));
      assign p_o = mod3_add(p_q, mod3_minus(mod3_shifted(mod3_add(high, {1'b0, top_q[0]}), PW)));
      assign over_bad_o = over_i[2] != (beyond_i | ~(&top_q | ~|top_q));
      wire unused = &{1'b0, beyond_i};
    end
  endgenerate
  wire unused_sums = &{1'b0, p_sum, u_sum, r_sum};
endmodule
`default_nettype wire
