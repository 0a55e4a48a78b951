/// Class and word to the format's own bits: the way out of the datapath. Combinational. One canonical NaN: positive,
/// only the top fraction bit set.
`include "mantissa.svh"
`default_nettype none
module fp_pack #(
  parameter integer E = 8,
  parameter integer M = 23
) (
  input  wire  [1:0]   cls_i,
  input  wire  [E+M:0] word_i,
  output logic [E+M:0] word_o
);
  wire finite = cls_i == `CLS_FINITE;
  wire nan    = cls_i == `CLS_NAN;
  assign word_o[E+M]     = word_i[E+M] & ~nan;
  assign word_o[E+M-1:M] = finite ? word_i[E+M-1:M] : {E{cls_i[1]}};
  assign word_o[M-1:0]   = finite ? word_i[M-1:0] : {nan, {(M-1){1'b0}}};
endmodule
`default_nettype wire
