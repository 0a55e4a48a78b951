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
  localparam integer Split = `ADD_LATENCY(MA, MB, MO) - 4;
  localparam integer Rebias = `BIAS(EO) - `BIAS(EI) + 1; // + 1: the top bit of the sum is the carry
  // Biased exponents of results: [1 - NormW + Rebias, 2^EI - 2 + Rebias + 1].
  localparam integer ExpW = `MAX2($clog2(`MAX2(NormW - Rebias, (1 << EI) + Rebias)), EO) + 1;

  wire [EI+MI:0] a, b;
  fp_widen #(.EI(EA), .MI(MA), .EO(EI), .MO(MI)) i_widen_a (.word_i(a_i), .word_o(a));
  fp_widen #(.EI(EB), .MI(MB), .EO(EI), .MO(MI)) i_widen_b (.word_i(b_i), .word_o(b));

  // Stage 1: order by class, then by magnitude; distance.
  wire sa = a[EI+MI];
  wire sb = b[EI+MI] ^ (Subtract != 0);
  wire a_zero = a_cls_i == `CLS_ZERO;
  wire b_zero = b_cls_i == `CLS_ZERO;
  wire swap = (b_cls_i > a_cls_i) | ((a_cls_i == b_cls_i) & (a[EI+MI-1:0] < b[EI+MI-1:0]));
  wire [EI+MI-1:0] larger   = swap ? b[EI+MI-1:0] : a[EI+MI-1:0];
  wire [EI+MI-1:0] lesser = swap ? a[EI+MI-1:0] : b[EI+MI-1:0];
  wire lesser_live = ~(a_zero | b_zero);
  wire [EI-1:0] distance = larger[EI+MI-1:MI] - lesser[EI+MI-1:MI];
  wire far;
  wire [ShW-1:0] shift;
  generate
    if (EI > ShW) begin : g_far
      assign far   = |distance[EI-1:ShW];
      assign shift = distance[ShW-1:0];
    end else if (EI == ShW) begin : g_near
      assign far   = 1'b0;
      assign shift = distance;
    end else begin : g_short
      assign far   = 1'b0;
      assign shift = {{(ShW-EI){1'b0}}, distance};
    end
  endgenerate

  logic [MI-1:0]  big_frac_q;
  logic [MI:0]    lesser_q;
  logic [EI-1:0]  exp_q;
  logic [ShW-1:0] shift_q;
  logic           far_q, sub_q, sign_q;
  logic [1:0]     cls_q;
  always_ff @(posedge clk_i)
    if (en_i) begin
      big_frac_q <= larger[MI-1:0];
      lesser_q    <= {lesser_live, lesser[MI-1:0] & {MI{lesser_live}}};
      exp_q      <= larger[EI+MI-1:MI];
      shift_q    <= shift;
      far_q      <= far;
      sub_q      <= sa ^ sb;
      sign_q     <= (a_zero & b_zero) ? sa & sb : swap ? sb : sa;
      // The larger class wins, but opposite infinities give NaN.
      cls_q      <= (swap ? b_cls_i : a_cls_i) | {2{a_cls_i[1] & b_cls_i[1] & (sa ^ sb)}};
    end

  // Stage 2: align, add.
  logic [AlignW-1:0] aligned;
  logic              sticky;
  always_comb begin
    aligned = {lesser_q, {Guard{1'b0}}};
    sticky  = |(aligned & ~({AlignW{1'b1}} << shift_q));
    aligned = aligned >> shift_q;
    sticky  = far_q ? lesser_q[MI] : sticky;
    aligned = aligned & {AlignW{~far_q}};
  end
  // Two's complement of {aligned, sticky} turns the sticky bit into a borrow that ends there or goes on: a carry in,
  // by way of one more bit below.
  wire carry = sub_q & ~sticky;
  wire [AlignW:0] upper;
  wire unused_below;
  assign {upper, unused_below} = {2'b01, big_frac_q, {Guard{1'b0}}, 1'b1} +
                          {{1'b0, aligned} ^ {(AlignW+1){sub_q}}, carry};
  wire [SumW-1:0] sum = {upper, sticky};
  logic [NormW-1:0] sum_q2;
  logic [EI-1:0]    exp_q2;
  logic             sign_q2;
  logic [1:0]       cls_q2;
  always_ff @(posedge clk_i)
    if (en_i) begin
      sum_q2  <= NormW'(sum >> (SumW - NormW));
      exp_q2  <= exp_q;
      sign_q2 <= sign_q;
      cls_q2  <= cls_q;
    end

  // Stage 3 (and 4 when split): shift the leading one to the top, counting.
  localparam integer Half = (Split != 0) ? LzW / 2 : 0;
  logic [NormW-1:0] norm_a;
  logic [LzW-1:0]   lz_a;
  always_comb begin
    norm_a = sum_q2;
    lz_a   = '0;
    for (int k = LzW - 1; k >= Half; k = k - 1) begin
      lz_a   = lz_a | (LzW'((norm_a >> (NormW - (1 << k))) == '0) << k);
      norm_a = norm_a << (lz_a & (LzW'(1) << k));
    end
  end
  wire [NormW-1:0] norm_m;
  wire [LzW-1:0]   lz_m;
  wire [EI-1:0]    exp_m;
  wire             sign_m;
  wire [1:0]       cls_m;
  generate
    if (Split != 0) begin : g_split
      logic [NormW-1:0] norm_q;
      logic [LzW-1:0]   lz_q;
      logic [EI-1:0]    exp_q3;
      logic             sign_q3;
      logic [1:0]       cls_q3;
      always_ff @(posedge clk_i)
        if (en_i) begin
          norm_q  <= norm_a;
          lz_q    <= lz_a;
          exp_q3  <= exp_q2;
          sign_q3 <= sign_q2;
          cls_q3  <= cls_q2;
        end
      logic [NormW-1:0] norm_b;
      logic [LzW-1:0]   lz_b;
      always_comb begin
        norm_b = norm_q;
        lz_b   = lz_q;
        for (int k = Half - 1; k >= 0; k = k - 1) begin
          lz_b   = lz_b | (LzW'((norm_b >> (NormW - (1 << k))) == '0) << k);
          norm_b = norm_b << (lz_b & (LzW'(1) << k));
        end
      end
      assign norm_m = norm_b;
      assign lz_m   = lz_b;
      assign exp_m  = exp_q3;
      assign sign_m = sign_q3;
      assign cls_m  = cls_q3;
    end else begin : g_whole
      assign norm_m = norm_a;
      assign lz_m   = lz_a;
      assign exp_m  = exp_q2;
      assign sign_m = sign_q2;
      assign cls_m  = cls_q2;
    end
  endgenerate

  logic [NormW-1:0] norm_q4;
  logic [LzW-1:0]   lz_q4;
  logic [EI-1:0]    exp_q4;
  logic             sign_q4;
  logic [1:0]       cls_q4;
  always_ff @(posedge clk_i)
    if (en_i) begin
      norm_q4 <= norm_m;
      lz_q4   <= lz_m;
      exp_q4  <= exp_m;
      sign_q4 <= sign_m;
      cls_q4  <= cls_m;
    end

  // Last stage: exponent, round. Complete cancellation gives +0.
  wire cancelled = (cls_q4 == `CLS_FINITE) & ~norm_q4[NormW-1];
  wire signed [ExpW-1:0] exp = $signed(ExpW'(exp_q4)) - $signed(ExpW'(lz_q4)) + $signed(ExpW'(Rebias));
  wire [1:0]     cls;
  wire [EO+MO:0] word;
  fp_round #(.ExpW(ExpW), .FracW(NormW-1), .EO(EO), .MO(MO), .Rne(Rne)) i_round (
    .cls_i(cancelled ? `CLS_ZERO : cls_q4), .sign_i(sign_q4 & ~cancelled), .exp_i(exp), .frac_i(norm_q4[NormW-2:0]),
    .cls_o(cls), .word_o(word));
  always_ff @(posedge clk_i)
    if (en_i) begin
      cls_o  <= cls;
      word_o <= word;
    end
endmodule
`default_nettype wire
