/// Sum of N words of W bits, N a power of two: neighbours are added, two levels a clock, each a bit longer than the one
/// before. ceil(log2(N) / 2) clocks. Recursive.
`default_nettype none
module fx_sum #(
  parameter integer N = 4,
  parameter integer W = 36,
  parameter integer Odd = (N == 2) ? 1 : 0 ///< a register after this level: after each second, and the last
) (
  input  wire                   clk_i,
  input  wire                   en_i,
  input  wire  [N*W-1:0]        terms_i,
  output logic [W+$clog2(N)-1:0] sum_o
);
  generate
    if (N == 1) begin : g_one
      assign sum_o = terms_i;
      wire unused = &{1'b0, clk_i, en_i};
    end else begin : g_level
      wire [(N/2)*(W+1)-1:0] pairs, next;
      genvar i;
      for (i = 0; i < N / 2; i = i + 1) begin : g_pair
        assign pairs[i*(W+1) +: W+1] = (W+1)'($signed(terms_i[2*i*W +: W])) + (W+1)'($signed(terms_i[(2*i+1)*W +: W]));
      end
      if (Odd != 0) begin : g_register
        logic [(N/2)*(W+1)-1:0] pairs_q;
        always_ff @(posedge clk_i) if (en_i) pairs_q <= pairs;
        assign next = pairs_q;
      end else begin : g_wire
        assign next = pairs;
      end
      fx_sum #(.N(N / 2), .W(W + 1), .Odd((N == 4) ? 1 : 1 - Odd)) i_rest (.clk_i, .en_i, .terms_i(next), .sum_o);
    end
  endgenerate
endmodule
`default_nettype wire
