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
  output logic                operands_o,
  input  wire                 late_i,          ///< with Checks: it has had its time to run once more
  output logic                checking_o,      ///< likewise: the program runs once more
  output logic [4:0]          total_o,         ///< likewise: scalar_sequencer's
  output logic                bad_o            ///< likewise, one clock: the scalars came out another way, or changed where they stand
);
  localparam integer TotalW = `MAX3(DotRrW, DotPqW, DotQqW);
  logic test_rho; // this pass's rho is tested
  logic [31:0] count_q; // this pass's, from one
  always_ff @(posedge clk_i) begin
    count_q  <= pass_count_i + 32'd1;
    test_rho <= count_q >= rho_stop_from_i;
  end
  wire start, test, done, other;
  wire [2:0] how;
  wire [5:0] checks;
  wire subtract;
  wire [ScalarW+1:0] minuend;
  scalar_sequencer #(
    .E(ScalarExpW), .M(ScalarFracW), .Rne(ScalarRne), .OperandExpW(OperandExpW), .OperandFracW(OperandFracW),
    .OperandRne(OperandRne), .Blocks((Style == 1) ? 0 : 1), .Integer(1), .W0(DotRrW), .W1(DotPqW), .W2(DotQqW),
    .Lsb0(-2 * RF), .Lsb1(-PF - QF), .Lsb2(-2 * QF), .TotalW(TotalW), .Checks(Checks)) i_sequencer (
    .clk_i, .rst_ni, .abort_i(aborting_i), .start_i(start), .entry_i({$clog2(`SCALAR_PROGRAM_N + 1){1'b0}}),
    .totals_i({TotalW'($signed(qq_i)), TotalW'($signed(pq_i)), TotalW'($signed(rr_i))}), .over_i, .subtract_o(subtract),
    .minuend_o(minuend), .subtracted_i(1'b0), .test_i(test), .set_i, .set_at_i, .set_word_i, .read_i, .read_at_i,
    .read_o, .done_o(done), .end_o(how), .guard_o, .alpha_cls_o, .alpha_op_o, .beta_cls_o, .beta_op_o, .operands_o,
    .checks_o(checks));
  assign total_o = checks[4:0];
  generate
    if (Checks != 0) begin : g_checks
      fx_twice #(.ResultW(2 * OperandW + 8)) i_twice (
        .clk_i, .rst_ni(rst_ni & ~aborting_i), .start_i, .test_i(test_rho), .start_o(start), .test_o(test), .done_i(done),
        .end_i(how), .late_i, .results_i({guard_o, how, alpha_cls_o, alpha_op_o, beta_cls_o, beta_op_o}), .done_o, .end_o,
        .checking_o, .bad_o(other));
      always_ff @(posedge clk_i) bad_o <= rst_ni & (other | checks[5]);
    end else begin : g_no_checks
      assign start  = start_i;
      assign test   = test_rho;
      assign done_o = done;
      assign end_o  = how;
      assign other  = 1'b0;
      assign {checking_o, bad_o} = '0;
      wire unused_checks = &{1'b0, checks, other, late_i};
    end
  endgenerate
  wire unused = &{1'b0, subtract, minuend};
endmodule
`default_nettype wire
