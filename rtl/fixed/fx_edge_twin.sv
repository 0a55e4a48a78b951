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
  output logic              edge_o
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
  // {window, second, ends, flush}
  logic [4*Wait-1:0] late_n;
  wire [4*Wait+3:0] at_n = {late_n, ~slot_i | open_n, second_n, ends_n, ~slot_i | slot_real_i};
  always_ff @(posedge clk_i)
    if (clear_i) late_n <= '1;
    else if (en_i) late_n <= at_n[4*Wait-1:0];
  wire [3:0] then_n = at_n[4*Wait+3 -: 4];
  logic begins_n, flush_n, edge_n;
  always_ff @(posedge clk_i) begin
    if (clear_i) begins_n <= 1'b0;
    else if (en_i && !then_n[3]) begins_n <= then_n[1];
    if (en_i) begin
      flush_n <= then_n[0];
      edge_n  <= begins_n & then_n[1] & ~then_n[2] & flush_n;
    end
  end
  assign edge_o = ~edge_n;
endmodule
`default_nettype wire
