/// sig_mul in plain logic: one row for each bit of b, summed in pairs on carry chains. Latency
/// `PRODUCT_LATENCY(MA, MB): the tree has ceil(log2(MB + 1)) levels, spread over the stages.
`include "mantissa.svh"
`default_nettype none
module sig_mul_logic #(
  parameter integer MA = 23,
  parameter integer MB = 23
) (
  input  wire              clk_i,
  input  wire              en_i,
  input  wire  [MA-1:0]    a_i,
  input  wire  [MB-1:0]    b_i,
  output logic [MA+MB+1:0] product_o
);
  localparam integer PW     = MA + MB + 2;
  localparam integer N      = MB + 1;
  localparam integer Stages = `PRODUCT_LATENCY(MA, MB);
  localparam integer Levels = $clog2(N);
  localparam integer Every  = (Levels + Stages - 1) / Stages;

  wire [N*PW-1:0] rows;
  wire [MB:0] b = {1'b1, b_i};
  genvar i;
  generate
    for (i = 0; i < N; i = i + 1) begin : g_row
      wire [PW-1:0] row = {{(PW-MA-1){1'b0}}, {1'b1, a_i} & {(MA+1){b[i]}}};
      assign rows[i*PW +: PW] = row << i;
    end
  endgenerate
  sum_tree #(.N(N), .W(PW), .Every(Every), .Stages(Stages)) i_sum (.clk_i, .en_i, .terms_i(rows), .sum_o(product_o));
endmodule
`default_nettype wire
