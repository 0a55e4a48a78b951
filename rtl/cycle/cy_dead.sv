/// Whether a beat lies after its row's end: a level's rows take 2^LeastLog beats at least, and short rows have nodes in fewer.
`default_nettype none
module cy_dead #(
`include "cycle_parameters.svh"
) (
  input  wire  [1:0]        column_i, ///< the beat's number in its row, the lowest bits
  input  wire  [MaxLevel:0] side_i,   ///< 2^k, the nodes of a row
  output logic              dead_o
);
`include "cycle_bounds.svh"
  generate
    if (LeastLog == 0) begin : g_whole
      assign dead_o = 1'b0;
    end else if (LeastLog == 1) begin : g_two
      assign dead_o = column_i[0] & (|side_i[LaneLog:0]);
    end else begin : g_four
      localparam integer Top = (LaneLog + 1 > MaxLevel) ? MaxLevel : LaneLog + 1;
      assign dead_o = (column_i[1] & (|side_i[Top:0])) | (column_i[0] & (|side_i[LaneLog:0]));
    end
  endgenerate
  wire unused = &{1'b0, column_i, side_i};
endmodule
`default_nettype wire
