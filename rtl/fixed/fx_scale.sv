/// A product of a word and alpha or beta, on its way onto another grid: moved by fx_operand's position, it is
/// term_o + 2^-1 half_o and what is below, so term_o + half_o is it rounded to nearest, half up, and term_o rounded down.
/// The term has one bit more than the words that it is added to; where it does not fit, beyond_o is high, its low
/// bits are right, and no word can hold the sum. One clock.
`include "mantissa.svh"
`default_nettype none
module fx_scale #(
  parameter integer M     = 13, ///< fraction bits of the operand
  parameter integer FromW = 18, ///< bits of the word multiplied,
  parameter integer OutW  = 18, ///< and of those that the term is added to
  parameter integer Down  = 0,  ///< half_o is 0
  localparam integer ProductW = `FX_OPERAND_W(M) + FromW,
  localparam integer PosW    = `FX_POSITION_W(M, FromW, OutW),
  localparam integer BeyondN = `FX_BEYOND_N(M, FromW, OutW)
) (
  input  wire                 clk_i,
  input  wire                 en_i,
  input  wire  [ProductW-1:0] product_i,
  input  wire  [PosW-1:0]     position_i,
  input  wire  [BeyondN-1:0]  beyond_i,
  output logic [OutW:0]       term_o,
  output logic                half_o,
  output logic                beyond_o
);
  localparam integer Step  = `FX_OPERAND_STEP(M);
  localparam integer Least = `FX_POSITION_LEAST(M, OutW);
  localparam integer Below = -Step * Least + 1; // zeros below the product, for shifts to the left and for the half
  localparam integer Wide  = OutW + 2 + Step * ((1 << PosW) - 1); // what the furthest position reaches

  // From the longest step to the shortest, each stage as wide as those behind it need.
  wire [Wide-1:0] product = Wide'($signed({product_i, {Below{1'b0}}}));
  genvar k;
  generate
    for (k = 0; k < PosW; k = k + 1) begin : g_stage
      localparam integer By = Step << (PosW - 1 - k);
      localparam integer W  = OutW + 2 + By - Step;
      wire [W+By-1:0] wide;
      wire [W-1:0]    moved = position_i[PosW-1-k] ? wide[W+By-1:By] : wide[W-1:0];
      wire unused = &{1'b0, wide};
      if (k == 0) begin : g_first
        assign wide = product;
      end else begin : g_next
        assign wide = g_stage[k-1].moved;
      end
    end
  endgenerate
  wire [OutW+1:0] moved = g_stage[PosW-1].moved;

  // Neighbours that differ say that the term is longer than they are. Group k holds those that lie beyond the term in
  // positions up to k.
  wire [ProductW-2:0] differ = product_i[ProductW-1:1] ^ product_i[ProductW-2:0];
  wire [BeyondN-1:0]  longer;
  generate
    for (k = 0; k < BeyondN; k = k + 1) begin : g_longer
      localparam integer From = OutW + Step * (Least + k);
      assign longer[k] = |differ[From +: `MIN2(Step, ProductW - 1 - From)];
    end
  endgenerate
  always_ff @(posedge clk_i)
    if (en_i) begin
      term_o   <= moved[OutW+1:1];
      half_o   <= (Down != 0) ? 1'b0 : moved[0];
      beyond_o <= |(longer & beyond_i);
    end
  wire unused = &{1'b0, differ};
endmodule
`default_nettype wire
