/// C0 x0 + C1 x1 + C2 x2 of signed words, the low OutW bits, by shift and add in canonical signed digits. Latency clocks, at
/// least fx_weighted_latency(C0, C1, C2) of fx_digits.svh.
`include "mantissa.svh"
`default_nettype none
module fx_weighted #(
  parameter integer W       = 18,
  parameter integer Words   = 3, ///< words in x_i, up to 3: word 0 lowest. Constants of words that are not there are 0
  parameter integer C0      = 1, ///< below 2^30 in magnitude, like the others
  parameter integer C1      = 0,
  parameter integer C2      = 0,
  parameter integer Latency = 0,
  parameter integer OutW    = 18
) (
  input  wire                clk_i,
  input  wire                en_i,
  input  wire  [Words*W-1:0] x_i,
  output logic [OutW-1:0]    sum_o
);
`include "fx_digits.svh"
  localparam [95:0] Added = {fx_digits(C2, 0), fx_digits(C1, 0), fx_digits(C0, 0)};
  localparam [95:0] Taken = {fx_digits(C2, 1), fx_digits(C1, 1), fx_digits(C0, 1)};
  `REQUIRE(g_early, Latency >= fx_weighted_latency(C0, C1, C2), "fx_weighted: Latency is too short")
  generate
    if (Taken == '0) begin : g_sum
      fx_terms #(.W(W), .Words(Words), .Terms(Added), .Latency(Latency), .OutW(OutW)) i_sum (
        .clk_i, .en_i, .x_i, .sum_o);
    end else begin : g_difference
      wire [OutW-1:0] added, taken;
      fx_terms #(.W(W), .Words(Words), .Terms(Added), .Latency(Latency - 1), .OutW(OutW)) i_added (
        .clk_i, .en_i, .x_i, .sum_o(added));
      fx_terms #(.W(W), .Words(Words), .Terms(Taken), .Latency(Latency - 1), .OutW(OutW)) i_taken (
        .clk_i, .en_i, .x_i, .sum_o(taken));
      always_ff @(posedge clk_i) if (en_i) sum_o <= added - taken;
    end
  endgenerate
endmodule
`default_nettype wire
