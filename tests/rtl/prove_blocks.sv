/// A product, moved and added: what prove_blocks.sh proves equal for fx_scale's ring and fx_blocks, at one position after another.
`include "mantissa.svh"
`default_nettype none
module prove_blocks #(
  parameter integer FromW    = 18,
  parameter integer OutW     = 18,
  parameter integer FromMost = 18,
  parameter integer OutMost  = 25,
  parameter integer Negate   = 0,
  parameter integer Position = 12,
  parameter integer Blocks   = 0,
  localparam integer M        = 14,
  localparam integer ProductW = `FX_OPERAND_W(M) + FromW,
  localparam integer PosW    = `FX_POSITION_W(M, FromMost, OutMost),
  localparam integer MoveW   = `FX_MOVE_W(M, FromMost, OutMost, OutW)
) (
  input  wire  [FromW+15:0] product_i, ///< of a significand of 15 bits, moved by up to one, with its sign, and a word
  input  wire  [OutW-1:0]   a_i,
  output logic [OutW-1:0]   sum_o,
  output logic              over_o
);
  wire [MoveW-1:0]  move;
  wire [OutW+1:0]   term;
  wire [OutW+2:0]   keep, other;
  wire [OutW+1:0]   sum;
  wire              beyond, below;
  fx_move #(.M(M), .FromMost(FromMost), .OutMost(OutMost), .OutW(OutW), .Blocks(Blocks)) i_move (
    .position_i(PosW'(Position)), .move_o(move));
  fx_term #(.Blocks(Blocks), .M(M), .FromW(FromW), .OutW(OutW), .FromMost(FromMost), .OutMost(OutMost),
            .Negate(Negate)) i_term (
    .clk_i(1'b0), .en_i(1'b1), .product_i(ProductW'($signed(product_i))), .nonzero_i(1'b0), .move_i(move), .term_o(term),
    .keep_o(keep), .else_o(other), .beyond_o(beyond));
  fx_add #(.W(OutW + 3), .NotT(Blocks & Negate)) i_add (
    .a_i({(OutW+2)'($signed(a_i)), 1'b1}), .t_i({term[OutW+1], term}), .keep_i(keep), .else_i(other), .sum_o({sum, below}));
  assign sum_o  = sum[OutW-1:0];
  assign over_o = beyond | ~(&sum[OutW+1:OutW-1] | ~|sum[OutW+1:OutW-1]);
  wire unused = &{1'b0, below};
endmodule
`default_nettype wire
