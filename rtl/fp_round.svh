// The one rounding site: a normalised number 1.frac * 2^exp into s<MO>e<EO>. A task for modules that have the integer
// parameters ExpW, FracW, EO, MO and Rne, to be included in their bodies: an operator calls it in the process of its
// last stage, so that simulation keeps nothing of it but the registers after.
//
// Rounds as if the exponent were unbounded, then applies the range: below the smallest normal number, a zero of its
// sign; above the largest, that number (toward zero) or an infinity (nearest-even).
//   exp     signed, already biased for the result; ExpW is above EO and leaves room for one more than its largest value
//   frac    bits below the leading one; its lowest bit may stand for a sticky tail
  localparam integer RoundDown = (FracW > MO) ? FracW - MO : 0;
  localparam integer RoundUp   = (FracW < MO) ? MO - FracW : 0;
  localparam integer TailW     = `MAX2(RoundDown, 2);
  `REQUIRE(g_bad_round, MO >= 2 && EO >= 2, "fp_round: a format has at least 2 fraction and 2 exponent bits")
  `REQUIRE(g_bad_round_exp, ExpW > EO, "fp_round: ExpW must be above EO")

  /* verilator lint_off VARHIDDEN */ // as in fx_digits.svh
  task automatic round(input [1:0] cls, input sign, input signed [ExpW-1:0] exp, input [FracW-1:0] frac,
                       output [1:0] cls_out, output [EO+MO:0] word);
    logic [MO:0] kept; // and the carry of rounding up
    logic [TailW-1:0] tail;
    logic signed [ExpW-1:0] e;
    logic up, below, under, over;
    begin
      kept = (MO+1)'(MO'(frac >> RoundDown)) << RoundUp;
      e    = exp;
      if (Rne != 0 && RoundDown != 0) begin
        tail = TailW'(frac) << (TailW - RoundDown);
        up   = tail[TailW-1] & ((|tail[TailW-2:0]) | kept[0]);
        kept = kept + {{MO{1'b0}}, up};
        // A carry out leaves a zero fraction and moves into the exponent.
        e    = exp + $signed({{(ExpW-1){1'b0}}, kept[MO]});
      end
      // Comparisons with constants, spelled as bits: no carry chains.
      below = e[ExpW-1];
      under = below | ~(|e[ExpW-2:0]);
      over  = ~below & ((|($unsigned(e) >> EO)) | (&e[EO-1:0]));
      cls_out = cls;
      if (cls == `CLS_FINITE) cls_out = under ? `CLS_ZERO : (over && Rne != 0) ? `CLS_INF : `CLS_FINITE;
      // Clamping forces bits, and does not select words: after it a register takes it as its set or reset input.
      word = {sign, e[EO-1:0], kept[MO-1:0]};
      if (over && Rne == 0) word[EO+MO-1:0] = {{(EO-1){1'b1}}, 1'b0, {MO{1'b1}}};
    end
  endtask

  // Toward zero, where a clock before it is known how the number stands to the range: only the forcing of bits is left.
  task automatic truncate(input [1:0] cls, input under, input over, input sign, input [EO-1:0] exp,
                          input [FracW-1:0] frac, output [1:0] cls_out, output [EO+MO:0] word);
    logic [MO-1:0] kept;
    begin
      kept    = MO'(frac >> RoundDown) << RoundUp;
      cls_out = cls;
      if (under) cls_out[0] = cls[0] & cls[1]; // a finite number
      word    = {sign, exp, kept};
      if (over) word[EO+MO-1:0] = {{(EO-1){1'b1}}, 1'b0, {MO{1'b1}}};
    end
  endtask
  /* verilator lint_on VARHIDDEN */

// Of a sequential operator: rounds the significand sig into what it answers.
`ifndef FINISH_TASK
`define FINISH_TASK(sig) \
  task automatic finish; \
    logic [1:0] cls; \
    logic [EO+MO:0] word; \
    begin \
      round(cls_q, sign_q, exp_q, sig, cls, word); \
      cls_o  <= cls; \
      word_o <= word; \
    end \
  endtask
`endif
