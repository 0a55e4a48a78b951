/// The third part of a pass: the dot products r'.r', p'.q' and q'.q' beside the other two, and the scalar unit after
/// them, whose alpha and beta the next pass takes. With Chebyshev neither: a table of alpha and beta (step_pairs).
`include "mantissa.svh"
`default_nettype none
module core_scalars #(
`include "core_parameters.svh"
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,
  input  wire                 en_i,
  input  wire                 clear_i,
  input  wire                 aborting_i,
  input  wire                 busy_i,          ///< a run is on
  input  wire                 close_i,         ///< no more terms come in this pass
  input  wire                 r_valid_i,
  input  wire  [Lanes-1:0]    r_live_i,        ///< lanes that hold an element
  input  wire  [Lanes*2-1:0]  r_cls_i,
  input  wire  [Lanes*RW-1:0] r_i,
  input  wire                 row_valid_i,     ///< of p and q
  input  wire  [Lanes-1:0]    row_live_i,
  input  wire  [Lanes*2-1:0]  p_cls_i,
  input  wire  [Lanes*PW-1:0] p_i,
  input  wire  [Lanes*2-1:0]  q_cls_i,
  input  wire  [Lanes*QW-1:0] q_i,
  input  wire                 start_i,         ///< of the scalar unit
  input  wire  [31:0]         pass_count_i,    ///< passes finished
  input  wire  [31:0]         rho_stop_from_i, ///< first pass, from one, whose rho is tested
  `SCALAR_PORTS(ScalarW) ///< as scalar_sequencer's, and so all of the macro's
  output logic                dots_done_o
);
  generate
    if (Chebyshev == 0) begin : g_summed
      wire rr_done, pq_done, qq_done, rr_over, pq_over, qq_over;
      wire [DotW-1:0] rr_sum, pq_sum, qq_sum, minuend;
      wire subtract, subtracted, unused_rr, unused_qq;
      dot_product #(
`include "core_parameters_passed.svh"
        , .AExpW(RExpW), .AFracW(RFracW), .BExpW(RExpW), .BFracW(RFracW)) i_rr (
        .clk_i, .rst_ni, .en_i, .clear_i, .valid_i(r_valid_i), .live_i(r_live_i), .a_cls_i(r_cls_i), .a_i(r_i),
        .b_cls_i(r_cls_i), .b_i(r_i), .close_i, .subtract_i(1'b0), .other_i({DotW{1'b0}}), .subtracted_o(unused_rr),
        .done_o(rr_done), .result_o(rr_sum), .over_o(rr_over));
      dot_product #(
`include "core_parameters_passed.svh"
        , .AExpW(PExpW), .AFracW(PFracW), .BExpW(QExpW), .BFracW(QFracW)) i_pq (
        .clk_i, .rst_ni, .en_i, .clear_i, .valid_i(row_valid_i), .live_i(row_live_i), .a_cls_i(p_cls_i), .a_i(p_i),
        .b_cls_i(q_cls_i), .b_i(q_i), .close_i, .subtract_i(subtract), .other_i(minuend), .subtracted_o(subtracted),
        .done_o(pq_done), .result_o(pq_sum), .over_o(pq_over));
      dot_product #(
`include "core_parameters_passed.svh"
        , .AExpW(QExpW), .AFracW(QFracW), .BExpW(QExpW), .BFracW(QFracW)) i_qq (
        .clk_i, .rst_ni, .en_i, .clear_i, .valid_i(row_valid_i), .live_i(row_live_i), .a_cls_i(q_cls_i), .a_i(q_i),
        .b_cls_i(q_cls_i), .b_i(q_i), .close_i, .subtract_i(1'b0), .other_i({DotW{1'b0}}), .subtracted_o(unused_qq),
        .done_o(qq_done), .result_o(qq_sum), .over_o(qq_over));
      assign dots_done_o = rr_done & pq_done & qq_done;

      logic test_rho; // this pass's rho is tested
      logic [31:0] count_q; // this pass's, from one
      always_ff @(posedge clk_i) begin
        count_q  <= pass_count_i + 32'd1;
        test_rho <= count_q >= rho_stop_from_i;
      end
      scalar_unit #(
`include "core_parameters_passed.svh"
      ) i_unit (
        .clk_i, .rst_ni, .abort_i(aborting_i), .start_i, .rho_i(rr_sum), .pq_i(pq_sum), .qq_i(qq_sum),
        .over_i(rr_over | pq_over | qq_over), .subtract_o(subtract), .minuend_o(minuend), .subtracted_i(subtracted),
        .test_rho_i(test_rho), .set_i, .set_at_i, .set_word_i, .read_i, .read_at_i, .read_o, .done_o, .end_o, .guard_o,
        .alpha_cls_o, .alpha_op_o, .beta_cls_o, .beta_op_o);
      wire unused = &{1'b0, unused_rr, unused_qq, busy_i};
    end else begin : g_pairs
      assign {dots_done_o, guard_o, read_o} = {1'b1, 1'b0, {ScalarW{1'b0}}};
      wire operands;
      step_pairs #(.OperandExpW(OperandExpW), .OperandFracW(OperandFracW), .Depth(Chebyshev)) i_pairs (
        .clk_i, .rst_ni, .busy_i, .close_i, .start_i, .over_i(1'b0), .set_i, .set_at_i, .set_word_i, .done_o, .end_o,
        .alpha_cls_o, .alpha_op_o, .beta_cls_o, .beta_op_o, .operands_o(operands));
      wire unused = &{1'b0, operands, en_i, clear_i, aborting_i, r_valid_i, r_live_i, r_cls_i, r_i, row_valid_i, row_live_i,
                      p_cls_i, p_i, q_cls_i, q_i, pass_count_i, rho_stop_from_i, read_i, read_at_i};
    end
  endgenerate
endmodule
`default_nettype wire
