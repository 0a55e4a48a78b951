/// A number times the constant Times (1, -1, 3 or -3), rounded once into s<MO>e<EO>. Latency
/// `TIMES_LATENCY(Times, EI, MI, EO, MO), one product per clock. It stands where fp_mul would multiply by a
/// coefficient that is known before synthesis, and gives the same bits.
`include "mantissa.svh"
`default_nettype none
module fp_times #(
  parameter integer Times = 1,
  parameter integer EI    = 8,
  parameter integer MI    = 23,
  parameter integer EO    = 8,
  parameter integer MO    = 23,
  parameter integer Rne   = 0
) (
  input  wire            clk_i,
  input  wire            en_i,
  input  wire  [1:0]     cls_i,
  input  wire  [EI+MI:0] word_i,
  output logic [1:0]     cls_o,
  output logic [EO+MO:0] word_o
);
  `REQUIRE(g_bad, Times * Times == 1 || Times * Times == 9, "fp_times: Times must be 1, -1, 3 or -3")
  wire turned = word_i[EI+MI] ^ (Times < 0);
  generate
    if (Times * Times == 1) begin : g_one
      fp_convert #(.EI(EI), .MI(MI), .EO(EO), .MO(MO), .Rne(Rne)) i_convert (
        .clk_i, .en_i, .cls_i, .word_i({turned, word_i[EI+MI-1:0]}), .cls_o, .word_o);
    end else begin : g_three
      // 3 (1 + f) lies in [3, 6): its top bit is worth 4, and it or the next is set.
      localparam integer FracW  = MI + 2;
      localparam integer Rebias = `BIAS(EO) - `BIAS(EI) + 1;
      localparam integer ExpW   = `MAX2($clog2(`MAX2((1 << EI) + `MAX2(Rebias, 0) + 2, 2 - Rebias)), EO) + 1;
`include "fp_round.svh"
      logic [MI+2:0]   sig_q;
      logic [EI-1:0]   exp_q;
      logic [1:0]      cls_q;
      logic            sign_q;
      task automatic finish;
        logic [FracW-1:0] frac;
        logic [1:0] cls;
        logic [EO+MO:0] word;
        begin
          frac = sig_q[MI+2] ? sig_q[MI+1:0] : {sig_q[MI:0], 1'b0};
          round(cls_q, sign_q, $signed(ExpW'(exp_q)) + $signed(ExpW'(Rebias)) +
                               $signed({{(ExpW-1){1'b0}}, sig_q[MI+2]}), frac, cls, word);
          cls_o  <= cls;
          word_o <= word;
        end
      endtask
      always_ff @(posedge clk_i)
        if (en_i) begin
          sig_q  <= {2'b01, word_i[MI-1:0], 1'b0} + {3'b001, word_i[MI-1:0]};
          exp_q  <= word_i[EI+MI-1:MI];
          cls_q  <= cls_i;
          sign_q <= turned;
          finish();
        end
    end
  endgenerate
endmodule
`default_nettype wire
