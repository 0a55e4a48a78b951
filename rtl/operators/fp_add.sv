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

  wire [EI+MI:0] a, b;
  fp_widen #(.EI(EA), .MI(MA), .EO(EI), .MO(MI)) i_widen_a (.word_i(a_i), .word_o(a));
  fp_widen #(.EI(EB), .MI(MB), .EO(EI), .MO(MI)) i_widen_b (.word_i(b_i), .word_o(b));

  // Order by class, then by magnitude.
  wire sa = a[EI+MI];
  wire sb = b[EI+MI] ^ (Subtract != 0);
  wire [EI+MI+2:0] a_above = {1'b0, a_cls_i, a[EI+MI-1:0]} - {1'b0, b_cls_i, b[EI+MI-1:0]};
  wire swap = a_above[EI+MI+2]; // the borrow: as part of a word it stays on the carry chain
  // The larger class wins, but opposite infinities give NaN.
  wire clash = a_cls_i[1] & b_cls_i[1] & (sa ^ sb);

  localparam integer OrderW = 2 * (EI + MI) + 8;
  wire [EI+MI-1:0] a_mag, b_mag;
  wire [1:0] a_cls, b_cls;
  wire swap_q1, sa_q1, sb_q1, clash_q1;
  delay #(.W(OrderW), .N(Wide)) i_order (
    .clk_i, .en_i, .ptr_i(7'd0), .d_i({a[EI+MI-1:0], b[EI+MI-1:0], a_cls_i, b_cls_i, swap, sa, sb, clash}),
    .q_o({a_mag, b_mag, a_cls, b_cls, swap_q1, sa_q1, sb_q1, clash_q1}));

  wire a_zero = a_cls == `CLS_ZERO;
  wire b_zero = b_cls == `CLS_ZERO;
  wire lesser_live = ~(a_zero | b_zero);
  wire [EI+MI-1:0] larger = swap_q1 ? b_mag : a_mag;
  wire [EI+MI-1:0] lesser = swap_q1 ? a_mag : b_mag;
  logic [MI-1:0]  big_frac_q;
  logic [MI:0]    lesser_q;
  logic [EI-1:0]  exp_q, distance_q;
  logic           sub_q, sign_q;
  logic [1:0]     cls_q;
  always_ff @(posedge clk_i)
    if (en_i) begin
      big_frac_q <= larger[MI-1:0];
      lesser_q   <= {lesser_live, lesser[MI-1:0] & {MI{lesser_live}}};
      exp_q      <= larger[EI+MI-1:MI];
      distance_q <= larger[EI+MI-1:MI] - lesser[EI+MI-1:MI];
      sub_q      <= sa_q1 ^ sb_q1;
      sign_q     <= (a_zero & b_zero) ? sa_q1 & sb_q1 : swap_q1 ? sb_q1 : sa_q1;
      cls_q      <= (swap_q1 ? b_cls : a_cls) | {2{clash_q1}};
    end

  // Align.
  wire far;
  wire [ShW-1:0] shift;
  generate
    if (EI > ShW) begin : g_far
      assign far   = |distance_q[EI-1:ShW];
      assign shift = distance_q[ShW-1:0];
    end else if (EI == ShW) begin : g_near
      assign far   = 1'b0;
      assign shift = distance_q;
    end else begin : g_short
      assign far   = 1'b0;
      assign shift = {{(ShW-EI){1'b0}}, distance_q};
    end
  endgenerate
  logic [AlignW-1:0] aligned;
  logic              sticky;
  always_comb begin
    aligned = {lesser_q, {Guard{1'b0}}};
    sticky  = |(aligned & ~({AlignW{1'b1}} << shift));
    aligned = aligned >> shift;
    sticky  = far ? lesser_q[MI] : sticky;
    aligned = aligned & {AlignW{~far}};
  end
  logic [MI-1:0]     big_frac_q2;
  logic [AlignW-1:0] aligned_q;
  logic              sticky_q, sub_q2, sign_q2;
  logic [EI-1:0]     exp_q2;
  logic [1:0]        cls_q2;
  always_ff @(posedge clk_i)
    if (en_i) begin
      big_frac_q2 <= big_frac_q;
      aligned_q   <= aligned;
      sticky_q    <= sticky;
      sub_q2      <= sub_q;
      exp_q2      <= exp_q;
      sign_q2     <= sign_q;
      cls_q2      <= cls_q;
    end

  // Add. Two's complement of {aligned, sticky} turns the sticky bit into a borrow that ends there or goes on: a carry
  // in, by way of one more bit below.
  wire carry = sub_q2 & ~sticky_q;
  wire [AlignW:0] upper;
  wire unused_below;
  assign {upper, unused_below} = {2'b01, big_frac_q2, {Guard{1'b0}}, 1'b1} +
                          {{1'b0, aligned_q} ^ {(AlignW+1){sub_q2}}, carry};
  wire [SumW-1:0] sum = {upper, sticky_q};
  logic [NormW-1:0] sum_q3;
  logic [ExpW-1:0]  exp_q3;
  logic             sign_q3;
  logic [1:0]       cls_q3;
  always_ff @(posedge clk_i)
    if (en_i) begin
      sum_q3  <= NormW'(sum >> (SumW - NormW));
      exp_q3  <= ExpW'(exp_q2) + ExpW'(Rebias);
      sign_q3 <= sign_q2;
      cls_q3  <= cls_q2;
    end

  // Normalise: shift the leading one to the top, counting, from the longest shift to the shortest; Steps stages.
  localparam integer SideW = ExpW + 3;
  wire [NormW-1:0] norm;
  wire [LzW-1:0]   lz;
  wire [ExpW-1:0]  exp_n;
  wire             sign_n;
  wire [1:0]       cls_n;
  genvar g;
  generate
    for (g = 0; g < Steps; g = g + 1) begin : g_norm
      // Shifts 2^From ... 2^To.
      localparam integer From = (Wide == 0) ? ((g == 0) ? LzW - 1 : Half - 1) : (g == 0) ? LzW - 1 : LzW - 2 * g;
      localparam integer To   = (g == Steps - 1) ? 0 : (Wide == 0) ? Half : LzW - 2 * g - 1;
      wire [NormW-1:0] start;
      wire [LzW-1:0]   lz_start;
      wire [SideW-1:0] side;
      if (g == 0) begin : g_first
        assign start    = sum_q3;
        assign lz_start = '0;
        assign side      = {exp_q3, sign_q3, cls_q3};
      end else begin : g_next
        assign start    = g_norm[g-1].norm_q;
        assign lz_start = g_norm[g-1].lz_q;
        assign side      = g_norm[g-1].side_q;
      end
      logic [NormW-1:0] shifted, norm_q;
      logic [LzW-1:0]   count, lz_q;
      logic [SideW-1:0] side_q;
      always_comb begin
        shifted = start;
        count   = lz_start;
        for (int k = From; k >= To; k = k - 1) begin
          count   = count | (LzW'((shifted >> (NormW - (1 << k))) == '0) << k);
          shifted = shifted << (count & (LzW'(1) << k));
        end
      end
      always_ff @(posedge clk_i)
        if (en_i) begin
          norm_q <= shifted;
          lz_q   <= count;
          side_q <= side;
        end
    end
  endgenerate
  assign norm = g_norm[Steps-1].norm_q;
  assign lz   = g_norm[Steps-1].lz_q;
  assign {exp_n, sign_n, cls_n} = g_norm[Steps-1].side_q;

  // Last stage: exponent, round. Complete cancellation gives +0.
  wire cancelled = (cls_n == `CLS_FINITE) & ~norm[NormW-1];
  wire signed [ExpW-1:0] exp = $signed(exp_n) - $signed(ExpW'(lz));
  wire [1:0]     cls;
  wire [EO+MO:0] word;
  fp_round #(.ExpW(ExpW), .FracW(NormW-1), .EO(EO), .MO(MO), .Rne(Rne)) i_round (
    .cls_i(cancelled ? `CLS_ZERO : cls_n), .sign_i(sign_n & ~cancelled), .exp_i(exp), .frac_i(norm[NormW-2:0]),
    .cls_o(cls), .word_o(word));
  always_ff @(posedge clk_i)
    if (en_i) begin
      cls_o  <= cls;
      word_o <= word;
    end
endmodule
`default_nettype wire
