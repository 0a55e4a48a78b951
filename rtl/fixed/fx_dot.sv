/// One dot product of words over a pass, exact: Lanes products a clock, added in a tree, two levels a clock, and one
/// accumulator, which TotalW bits are enough for. Lanes without an element bring words that are 0; places without a
/// token count for nothing, whatever a run that was ended in its middle left behind.
/// total_o holds a token's products `FX_DOT_LATENCY clocks after it, and stands from clear_i or the last token on.
`include "mantissa.svh"
`default_nettype none
module fx_dot #(
  parameter integer Lanes  = 1,
  parameter integer AW     = 18,
  parameter integer BW     = 18,
  parameter integer TotalW = 67,
  parameter integer Square = 0,  ///< b is a
  parameter integer Style  = 0
) (
  input  wire                 clk_i,
  input  wire                 en_i,
  input  wire                 clear_i,
  input  wire                 valid_i, ///< a token
  input  wire  [Lanes*AW-1:0] a_i,
  input  wire  [Lanes*BW-1:0] b_i,
  output logic [TotalW-1:0]   total_o
);
  localparam integer W = AW + BW;
  wire [Lanes*W-1:0] products;
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      fx_mul #(.AW(AW), .BW(BW), .Square(Square), .Style(Style)) i_product (
        .clk_i, .en_i, .a_i(a_i[l*AW +: AW]), .b_i(b_i[l*BW +: BW]), .product_o(products[l*W +: W]));
    end
  endgenerate
  wire [W+$clog2(Lanes)-1:0] sum;
  fx_sum #(.N(Lanes), .W(W)) i_sum (.clk_i, .en_i, .terms_i(products), .sum_o(sum));

  localparam integer Wait = `FX_DOT_LATENCY(Lanes, AW, BW) - 1;
  logic [Wait:1] valid_q; // beside the products
  always_ff @(posedge clk_i)
    if (clear_i) valid_q <= '0;
    else if (en_i) valid_q <= Wait'({valid_q, valid_i});
  always_ff @(posedge clk_i)
    if (clear_i) total_o <= '0;
    else if (en_i && valid_q[Wait]) total_o <= total_o + TotalW'($signed(sum));
endmodule
`default_nettype wire
