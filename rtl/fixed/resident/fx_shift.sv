/// A word moved onto another grid: floor(x 2^-n), its low OutW bits, the bit below them (add it to round to nearest, half
/// up), and whether it does not fit. n stands while words are on their way: as n + OutW, in 0 .. OutW + InW; from either end
/// on, nothing but a sign is left. Three clocks: by 16s, by 4s, by 1s.
`include "mantissa.svh"
`default_nettype none
module fx_shift #(
  parameter integer InW  = 31,
  parameter integer OutW = 65,
  localparam integer PlaceW = $clog2(OutW + InW + 1)
) (
  input  wire               clk_i,
  input  wire  [PlaceW-1:0] place_i,
  input  wire  [InW-1:0]    beyond_i, ///< fx_place's: bits of x that no word holds
  input  wire  [InW-1:0]    x_i,
  output logic [OutW-1:0]   word_o,
  output logic              half_o,
  output logic              over_o
);
  localparam integer AllW = InW + OutW + 1;
  localparam integer AW   = OutW + 1 + 15; // behind the shift by 16s
  localparam integer BW   = OutW + 1 + 3;
  localparam integer TopW = (PlaceW > 4) ? PlaceW - 4 : 1;
  wire [AllW-1:0] all = {x_i, {(OutW+1){1'b0}}};
  wire [6:0]      place = 7'(place_i);
  wire [TopW+3:0] coarse = {place_i[PlaceW-1:4], 4'd0};
  logic [AW-1:0]  a_q;
  logic [BW-1:0]  b_q;
  logic [1:0]     over_q;
  always_ff @(posedge clk_i) begin
    a_q <= AW'($signed(all) >>> coarse);
    b_q <= BW'($signed(a_q) >>> {place[3:2], 2'b00});
    {word_o, half_o} <= (OutW+1)'($signed(b_q) >>> place[1:0]);
    over_q <= {over_q[0], |((x_i ^ {InW{x_i[InW-1]}}) & beyond_i) | (x_i[InW-1] & place_i == '0)};
    over_o <= over_q[1];
  end
  wire unused = &{1'b0, place};
endmodule
`default_nettype wire
