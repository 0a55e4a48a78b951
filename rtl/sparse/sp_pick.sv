/// One word of 2^Log, by its number; no clock. A module by itself: where a family's slices have wide multiplexers of their
/// own, synthesis may put those in its place.
`default_nettype none
module sp_pick #(
  parameter integer W   = 18,
  parameter integer Log = 3,
  localparam integer N  = 1 << Log
) (
  input  wire  [N*W-1:0] word_i,
  input  wire  [Log-1:0] number_i,
  output wire  [W-1:0]   word_o
);
  logic [N*W-1:0] left; // a bit of the number after the other halves the choice
  always_comb begin
    left = word_i;
    for (int k = 0; k < Log; k = k + 1)
      for (int m = 0; m < (N >> (k + 1)); m = m + 1)
        left[m*W +: W] = number_i[k] ? left[(2*m+1)*W +: W] : left[2*m*W +: W];
  end
  assign word_o = left[W-1:0];
  wire unused = &{1'b0, left};
endmodule
`default_nettype wire
