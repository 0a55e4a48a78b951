/// The third part of a pass of the integer core: from exact totals to alpha and beta.
`include "mantissa.svh"
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
  input  wire  [ScalarW-1:0]  rho_stop_i,
  input  wire  [7:0]          set_alpha_i,     ///< as scalar_unit's
  input  wire  [7:0]          set_beta_i,
  input  wire  [31:0]         set_word_i,
  output logic                done_o,
  output logic [2:0]          end_o,
  output logic                guard_o,
  output logic [ScalarW-1:0]  rho_o,
  output logic [ScalarW-1:0]  pq_o,
  output logic [ScalarW-1:0]  qq_o,
  output logic [ScalarW-1:0]  alpha_o,
  output logic [ScalarW-1:0]  sigma_o,
  output logic [ScalarW-1:0]  beta_o,
  output logic [1:0]          alpha_cls_o,
  output logic [OperandW-1:0] alpha_op_o,
  output logic [1:0]          beta_cls_o,
  output logic [OperandW-1:0] beta_op_o
);
  // On one grid.
  localparam integer Lsb  = -2 * `MAX2(RF, QF) - `MAX2(PF - `MAX2(RF, QF), 0);
  localparam integer UpRr = -2 * RF - Lsb;
  localparam integer UpPq = -PF - QF - Lsb;
  localparam integer UpQq = -2 * QF - Lsb;
  localparam integer W    = `MAX3(DotRrW + UpRr, DotPqW + UpPq, DotQqW + UpQq);

  logic test_rho; // this pass's rho is tested
  logic [31:0] count_q; // this pass's, from one
  always_ff @(posedge clk_i) begin
    count_q  <= pass_count_i + 32'd1;
    test_rho <= count_q >= rho_stop_from_i;
  end
  wire subtract;
  wire [W-1:0] minuend;
  scalar_unit #(
    .Fixed(1), .Msb(Lsb + W - 1), .Lsb(Lsb), .GuardW(0), .ScalarExpW(ScalarExpW), .ScalarFracW(ScalarFracW),
    .ScalarRne(ScalarRne), .OperandExpW(OperandExpW), .OperandFracW(OperandFracW), .OperandRne(OperandRne)) i_unit (
    .clk_i, .rst_ni, .abort_i(aborting_i), .start_i, .rho_i(W'($signed(rr_i)) << UpRr),
    .pq_i(W'($signed(pq_i)) << UpPq), .qq_i(W'($signed(qq_i)) << UpQq), .over_i, .subtract_o(subtract),
    .minuend_o(minuend), .subtracted_i(1'b0), .rho_stop_i, .test_rho_i(test_rho), .set_alpha_i, .set_beta_i, .set_word_i,
    .done_o, .end_o, .guard_o, .rho_o, .pq_o, .qq_o, .alpha_o, .sigma_o, .beta_o, .alpha_cls_o, .alpha_op_o,
    .beta_cls_o, .beta_op_o);
  wire unused = &{1'b0, subtract, minuend};
endmodule
`default_nettype wire
