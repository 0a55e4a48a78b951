/// Where the row stage stands in a pass. Token t goes in at slot t, and slot t + D completes the window around token t, its
/// own and the neighbouring rows': D = row_length_i / Lanes + (Lanes == 1 ? 1 : 2).
`include "mantissa.svh"
`default_nettype none
module fx_window #(
  parameter integer Lanes   = 1,
  parameter integer MaxRow  = 1025,
  localparam integer RowLenW = $clog2(MaxRow + 1)
) (
  input  wire               clk_i,
  input  wire               en_i,
  input  wire               clear_i,      ///< between passes, two clocks and more
  input  wire [RowLenW-1:0] row_length_i, ///< stands while a pass runs
  input  wire               slot_i,
  output logic              window_o,     ///< this slot completes a window
  output logic              second_o      ///< of a token from number row_length_i / Lanes on
);
  localparam integer CountW = $clog2(MaxRow / Lanes + 3);
  wire [CountW-1:0] tokens = CountW'(row_length_i >> $clog2(Lanes));
  // Slots up to the first window, then tokens of the first row.
  logic [CountW-1:0] left_q;
  logic open_q;
  wire last = left_q == CountW'(1);
  always_ff @(posedge clk_i)
    if (clear_i) begin
      left_q   <= tokens + CountW'((Lanes == 1) ? 1 : 2);
      open_q   <= 1'b0;
      second_o <= 1'b0;
    end else if (en_i && slot_i && !second_o) begin
      left_q   <= last ? tokens : left_q - CountW'(1);
      open_q   <= open_q | last;
      second_o <= open_q & last;
    end
  assign window_o = slot_i & open_q;
endmodule
`default_nettype wire
