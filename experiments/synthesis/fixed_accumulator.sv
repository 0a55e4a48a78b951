/// The fixed-point accumulator as one operator: exact products of s<M>e<E> numbers into a window of 2^Msb to 2^Lsb.
`include "mantissa.svh"
`default_nettype none
module fixed_accumulator #(
  parameter integer E = 8,
  parameter integer M = 23,
  parameter integer Msb = 13,
  parameter integer Lsb = -50,
  parameter integer GuardW = 32,
  localparam integer W = Msb - Lsb + 1
) (
  input  wire                   clk_i,
  input  wire                   en_i,
  input  wire                   clear_i,
  input  wire                   valid_i,
  input  wire  [1:0]            cls_i,
  input  wire                   sign_i,
  input  wire  signed [E+1:0]   exp_i,
  input  wire  [2*M+1:0]        sig_i,
  output logic [W+GuardW-1:0]   sum_o,
  output logic                  over_o
);
  wire [W-1:0] mag;
  wire neg, over;
  fp_to_fixed #(.ExpW(E + 2), .SigW(2 * M + 2), .Msb(Msb), .Lsb(Lsb)) i_term (
    .clk_i, .en_i, .cls_i, .sign_i, .exp_i, .sig_i, .mag_o(mag), .neg_o(neg), .over_o(over));
  fx_accumulate #(.W(W), .GuardW(GuardW)) i_sum (
    .clk_i, .en_i, .clear_i, .valid_i, .mag_i(mag), .neg_i(neg), .over_i(over), .sum_o, .over_o);
endmodule
`default_nettype wire
