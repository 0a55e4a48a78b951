/// A number into a format that contains its own: nothing is rounded. Combinational; only wires when E is the same.
`include "mantissa.svh"
`default_nettype none
module fp_widen #(
  parameter integer EI = 8,
  parameter integer MI = 17,
  parameter integer EO = 11,
  parameter integer MO = 52
) (
  input  wire  [EI+MI:0] word_i,
  output logic [EO+MO:0] word_o
);
  localparam integer Rebias = `BIAS(EO) - `BIAS(EI);
  `REQUIRE(g_bad, EO >= EI && MO >= MI, "fp_widen: the result's format must contain the operand's")

  wire [EO-1:0] exp;
  generate
    if (EO == EI) begin : g_same
      assign exp = word_i[EI+MI-1:MI];
    end else begin : g_rebias
      assign exp = {{(EO-EI){1'b0}}, word_i[EI+MI-1:MI]} + EO'(Rebias);
    end
    if (MO == MI) begin : g_frac
      assign word_o = {word_i[EI+MI], exp, word_i[MI-1:0]};
    end else begin : g_pad
      assign word_o = {word_i[EI+MI], exp, word_i[MI-1:0], {(MO-MI){1'b0}}};
    end
  endgenerate
endmodule
`default_nettype wire
