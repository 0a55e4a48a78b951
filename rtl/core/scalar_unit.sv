/// The scalar unit of the core: scalar_sequencer with the totals of this core's dot products, which are floating, or
/// integers in a window. Where they are floating and have the scalar format, p'.q's accumulator subtracts: alpha qq leaves
/// by minuend_o, and pq_i becomes alpha qq - pq.
`include "mantissa.svh"
`include "scalar_program.svh"
`default_nettype none
module scalar_unit #(
`include "core_parameters.svh"
) (
  input  wire              clk_i,
  input  wire              rst_ni,
  input  wire              abort_i,      ///< as scalar_sequencer's, and so all below
  input  wire              start_i,
  input  wire  [DotW-1:0]  rho_i,
  input  wire  [DotW-1:0]  pq_i,
  input  wire  [DotW-1:0]  qq_i,
  input  wire              over_i,       ///< a term left the fixed-point window
  output logic             subtract_o,
  output logic [DotW-1:0]  minuend_o,
  input  wire              subtracted_i,
  `SCALAR_PORTS(ScalarW)
  input  wire              test_rho_i    ///< this pass's rho is compared with RHO_STOP
);
  localparam integer Outside = `SCALAR_OUTSIDE(Fixed, SumExpW, SumFracW, SumRne, ScalarExpW, ScalarFracW, ScalarRne);
  wire [ScalarW+1:0] minuend;
  wire left; // a total is outside the window
  generate
    if (Fixed != 0) begin : g_fixed
      localparam integer W = Msb - Lsb + 1;
      wire rho_left = !(&rho_i[DotW-1:W-1] || ~|rho_i[DotW-1:W-1]);
      wire pq_left  = !(&pq_i[DotW-1:W-1] || ~|pq_i[DotW-1:W-1]);
      wire qq_left  = !(&qq_i[DotW-1:W-1] || ~|qq_i[DotW-1:W-1]);
      assign left = rho_left | pq_left | qq_left;
    end else begin : g_float
      assign left = 1'b0;
    end
    if (Outside != 0) begin : g_outside
      assign minuend_o = minuend;
    end else begin : g_inside
      assign minuend_o = '0;
      wire unused = &{1'b0, minuend};
    end
  endgenerate
  wire operands;
  wire [5:0] unused_checks;
  wire unused_operands = &{1'b0, operands};
  scalar_sequencer #(
    .E(ScalarExpW), .M(ScalarFracW), .Rne(ScalarRne), .OperandExpW(OperandExpW), .OperandFracW(OperandFracW),
    .OperandRne(OperandRne), .Integer(Fixed), .W0(DotW), .W1(DotW), .W2(DotW), .Lsb0(Lsb), .Lsb1(Lsb), .Lsb2(Lsb),
    .SumExpW(SumExpW), .SumFracW(SumFracW), .Outside(Outside), .TotalW(DotW)) i_sequencer (
    .clk_i, .rst_ni, .abort_i, .start_i, .entry_i({$clog2(`SCALAR_PROGRAM_N + 1){1'b0}}), .totals_i({qq_i, pq_i, rho_i}), .over_i(over_i | left), .subtract_o,
    .minuend_o(minuend), .subtracted_i, .test_i(test_rho_i), .set_i, .set_at_i, .set_word_i, .read_i, .read_at_i, .read_o,
    .done_o, .end_o, .guard_o, .alpha_cls_o, .alpha_op_o, .beta_cls_o, .beta_op_o, .operands_o(operands),
    .checks_o(unused_checks));
endmodule
`default_nettype wire
