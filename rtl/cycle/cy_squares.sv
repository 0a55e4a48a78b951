/// The sum of the live lanes' squares, 1 + log2(Lanes) clocks behind them. Of one lane it counts beside live_o.
`default_nettype none
module cy_squares #(
  parameter integer Lanes = 1,
  parameter integer OutW = 31  ///< 31 + log2(Lanes)
) (
  input  wire                 clk_i,
  input  wire  [Lanes-1:0]    live_i,
  input  wire  [Lanes*17-1:0] x_i,     ///< up to 2^15 in magnitude
  output logic                live_o,
  output logic [OutW-1:0]     sum_o
);
  wire [Lanes*OutW-1:0] squares;
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      wire [16:0]  x = x_i[l*17 +: 17];
      logic [30:0] square_q;
      logic        live_q;
      always_ff @(posedge clk_i) begin
        square_q <= 31'(34'($signed(x)) * 34'($signed(x)));
        live_q   <= live_i[l];
      end
      assign squares[l*OutW +: OutW] = OutW'(square_q) & {OutW{live_q | Lanes == 1}};
      if (l == 0) begin : g_first
        assign live_o = live_q | Lanes > 1;
      end
    end
  endgenerate
  sum_tree #(.N(Lanes), .W(OutW), .Every(1), .Stages(OutW - 31)) i_sum (.clk_i, .en_i(1'b1), .terms_i(squares), .sum_o);
endmodule
`default_nettype wire
