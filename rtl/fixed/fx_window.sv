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
`ifdef LEAN_LANES
      // Two slots, a row's tokens, and those of the first row: a counter that only adds, of one reload, and begins at a constant.
      localparam integer Log    = $clog2(Lanes);
      localparam integer CountW = `MAX2(2, RowLenW - Log);
      wire [RowLenW-Log-1:0] tokens = row_length_i[RowLenW-1:Log];
      wire [RowLenW-Log-1:0] less = tokens - (RowLenW-Log)'(1); // as fx_edges forms it
      logic [CountW-1:0] left_q;
      logic begun_q, open_q;
      wire last = left_q == CountW'(1);
      wire [CountW-1:0] left_next; // where the count ends: tokens
      fx_add #(.W(CountW)) i_next (
        .a_i(left_q), .t_i(CountW'(less)), .keep_i({CountW{last}}), .else_i({CountW{1'b1}}), .sum_o(left_next));
      always_ff @(posedge clk_i)
        if (clear_i) begin
          left_q   <= CountW'(2);
          begun_q  <= 1'b0;
          open_q   <= 1'b0;
          second_o <= 1'b0;
        end else if (en_i && slot_i) begin
          left_q   <= left_next;
          begun_q  <= begun_q | last;
          open_q   <= open_q | (begun_q & last);
          second_o <= second_o | (open_q & last);
        end
`else
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
`endif
`ifdef LEAN_LANES
      wire unused = &{1'b0, row_length_i};
`endif
      assign window_o = slot_i & open_q;
      assign ends_o = 1'b0;
    end
  endgenerate
endmodule
`default_nettype wire
