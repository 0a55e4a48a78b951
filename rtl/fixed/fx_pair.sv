/// Which bits of two words say how long they are: those that are not their word's sign, ORed; in the place of the sign, whether
/// one of the words overflowed. A module of its own, so that synthesis can hold its LUTs of four inputs together where a
/// device's tool takes larger ones apart into more.
`default_nettype none
module fx_pair #(
  parameter integer W = 18
) (
  input  wire  [W-1:0] low_i,
  input  wire  [W-1:0] high_i,
  input  wire          low_over_i,
  input  wire          high_over_i,
  output wire  [W-1:0] used_o
);
  assign used_o = {low_over_i | high_over_i,
                   (low_i[W-2:0] ^ {(W-1){low_i[W-1]}}) | (high_i[W-2:0] ^ {(W-1){high_i[W-1]}})};
endmodule
`default_nettype wire
