/// A product's term and half as they count for a residue modulo 3, in digits to be added up: (word factor - what lies below) over
/// the term's unit, and not the half itself. The word's residue comes with the word; what is below is taken from the product itself.
/// A clock behind the product.
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
  localparam integer DigitsN  = 1 + (LowN + Single + 3) / 4
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
  localparam integer BelowN = 4 * (DigitsN - 1);
  delay #(.W(2), .N(Latency + 1)) i_wait (
    .clk_i, .en_i, .ptr_i(7'd0), .d_i(mod3_times(word_i, factor_i)), .q_o(digits_o[2*DigitsN-1 -: 2]));
  wire [LowN*Group-1:0] product = (LowN*Group)'($signed(product_i));
  wire unused_high = &{1'b0, product_i};
  wire [2*BelowN-1:0] below; // with its sign: of a term that is added it is taken away
  genvar g;
  generate
    for (g = 0; g < LowN; g = g + 1) begin : g_group
      wire [1:0] digit;
      if (Group == 2) begin : g_pair
        assign digit = product[2*g +: 2];
      end else begin : g_bits
        mod3_residue #(.W(Group), .Signed(0)) i_digit (.clk_i, .en_i(1'b1), .word_i(product[g*Group +: Group]), .residue_o(digit));
      end
      assign below[2*g +: 2] = (minus_i ? digit : {digit[0], digit[1]}) & {2{low_i[g+1]}};
    end
    if (Single != 0) begin : g_single
      wire [LowN:0] at; // the bit that is dropped alone
      for (g = 0; g <= LowN; g = g + 1) begin : g_at
        wire beyond = (g < LowN) ? low_i[`MIN2(g + 1, LowN)] : 1'b0;
        wire own = (2 * g < ProductW) ? product_i[`MIN2(2 * g, ProductW - 1)] : product_i[ProductW-1];
        assign at[g] = own & low_i[g] & ~beyond;
      end
      wire one = odd_i & (|at);
      assign below[2*LowN +: 2] = {one & ~minus_i, one & minus_i};
    end else begin : g_pairs
      wire unused_alone = &{1'b0, odd_i, low_i[0]};
    end
    if (BelowN > LowN + Single) begin : g_none
      assign below[2*BelowN-1:2*(LowN+Single)] = '0;
    end
    for (g = 0; g < DigitsN - 1; g = g + 1) begin : g_four
      mod3_piped #(.N(4)) i_four (.clk_i, .en_i, .digits_i(below[8*g +: 8]), .sum_o(digits_o[2*g +: 2]));
    end
  endgenerate
endmodule
`default_nettype wire
