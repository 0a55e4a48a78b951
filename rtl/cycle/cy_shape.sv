/// A level's rows in beats, from its nodes a side: no registers.
`include "mantissa.svh"
`default_nettype none
module cy_shape #(
`include "cycle_parameters.svh"
) (
  input  wire  [MaxLevel:0]   side_i,  ///< 2^k
  output logic [MaxLevel:0]   row_o,   ///< beats of a row, one bit,
  output logic [2*MaxLevel:0] beats_o  ///< and of all rows
);
`include "cycle_bounds.svh"
  genvar b;
  generate
    for (b = 0; b <= MaxLevel; b = b + 1) begin : g_row
      if (b < LeastLog || b + LaneLog > MaxLevel && b > LeastLog) begin : g_none
        assign row_o[b] = 1'b0;
      end else if (b == LeastLog) begin : g_least
        localparam integer Top = (b + LaneLog > MaxLevel) ? MaxLevel : b + LaneLog;
        assign row_o[b] = |side_i[Top:0];
      end else begin : g_more
        assign row_o[b] = side_i[b+LaneLog];
      end
    end
    for (b = 0; b <= 2 * MaxLevel; b = b + 1) begin : g_beats
      localparam integer Level = cy_level_of(b);
      if (Level >= 0) begin : g_level
        assign beats_o[b] = side_i[Level];
      end else begin : g_none
        assign beats_o[b] = 1'b0;
      end
    end
  endgenerate
endmodule
`default_nettype wire
