/// The residue modulo 3 of a product's term less its half (fx_scale): (word factor - what lies below the term) over the term's
/// unit. The word's residue comes with the word; what is below is taken from the product itself. A clock behind the product.
`include "mantissa.svh"
`default_nettype none
module fx_term_residue #(
  parameter integer M        = 13,
  parameter integer FromW    = 18, ///< bits of the word multiplied
  parameter integer LowN     = 9,
  localparam integer ProductW = `FX_OPERAND_W(M) + FromW
) (
  input  wire                 clk_i,
  input  wire                 en_i,
  input  wire  [1:0]          word_i,   ///< with the word
  input  wire  [1:0]          factor_i,
  input  wire  [LowN-1:0]     low_i,    ///< see fx_operand_residue
  input  wire                 odd_i,
  input  wire  [ProductW-1:0] product_i,
  output logic [1:0]          term_o    ///< from registers
);
`include "mod3.svh"
  localparam integer Step = `FX_OPERAND_STEP(M);
  localparam integer Latency = `FX_MUL_LATENCY(M, FromW);
  wire [1:0] whole;
  delay #(.W(2), .N(Latency + 1)) i_wait (
    .clk_i, .en_i, .ptr_i(7'd0), .d_i(mod3_times(word_i, factor_i)), .q_o(whole));
  wire [LowN*Step-1:0] product = (LowN*Step)'($signed(product_i));
  wire [2*LowN-1:0] digits;
  genvar g;
  generate
    for (g = 0; g < LowN; g = g + 1) begin : g_group
      wire [1:0] digit;
      if (Step == 1) begin : g_bit
        assign digit = (g % 2 == 0) ? {1'b0, product[g]} : {product[g], 1'b0};
      end else begin : g_bits
        mod3_residue #(.W(Step), .Signed(0)) i_digit (.clk_i, .en_i(1'b1), .word_i(product[g*Step +: Step]), .residue_o(digit));
      end
      assign digits[2*g +: 2] = digit & {2{low_i[g]}};
    end
  endgenerate
  wire [1:0] below;
  mod3_piped #(.N(LowN)) i_below (.clk_i, .en_i, .digits_i(digits), .sum_o(below));
  wire [1:0] kept = mod3_add(whole, mod3_minus(below));
  assign term_o = odd_i ? mod3_minus(kept) : kept;
endmodule
`default_nettype wire
