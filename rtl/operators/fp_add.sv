/// a + b (or a - b with Subtract), rounded once into s<MO>e<EO>. Latency `ADD_LATENCY(MA, MB, MO), one sum per clock.
///
/// Single path. The smaller magnitude is shifted behind the larger; one sticky bit stands for all that falls off, so
/// the truncated difference is the exact one's. Guard bits: one when truncating, two for nearest-even (a subtraction
/// that loses more than one leading bit has distance below two, and then nothing fell off).
`include "mantissa.svh"
`default_nettype none
module fp_add #(
  parameter integer EA       = 8,
  parameter integer MA       = 23,
  parameter integer EB       = 8,
  parameter integer MB       = 23,
  parameter integer EO       = 8,
  parameter integer MO       = 23,
  parameter integer Rne      = 0,
  parameter integer Subtract = 0
) (
  input  wire            clk_i,
  input  wire            en_i,
  input  wire  [1:0]     a_cls_i,
  input  wire  [EA+MA:0] a_i,
  input  wire  [1:0]     b_cls_i,
  input  wire  [EB+MB:0] b_i,
  output logic [1:0]     cls_o,
  output logic [EO+MO:0] word_o
);
  // The format both operands are widened to.
  localparam integer EI    = `MAX2(EA, EB);
  localparam integer MI    = `MAX3(MA, MB, MO);
  localparam integer Guard = (Rne != 0) ? 2 : 1;
  localparam integer AlignW = MI + 1 + Guard;       // the smaller operand, sticky bit not counted
  localparam integer SumW  = AlignW + 2;            // carry, ..., sticky
  localparam integer ShW   = $clog2(AlignW + 1);
  localparam integer NormW = (Rne != 0) ? SumW : SumW - 1; // truncating, the sticky bit ends with the borrow
  localparam integer LzW   = $clog2(NormW);
  localparam integer Wide  = (MI > 28) ? 1 : 0;    // comparison and normaliser in one stage more
  localparam integer Steps = 2 + Wide;
  localparam integer Half  = LzW / 2 + 1;
  localparam integer Rebias = `BIAS(EO) - `BIAS(EI) + 1; // + 1: the top bit of the sum is the carry
  // Biased exponents of results: [1 - NormW + Rebias, 2^EI - 2 + Rebias + 1].
  localparam integer ExpW = `MAX2($clog2(`MAX2(NormW - Rebias, (1 << EI) + Rebias)), EO) + 1;

  localparam integer FracW = NormW - 1;
