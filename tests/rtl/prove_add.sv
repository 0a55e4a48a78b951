// fp_add with its registers opened to wires, against a definition that shares nothing with it: the exact sum as an
// integer wide enough for every alignment that matters, normalised by a search from the top, rounded once.
//
// Far apart (distance above M + 3) the smaller operand only says "not exact, on that side", so the exact integer needs
// 2 M + 8 bits, whatever E.
`include "mantissa.svh"
`default_nettype none
module prove_add #(
  parameter integer E = 8,
  parameter integer M = 23,
  parameter integer Rne = 0
) (
  input  wire          clk_i,
  input  wire  [E+M:0] a_i,
  input  wire  [E+M:0] b_i,
  output logic         same
);
  wire [1:0] a_cls, b_cls, cls;
  wire [E+M:0] word, bits;
  fp_unpack #(.E(E), .M(M)) i_a (.word_i(a_i), .cls_o(a_cls));
  fp_unpack #(.E(E), .M(M)) i_b (.word_i(b_i), .cls_o(b_cls));
  fp_add #(.EA(E), .MA(M), .EB(E), .MB(M), .EO(E), .MO(M), .Rne(Rne)) i_add (
    .clk_i, .en_i(1'b1), .a_cls_i(a_cls), .a_i, .b_cls_i(b_cls), .b_i, .cls_o(cls), .word_o(word));
  fp_pack #(.E(E), .M(M)) i_pack (.cls_i(cls), .word_i(word), .word_o(bits));
  // The adder of fewer stages is the same one without some registers.
  wire [1:0] short_cls;
  wire [E+M:0] short_word;
  fp_add #(.EA(E), .MA(M), .EB(E), .MB(M), .EO(E), .MO(M), .Rne(Rne), .Stages(4)) i_short (
    .clk_i, .en_i(1'b1), .a_cls_i(a_cls), .a_i, .b_cls_i(b_cls), .b_i, .cls_o(short_cls), .word_o(short_word));

  localparam integer Far = M + 4;
  localparam integer W   = M + 1 + Far;
  wire [E-1:0] ea = a_i[E+M-1:M], eb = b_i[E+M-1:M];
  wire a_first = ea > eb || (ea == eb && a_i[M-1:0] >= b_i[M-1:0]);
  wire [E-1:0] e1 = a_first ? ea : eb, e2 = a_first ? eb : ea;
  wire [M-1:0] f1 = a_first ? a_i[M-1:0] : b_i[M-1:0], f2 = a_first ? b_i[M-1:0] : a_i[M-1:0];
  wire [E-1:0] d = e1 - e2;
  wire minus = a_i[E+M] ^ b_i[E+M];
  wire sign  = a_first ? a_i[E+M] : b_i[E+M];
  // In units of the smaller operand's last place, Far of them below the larger one's; farther off, one unit.
  wire [W:0] one = {1'b0, 1'b1, f1, {Far{1'b0}}};
  wire [W:0] two = (32'(d) > 32'(Far)) ? {{W{1'b0}}, 1'b1} : {1'b0, 1'b1, f2, {Far{1'b0}}} >> d;
  wire [W:0] sum = minus ? one - two : one + two;

  // Normalise: the leading one to bit W.
  logic [W:0] norm;
  logic signed [E+1:0] exp;
  integer k;
  always_comb begin
    norm = sum;
    exp  = $signed({2'b00, e1}) + 1;
    for (k = 0; k < W; k = k + 1)
      if (!norm[W]) begin
        norm = norm << 1;
        exp  = exp - 1;
      end
  end
  wire [M:0] kept = norm[W -: M+1];
  wire up = (Rne != 0) && norm[W-M-1] && (|norm[W-M-2:0] || kept[0]);
  wire [M+1:0] rounded = {1'b0, kept} + (M+2)'(up);
  wire signed [E+1:0] final_exp = rounded[M+1] ? exp + 1 : exp;
  localparam integer Max = (1 << E) - 2;
  wire [E-1:0] ones = {E{1'b1}};

  logic [E+M:0] expected;
  wire a_nan = ea == ones && a_i[M-1:0] != 0, b_nan = eb == ones && b_i[M-1:0] != 0;
  wire a_inf = ea == ones && a_i[M-1:0] == 0, b_inf = eb == ones && b_i[M-1:0] == 0;
  wire a_zero = ea == 0, b_zero = eb == 0;
  always_comb begin
    if (a_nan || b_nan || (a_inf && b_inf && minus)) expected = {1'b0, ones, 1'b1, {(M-1){1'b0}}};
    else if (a_inf) expected = a_i;
    else if (b_inf) expected = b_i;
    else if (a_zero && b_zero) expected = {a_i[E+M] & b_i[E+M], {(E+M){1'b0}}};
    else if (a_zero) expected = b_i;
    else if (b_zero) expected = a_i;
    else if (sum == 0) expected = '0;
    else if (final_exp < 1) expected = {sign, {(E+M){1'b0}}};
    else if (final_exp > Max) expected = (Rne != 0) ? {sign, ones, {M{1'b0}}} : {sign, E'(Max), {M{1'b1}}};
    else expected = {sign, final_exp[E-1:0], rounded[M+1] ? rounded[M:1] : rounded[M-1:0]};
  end
  assign same = bits == expected && {short_cls, short_word} == {cls, word};
endmodule
`default_nettype wire
