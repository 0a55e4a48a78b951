/// C0 x + C1 y of signed words, the low OutW bits, one clock later, where x is one of two words: the choice is the adder's
/// (fx_add), so it costs nothing on a device whose carry cells have room for it. C0 is a power of two or its negative, C1 a power
/// of two or 0 (fx_picks of fx_digits.svh). For cores with LEAN_LANES defined.
`ifdef LEAN_LANES
`include "mantissa.svh"
`default_nettype none
module fx_pick #(
  parameter integer W    = 19,
  parameter integer C0   = -1,
  parameter integer C1   = 8,
  parameter integer OutW = 22
) (
  input  wire             clk_i,
  input  wire             en_i,
  input  wire             newer_i,   ///< x is x_newer_i, else x_older_i
  input  wire  [W-1:0]    x_newer_i,
  input  wire  [W-1:0]    x_older_i,
  input  wire  [W-1:0]    y_i,
  output logic [OutW-1:0] sum_o
);
`include "fx_digits.svh"
  localparam integer Minus = (C0 < 0) ? 1 : 0;
  `REQUIRE(g_bad, fx_picks(C0, C1) != 0, "fx_pick: C0 must be a power of two or its negative, C1 a power of two or 0")
  wire [OutW-1:0] newer = OutW'($signed(x_newer_i)) << fx_log2(fx_abs(C0));
  wire [OutW-1:0] older = OutW'($signed(x_older_i)) << fx_log2(fx_abs(C0));
  wire [OutW-1:0] y     = (C1 == 0) ? '0 : OutW'($signed(y_i)) << fx_log2(C1);
  // To subtract, the complement is added and one more, which comes from a bit below.
  wire [OutW-1:0] sum;
  wire            below;
  fx_add #(.W(OutW + 1), .NotT(Minus)) i_add (
    .a_i({y, 1'b1}), .t_i({newer, 1'b0}), .keep_i({(OutW+1){newer_i}}),
    .else_i({older, 1'b0} ^ {(OutW+1){1'(Minus)}}), .sum_o({sum, below}));
  always_ff @(posedge clk_i) if (en_i) sum_o <= sum;
  wire unused = &{1'b0, below};
endmodule
`default_nettype wire
`endif
