/// alpha and beta as operands of the vector updates: a scalar rounded into the operands' format, in one clock.
`include "mantissa.svh"
`default_nettype none
module scalar_operand #(
  parameter integer E = 11,
  parameter integer M = 52,
  parameter integer OperandExpW = 8,
  parameter integer OperandFracW = 23,
  parameter integer OperandRne = 0,
  localparam integer OperandW = OperandExpW + OperandFracW + 1
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,
  input  wire                    awake_i, ///< low: nothing is here, and nothing comes (for AWAKE)
  input  wire                 valid_i,
  input  wire                 beta_i,  ///< which it is
  input  wire  [E+M:0]        word_i,
  output logic [1:0]          alpha_cls_o,
  output logic [OperandW-1:0] alpha_op_o,
  output logic [1:0]          beta_cls_o,
  output logic [OperandW-1:0] beta_op_o,
  output logic                operands_o ///< one clock: beta has been formed anew
);
  localparam integer EO = OperandExpW;
  localparam integer MO = OperandFracW;
  localparam integer Rne = OperandRne;
  localparam integer ExpW = `MAX2(E, EO) + 2;
  localparam integer FracW = M;
  localparam integer Rebias = `BIAS(EO) - `BIAS(E);
`include "fp_round.svh"
  task automatic form;
    logic [1:0] cls_in, cls;
    logic [OperandW-1:0] word;
    begin
      cls_in = {&word_i[E+M-1:M], (&word_i[E+M-1:M]) ? |word_i[M-1:0] : |word_i[E+M-1:M]};
      round(cls_in, word_i[E+M], $signed({{(ExpW-E){1'b0}}, word_i[E+M-1:M]}) + $signed(ExpW'(Rebias)), word_i[M-1:0],
            cls, word);
      if (beta_i) begin
        beta_cls_o <= cls;
        beta_op_o  <= word;
      end else begin
        alpha_cls_o <= cls;
        alpha_op_o  <= word;
      end
    end
  endtask
  always_ff @(posedge clk_i) `AWAKE(awake_i)
    if (!rst_ni) begin
      {alpha_cls_o, beta_cls_o} <= '0;
      {alpha_op_o, beta_op_o}   <= '0;
    end else if (valid_i) begin
      form();
    end
  always_ff @(posedge clk_i) `AWAKE(awake_i) operands_o <= rst_ni & valid_i & beta_i;
  wire unused_awake = &{1'b0, awake_i};
endmodule
`default_nettype wire
