/// The rounding of fp_round.svh as a combinational module.
`include "mantissa.svh"
`default_nettype none
module fp_round #(
  parameter integer ExpW  = 10,
  parameter integer FracW = 24,
  parameter integer EO    = 8,
  parameter integer MO    = 23,
  parameter integer Rne   = 0
) (
  input  wire  [1:0]              cls_i,
  input  wire                     sign_i,
  input  wire  signed [ExpW-1:0]  exp_i,
  input  wire  [FracW-1:0]        frac_i,
  output logic [1:0]              cls_o,
  output logic [EO+MO:0]          word_o
);
`include "fp_round.svh"
  always_comb round(cls_i, sign_i, exp_i, frac_i, cls_o, word_o);
endmodule
`default_nettype wire
