/// a * b, rounded once into s<MO>e<EO>. Latency `MUL_LATENCY(MA, MB), one product per clock. Exact when
/// MO >= MA + MB + 1 and EO > max(EA, EB). Style: see sig_mul.
`include "mantissa.svh"
`default_nettype none
module fp_mul #(
  parameter integer EA = 8, parameter integer MA = 23,
  parameter integer EB = 8, parameter integer MB = 23,
  parameter integer EO = 8, parameter integer MO = 23,
  parameter integer Rne   = 0,
  parameter integer Style = 0
) (
  input  wire            clk_i,
  input  wire            en_i,
  `OPERANDS_PORTS(EA+MA+1, EB+MB+1)
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
  // looked at a clock before; then `top` only chooses. Tasks, and branches for what is rare: fast in simulation.
  wire top = sig_p[MA+MB+1];
  generate
    if (Rne != 0) begin : g_nearest
      task automatic finish;
        logic [FracW-1:0] frac;
        logic [1:0] cls;
        logic [EO+MO:0] word;
        begin
          frac = top ? sig_p[FracW-1:0] : {sig_p[FracW-2:0], 1'b0};
          round(cls_p, sign_p, exp_p + $signed({{(ExpW-1){1'b0}}, top}), frac, cls, word);
          cls_o  <= cls;
          word_o <= word;
        end
      endtask
      always_ff @(posedge clk_i) if (en_i) finish();
      wire unused = &{1'b0, cls_ahead, exp_ahead};
    end else begin : g_truncate
      logic [1:0] cls_q;
      logic       least_q; // a finite number is zero unless top
      logic [1:0] over_q;  // beyond the range: whatever top, with top
      task automatic look_ahead;
        logic [1:0] cls, over;
        begin
          cls  = cls_ahead;
          over = 2'b00;
          if (exp_ahead[ExpW-1]) cls[0] = cls[0] & cls[1]; // a finite number is zero
          else begin
            if (|($unsigned(exp_ahead) >> EO)) over = 2'b10;
            else if (&exp_ahead[EO-1:1]) over = {exp_ahead[0], ~exp_ahead[0]};
          end
          cls_q   <= cls;
          least_q <= ~(|exp_ahead[ExpW-2:0]);
          over_q  <= over;
        end
      endtask
      task automatic finish;
        logic [FracW-1:0] frac;
        logic [1:0] cls, unused_below;
        logic [EO+MO:0] word;
        logic over;
        begin
          frac = top ? sig_p[FracW-1:0] : {sig_p[FracW-2:0], 1'b0};
          // Chosen on a carry chain: the mapper would spread the choice over all bits that it clamps.
          {over, unused_below} = {over_q, 1'b1} + {2'b00, top};
          truncate(cls_q, least_q & ~top, over, sign_p, exp_p[EO-1:0] + {{(EO-1){1'b0}}, top}, frac, cls, word);
          cls_o  <= cls;
          word_o <= word;
        end
      endtask
      always_ff @(posedge clk_i)
        if (en_i) begin
          look_ahead();
          finish();
        end
      wire unused = &{1'b0, cls_p, exp_p};
    end
  endgenerate
endmodule
`default_nettype wire
