/// As mod3_sum, with a register after each sum of up to four digits: a clock later. Recursive.
`default_nettype none
module mod3_piped #(
  parameter integer N = 9
) (
  input  wire            clk_i,
  input  wire            en_i,
  input  wire  [2*N-1:0] digits_i,
  output logic [1:0]     sum_o
);
`include "mod3.svh"
  generate
    if (N <= 4) begin : g_few
      wire [1:0] sum;
      mod3_sum #(.N(N)) i_sum (.digits_i, .sum_o(sum));
      always_ff @(posedge clk_i) if (en_i) sum_o <= sum;
    end else begin : g_two
      localparam integer Low = N / 2;
      wire [1:0] low, high;
      mod3_piped #(.N(Low)) i_low (.clk_i, .en_i, .digits_i(digits_i[2*Low-1:0]), .sum_o(low));
      mod3_piped #(.N(N - Low)) i_high (.clk_i, .en_i, .digits_i(digits_i[2*N-1:2*Low]), .sum_o(high));
      assign sum_o = mod3_add(low, high);
    end
  endgenerate
endmodule
`default_nettype wire
