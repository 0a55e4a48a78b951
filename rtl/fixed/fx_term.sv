/// A product on its way onto another grid, for cores with LEAN_LANES defined: fx_blocks where it can, else fx_scale. What leaves is
/// for fx_add. One clock.
`ifdef LEAN_LANES
`include "mantissa.svh"
`default_nettype none
module fx_term #(
  parameter integer Blocks   = 1,  ///< 0: fx_scale
  parameter integer M        = 13, ///< fraction bits of the operand
  parameter integer FromW    = 18, ///< bits of the word multiplied,
  parameter integer OutW     = 18, ///< and of those that the term is added to
  parameter integer FromMost = 18, ///< see fx_move
  parameter integer OutMost  = 18,
  parameter integer Down     = 0,  ///< half is 0
  parameter integer Negate   = 0,  ///< the term's complement; after fx_blocks fx_add complements term_o
  localparam integer ProductW = `FX_OPERAND_W(M) + FromW,
  localparam integer MoveW   = `FX_MOVE_W(M, FromMost, OutMost, OutW)
) (
  input  wire                 clk_i,
  input  wire                 en_i,
  input  wire  [ProductW-1:0] product_i,
  input  wire                 nonzero_i, ///< with product_i: the word multiplied is not 0
  input  wire  [MoveW-1:0]    move_i,    ///< see fx_move
  output wire  [OutW+1:0]     term_o,    ///< {term, half},
  output wire  [OutW+2:0]     keep_o,    ///< which bits of it and of its sign once more are the term's,
  output wire  [OutW+2:0]     else_o,    ///< and what the others are
  output wire                 beyond_o
);
  generate
    if (Blocks != 0 && `FX_SHIFT_BLOCKS(M, FromMost, OutW, Down) != 0) begin : g_blocks
      fx_blocks #(.M(M), .FromW(FromW), .OutW(OutW), .FromMost(FromMost), .OutMost(OutMost), .Negate(Negate)) i_blocks (
        .clk_i, .en_i, .product_i, .nonzero_i, .move_i, .term_o, .keep_o, .else_o, .beyond_o);
    end else begin : g_ring
      wire            fill;
      wire            unused_longer;
      fx_scale #(.M(M), .FromW(FromW), .OutW(OutW), .FromMost(FromMost), .OutMost(OutMost), .Down(Down),
                 .Negate(Negate)) i_scale (
        .clk_i, .en_i, .product_i, .move_i, .term_o, .fill_o(fill), .beyond_o,
        .longer_o(unused_longer));
      assign keep_o = move_i[`FX_TURN_W(M, FromMost, OutMost, OutW) +: OutW+3]; // see fx_move
      assign else_o = {(OutW+3){fill}};
      wire unused = &{1'b0, nonzero_i};
    end
  endgenerate
endmodule
`default_nettype wire
`endif
