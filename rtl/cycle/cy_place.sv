/// A word added to another at a place of whole sixteens of bits: word + x 2^(16 place), or word - x 2^(16 place), OutW bits of it. Two
/// clocks from x_i, one from word_i, to sum_o. The places are one hot and stand.
`include "mantissa.svh"
`default_nettype none
module cy_place #(
  parameter integer InW    = 42,
  parameter integer WordW  = 64,
  parameter integer OutW   = 64,
  parameter integer Places = 4,
  parameter integer Minus  = 0
) (
  input  wire               clk_i,
  input  wire  [Places-1:0] places_i,
  input  wire  [InW-1:0]    x_i,
  input  wire               live_i,  ///< beside word_i; else the sum is 0
  input  wire  [WordW-1:0]  word_i,
  output logic [OutW-1:0]   sum_o
);
  localparam integer Digits = (OutW + 15) / 16;
  localparam integer WideW  = 16 * Digits;
  wire [WideW-1:0] x = WideW'($signed(x_i));
  // Digit d is digit d - p of x at place p: the lowest digit waits a clock and is chosen beside the sum, the others before.
  logic [WideW-1:0] others_d, others_q;
  logic [15:0]      lowest_q;
  always_comb begin
    others_d = '0;
    for (int d = 0; d < Digits; d = d + 1)
      for (int p = 0; p < Places; p = p + 1)
        if (p < d) others_d[16*d +: 16] = others_d[16*d +: 16] | (x[16*(d-p) +: 16] & {16{places_i[p]}});
  end
  wire [WideW-1:0] placed;
  genvar d;
  generate
    for (d = 0; d < Digits; d = d + 1) begin : g_digit
      if (d < Places) begin : g_lowest
        assign placed[16*d +: 16] = others_q[16*d +: 16] | (lowest_q & {16{places_i[d]}});
      end else begin : g_higher
        assign placed[16*d +: 16] = others_q[16*d +: 16];
      end
    end
  endgenerate
  wire [OutW-1:0] word = OutW'($signed(word_i));
  wire [OutW-1:0] sum  = (Minus != 0) ? word - placed[OutW-1:0] : word + placed[OutW-1:0];
  always_ff @(posedge clk_i) begin
    others_q <= others_d;
    lowest_q <= x_i[15:0];
    sum_o    <= live_i ? sum : '0;
  end
  wire unused = &{1'b0, placed};
endmodule
`default_nettype wire
