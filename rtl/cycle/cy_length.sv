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
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      wire [W-1:0]  word = word_i[l*W +: W];
      wire          sign = word[W-1];
      logic [W-1:0] bits_q;
      logic         sign_q;
      wire  [W-1:0] size = bits_q + W'(sign_q);
      wire  [W-1:0] sizes; // of lanes up to this one
      always_ff @(posedge clk_i) {sign_q, bits_q} <= live_i[l] ? {sign, word ^ {W{sign}}} : '0;
      if (l == 0) begin : g_first
        assign sizes = size;
      end else begin : g_next
        assign sizes = g_lane[l-1].sizes | size;
      end
    end
    if (Lanes == 1) begin : g_one
      assign found = g_lane[0].sizes;
    end else begin : g_found
      always_ff @(posedge clk_i) found <= clear_i ? '0 : g_lane[Lanes-1].sizes;
    end
  endgenerate
  always_ff @(posedge clk_i) begin
    if (clear_i) all_q <= '0;
    else all_q <= busy_o ? all_q >> 1 : all_q | found; // (nothing passes while bits are counted)
    busy_o <= ~clear_i & (count_i | (busy_o & (|all_q)));
    if (count_i) length_o <= '0;
    else if (busy_o & (|all_q)) length_o <= length_o + 7'd1;
  end
endmodule
`default_nettype wire
