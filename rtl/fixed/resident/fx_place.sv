/// For fx_shift, two clocks after n_i: InW - n, as far as it makes a difference.
`default_nettype none
module fx_place #(
  parameter integer InW  = 31,
  parameter integer OutW = 65,
  parameter integer NW   = 20,
  localparam integer LeftW = $clog2(InW + OutW + 1)
) (
  input  wire                 clk_i,
  input  wire signed [NW-1:0] n_i,
  output logic [LeftW-1:0]    left_o
);
  localparam signed [NW-1:0] Most = NW'(InW + OutW);
  logic signed [NW-1:0] left_q;
  always_ff @(posedge clk_i) begin
    left_q <= NW'(InW) - n_i;
    left_o <= left_q[NW-1] ? '0 : (left_q > Most) ? LeftW'(Most) : LeftW'(left_q);
  end
endmodule
`default_nettype wire
