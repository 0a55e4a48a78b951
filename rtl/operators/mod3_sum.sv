/// The residue modulo 3 of a sum of N digits (mod3.svh): a tree, each node two tables of four inputs. Recursive.
`default_nettype none
module mod3_sum #(
  parameter integer N = 9
) (
  input  wire  [2*N-1:0] digits_i,
  output logic [1:0]     sum_o ///< 0, 1 or 2; of a single digit the digit itself
);
`include "mod3.svh"
  generate
    if (N == 1) begin : g_one
      assign sum_o = digits_i;
    end else begin : g_two
      localparam integer Low = N / 2;
      wire [1:0] low, high;
      mod3_sum #(.N(Low)) i_low (.digits_i(digits_i[2*Low-1:0]), .sum_o(low));
      mod3_sum #(.N(N - Low)) i_high (.digits_i(digits_i[2*N-1:2*Low]), .sum_o(high));
      assign sum_o = mod3_add(low, high);
    end
  endgenerate
endmodule
`default_nettype wire
