/// The bit length of the largest magnitude of words that pass by: gathered a word a clock, then counted a bit a clock.
`default_nettype none
module cy_length #(
  parameter integer W = 27
) (
  input  wire          clk_i,
  input  wire          clear_i,
  input  wire          live_i,
  input  wire  [W-1:0] word_i,
  input  wire          count_i,   ///< one clock, when all have passed; what was gathered is gone then
  output logic         busy_o,
  output logic [6:0]   length_o
);
  logic          live_q;
  logic [W-1:0]  size_q, all_q;
  always_ff @(posedge clk_i) begin
    live_q <= live_i;
    size_q <= word_i[W-1] ? -word_i : word_i;
    if (clear_i) all_q <= '0;
    else if (busy_o) all_q <= all_q >> 1;
    else if (live_q) all_q <= all_q | size_q;
    busy_o <= ~clear_i & (count_i | (busy_o & (|all_q)));
    if (count_i) length_o <= '0;
    else if (busy_o & (|all_q)) length_o <= length_o + 7'd1;
  end
endmodule
`default_nettype wire
