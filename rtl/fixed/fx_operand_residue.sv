/// What the checks of the vector updates know of alpha and beta (fx_operand), for each of r', u' and p': the factor's residue
/// modulo 3, and which of a product's groups lie below the term. Formed beside the registers that the updates take, not from
/// them.
`include "mantissa.svh"
`default_nettype none
module fx_operand_residue #(
  parameter integer M       = 13,
  parameter integer FactorW = 18,
  parameter integer PosW    = 5,
  parameter integer Base    = 4,
  parameter integer LowN    = 9  ///< groups of a product
) (
  input  wire                clk_i,
  input  wire  [2:0]         store_i,    ///< p, u, r
  input  wire  [FactorW-1:0] factor_i,
  input  wire  [PosW-1:0]    position_i, ///< fx_operand's
  output logic [3*2-1:0]     factor_o,   ///< p, u, r
  output logic [3*LowN-1:0]  low_o,
  output logic [2:0]         odd_o       ///< a product's unit is an odd power of two of the term's
);
  wire [1:0] residue;
  mod3_residue #(.W(FactorW)) i_residue (.clk_i, .en_i(1'b1), .word_i(factor_i), .residue_o(residue));
  wire [LowN-1:0] low;
  genvar g, k;
  generate
    for (g = 0; g < LowN; g = g + 1) begin : g_low
      assign low[g] = 32'(position_i) > Base + g;
    end
    for (k = 0; k < 3; k = k + 1) begin : g_of
      always_ff @(posedge clk_i)
        if (store_i[k]) begin
          factor_o[2*k +: 2]       <= residue;
          low_o[LowN*k +: LowN]    <= low;
          odd_o[k]                 <= (`FX_OPERAND_STEP(M) == 1) & (position_i[0] ^ 1'(Base % 2));
        end
    end
  endgenerate
endmodule
`default_nettype wire
