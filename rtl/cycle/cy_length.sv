/// The bit length of the largest magnitude of words that pass by: gathered a beat a clock, then counted a bit a clock.
`default_nettype none
module cy_length #(
  parameter integer W = 27,
  parameter integer Lanes = 1
) (
  input  wire                clk_i,
  input  wire                clear_i,
  input  wire  [Lanes-1:0]   live_i,
  input  wire  [Lanes*W-1:0] word_i,
  input  wire                count_i,   ///< one clock, when all have passed; what was gathered is gone then
  output logic               busy_o,
  output logic [6:0]         length_o
);
  logic [W-1:0] all_q, found;
  wire          finds;
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      wire [W-1:0]  word = word_i[l*W +: W];
      logic         live_q;
      logic [W-1:0] size_q;
      wire  [W-1:0] sizes; // of lanes up to this one
      always_ff @(posedge clk_i) begin
        live_q <= live_i[l];
        size_q <= word[W-1] ? -word : word;
      end
      if (l == 0) begin : g_first
        assign sizes = size_q & {W{live_q | Lanes == 1}};
        assign finds = live_q | Lanes > 1;
      end else begin : g_next
        assign sizes = g_lane[l-1].sizes | (size_q & {W{live_q}});
      end
    end
    if (Lanes == 1) begin : g_one
      assign found = g_lane[0].sizes;
    end else begin : g_found
      always_ff @(posedge clk_i) found <= g_lane[Lanes-1].sizes;
    end
  endgenerate
  always_ff @(posedge clk_i) begin
    if (clear_i) all_q <= '0;
    else if (busy_o) all_q <= all_q >> 1;
    else if (finds) all_q <= all_q | found;
    busy_o <= ~clear_i & (count_i | (busy_o & (|all_q)));
    if (count_i) length_o <= '0;
    else if (busy_o & (|all_q)) length_o <= length_o + 7'd1;
  end
endmodule
`default_nettype wire
