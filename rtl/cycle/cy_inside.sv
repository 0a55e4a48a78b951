/// Which nodes of a beat of the finest level are inside the grid, by the beat's number alone: neither at the edge to the south or the
/// west nor after a row's end. For who looks whether the flags of cy_sweep have come through all stages.
`default_nettype none
module cy_inside #(
`include "cycle_parameters.svh"
) (
  input  wire  [2*MaxLevel-1:0] at_i,   ///< the beat,
  input  wire  [MaxLevel:0]     side_i, ///< 2^LEVEL,
  input  wire  [MaxLevel:0]     row_i,  ///< beats of a row,
  input  wire  [Lanes-1:0]      lanes_i, ///< and those lanes of one that a row has nodes for
  output logic [Lanes-1:0]      inside_o
);
`include "cycle_bounds.svh"
  localparam integer IndexW = 2 * MaxLevel;
  wire [IndexW-1:0] mask   = IndexW'(row_i) - IndexW'(1);
  wire [IndexW-1:0] column = at_i & mask;
  wire south = ~(|(at_i & ~mask));
  wire west  = ~(|column);
  wire dead;
  cy_dead #(
`include "cycle_parameters_passed.svh"
    ) i_dead (.column_i(column[1:0]), .side_i(side_i), .dead_o(dead));
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      assign inside_o[l] = lanes_i[l] & ~south & ~dead & ((l != 0) | ~west);
    end
  endgenerate
endmodule
`default_nettype wire
