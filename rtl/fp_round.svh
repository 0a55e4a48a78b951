// The one rounding site: a normalised number 1.frac * 2^exp into s<MO>e<EO>. A task for modules that have the integer
// parameters ExpW, FracW, EO, MO and Rne, to be included in their bodies: an operator calls it in the process of its
// last stage, so that simulation keeps nothing of it but the registers behind.
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
      // Clamping forces bits, and does not select words: behind it a register takes it as its set or reset input.
      word = {sign, e[EO-1:0], kept[MO-1:0]};
      if (over && Rne == 0) word[EO+MO-1:0] = {{(EO-1){1'b1}}, 1'b0, {MO{1'b1}}};
    end
  endtask

  // Toward zero, and in two clocks, for a product: whether its leading one stands a place higher, `top`, is known late.
  // The range of exp and of exp + 1 is looked at a clock before; then `top` only chooses.
  task automatic look_ahead(input [1:0] cls, input signed [ExpW-1:0] exp, output [1:0] cls_out, output least,
                            output over, output over_up);
    logic below, above;
    begin
      below   = exp[ExpW-1];
      above   = |($unsigned(exp) >> EO);
      cls_out = cls & ~{2{(cls == `CLS_FINITE) & below}};
      least   = ~(|exp[ExpW-2:0]); // a finite number is zero unless top
      over    = ~below & (above | (&exp[EO-1:0]));
      over_up = ~below & ~above & (&exp[EO-1:1]) & ~exp[0]; // beyond the range only with top
    end
  endtask

  task automatic truncate(input [1:0] cls, input least, input over, input over_up, input sign, input top,
                          input [EO-1:0] exp, input [FracW-1:0] frac, output [1:0] cls_out, output [EO+MO:0] word);
    logic [MO-1:0] kept;
    logic beyond;
    logic [1:0] unused_below;
    begin
      // Chosen on a carry chain: the mapper would spread the choice over all bits that it clamps.
      {beyond, unused_below} = {over, over_up, 1'b1} + {2'b00, top};
      kept    = MO'(frac >> RoundDown) << RoundUp;
      cls_out = {cls[1], cls[0] & (cls[1] | ~least | top)};
      word    = {sign, exp + {{(EO-1){1'b0}}, top}, kept};
      if (beyond) word[EO+MO-1:0] = {{(EO-1){1'b1}}, 1'b0, {MO{1'b1}}};
    end
  endtask
