/// What fx_scale does, by two multiplications by a power of two in hard blocks in place of a ring of multiplexers, for an operand
/// of 14 fraction bits, words multiplied of at most 18 and rounding to nearest (`FX_SHIFT_BLOCKS). One clock, which is the
/// blocks' own register; so what leaves has a LUT after it. Empty unless LEAN_LANES is defined.
///
/// The product's halves H and L, of 18 and 16 bits, are each moved to the left by one of 0, 2, .. 16 places. Bits of a half and a
/// term are then found in one of up to three windows of the two, 18 shifts apart: A, of long shifts to the right, is in H alone;
/// B is where a term that uses its word well lies; C, of shifts to the left, is for terms longer than 18 bits. The adder
/// chooses, as it does for fx_scale: term_o where keep_o is high, else_o elsewhere.
///
/// A shift so far to the left that no product but 0 fits is FX_SHIFT_LEAST for all of them, fx_operand having moved the
/// factor: low bits are right, and beyond_o is whether the word was 0.
`ifdef LEAN_LANES
`include "mantissa.svh"
`default_nettype none
module fx_blocks #(
  parameter integer M        = 14, ///< fraction bits of the operand
  parameter integer FromW    = 18, ///< bits of the word multiplied,
  parameter integer OutW     = 18, ///< and of those that the term is added to
  parameter integer FromMost = 18, ///< see fx_move
  parameter integer OutMost  = 18,
  parameter integer Negate   = 0,  ///< else_o is a complement, and fx_add is to complement term_o
  localparam integer ProductW = `FX_OPERAND_W(M) + FromW,
  localparam integer MoveW   = `FX_MOVE_W(M, FromMost, OutMost, OutW)
) (
  input  wire                 clk_i,
  input  wire                 en_i,
  input  wire  [ProductW-1:0] product_i,
  input  wire                 nonzero_i,  ///< with product_i: the word multiplied is not 0
  input  wire  [MoveW-1:0]    move_i,     ///< fx_move's: {far, in_c, in_a, by}
  output wire  [OutW+1:0]     term_o,     ///< {term, half}
  output wire  [OutW+2:0]     keep_o,
  output wire  [OutW+2:0]     else_o,
  output wire                 beyond_o    ///< with term_o
);
  localparam integer Least = `FX_SHIFT_LEAST(M, OutW);
  localparam integer Three = (Least < -1) ? 1 : 0; // windows
  localparam integer MostB = `MIN2(16, 14 - 2 * Least); // the most places to the left in window B
  localparam integer MostC = -4 - 2 * Least;            // and in C
  wire [8:0] by   = move_i[8:0]; // bit j: 2 j places
  wire       in_a = move_i[9];
  wire       in_c = move_i[10];
  wire       far  = move_i[11];
  wire [17:0] power = {1'b0, by[8], 1'b0, by[7], 1'b0, by[6], 1'b0, by[5], 1'b0, by[4], 1'b0, by[3], 1'b0, by[2], 1'b0, by[1],
                       1'b0, by[0]};
  wire [35:0] product = 36'($signed(product_i));
  wire [35:0] high, low;
  sig_mul_tile #(.SignedA(1), .SignedB(0), .Registered(1)) i_high (
    .clk_i, .en_i, .a_i(product[33:16]), .b_i(power), .tile_o(high));
  sig_mul_tile #(.SignedA(0), .SignedB(0), .Registered(1)) i_low (
    .clk_i, .en_i, .a_i({2'b0, product[15:0]}), .b_i(power), .tile_o(low));

  // From the half up, as far as high reaches.
  localparam integer LongA = OutW + 3;
  localparam integer LongB = `MAX2(OutW + 3, 3 + 18 + MostB);
  localparam integer LongC = `MAX2(OutW + 3, 21 + 18 + MostC);
  wire [LongA-1:0] a;
  wire [LongB-1:0] b;
  wire [LongC-1:0] c;
  genvar i;
  generate
    for (i = 0; i < LongA; i = i + 1) begin : g_a
      // A shift by 16 leaves the half to L, whose other bits are then below.
      if (i == 0) begin : g_half
        assign a[i] = high[15] | low[31];
      end else begin : g_bit
        assign a[i] = high[`MIN2(15 + i, 35)];
      end
    end
    for (i = 0; i < LongB; i = i + 1) begin : g_b
      wire of_high = (i >= 3) ? high[`MIN2(`MAX2(i - 3, 0), 17 + MostB)] : 1'b0;
      wire of_low  = (13 + i <= 15 + MostB) ? low[`MIN2(13 + i, 15 + MostB)] : 1'b0;
      assign b[i] = of_high | of_low;
    end
    for (i = 0; i < LongC; i = i + 1) begin : g_c
      if (Three == 0) begin : g_none
        assign c[i] = 1'b0;
      end else begin : g_bit
        wire of_high = (i >= 21) ? high[`MIN2(`MAX2(i - 21, 0), 17 + MostC)] : 1'b0;
        wire of_low  = (i >= 5 && i - 5 <= 15 + MostC) ? low[`MIN2(`MAX2(i - 5, 0), 15 + MostC)] : 1'b0;
        assign c[i] = of_high | of_low;
      end
    end
  endgenerate

  logic far_q; // the word was not 0, and the shift too far
  always_ff @(posedge clk_i) if (en_i) far_q <= far & nonzero_i;

  wire beyond_b = ~(&b[LongB-1:OutW+1] | ~|b[LongB-1:OutW+1]);
  wire beyond_c = ~(&c[LongC-1:OutW+1] | ~|c[LongC-1:OutW+1]);
  generate
    if (Three == 0) begin : g_two
      assign term_o   = a[OutW+1:0];
      assign keep_o   = {(OutW+3){in_a}};
      assign else_o   = {b[OutW+1], b[OutW+1:0]} ^ {(OutW+3){1'(Negate)}};
      assign beyond_o = far_q | (~in_a & beyond_b);
      wire unused = &{1'b0, in_c, beyond_c};
    end else begin : g_three
      assign term_o   = in_a ? a[OutW+1:0] : b[OutW+1:0];
      assign keep_o   = {(OutW+3){~in_c}};
      assign else_o   = {c[OutW+1], c[OutW+1:0]} ^ {(OutW+3){1'(Negate)}};
      assign beyond_o = far_q | (in_c ? beyond_c : ~in_a & beyond_b);
    end
  endgenerate
  wire unused = &{1'b0, product_i, product, move_i, high, low, a, b, c};
endmodule
`default_nettype wire
`endif
