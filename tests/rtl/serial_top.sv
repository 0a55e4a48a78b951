// The sequential operators in one format, for operators_test.cpp. Index 0: toward zero; 1: nearest-even.
`include "mantissa.svh"
`default_nettype none
module serial_top #(
  parameter integer E = 11,
  parameter integer M = 52
) (
  input  wire         clk_i,
  input  wire         rst_ni,
  input  wire         start_i,
  input  wire  [63:0] a_i,
  input  wire  [63:0] b_i,
  output logic [63:0] div_o [0:1],
  output logic [63:0] mul_o [0:1],
  output logic [1:0]  done_o, // div, mul
  output logic [31:0] latency_o [0:1]
);
  assign latency_o[0] = `DIV_LATENCY(M);
  assign latency_o[1] = `MUL_SERIAL_LATENCY(M);
  wire [1:0] a_cls, b_cls;
  wire [E+M:0] a = a_i[E+M:0];
  wire [E+M:0] b = b_i[E+M:0];
  fp_unpack #(.E(E), .M(M)) i_unpack_a (.word_i(a), .cls_o(a_cls));
  fp_unpack #(.E(E), .M(M)) i_unpack_b (.word_i(b), .cls_o(b_cls));
  wire [1:0] done [0:1];
  genvar r;
  generate
    for (r = 0; r < 2; r = r + 1) begin : g_rounding
      wire [1:0] div_cls, mul_cls;
      wire [E+M:0] div, mul, div_bits, mul_bits;
      fp_div #(.EA(E), .MA(M), .EB(E), .MB(M), .EO(E), .MO(M), .Rne(r)) i_div (
        .clk_i, .rst_ni, .start_i, .a_cls_i(a_cls), .a_i(a), .b_cls_i(b_cls), .b_i(b), .done_o(done[r][0]),
        .cls_o(div_cls), .word_o(div));
      fp_pack #(.E(E), .M(M)) i_pack_div (.cls_i(div_cls), .word_i(div), .word_o(div_bits));
      fp_mul_serial #(.E(E), .M(M), .Rne(r)) i_mul (
        .clk_i, .rst_ni, .start_i, .a_cls_i(a_cls), .a_i(a), .b_cls_i(b_cls), .b_i(b), .done_o(done[r][1]),
        .cls_o(mul_cls), .word_o(mul));
      fp_pack #(.E(E), .M(M)) i_pack_mul (.cls_i(mul_cls), .word_i(mul), .word_o(mul_bits));
      assign div_o[r] = 64'(div_bits);
      assign mul_o[r] = 64'(mul_bits);
    end
  endgenerate
  assign done_o = done[0] & done[1];
endmodule
`default_nettype wire
