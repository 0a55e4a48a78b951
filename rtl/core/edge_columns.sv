/// As edge_nodes for one lane, smaller: only the column is counted, and the caller says which windows lie in the last row.
`default_nettype none
module edge_columns #(
  parameter integer RowLenW = 11,
  parameter integer Latency = 40
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               en_i,
  input  wire               clear_i,
  input  wire               window_i,
  input  wire               last_row_i, ///< with window_i
  input  wire [RowLenW-1:0] row_length_i,
  output logic              edge_o      ///< of the window that came Latency enabled clocks before
);
  logic [RowLenW-1:0] column_q, last_column_q;
  logic first_row_q, first_column_q;
  wire last_column = column_q == last_column_q;
  always_ff @(posedge clk_i) begin
    last_column_q <= row_length_i - RowLenW'(1); // stands still while a pass runs
    if (!rst_ni || clear_i) begin
      column_q       <= '0;
      first_column_q <= 1'b1;
      first_row_q    <= 1'b1;
    end else if (en_i && window_i) begin
      column_q       <= last_column ? '0 : column_q + RowLenW'(1);
      first_column_q <= last_column;
      first_row_q    <= first_row_q & ~last_column;
    end
  end
  logic [Latency-1:0] edge_q;
  always_ff @(posedge clk_i)
    if (en_i) edge_q <= {edge_q[Latency-2:0], first_row_q | last_row_i | first_column_q | last_column};
  assign edge_o = edge_q[Latency-1];
endmodule
`default_nettype wire
