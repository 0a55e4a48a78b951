// The scalar unit with ports of one width, for scalar_test.cpp. Kind 0: integer totals; 1: floating ones; 2: floating ones of
// the scalar format, subtracted outside.
`include "mantissa.svh"
`include "scalar_program.svh"
`default_nettype none
module scalar_top #(
  parameter integer E = 8,
  parameter integer M = 16,
  parameter integer Rne = 0,
  parameter integer OperandExpW = 8,
  parameter integer OperandFracW = 13,
  parameter integer OperandRne = 0,
  parameter integer Blocks = 1,
  parameter integer Kind = 0,
  parameter integer SumExpW = 11,
  parameter integer SumFracW = 52
) (
  input  wire         clk_i,
  input  wire         rst_ni,
  input  wire         abort_i,
  input  wire         start_i,
  input  wire  [95:0] rho_i,
  input  wire  [95:0] pq_i,
  input  wire  [95:0] qq_i,
  input  wire         over_i,
  output logic        subtract_o,
  output logic [65:0] minuend_o,
  input  wire         subtracted_i,
  input  wire         test_i,
  input  wire  [7:0]  set_i,
  input  wire  [2:0]  set_at_i,
  input  wire  [31:0] set_word_i,
  input  wire         read_i,
  input  wire  [2:0]  read_at_i,
  output logic [63:0] read_o,
  output logic        done_o,
  output logic [2:0]  end_o,
  output logic        guard_o,
  output logic [65:0] alpha_o, // class and word, as operands
  output logic [65:0] beta_o,
  output logic        operands_o,
  output logic [31:0] clocks_o // SCALAR_CLOCKS
);
  localparam integer SW = E + M + 1;
  localparam integer OW = OperandExpW + OperandFracW + 1;
  localparam integer TotalW = (Kind == 0) ? 95 : SumExpW + SumFracW + 3;
  wire [SW+1:0] minuend;
  wire [SW-1:0] scalar;
  wire [1:0] alpha_cls, beta_cls;
  wire [OW-1:0] alpha, beta;
  assign minuend_o = 66'(minuend);
  assign read_o    = 64'(scalar);
  assign alpha_o   = {alpha_cls, 64'(alpha)};
  assign beta_o    = {beta_cls, 64'(beta)};
  assign clocks_o  = `SCALAR_CLOCKS((Kind == 0) ? 1 : 0, (Kind == 2) ? 1 : 0, M, Rne, Blocks, SumFracW);
  scalar_sequencer #(
    .E(E), .M(M), .Rne(Rne), .OperandExpW(OperandExpW), .OperandFracW(OperandFracW), .OperandRne(OperandRne),
    .Blocks(Blocks), .Integer((Kind == 0) ? 1 : 0), .W0(55), .W1(70), .W2(95), .Lsb0(-32), .Lsb1(-37), .Lsb2(-42),
    .SumExpW(SumExpW), .SumFracW(SumFracW), .Outside((Kind == 2) ? 1 : 0), .TotalW(TotalW)) i_unit (
    .clk_i, .rst_ni, .abort_i, .start_i, .entry_i('0), .totals_i({qq_i[TotalW-1:0], pq_i[TotalW-1:0], rho_i[TotalW-1:0]}), .over_i,
    .subtract_o, .minuend_o(minuend), .subtracted_i, .test_i, .set_i, .set_at_i, .set_word_i, .read_i, .read_at_i,
    .read_o(scalar), .done_o, .end_o, .guard_o, .alpha_cls_o(alpha_cls), .alpha_op_o(alpha), .beta_cls_o(beta_cls),
    .beta_op_o(beta), .operands_o, .checks_o());
endmodule
`default_nettype wire
