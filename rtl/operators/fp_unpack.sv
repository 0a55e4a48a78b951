/// Word to class: the way into the datapath. Combinational. A zero exponent field is a zero of its sign (flush).
/// Canonical 1: the word came from fp_pack, so the top fraction bit alone tells NaN from infinity.
`include "mantissa.svh"
`default_nettype none
module fp_unpack #(
  parameter integer E = 8,
  parameter integer M = 23,
  parameter integer Canonical = 0
) (
  input  wire  [E+M:0] word_i,
  output logic [1:0]   cls_o
);
  `REQUIRE(g_bad_m, M >= 2 && M <= 52, "fp_unpack: M must be in 2..52")
  `REQUIRE(g_bad_e, E >= 2 && E <= 11, "fp_unpack: E must be in 2..11")
  wire special = &word_i[E+M-1:M];
  wire nonzero = |word_i[E+M-1:M];
  wire nan     = (Canonical != 0) ? word_i[M-1] : |word_i[M-1:0];
  assign cls_o = {special, special ? nan : nonzero};
endmodule
`default_nettype wire
