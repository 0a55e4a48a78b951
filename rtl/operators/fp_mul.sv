/// a * b, rounded once into s<MO>e<EO>. Latency `MUL_LATENCY(MA, MB), one product per clock. Exact when
/// MO >= MA + MB + 1 and EO > max(EA, EB). Style: see sig_mul.
`include "mantissa.svh"
`default_nettype none
module fp_mul #(
  parameter integer EA    = 8,
  parameter integer MA    = 23,
  parameter integer EB    = 8,
  parameter integer MB    = 23,
  parameter integer EO    = 8,
  parameter integer MO    = 23,
  parameter integer Rne   = 0,
  parameter integer Style = 0
) (
  input  wire            clk_i,
  input  wire            en_i,
  input  wire  [1:0]     a_cls_i,
  input  wire  [EA+MA:0] a_i,
  input  wire  [1:0]     b_cls_i,
  input  wire  [EB+MB:0] b_i,
  output logic [1:0]     cls_o,
  output logic [EO+MO:0] word_o
);
  // The result's biased exponent lies in [2 - BA - BB + BO, (2^EA - 2) + (2^EB - 2) - BA - BB + BO + 2].
  localparam integer Least = 2 - `BIAS(EA) - `BIAS(EB) + `BIAS(EO);
  localparam integer Most  = (1 << EA) + (1 << EB) - 2 - `BIAS(EA) - `BIAS(EB) + `BIAS(EO);
  localparam integer ExpW  = `MAX2($clog2(`MAX3(-Least, Most + 1, 1)), EO) + 1;
  localparam integer FracW = MA + MB + 1;

  wire [1:0]              cls_p, cls_ahead;
  wire                    sign_p;
  wire signed [ExpW-1:0]  exp_p, exp_ahead;
  wire [MA+MB+1:0]        sig_p;
  fp_product #(.EA(EA), .MA(MA), .EB(EB), .MB(MB), .Style(Style), .Bias(`BIAS(EO) - 1), .ExpW(ExpW)) i_product (
    .clk_i, .en_i, .a_cls_i, .a_i, .b_cls_i, .b_i, .cls_o(cls_p), .sign_o(sign_p), .exp_o(exp_p), .sig_o(sig_p),
    .cls_ahead_o(cls_ahead), .exp_ahead_o(exp_ahead));

`include "fp_round.svh"
  // Whether the leading one stands a place higher, `top`, is known late. Toward zero, the range of exp and of exp + 1 is
  // looked at a clock before; then `top` only chooses.
  task automatic look_ahead(input [1:0] cls, input signed [ExpW-1:0] exp, output [1:0] cls_out, output least,
                            output over, output over_up);
    logic below, above;
    begin
      below   = exp[ExpW-1];
      above   = |($unsigned(exp) >> EO);
      cls_out = cls & ~{2{(cls == `CLS_FINITE) & below}};
      least   = ~(|exp[ExpW-2:0]); // a finite number is zero unless top
      over    = ~below & (above | (&exp[EO-1:0]));
      over_up = ~below & ~above & (&exp[EO-1:1]) & ~exp[0]; // beyond the range only with top
    end
  endtask

  wire top = sig_p[MA+MB+1];
  wire [FracW-1:0] frac = top ? sig_p[FracW-1:0] : {sig_p[FracW-2:0], 1'b0};
  generate
    if (Rne != 0) begin : g_nearest
      always_ff @(posedge clk_i)
        if (en_i) begin : p_round
          logic [1:0] cls;
          logic [EO+MO:0] word;
          round(cls_p, sign_p, exp_p + $signed({{(ExpW-1){1'b0}}, top}), frac, cls, word);
          cls_o  <= cls;
          word_o <= word;
        end
      wire unused = &{1'b0, cls_ahead, exp_ahead};
    end else begin : g_truncate
      logic [1:0]    cls_q;
      logic          least_q, over_q, over_up_q;
      always_ff @(posedge clk_i)
        if (en_i) begin : p_ahead
          logic [1:0]    cls;
          logic          least, over, over_up;
          look_ahead(cls_ahead, exp_ahead, cls, least, over, over_up);
          cls_q     <= cls;
          least_q   <= least;
          over_q    <= over;
          over_up_q <= over_up;
        end
      always_ff @(posedge clk_i)
        if (en_i) begin : p_truncate
          logic [1:0] cls, unused_below;
          logic [EO+MO:0] word;
          logic over;
          // Chosen on a carry chain: the mapper would spread the choice over all bits that it clamps.
          {over, unused_below} = {over_q, over_up_q, 1'b1} + {2'b00, top};
          truncate(cls_q, least_q & ~top, over, sign_p, exp_p[EO-1:0] + {{(EO-1){1'b0}}, top}, frac, cls, word);
          cls_o  <= cls;
          word_o <= word;
        end
      wire unused = &{1'b0, cls_p, exp_p};
    end
  endgenerate
endmodule
`default_nettype wire
