/// A product's term and half as they count for a residue modulo 3, in digits to be added up: (word factor - what lies below) over
/// the term's unit, and not the half itself. The word's residue comes with the word; what is below is taken from the product itself.
/// A clock after the product.
///
/// What is below is added up by pieces of an even number of bits on carry chains, where a mask and a sign take no LUT of their own,
/// the carries at the lowest bit again: 3 divides 2^even - 1. So the complement of a piece is its negative, too.
///
/// Where a product moves by single bits, groups of two are taken. Is the number of bits below odd, the highest of them is the half:
/// 2^even, so that it counts as 1. Without Down it is not taken off here, and the caller counts the half the other way; with Down,
/// where a term has no half, it is found in the product.
`include "mantissa.svh"
`default_nettype none
module fx_term_residue #(
  parameter integer M        = 13,
  parameter integer FromW    = 18, ///< bits of the word multiplied
  parameter integer LowN     = 9,
  parameter integer Down     = 0,
  localparam integer ProductW = `FX_OPERAND_W(M) + FromW,
  localparam integer Single   = (`FX_OPERAND_STEP(M) == 1 && Down != 0) ? 1 : 0,
  localparam integer PieceW   = 12,
  localparam integer BelowW   = LowN * `MAX2(2, `FX_OPERAND_STEP(M)),
  localparam integer Spare    = (BelowW % PieceW != 0) ? 1 : 0, ///< the last piece has place for a digit
  localparam integer DigitsN  = PieceW / 2 + 1 + (1 - Spare) + Single
) (
  input  wire                 clk_i,
  input  wire                 en_i,
  input  wire  [1:0]          word_i,   ///< with the word
  input  wire  [1:0]          factor_i, ///< see fx_operand_residue, and so what follows
  input  wire  [LowN:0]       low_i,
  input  wire                 odd_i,
  input  wire                 minus_i,
  input  wire  [ProductW-1:0] product_i,
  output logic [2*DigitsN-1:0] digits_o ///< from registers
);
`include "mod3.svh"
  localparam integer Step = `FX_OPERAND_STEP(M);
  localparam integer Group = `MAX2(2, Step);
  localparam integer Latency = `FX_MUL_LATENCY(M, FromW);
  localparam integer Pieces = (BelowW + PieceW - 1) / PieceW;
  wire [1:0] times;
  delay #(.W(2), .N(Latency + 1 - Spare)) i_wait (.clk_i, .en_i, .ptr_i(7'd0), .d_i(mod3_times(word_i, factor_i)), .q_o(times));
  wire [BelowW-1:0] product = BelowW'($signed(product_i));
  wire unused_high = &{1'b0, product_i};
  wire [BelowW-1:0] below; // with its sign: of a term that is added it is taken away
  wire [Pieces*PieceW-1:0] pieces;
  genvar g;
  generate
    for (g = 0; g < LowN; g = g + 1) begin : g_group
      assign below[g*Group +: Group] = (product[g*Group +: Group] & {Group{low_i[g+1]}}) ^ {Group{~minus_i}};
    end
    for (g = 0; g < Pieces; g = g + 1) begin : g_piece // the pieces up to this one
      wire [PieceW-1:0] sum;
      wire carry;
      if (g == 0) begin : g_first
        assign {carry, sum} = {1'b0, pieces[PieceW-1:0]};
      end else begin : g_next
        wire unused_carry;
        assign {carry, sum, unused_carry} =
          {1'b0, g_piece[g-1].sum, 1'b1} + {1'b0, pieces[g*PieceW +: PieceW], g_piece[g-1].carry};
      end
    end
    if (Spare != 0) begin : g_spare
      assign pieces = {times, (Pieces*PieceW-2)'(below)};
    end else begin : g_full
      assign pieces = below;
    end
  endgenerate
  logic [PieceW:0] sum_q;
  wire [2*(1-Spare)+PieceW+1:0] whole;
  always_ff @(posedge clk_i) if (en_i) sum_q <= {g_piece[Pieces-1].carry, g_piece[Pieces-1].sum};
  assign whole = (2*(1-Spare)+PieceW+2)'({times & {2{1'(1 - Spare)}}, 1'b0, sum_q});
  generate
    if (Single != 0) begin : g_single
      wire [LowN:0] at; // the bit that is dropped alone
      for (g = 0; g <= LowN; g = g + 1) begin : g_at
        wire beyond = (g < LowN) ? low_i[`MIN2(g + 1, LowN)] : 1'b0;
        wire own = (2 * g < ProductW) ? product_i[`MIN2(2 * g, ProductW - 1)] : product_i[ProductW-1];
        assign at[g] = own & low_i[g] & ~beyond;
      end
      wire one = odd_i & (|at);
      logic [1:0] one_q;
      always_ff @(posedge clk_i) if (en_i) one_q <= {one & ~minus_i, one & minus_i};
      assign digits_o = {one_q, whole};
    end else begin : g_pairs
      assign digits_o = whole;
      wire unused_alone = &{1'b0, odd_i, low_i[0]};
    end
  endgenerate
endmodule
`default_nettype wire
