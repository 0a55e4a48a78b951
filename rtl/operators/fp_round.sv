/// The one rounding site: a normalised number 1.frac * 2^exp into s<MO>e<EO>. Combinational.
///
/// Rounds as if the exponent were unbounded, then applies the range: below the smallest normal number, a zero of its
/// sign; above the largest, that number (toward zero) or an infinity (nearest-even).
///   exp_i   signed, already biased for the result; ExpW is above EO and leaves room for one more than its largest value
///   frac_i  bits below the leading one; its lowest bit may stand for a sticky tail
`include "mantissa.svh"
`default_nettype none
module fp_round #(
  parameter integer ExpW  = 10,
  parameter integer FracW = 24,
  parameter integer EO    = 8,
  parameter integer MO    = 23,
  parameter integer Rne   = 0
) (
  input  wire  [1:0]              cls_i,
  input  wire                     sign_i,
  input  wire  signed [ExpW-1:0]  exp_i,
  input  wire  [FracW-1:0]        frac_i,
  output logic [1:0]              cls_o,
  output logic [EO+MO:0]          word_o
);
  `REQUIRE(g_bad, MO >= 2 && EO >= 2, "fp_round: a format has at least 2 fraction and 2 exponent bits")
  `REQUIRE(g_bad_exp, ExpW > EO, "fp_round: ExpW must be above EO")

  wire [MO-1:0] frac;
  wire signed [ExpW-1:0] exp;

  generate
    if (FracW <= MO) begin : g_exact
      if (FracW == MO) begin : g_same
        assign frac = frac_i;
      end else begin : g_pad
        assign frac = {frac_i, {(MO-FracW){1'b0}}};
      end
      assign exp = exp_i;
    end else if (Rne == 0) begin : g_truncate
      assign frac = frac_i[FracW-1 -: MO];
      assign exp  = exp_i;
      wire unused = &{1'b0, frac_i[FracW-MO-1:0]};
    end else begin : g_nearest
      wire guard = frac_i[FracW-MO-1];
      wire sticky;
      if (FracW - MO > 1) begin : g_sticky
        assign sticky = |frac_i[FracW-MO-2:0];
      end else begin : g_tie
        assign sticky = 1'b0;
      end
      wire up = guard & (sticky | frac_i[FracW-MO]);
      // A carry out leaves a zero fraction and moves into the exponent.
      wire [MO:0] sum = {1'b0, frac_i[FracW-1 -: MO]} + {{MO{1'b0}}, up};
      assign frac = sum[MO-1:0];
      assign exp  = exp_i + $signed({{(ExpW-1){1'b0}}, sum[MO]});
    end
  endgenerate

  // Comparisons with constants, spelled as bits: no carry chains.
  wire below = exp[ExpW-1];
  wire under = below | ~|exp[ExpW-2:0];
  wire over;
  generate
    if (ExpW - 1 > EO) begin : g_wide
      assign over = ~below & ((|exp[ExpW-2:EO]) | (&exp[EO-1:0]));
    end else begin : g_next // one above the largest exponent is all there can be
      assign over = ~below & (&exp[EO-1:0]);
    end
  endgenerate
  wire clamp = over & (Rne == 0);

  always_comb begin
    cls_o = cls_i;
    if (cls_i == `CLS_FINITE) begin
      if (under) cls_o = `CLS_ZERO;
      else if (over && Rne != 0) cls_o = `CLS_INF;
    end
  end
  // Clamping forces bits, and does not select words: behind it a register takes it as its set or reset input.
  assign word_o[EO+MO] = sign_i;
  assign word_o[EO+MO-1:MO+1] = clamp ? {(EO-1){1'b1}} : exp[EO-1:1];
  assign word_o[MO] = clamp ? 1'b0 : exp[0];
  assign word_o[MO-1:0] = clamp ? {MO{1'b1}} : frac;
endmodule
`default_nettype wire
