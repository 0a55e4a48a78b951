/// The exact product of two numbers, not normalised. Latency `PRODUCT_LATENCY(MA, MB), one product per clock.
/// value = sig_o * 2^(exp_o - Bias - (MA + MB + 1)): the top bit of sig_o is worth 2^(exp_o - Bias), and it or the next
/// one is set. ExpW must hold all exponents.
`include "mantissa.svh"
`default_nettype none
module fp_product #(
  parameter integer EA    = 8,
  parameter integer MA    = 23,
  parameter integer EB    = 8,
  parameter integer MB    = 23,
  parameter integer Style = 0,
  parameter integer Bias  = 0,
  parameter integer ExpW  = `MAX2(EA, EB) + 2
) (
  input  wire                     clk_i,
  input  wire                     en_i,
  input  wire  [1:0]              a_cls_i,
  input  wire  [EA+MA:0]          a_i,
  input  wire  [1:0]              b_cls_i,
  input  wire  [EB+MB:0]          b_i,
  output logic [1:0]              cls_o,
  output logic                    sign_o,
  output logic signed [ExpW-1:0]  exp_o,
  output logic [MA+MB+1:0]        sig_o
);
  localparam integer Stages = `PRODUCT_LATENCY(MA, MB);
  // ea + eb + 1, then the rest of the offset on the bits that it reaches: two and three bits for equal formats.
  localparam integer Offset = Bias - `BIAS(EA) - `BIAS(EB);
  localparam integer Low = (Offset == 0) ? ExpW : $clog2(Offset & -Offset);

  sig_mul #(.MA(MA), .MB(MB), .Style(Style)) i_sig (
    .clk_i, .en_i, .a_i(a_i[MA-1:0]), .b_i(b_i[MB-1:0]), .product_o(sig_o));

  localparam [31:0] Classes = `MUL_CLASSES;
  wire [1:0] cls = Classes[{a_cls_i, b_cls_i, 1'b0} +: 2];

  // Class, sign and exponent travel as one word beside the significands.
  localparam integer SideW = ExpW + 3;
  wire [ExpW-1:0] exp_a = ExpW'({2'b0, a_i[EA+MA-1:MA]});
  wire [ExpW-1:0] exp_b = ExpW'({2'b0, b_i[EB+MB-1:MB]});
  wire [ExpW-1:0] exp_sum = exp_a - (~exp_b); // exp_a + exp_b + 1
  wire [ExpW-1:0] exp;
  generate
    if (Low == 0) begin : g_offset
      assign exp = exp_sum + ExpW'(Offset);
    end else if (Low >= ExpW) begin : g_centred
      assign exp = exp_sum;
    end else begin : g_upper
      wire [ExpW-Low-1:0] upper = exp_sum[ExpW-1:Low] + (ExpW-Low)'(Offset >>> Low);
      assign exp = {upper, exp_sum[Low-1:0]};
    end
  endgenerate
  wire [SideW-1:0] side = {cls, a_i[EA+MA] ^ b_i[EB+MB], exp};
  genvar k;
  generate
    for (k = 0; k < Stages; k = k + 1) begin : g_stage
      logic [SideW-1:0] side_q;
      if (k == 0) begin : g_first
        always_ff @(posedge clk_i) if (en_i) side_q <= side;
      end else begin : g_next
        always_ff @(posedge clk_i) if (en_i) side_q <= g_stage[k-1].side_q;
      end
    end
  endgenerate
  assign {cls_o, sign_o, exp_o} = g_stage[Stages-1].side_q;
endmodule
`default_nettype wire
