/// The third part of a pass of the integer core: from exact totals to alpha and beta.
`include "mantissa.svh"
`include "scalar_program.svh"
`default_nettype none
module fx_scalars #(
`include "fx_parameters.svh"
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,
  input  wire                 aborting_i,
  input  wire  [DotRrW-1:0]   rr_i,
  input  wire  [DotPqW-1:0]   pq_i,
  input  wire  [DotQqW-1:0]   qq_i,
  input  wire                 over_i,          ///< a word overflowed
  input  wire                 start_i,
  input  wire  [31:0]         pass_count_i,    ///< passes finished
  input  wire  [31:0]         rho_stop_from_i, ///< first pass, from one, whose rho is tested
  `SCALAR_PORTS(ScalarW) ///< as scalar_sequencer's, and so all of the macro's
  output logic                operands_o
);
  localparam integer TotalW = `MAX3(DotRrW, DotPqW, DotQqW);
  logic test_rho; // this pass's rho is tested
  logic [31:0] count_q; // this pass's, from one
  always_ff @(posedge clk_i) begin
    count_q  <= pass_count_i + 32'd1;
    test_rho <= count_q >= rho_stop_from_i;
  end
  wire subtract;
  wire [ScalarW+1:0] minuend;
  scalar_sequencer #(
    .E(ScalarExpW), .M(ScalarFracW), .Rne(ScalarRne), .OperandExpW(OperandExpW), .OperandFracW(OperandFracW),
    .OperandRne(OperandRne), .Blocks((Style == 1) ? 0 : 1), .Integer(1), .W0(DotRrW), .W1(DotPqW), .W2(DotQqW),
    .Lsb0(-2 * RF), .Lsb1(-PF - QF), .Lsb2(-2 * QF), .TotalW(TotalW)) i_sequencer (
    .clk_i, .rst_ni, .abort_i(aborting_i), .start_i, .entry_i({$clog2(`SCALAR_PROGRAM_N + 1){1'b0}}),
    .totals_i({TotalW'($signed(qq_i)), TotalW'($signed(pq_i)), TotalW'($signed(rr_i))}), .over_i, .subtract_o(subtract),
    .minuend_o(minuend), .subtracted_i(1'b0), .test_i(test_rho), .set_i, .set_at_i, .set_word_i, .read_i, .read_at_i,
    .read_o, .done_o, .end_o, .guard_o, .alpha_cls_o, .alpha_op_o, .beta_cls_o, .beta_op_o, .operands_o);
  wire unused = &{1'b0, subtract, minuend};
endmodule
`default_nettype wire
