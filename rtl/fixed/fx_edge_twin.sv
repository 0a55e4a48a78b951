/// fx_window and fx_edges for one lane once more, each register with its other value, so that no tool makes one of the two: the
/// checks' own word of which elements are on the grid's edge, in the clock of fx_edges'.
`default_nettype none
module fx_edge_twin #(
  parameter integer MaxRow  = 1025,
  parameter integer Wait    = 2, ///< clocks from the slot that completes a window to fx_edges' token
  localparam integer RowLenW = $clog2(MaxRow + 1)
) (
  input  wire               clk_i,
  input  wire               en_i,
  input  wire               clear_i,
  input  wire [RowLenW-1:0] row_length_i,
  input  wire               slot_i,
  input  wire               slot_real_i,
  output logic [RowLenW-1:0] column_o, ///< another one in each slot of a row, the same ones in the next
  output logic               edge_o
);
  logic [RowLenW-1:0] column_n;
  logic first_n, open_n, second_n, ends_n;
  wire last = column_n == ~row_length_i;
  always_ff @(posedge clk_i)
    if (clear_i) begin
      column_n <= ~RowLenW'(1);
      {first_n, open_n, second_n, ends_n} <= '1;
    end else if (en_i && slot_i) begin
      column_n <= last ? ~RowLenW'(1) : column_n - RowLenW'(1);
      first_n  <= first_n & ~last;
      open_n   <= first_n;
      second_n <= second_n & (open_n | ends_n);
      ends_n   <= ~last;
    end
  // fx_edges' flags wait for their token; here the answer does.
  logic begins_n, flush_n;
  always_ff @(posedge clk_i) begin
    if (clear_i) begins_n <= 1'b0;
    else if (en_i && slot_i && !open_n) begins_n <= ends_n;
    if (en_i) flush_n <= ~slot_i | slot_real_i;
  end
  wire edge_n;
  delay #(.W(1), .N(Wait + 1)) i_wait (
    .clk_i, .en_i, .ptr_i(7'd0), .d_i(begins_n & ends_n & ~second_n & flush_n), .q_o(edge_n));
  assign edge_o   = ~edge_n;
  assign column_o = column_n;
endmodule
`default_nettype wire
