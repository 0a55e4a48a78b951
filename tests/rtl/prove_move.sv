/// A move of a product, from a position on: what prove_words.sh proves equal for both spellings.
`include "mantissa.svh"
`default_nettype none
module prove_move #(
  parameter integer M        = 14,
  parameter integer FromW    = 18,
  parameter integer OutW     = 18,
  parameter integer FromMost = 18,
  parameter integer OutMost  = 25,
  parameter integer Down     = 0,
  localparam integer ProductW = `FX_OPERAND_W(M) + FromW,
  localparam integer PosW    = `FX_POSITION_W(M, FromMost, OutMost),
  localparam integer MoveW   = `FX_MOVE_W(M, FromMost, OutMost, OutW)
) (
  input  wire  [PosW-1:0]     position_i,
  input  wire  [ProductW-1:0] product_i,
  output logic [MoveW-1:0]    move_o,
  output logic [OutW+1:0]     term_o,
  output logic                fill_o,
  output logic                beyond_o
);
  fx_move #(.M(M), .FromMost(FromMost), .OutMost(OutMost), .OutW(OutW), .Down(Down)) i_move (.position_i, .move_o);
  fx_scale #(.M(M), .FromW(FromW), .OutW(OutW), .FromMost(FromMost), .OutMost(OutMost), .Down(Down)) i_scale (
    .clk_i(1'b0), .en_i(1'b1), .product_i, .move_i(move_o), .term_o, .fill_o, .beyond_o);
endmodule
`default_nettype wire
