/// The exact product of two numbers, not normalised. Latency `PRODUCT_LATENCY(MA, MB), one product per clock.
/// value = sig_o * 2^(exp_o - (MA + MB + 1)): the top bit of sig_o is worth 2^exp_o, and it or the next one is set.
`include "mantissa.svh"
`default_nettype none
module fp_product #(
  parameter integer EA    = 8,
  parameter integer MA    = 23,
  parameter integer EB    = 8,
  parameter integer MB    = 23,
  parameter integer Style = 0,
  localparam integer ExpW = `MAX2(EA, EB) + 2
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
  localparam integer Offset = 1 - `BIAS(EA) - `BIAS(EB);

  sig_mul #(.MA(MA), .MB(MB), .Style(Style)) i_sig (
    .clk_i, .en_i, .a_i(a_i[MA-1:0]), .b_i(b_i[MB-1:0]), .product_o(sig_o));

  wire [1:0] either = a_cls_i | b_cls_i;
  wire zero = (a_cls_i == `CLS_ZERO) | (b_cls_i == `CLS_ZERO);
  wire inf  = (a_cls_i == `CLS_INF) | (b_cls_i == `CLS_INF);
  wire nan  = (a_cls_i == `CLS_NAN) | (b_cls_i == `CLS_NAN) | (zero & inf);
  wire [1:0] cls = nan ? `CLS_NAN : inf ? `CLS_INF : zero ? `CLS_ZERO : either;

  // Class, sign and exponent travel as one word beside the significands.
  localparam integer SideW = ExpW + 3;
  wire [SideW-1:0] side = {cls, a_i[EA+MA] ^ b_i[EB+MB],
                           ExpW'({2'b0, a_i[EA+MA-1:MA]}) + ExpW'({2'b0, b_i[EB+MB-1:MB]}) + ExpW'(Offset)};
  logic [SideW-1:0] side_q [0:Stages-1];
  always_ff @(posedge clk_i)
    if (en_i) begin
      side_q[0] <= side;
      for (int k = 1; k < Stages; k = k + 1) side_q[k] <= side_q[k-1];
    end
  assign {cls_o, sign_o, exp_o} = side_q[Stages-1];
endmodule
`default_nettype wire
