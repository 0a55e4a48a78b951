// All pipelined operators between three formats, side by side, for operators_test.cpp. Index 0: toward zero; 1:
// nearest-even. Words go in and come out in the formats' own bits.
`include "mantissa.svh"
`default_nettype none
module operators_top #(
  parameter integer EA = 8,
  parameter integer MA = 23,
  parameter integer EB = 8,
  parameter integer MB = 23,
  parameter integer EO = 8,
  parameter integer MO = 23,
  parameter integer Msb = 13,
  parameter integer Lsb = -50
) (
  input  wire         clk_i,
  input  wire         en_i,
  input  wire  [63:0] a_i,
  input  wire  [63:0] b_i,
  output logic [63:0] add_o [0:1],
  output logic [63:0] sub_o [0:1],
  output logic [63:0] mul_o [0:5], // rounding + 2 * style
  output logic [63:0] convert_o [0:1],
  output logic [63:0] fixed_mag_o,
  output logic [1:0]  fixed_flags_o, // negative, over
  output logic [31:0] latency_o [0:3]
);
  assign latency_o[0] = `ADD_LATENCY(MA, MB, MO);
  assign latency_o[1] = `MUL_LATENCY(MA, MB);
  assign latency_o[2] = `CONVERT_LATENCY(EA, MA, EO, MO);
  assign latency_o[3] = `PRODUCT_LATENCY(MA, MB) + `TO_FIXED_LATENCY + 1; // with over_o, which comes one clock later

  wire [EA+MA:0] a = a_i[EA+MA:0];
  wire [EB+MB:0] b = b_i[EB+MB:0];
  wire [1:0] a_cls, b_cls;
  fp_unpack #(.E(EA), .M(MA)) i_unpack_a (.word_i(a), .cls_o(a_cls));
  fp_unpack #(.E(EB), .M(MB)) i_unpack_b (.word_i(b), .cls_o(b_cls));

  genvar r, s;
  generate
    for (r = 0; r < 2; r = r + 1) begin : g_rounding
      wire [1:0] add_cls, sub_cls, convert_cls;
      wire [EO+MO:0] add, sub, convert, add_bits, sub_bits, convert_bits;
      fp_add #(.EA(EA), .MA(MA), .EB(EB), .MB(MB), .EO(EO), .MO(MO), .Rne(r)) i_add (
        .clk_i, .en_i, .a_cls_i(a_cls), .a_i(a), .b_cls_i(b_cls), .b_i(b), .cls_o(add_cls), .word_o(add));
      fp_pack #(.E(EO), .M(MO)) i_pack_add (.cls_i(add_cls), .word_i(add), .word_o(add_bits));
      fp_add #(.EA(EA), .MA(MA), .EB(EB), .MB(MB), .EO(EO), .MO(MO), .Rne(r), .Subtract(1)) i_sub (
        .clk_i, .en_i, .a_cls_i(a_cls), .a_i(a), .b_cls_i(b_cls), .b_i(b), .cls_o(sub_cls), .word_o(sub));
      fp_pack #(.E(EO), .M(MO)) i_pack_sub (.cls_i(sub_cls), .word_i(sub), .word_o(sub_bits));
      fp_convert #(.EI(EA), .MI(MA), .EO(EO), .MO(MO), .Rne(r)) i_convert (
        .clk_i, .en_i, .cls_i(a_cls), .word_i(a), .cls_o(convert_cls), .word_o(convert));
      fp_pack #(.E(EO), .M(MO)) i_pack_convert (.cls_i(convert_cls), .word_i(convert), .word_o(convert_bits));
      assign add_o[r] = 64'(add_bits);
      assign sub_o[r] = 64'(sub_bits);
      assign convert_o[r] = 64'(convert_bits);
      for (s = 0; s < 3; s = s + 1) begin : g_style
        wire [1:0] mul_cls;
        wire [EO+MO:0] mul, mul_bits;
        fp_mul #(.EA(EA), .MA(MA), .EB(EB), .MB(MB), .EO(EO), .MO(MO), .Rne(r), .Style(s)) i_mul (
          .clk_i, .en_i, .a_cls_i(a_cls), .a_i(a), .b_cls_i(b_cls), .b_i(b), .cls_o(mul_cls), .word_o(mul));
        fp_pack #(.E(EO), .M(MO)) i_pack_mul (.cls_i(mul_cls), .word_i(mul), .word_o(mul_bits));
        assign mul_o[r + 2 * s] = 64'(mul_bits);
      end
    end
  endgenerate

  localparam integer ExpW = `MAX2(EA, EB) + 2;
  wire [1:0] product_cls, product_cls_ahead;
  wire product_sign;
  wire signed [ExpW-1:0] product_exp, product_exp_ahead;
  wire [MA+MB+1:0] product_sig;
  wire [Msb-Lsb:0] mag;
  wire neg, over;
  fp_product #(.EA(EA), .MA(MA), .EB(EB), .MB(MB)) i_product (
    .clk_i, .en_i, .a_cls_i(a_cls), .a_i(a), .b_cls_i(b_cls), .b_i(b), .cls_o(product_cls), .sign_o(product_sign),
    .exp_o(product_exp), .sig_o(product_sig), .cls_ahead_o(product_cls_ahead),
    .exp_ahead_o(product_exp_ahead));
  fp_to_fixed #(.ExpW(ExpW), .SigW(MA + MB + 2), .Msb(Msb), .Lsb(Lsb)) i_fixed (
    .clk_i, .en_i, .cls_i(product_cls), .sign_i(product_sign), .exp_i(product_exp), .sig_i(product_sig), .mag_o(mag),
    .neg_o(neg), .over_o(over));
  wire unused = &{1'b0, product_cls_ahead, product_exp_ahead};
  logic neg_q;
  assign fixed_flags_o = {neg_q, over};
  always_ff @(posedge clk_i)
    if (en_i) begin
      fixed_mag_o <= 64'(mag);
      neg_q <= neg;
    end
endmodule
`default_nettype wire
