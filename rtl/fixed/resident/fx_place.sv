/// For fx_shift, two clocks behind n_i: where a shift of n places to the right puts things.
`default_nettype none
module fx_place #(
  parameter integer InW  = 31,
  parameter integer OutW = 65,
  parameter integer NW   = 20,
  localparam integer PlaceW = $clog2(OutW + InW + 1)
) (
  input  wire                  clk_i,
  input  wire signed [NW-1:0]  n_i,
  output logic [PlaceW-1:0]    place_o,
  output logic [InW-1:0]       beyond_o
);
  // A bit of x with the place of a word's sign, or above, must be the sign's: from bit n + OutW - 1 on.
  localparam signed [NW-1:0] Least = NW'(-OutW);
  localparam signed [NW-1:0] Most  = NW'(InW);
  logic [PlaceW-1:0] place_q;
  always_ff @(posedge clk_i) begin
    place_q <= (n_i < Least) ? '0 : (n_i > Most) ? PlaceW'(OutW + InW) : PlaceW'(n_i + NW'(OutW));
    place_o <= place_q;
    for (int k = 0; k < InW; k = k + 1) beyond_o[k] <= place_q <= PlaceW'(k + 1);
  end
endmodule
`default_nettype wire
