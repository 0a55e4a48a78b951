/// Which slots of the stream of p' complete the window of an element token: slot s that of token s - D, D =
/// row_length_i / Lanes + (Lanes == 1 ? 1 : 2), as in line_buffer. Latency one slot.
`default_nettype none
module row_window #(
  parameter integer Lanes = 1,
  parameter integer RowLenW = 11
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               en_i,
  input  wire               clear_i,      ///< between passes
  input  wire [RowLenW-1:0] row_length_i, ///< elements, at least Lanes
  input  wire               slot_i,
  input  wire               last_i,       ///< the last slot of the pass
  output logic              valid_o,
  output logic              last_o,
  output logic              valid_ahead_o ///< valid_o after the next enabled clock
);
  // Slots still to come before the first window, and one; it is zero once windows come.
  logic [RowLenW-1:0] left_q;
  wire open = left_q == '0;
  assign valid_ahead_o = slot_i & open;
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) begin
      left_q  <= (row_length_i >> $clog2(Lanes)) + ((Lanes == 1) ? RowLenW'(1) : RowLenW'(2));
      valid_o <= 1'b0;
      last_o  <= 1'b0;
    end else if (en_i) begin
      if (slot_i && !open) left_q <= left_q - RowLenW'(1);
      valid_o <= valid_ahead_o;
      last_o  <= slot_i & last_i;
    end
endmodule
`default_nettype wire
