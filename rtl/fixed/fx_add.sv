/// a + t, where t's bits are those of t_i that keep_i keeps, and else_i's elsewhere. A module of its own, so that synthesis
/// can put the choice into the LUTs of the carry chain where a device's tool does not.
`default_nettype none
module fx_add #(
  parameter integer W = 18
`ifdef LEAN_LANES
  , parameter integer NotT = 0 ///< the complement of t_i's bits
`endif
) (
  input  wire  [W-1:0] a_i,
  input  wire  [W-1:0] t_i,
  input  wire  [W-1:0] keep_i,
  input  wire  [W-1:0] else_i,
  output logic [W-1:0] sum_o
);
`ifdef LEAN_LANES
  assign sum_o = a_i + (((t_i ^ {W{1'(NotT)}}) & keep_i) | (else_i & ~keep_i));
`else
  assign sum_o = a_i + ((t_i & keep_i) | (else_i & ~keep_i));
`endif
endmodule
`default_nettype wire
