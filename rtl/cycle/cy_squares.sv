/// The sum of the live lanes' squares, 1 + log2(Lanes) clocks after them. Of one lane it counts beside live_o.
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
  // A tree: the lanes' squares, after them the sums of the first two, of the next two, and so on; the last one is the root.
  wire [(2*Lanes-1)*OutW-1:0] terms;
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      wire [17:0] x = 18'($signed(x_i[l*17 +: 17]));
      wire [35:0] square;
      logic       live_q;
      sig_mul_tile #(.SignedA(1), .SignedB(1)) i_square (.clk_i, .en_i(1'b1), .a_i(x), .b_i(x), .tile_o(square));
      always_ff @(posedge clk_i) live_q <= live_i[l];
      assign terms[l*OutW +: OutW] = OutW'(square[30:0]) & {OutW{live_q | Lanes == 1}};
      wire unused = &{1'b0, square[35:31]};
      if (l == 0) begin : g_first
        assign live_o = live_q | Lanes > 1;
      end
    end
    for (l = 0; l < Lanes - 1; l = l + 1) begin : g_sum
      logic [OutW-1:0] sum_q;
      always_ff @(posedge clk_i) sum_q <= terms[2*l*OutW +: OutW] + terms[(2*l+1)*OutW +: OutW];
      assign terms[(Lanes+l)*OutW +: OutW] = sum_q;
    end
  endgenerate
  assign sum_o = terms[(2*Lanes-2)*OutW +: OutW];
endmodule
`default_nettype wire
