/// The exact product of two numbers, not normalised. Latency `PRODUCT_LATENCY(MA, MB), one product per clock.
/// value = sig_o * 2^(exp_o - Bias - (MA + MB + 1)): the top bit of sig_o is worth 2^(exp_o - Bias), and it or the next
/// one is set. ExpW must hold all exponents.
`include "mantissa.svh"
`default_nettype none
module fp_product #(
  parameter integer EA = 8, parameter integer MA = 23,
  parameter integer EB = 8, parameter integer MB = 23,
  parameter integer Style = 0,
  parameter integer Bias  = 0,
  parameter integer ExpW  = `MAX2(EA, EB) + 2
) (
  input  wire                     clk_i,
  input  wire                     en_i,
  `OPERANDS_PORTS(EA+MA+1, EB+MB+1)
  output logic [1:0]              cls_o,
  output logic                    sign_o,
  output logic signed [ExpW-1:0]  exp_o,
  output logic [MA+MB+1:0]        sig_o,
  output logic [1:0]              cls_ahead_o, ///< cls_o and exp_o of the next clock
  output logic signed [ExpW-1:0]  exp_ahead_o
);
  localparam integer Stages = `PRODUCT_LATENCY(MA, MB);
  // ea + eb + 1, then the rest of the offset on the bits that it reaches: two and three bits for equal formats.
  localparam integer Offset = Bias - `BIAS(EA) - `BIAS(EB);
  localparam integer Low = (Offset == 0) ? 0 : $clog2(Offset & -Offset); // the synthesiser leaves out zero bits below

  sig_mul #(.MA(MA), .MB(MB), .Style(Style)) i_sig (
    .clk_i, .en_i, .a_i(a_i[MA-1:0]), .b_i(b_i[MB-1:0]), .product_o(sig_o));

  localparam [31:0] Classes = `MUL_CLASSES;
  localparam [ExpW-1:0] Rest = ExpW'(Offset >>> Low) << Low;
  function automatic [ExpW-1:0] exponent(input [ExpW-1:0] a, input [ExpW-1:0] b);
    exponent = a - (~b); // the sum + 1
    exponent = exponent + Rest;
  endfunction

  // The side path: class, sign and exponent beside the significands.
  genvar k;
  generate
    for (k = 0; k < Stages; k = k + 1) begin : g_stage
      logic [1:0]      cls_q;
      logic            sign_q;
      logic [ExpW-1:0] exp_q;
      if (k == 0) begin : g_first
        always_ff @(posedge clk_i)
          if (en_i) begin
            exp_q  <= exponent(ExpW'({2'b0, a_i[EA+MA-1:MA]}), ExpW'({2'b0, b_i[EB+MB-1:MB]}));
            // Zeros and finite numbers by one gate, the rest from the table: fast in simulation.
            cls_q  <= a_cls_i & b_cls_i;
            if (a_cls_i[1] | b_cls_i[1]) cls_q <= Classes[{a_cls_i, b_cls_i, 1'b0} +: 2];
            sign_q <= a_i[EA+MA] ^ b_i[EB+MB];
          end
      end else begin : g_next
        always_ff @(posedge clk_i)
          if (en_i) begin
            cls_q  <= g_stage[k-1].cls_q;
            sign_q <= g_stage[k-1].sign_q;
            exp_q  <= g_stage[k-1].exp_q;
          end
      end
    end
  endgenerate
  assign cls_o  = g_stage[Stages-1].cls_q;
  assign sign_o = g_stage[Stages-1].sign_q;
  assign exp_o  = g_stage[Stages-1].exp_q;
  assign cls_ahead_o = g_stage[Stages-2].cls_q;
  assign exp_ahead_o = g_stage[Stages-2].exp_q;
endmodule
`default_nettype wire
