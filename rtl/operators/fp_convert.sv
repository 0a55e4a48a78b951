/// Rounds s<MI>e<EI> into s<MO>e<EO>. Latency `CONVERT_LATENCY(EI, MI, EO, MO): wires between equal formats, else one
/// stage.
`include "mantissa.svh"
`default_nettype none
module fp_convert #(
  parameter integer EI  = 11,
  parameter integer MI  = 52,
  parameter integer EO  = 8,
  parameter integer MO  = 23,
  parameter integer Rne = 0
) (
  input  wire            clk_i,
  input  wire            en_i,
  input  wire  [1:0]     cls_i,
  input  wire  [EI+MI:0] word_i,
  output logic [1:0]     cls_o,
  output logic [EO+MO:0] word_o
);
  localparam integer ExpW = `MAX2(EI, EO) + 2;
  localparam integer Rebias = `BIAS(EO) - `BIAS(EI);

  generate
    if (EI == EO && MI == MO) begin : g_same
      assign cls_o  = cls_i;
      assign word_o = word_i;
      wire unused = &{1'b0, clk_i, en_i, ExpW[0], Rebias[0], Rne[0]};
    end else begin : g_round
      localparam integer FracW = MI;
`include "fp_round.svh"
      logic [1:0]     cls_q;
      logic [EO+MO:0] word_q;
      always_ff @(posedge clk_i)
        if (en_i) begin : p_round
          logic [1:0]     cls;
          logic [EO+MO:0] word;
          round(cls_i, word_i[EI+MI], $signed({{(ExpW-EI){1'b0}}, word_i[EI+MI-1:MI]}) + $signed(ExpW'(Rebias)),
                word_i[MI-1:0], cls, word);
          cls_q  <= cls;
          word_q <= word;
        end
      assign cls_o  = cls_q;
      assign word_o = word_q;
    end
  endgenerate
endmodule
`default_nettype wire
