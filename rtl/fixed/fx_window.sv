/// Where the row stage stands in a pass. Token t goes in at slot t, and slot t + D completes the window around token t, its
/// own and the neighbouring rows': D = row_length_i / Lanes + (Lanes == 1 ? 1 : 2). With one lane it counts columns.
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
  output logic              second_o,     ///< of a token from number row_length_i / Lanes on
  output logic              ends_o        ///< with one lane: of an element at the end of a row
);
  generate
    if (Lanes == 1) begin : g_columns
      // Where slot s stands in its row; the window of element s - row_length_i - 1 is at the column in front of it.
      logic [RowLenW-1:0] column_q;
      logic first_q, open_q;
      wire last = column_q == row_length_i;
      always_ff @(posedge clk_i)
        if (clear_i) begin
          column_q <= RowLenW'(1);
          first_q  <= 1'b0;
          open_q   <= 1'b0;
          second_o <= 1'b0;
          ends_o   <= 1'b0;
        end else if (en_i && slot_i) begin
          column_q <= last ? RowLenW'(1) : column_q + RowLenW'(1);
          first_q  <= first_q | last;
          open_q   <= first_q;
          second_o <= second_o | (open_q & ends_o);
          ends_o   <= last;
        end
      assign window_o = slot_i & open_q;
    end else begin : g_tokens
      // Slots up to the first window, then tokens of the first row.
      localparam integer CountW = $clog2(MaxRow / Lanes + 3);
      wire [CountW-1:0] tokens = CountW'(row_length_i >> $clog2(Lanes));
      logic [CountW-1:0] left_q;
      logic open_q;
      wire last = left_q == CountW'(1);
      always_ff @(posedge clk_i)
        if (clear_i) begin
          left_q   <= tokens + CountW'(2);
          open_q   <= 1'b0;
          second_o <= 1'b0;
        end else if (en_i && slot_i && !second_o) begin
          left_q   <= last ? tokens : left_q - CountW'(1);
          open_q   <= open_q | last;
          second_o <= open_q & last;
        end
      assign window_o = slot_i & open_q;
      assign ends_o = 1'b0;
    end
  endgenerate
endmodule
`default_nettype wire
