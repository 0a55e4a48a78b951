/// a + t, where t's bits are those of t_i that keep_i keeps, and fill_i elsewhere. A module of its own, so that synthesis can
/// put the choice into the LUTs of the carry chain where a device's tool does not.
`default_nettype none
module fx_add #(
  parameter integer W = 18
) (
  input  wire  [W-1:0] a_i,
  input  wire  [W-1:0] t_i,
  input  wire  [W-1:0] keep_i,
  input  wire          fill_i,
  output logic [W-1:0] sum_o
);
  assign sum_o = a_i + ((t_i & keep_i) | ({W{fill_i}} & ~keep_i));
endmodule
`default_nettype wire