`include "fp_round.svh"

  localparam integer MagW = EI + MI;
  wire [MagW:0] a, b;
  fp_widen #(.EI(EA), .MI(MA), .EO(EI), .MO(MI)) i_widen_a (.word_i(a_i), .word_o(a));
  fp_widen #(.EI(EB), .MI(MB), .EO(EI), .MO(MI)) i_widen_b (.word_i(b_i), .word_o(b));

  // ---- The stages, each the work between two registers ---------------------------------------------------------------

  // Compare: whether b is the larger one, by class, then by magnitude. The borrow of one subtraction: as part of a word
  // it stays on the carry chain. Above 64 bits the classes stand apart; wide subtractions are slow in simulation.
  function automatic b_larger(input [1:0] a_cls, input [MagW-1:0] a_mag, input [1:0] b_cls, input [MagW-1:0] b_mag);
    logic [MagW+2:0] all;
    logic [MagW:0] mag;
    begin
      if (MagW + 3 <= 64) begin
        all = {1'b0, a_cls, a_mag} - {1'b0, b_cls, b_mag};
        b_larger = all[MagW+2];
      end else begin
        mag = {1'b0, a_mag} - {1'b0, b_mag};
        b_larger = (b_cls > a_cls) | ((a_cls == b_cls) & mag[MagW]);
      end
    end
  endfunction

  // Order; distance. `lesser` has its hidden bit; it is nothing when an operand is zero.
  task automatic order(input [1:0] a_cls, input [MagW:0] a_word, input [1:0] b_cls, input [MagW:0] b_word, input swap,
                       output [MI-1:0] big_frac, output [MI:0] lesser, output [EI-1:0] exp, output [EI-1:0] distance,
                       output sub, output sign, output [1:0] cls);
    logic sa, sb;
    logic [MagW-1:0] change, larger, smaller;
    begin
      sa     = a_word[MagW];
      sb     = b_word[MagW] ^ (Subtract != 0);
      change = (a_word[MagW-1:0] ^ b_word[MagW-1:0]) & {MagW{swap}};
      larger  = a_word[MagW-1:0] ^ change;
      smaller  = b_word[MagW-1:0] ^ change;
      big_frac = larger[MI-1:0];
      lesser   = {1'b1, smaller[MI-1:0]} & {(MI+1){(|a_cls) & (|b_cls)}};
      exp      = larger[MagW-1:MI];
      distance = larger[MagW-1:MI] - smaller[MagW-1:MI];
      sub      = sa ^ sb;
      sign     = ((|a_cls) | (|b_cls)) ? sa ^ (sub & swap) : sa & sb;
      // The larger class wins, but opposite infinities give NaN.
      cls      = (a_cls ^ ((a_cls ^ b_cls) & {2{swap}})) | {2{a_cls[1] & b_cls[1] & sub}};
    end
  endtask

  task automatic align(input [MI:0] lesser, input [EI-1:0] distance, output [AlignW-1:0] aligned, output sticky);
    logic [AlignW-1:0] whole;
    logic [ShW-1:0] shift;
    logic far;
    begin
      whole   = {lesser, {Guard{1'b0}}};
      shift   = ShW'(distance);
      far     = |(distance >> ShW);
      sticky  = far ? lesser[MI] : |(whole & ~({AlignW{1'b1}} << shift));
      aligned = (whole >> shift) & {AlignW{~far}};
    end
  endtask

  // Add. Two's complement of {aligned, sticky} turns the sticky bit into a borrow that ends there or goes on: a carry
  // in, by way of one more bit below.
  function automatic [NormW-1:0] add(input [MI-1:0] big_frac, input [AlignW-1:0] aligned, input sticky, input sub);
    logic [AlignW+1:0] padded;
    logic unused_add;
    begin
      padded = {2'b01, big_frac, {Guard{1'b0}}, 1'b1} + {{1'b0, aligned} ^ {(AlignW+1){sub}}, sub & ~sticky};
      add    = NormW'({padded[AlignW+1:1], sticky} >> (SumW - NormW));
      unused_add = padded[0];
    end
  endfunction

  // Normalise: shift the leading one to the top by 2^longest, ..., 2^shortest, counting.
  task automatic normalise(input integer longest, input integer shortest, input [NormW-1:0] sum, input [LzW-1:0] count,
                           output [NormW-1:0] norm, output [LzW-1:0] lz);
    integer by; // not an `int` of the loop: Icarus mixes up such loops of tasks and of other modules
    logic empty;
    begin
      norm = sum;
      lz   = count;
      for (by = LzW - 1; by >= 0; by = by - 1)
        if (by <= longest && by >= shortest) begin
          empty = (norm >> (NormW - (1 << by))) == '0;
          lz    = lz | (LzW'(empty) << by);
          norm  = empty ? norm << (1 << by) : norm;
        end
    end
  endtask

  // Exponent, round. Complete cancellation gives +0. Between equal exponents and toward zero, `over` is known a clock
  // before: only the carry leads out of the range.
  localparam integer OverAhead = (Rne == 0 && EI == EO) ? 1 : 0;
  task automatic finish(input [NormW-1:0] norm, input [LzW-1:0] lz, input [ExpW-1:0] exp, input sign, input [1:0] cls,
                        input over, output [1:0] cls_out, output [EO+MO:0] word);
    logic cancelled;
    logic signed [ExpW-1:0] e;
    begin
      cancelled = (cls == `CLS_FINITE) & ~norm[NormW-1];
      e = $signed(exp) - $signed(ExpW'(lz));
      if (OverAhead != 0)
        truncate(cls & ~{2{cancelled}}, e[ExpW-1] | ~(|e[ExpW-2:0]), over, sign & ~cancelled, e[EO-1:0], norm[NormW-2:0],
                 cls_out, word);
      else round(cls & ~{2{cancelled}}, sign & ~cancelled, e, norm[NormW-2:0], cls_out, word);
    end
  endtask

  // Compare: a stage of its own when wide.
  wire [1:0] a_cls, b_cls;
  wire [MagW:0] a_word, b_word;
  wire swap;
  generate
    if (Wide != 0) begin : g_compare
      logic [1:0] a_cls_q, b_cls_q;
      logic [MagW:0] a_q, b_q;
      logic swap_q;
      always_ff @(posedge clk_i)
        if (en_i) begin
          a_cls_q <= a_cls_i;
          b_cls_q <= b_cls_i;
          a_q     <= a;
          b_q     <= b;
          swap_q  <= b_larger(a_cls_i, a[MagW-1:0], b_cls_i, b[MagW-1:0]);
        end
      assign a_cls  = a_cls_q;
      assign b_cls  = b_cls_q;
      assign a_word = a_q;
      assign b_word = b_q;
      assign swap   = swap_q;
    end else begin : g_at_once
      assign a_cls  = a_cls_i;
      assign b_cls  = b_cls_i;
      assign a_word = a;
      assign b_word = b;
      assign swap   = b_larger(a_cls_i, a[MagW-1:0], b_cls_i, b[MagW-1:0]);
    end
  endgenerate

  logic [MI-1:0]     big_frac_q, big_frac_q2;
  logic [MI:0]       lesser_q;
  logic [EI-1:0]     exp_q, exp_q2, distance_q;
  logic [AlignW-1:0] aligned_q;
  logic              sticky_q, sub_q, sub_q2, sign_q, sign_q2;
  logic [1:0]        cls_q, cls_q2;
  always_ff @(posedge clk_i)
    if (en_i) begin : p_order
      logic [MI-1:0] big_frac;
      logic [MI:0] lesser;
      logic [EI-1:0] exp, distance;
      logic sub, sign;
      logic [1:0] cls;
      order(a_cls, a_word, b_cls, b_word, swap, big_frac, lesser, exp, distance, sub, sign, cls);
      big_frac_q <= big_frac;
      lesser_q   <= lesser;
      exp_q      <= exp;
      distance_q <= distance;
      sub_q      <= sub;
      sign_q     <= sign;
      cls_q      <= cls;
    end
  always_ff @(posedge clk_i)
    if (en_i) begin : p_align
      logic [AlignW-1:0] aligned;
      logic sticky;
      align(lesser_q, distance_q, aligned, sticky);
      big_frac_q2 <= big_frac_q;
      aligned_q   <= aligned;
      sticky_q    <= sticky;
      sub_q2      <= sub_q;
      exp_q2      <= exp_q;
      sign_q2     <= sign_q;
      cls_q2      <= cls_q;
    end

  // The sum, and its normaliser in Steps stages.
  generate
    for (genvar g = 0; g <= Steps; g = g + 1) begin : g_norm
      // Shifts 2^From ... 2^To.
      localparam integer From = (g <= 1) ? LzW - 1 : (Wide == 0) ? Half - 1 : LzW - 2 * g + 2;
      localparam integer To   = (g == Steps) ? 0 : (Wide == 0) ? Half : LzW - 2 * g + 1;
      logic [NormW-1:0] norm_q;
      logic [LzW-1:0]   lz_q;
      logic [ExpW-1:0]  exp_q3;
      logic             sign_q3;
      logic [1:0]       cls_q3;
      if (g == 0) begin : g_add
        always_ff @(posedge clk_i)
          if (en_i) begin
            norm_q  <= add(big_frac_q2, aligned_q, sticky_q, sub_q2);
            lz_q    <= '0;
            exp_q3  <= ExpW'(exp_q2) + ExpW'(Rebias);
            sign_q3 <= sign_q2;
            cls_q3  <= cls_q2;
          end
      end else begin : g_shift
        always_ff @(posedge clk_i)
          if (en_i) begin : p_shift
            logic [NormW-1:0] norm;
            logic [LzW-1:0] lz;
            normalise(From, To, g_norm[g-1].norm_q, g_norm[g-1].lz_q, norm, lz);
            norm_q  <= norm;
            lz_q    <= lz;
            exp_q3  <= g_norm[g-1].exp_q3;
            sign_q3 <= g_norm[g-1].sign_q3;
            cls_q3  <= g_norm[g-1].cls_q3;
          end
      end
    end
  endgenerate

  wire over;
  generate
    if (OverAhead != 0) begin : g_over
      logic largest_q; // the largest exponent, beside the sum
      logic [Steps:1] over_q;
      always_ff @(posedge clk_i)
        if (en_i) begin
          largest_q <= (&exp_q2[EI-1:1]) & ~exp_q2[0];
          over_q    <= Steps'({over_q, largest_q & g_norm[0].norm_q[NormW-1]});
        end
      assign over = over_q[Steps];
    end else begin : g_over_later
      assign over = 1'b0;
    end
  endgenerate

  always_ff @(posedge clk_i)
    if (en_i) begin : p_finish
      logic [1:0] cls;
      logic [EO+MO:0] word;
      finish(g_norm[Steps].norm_q, g_norm[Steps].lz_q, g_norm[Steps].exp_q3, g_norm[Steps].sign_q3,
             g_norm[Steps].cls_q3, over, cls, word);
      cls_o  <= cls;
      word_o <= word;
    end
endmodule
`default_nettype wire
