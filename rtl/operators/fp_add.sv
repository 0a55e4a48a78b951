/// a + b (or a - b with Subtract), rounded once into s<MO>e<EO>. Latency Stages, 6 (`ADD_LATENCY) unless it says
/// otherwise; one sum per clock. Stages 4 is smaller and slower: the alignment shares a stage with the sum, and the fine
/// half of the normaliser one with the rounding.
///
/// Single path. The smaller magnitude is shifted after the larger; one sticky bit stands for all that falls off, so
/// the truncated difference is the exact one's. Guard bits: one when truncating, two for nearest-even (a subtraction
/// that loses more than one leading bit has distance below two, and then nothing fell off).
`include "mantissa.svh"
`default_nettype none
module fp_add #(
  parameter integer EA = 8, parameter integer MA = 23,
  parameter integer EB = 8, parameter integer MB = 23,
  parameter integer EO = 8, parameter integer MO = 23,
  parameter integer Rne      = 0,
  parameter integer Subtract = 0,
  parameter integer Stages   = 6
) (
  input  wire            clk_i,
  input  wire            en_i,
  `OPERANDS_PORTS(EA+MA+1, EB+MB+1)
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
  localparam integer NW    = (SumW <= 32) ? 32 : 64; // the sum stands at the top of a word; its lower bits are constant
  localparam integer Steps = 2;                     // of the normaliser
  localparam integer Half  = LzW / 2 + 1;
  localparam integer Rebias = `BIAS(EO) - `BIAS(EI) + 1; // + 1: the top bit of the sum is the carry
  // Biased exponents of results: [1 - NormW + Rebias, 2^EI - 2 + Rebias + 1].
  localparam integer ExpW = `MAX2($clog2(`MAX2(NormW - Rebias, (1 << EI) + Rebias)), EO) + 1;

  localparam integer FracW = NormW - 1;
  `REQUIRE(g_bad_stages, Stages == 6 || Stages == 4, "fp_add: Stages must be 6 or 4")
`include "fp_round.svh"

  localparam integer MagW = EI + MI;
  wire [MagW:0] a, b;
  fp_widen #(.EI(EA), .MI(MA), .EO(EI), .MO(MI)) i_widen_a (.word_i(a_i), .word_o(a));
  fp_widen #(.EI(EB), .MI(MB), .EO(EI), .MO(MI)) i_widen_b (.word_i(b_i), .word_o(b));

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

  wire swap = b_larger(a_cls_i, a[MagW-1:0], b_cls_i, b[MagW-1:0]);

  // ---- The stages, each a task: what it needs in between stays local to it, which simulates faster than the variables
  // of a process. Rare cases are branches of their own for the same reason. -------------------------------------------
  logic [MagW-1:0]   larger_q, larger_q2;
  logic [MI:0]       lesser_q;
  logic [EI-1:0]     distance_q;
  logic [AlignW:0]   aligned_q; // with the sticky bit on top
  logic              sub_q, sub_q2;
  logic [2:0]        side_q, side_q2; // sign, class

  // Order; distance. `lesser` has its hidden bit; it is nothing when an operand is zero.
  task automatic order;
    logic sa, sb, sub, sign;
    logic [1:0] cls;
    logic [MI:0] lesser;
    logic [MagW-1:0] change, larger, smaller;
    begin
      sa       = a[MagW];
      sb       = b[MagW] ^ (Subtract != 0);
      change   = (a[MagW-1:0] ^ b[MagW-1:0]) & {MagW{swap}};
      larger   = a[MagW-1:0] ^ change;
      smaller  = b[MagW-1:0] ^ change;
      lesser   = {1'b1, smaller[MI-1:0]};
      if (a_cls_i == `CLS_ZERO) lesser = '0;
      if (b_cls_i == `CLS_ZERO) lesser = '0;
      sub      = sa ^ sb;
      sign     = sa ^ (sub & swap);
      if ((a_cls_i | b_cls_i) == `CLS_ZERO) sign = sa & sb;
      // The larger class wins, but opposite infinities give NaN.
      cls      = a_cls_i ^ ((a_cls_i ^ b_cls_i) & {2{swap}});
      if (a_cls_i[1] & b_cls_i[1]) cls = cls | {2{sub}};
      larger_q   <= larger;
      lesser_q   <= lesser;
      distance_q <= larger[MagW-1:MI] - smaller[MagW-1:MI];
      sub_q      <= sub;
      side_q     <= {sign, cls};
    end
  endtask

  // The lesser after the larger, and on top of it the sticky bit.
  function automatic [AlignW:0] align(input [MI:0] lesser, input [EI-1:0] distance);
    logic [AlignW-1:0] whole;
    logic [ShW-1:0] shift;
    logic far;
    begin
      whole = {lesser, {Guard{1'b0}}};
      shift = ShW'(distance);
      far   = |(distance >> ShW);
      align = {far ? lesser[MI] : |(whole & ~({AlignW{1'b1}} << shift)), (whole >> shift) & {AlignW{~far}}};
    end
  endfunction
  generate
    if (Stages == 6) begin : g_align
      always_ff @(posedge clk_i)
        if (en_i) begin
          aligned_q <= align(lesser_q, distance_q);
          larger_q2 <= larger_q;
          sub_q2    <= sub_q;
          side_q2   <= side_q;
        end
    end else begin : g_align_and_add
      assign aligned_q = align(lesser_q, distance_q);
      assign larger_q2 = larger_q;
      assign sub_q2    = sub_q;
      assign side_q2   = side_q;
    end
  endgenerate

  // Add, at the top of the word. Two's complement of {aligned, sticky} turns the sticky bit into a borrow that ends there
  // or goes on: a carry in, by way of one more bit below.
  function automatic [NW-1:0] add(input [MI-1:0] big_frac, input [AlignW-1:0] aligned, input sticky, input sub);
    logic [NW-1:0] larger, lesser;
    begin
      larger = {2'b01, big_frac, {Guard{1'b0}}, 1'b1, {(NW-AlignW-2){1'b0}}};
      lesser = {{1'b0, aligned} ^ {(AlignW+1){sub}}, sub & ~sticky, {(NW-AlignW-2){1'b0}}};
      add    = (larger + lesser) & ~(NW'(1) << (NW - AlignW - 2));
      if (Rne != 0) add[NW-AlignW-2] = sticky;
    end
  endfunction

  // Between equal exponents and toward zero, leaving the range above is known after the sum: only the carry leads
  // there.
  localparam integer OverAhead = (Rne == 0 && EI == EO) ? 1 : 0;
  wire over;
  generate
    if (OverAhead != 0) begin : g_over
      logic largest_q; // the largest exponent, beside the sum
      always_ff @(posedge clk_i) if (en_i) largest_q <= (&larger_q2[MagW-1:MI+1]) & ~larger_q2[MI];
      assign over = largest_q & g_norm[0].norm_q[NW-1];
    end else begin : g_over_later
      assign over = 1'b0;
    end
  endgenerate

  // The sum, and its normaliser in Steps stages.
  generate
    for (genvar g = 0; g <= Steps; g = g + 1) begin : g_norm
      // Shifts 2^From ... 2^To.
      localparam integer From = (g <= 1) ? LzW - 1 : Half - 1;
      localparam integer To   = (g == Steps) ? 0 : Half;
      logic [NW-1:0]    norm_q;
      logic [LzW-1:0]   lz_q;
      logic [ExpW-1:0]  exp_q3;
      logic [3:0]       side_q3; // over, sign, class
      if (g == 0) begin : g_add
        always_ff @(posedge clk_i)
          if (en_i) begin
            norm_q  <= add(larger_q2[MI-1:0], aligned_q[AlignW-1:0], aligned_q[AlignW], sub_q2);
            lz_q    <= '0;
            exp_q3  <= ExpW'(larger_q2[MagW-1:MI]) + ExpW'(Rebias);
            side_q3 <= {1'b0, side_q2};
          end
      end else begin : g_shift
        // Shifts the leading one toward the top by 2^From, ..., 2^To, counting.
        function automatic [LzW+NW-1:0] normalise(input [NW-1:0] sum, input [LzW-1:0] zeros);
          integer by; // not an `int` of the loop: Icarus mixes up such loops of tasks and of other modules
          logic [NW-1:0] norm;
          logic [LzW-1:0] lz, step;
          begin
            norm = sum;
            lz   = zeros;
            for (by = From; by >= To; by = by - 1)
              if (by >= 2) begin
                if ((norm >> (NW - (1 << by))) == '0) begin
                  lz[by] = 1'b1;
                  norm   = norm << (1 << by);
                end
              end else begin
                step = LzW'((norm >> (NW - (1 << by))) == '0) << by;
                lz   = lz | step;
                norm = norm << step;
              end
            normalise = {lz, norm};
          end
        endfunction
        if (Stages == 6 || g < Steps) begin : g_stage
          always_ff @(posedge clk_i)
            if (en_i) begin
              {lz_q, norm_q} <= normalise(g_norm[g-1].norm_q, g_norm[g-1].lz_q);
              exp_q3  <= g_norm[g-1].exp_q3;
              side_q3 <= {(g == 1) ? over : g_norm[g-1].side_q3[3], g_norm[g-1].side_q3[2:0]};
            end
        end else begin : g_and_round
          assign {lz_q, norm_q} = normalise(g_norm[g-1].norm_q, g_norm[g-1].lz_q);
          assign exp_q3  = g_norm[g-1].exp_q3;
          assign side_q3 = g_norm[g-1].side_q3;
        end
      end
    end
  endgenerate

  // Exponent, round. Complete cancellation gives +0.
  task automatic finish;
    logic [NW-1:0] norm;
    logic signed [ExpW-1:0] exp;
    logic last_over, sign;
    logic [1:0] cls, cls_out;
    logic [EO+MO:0] word;
    begin
      norm = g_norm[Steps].norm_q;
      exp  = $signed(g_norm[Steps].exp_q3) - $signed(ExpW'(g_norm[Steps].lz_q));
      {last_over, sign, cls} = g_norm[Steps].side_q3;
      if (~norm[NW-1])
        if (cls == `CLS_FINITE) {sign, cls} = {1'b0, `CLS_ZERO};
      if (OverAhead != 0)
        truncate(cls, exp[ExpW-1] | ~(|exp[ExpW-2:0]), last_over, sign, exp[EO-1:0], norm[NW-2 -: FracW], cls_out, word);
      else round(cls, sign, exp, norm[NW-2 -: FracW], cls_out, word);
      cls_o  <= cls_out;
      word_o <= word;
    end
  endtask

  always_ff @(posedge clk_i)
    if (en_i) begin
      order();
      finish();
    end
endmodule
`default_nettype wire
