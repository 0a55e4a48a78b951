/// Which elements a constant stencil leaves out: the grid's edge. Lane l of edge_o is for the window token that came
/// Latency enabled clocks before. Elements are counted in grid rows of row_length_i.
`include "mantissa.svh"
`default_nettype none
module edge_nodes #(
  parameter integer Lanes = 1,
  parameter integer RowLenW = 11,
  parameter integer LenW = 32,
  parameter integer Latency = 40
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              en_i,
  input  wire              clear_i,
  input  wire              window_i,
  input  wire  [LenW-1:0]  length_i,
  input  wire  [RowLenW-1:0]  row_length_i,
  output logic [Lanes-1:0] edge_o
);
  `REQUIRE(g_bad, Latency >= 3, "edge_nodes: Latency must be 3 or more")
  logic [LenW-1:0] index_q; // of lane 0
  logic [RowLenW-1:0] column_q;
  // Both stand still while a pass runs.
  logic [LenW-1:0] last_row_q;
  logic [RowLenW:0]   last_column_q;
  wire  [RowLenW:0]   next_column = {1'b0, column_q} + (RowLenW+1)'(Lanes);
  always_ff @(posedge clk_i) begin
    last_row_q    <= length_i - LenW'(row_length_i);
    last_column_q <= {1'b0, row_length_i} - (RowLenW+1)'(1);
    if (!rst_ni || clear_i) begin
      index_q  <= '0;
      column_q <= '0;
    end else if (en_i && window_i) begin
      index_q  <= index_q + LenW'(Lanes);
      column_q <= (next_column >= {1'b0, row_length_i}) ? RowLenW'(next_column - {1'b0, row_length_i}) :
                  next_column[RowLenW-1:0];
    end
  end
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      wire [RowLenW:0] ahead = {1'b0, column_q} + (RowLenW+1)'(l);
      wire [LenW-1:0] index = index_q + LenW'(l);
      logic [RowLenW:0] column_q2;
      logic          first_row_q, final_row_q;
      logic [Latency-2:0] edge_q;
      always_ff @(posedge clk_i)
        if (en_i) begin
          column_q2   <= (ahead >= {1'b0, row_length_i}) ? ahead - {1'b0, row_length_i} : ahead;
          first_row_q <= index < LenW'(row_length_i);
          final_row_q <= index >= last_row_q;
          edge_q <= {edge_q[Latency-3:0],
                     first_row_q | final_row_q | column_q2 == '0 | column_q2 == last_column_q};
        end
      assign edge_o[l] = edge_q[Latency-2];
    end
  endgenerate
endmodule
`default_nettype wire
