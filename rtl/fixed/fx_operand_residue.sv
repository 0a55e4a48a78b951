/// What the checks of the vector updates know of alpha and beta (fx_operand), for each of r', u' and p': the factor's residue
/// modulo 3, and which of a product's groups lie below the term. Formed beside the registers that the updates take, not from
/// them. A group has Group bits; where a product moves by single bits and a group has two, that moves by whole groups or by one
/// bit more.
`include "mantissa.svh"
`default_nettype none
module fx_operand_residue #(
  parameter integer Group   = 4, ///< bits of a group
  parameter integer Step    = 4, ///< fx_operand's
  parameter integer FactorW = 18,
  parameter integer PosW    = 5,
  parameter integer Base    = 4,
  parameter integer LowN    = 9  ///< groups of a product
) (
  input  wire                clk_i,
  input  wire  [2:0]         store_i,    ///< p, u, r
  input  wire  [FactorW-1:0] factor_i,
  input  wire  [PosW-1:0]    position_i, ///< fx_operand's
  output logic [3*2-1:0]     factor_o,   ///< p, u, r: its sign is that with which the product counts
  output logic [3*(LowN+1)-1:0] low_o,    ///< from the lowest bit: any bit is dropped; group 0 is, group 1 ..
  output logic [2:0]         odd_o,      ///< a product's unit is an odd power of two of the term's,
  output logic [2:0]         minus_o     ///< and counts the other way, for r' those that are not
);
  wire [1:0] residue;
  mod3_residue #(.W(FactorW)) i_residue (.clk_i, .en_i(1'b1), .word_i(factor_i), .residue_o(residue));
  wire odd = (Step == 1) & (position_i[0] ^ 1'(Base % 2));
  // position <= most: as fx_move forms it for the words.
  function automatic logic up_to(input [PosW-1:0] position, input integer most);
    begin
      up_to = 1'b1;
      for (int b = 0; b < PosW; b = b + 1) up_to = most[b] ? (~position[b] | up_to) : (~position[b] & up_to);
      if (most >= (1 << PosW)) up_to = 1'b1;
    end
  endfunction
  wire [LowN:0] low;
  assign low[0] = ~up_to(position_i, Base);
  genvar g, k;
  generate
    for (g = 0; g < LowN; g = g + 1) begin : g_low
      assign low[g+1] = ~up_to(position_i, Base + (g + 1) * (Group / Step) - 1);
    end
    for (k = 0; k < 3; k = k + 1) begin : g_of
      always_ff @(posedge clk_i)
        if (store_i[k]) begin
          factor_o[2*k +: 2]       <= (odd ^ 1'(k == 0)) ? {residue[0], residue[1]} : residue;
          low_o[(LowN+1)*k +: LowN+1] <= low;
          odd_o[k]                 <= odd;
          minus_o[k]               <= odd ^ 1'(k == 0);
        end
    end
  endgenerate
endmodule
`default_nettype wire
