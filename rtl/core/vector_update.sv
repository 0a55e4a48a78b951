/// u' = u + (alpha p), r' = r - (alpha q), p' = r' + (beta p), each bracket rounded to its vector's format and each sum
/// again. One token (Lanes elements) per clock. p_i and q_i come at clock 0 and the rest in step with the pipeline:
/// u_i at `U_IN, r_i at `R_IN; u_o leaves at `U_OUT, r_o at `R_OUT, p_o at `P_OUT.
/// Classes and words, lane 0 lowest.
`include "mantissa.svh"
`default_nettype none
module vector_update #(
`include "core_parameters.svh"
) (
  input  wire                       clk_i,
  input  wire                       en_i,
  input  wire  [6:0]                ptr_i,
  `UPDATE_IN_PORTS(Lanes)
  output logic [Lanes*2-1:0]         u_cls_o,
  output logic [Lanes*UW-1:0] u_o,
  output logic [Lanes*2-1:0]         r_cls_o,
  output logic [Lanes*RW-1:0] r_o,
  output logic [Lanes*2-1:0]         p_cls_o,
  output logic [Lanes*PW-1:0] p_o
);
  localparam integer Wait = UpdateROut - `MUL_LATENCY(OperandFracW, PFracW); // beta p waits for r'

  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      wire [1:0] p_cls = p_cls_i[l*2 +: 2];
      wire [1:0] q_cls = q_cls_i[l*2 +: 2];

      wire [1:0] ap_cls, aq_cls, bp_cls, bp_late_cls;
      wire [UW-1:0] ap;
      wire [RW-1:0] aq;
      wire [PW-1:0] bp, bp_late;
      fp_mul #(.EA(OperandExpW), .MA(OperandFracW), .EB(PExpW), .MB(PFracW), .EO(UExpW), .MO(UFracW), .Rne(URne),
          .Style(Style)) i_alpha_p (
        .clk_i, .en_i, .a_cls_i(alpha_cls_i), .a_i(alpha_i), .b_cls_i(p_cls), .b_i(p_i[l*PW +: PW]), .cls_o(ap_cls),
        .word_o(ap));
      fp_mul #(.EA(OperandExpW), .MA(OperandFracW), .EB(QExpW), .MB(QFracW), .EO(RExpW), .MO(RFracW), .Rne(RRne),
          .Style(Style)) i_alpha_q (
        .clk_i, .en_i, .a_cls_i(alpha_cls_i), .a_i(alpha_i), .b_cls_i(q_cls), .b_i(q_i[l*QW +: QW]), .cls_o(aq_cls),
        .word_o(aq));
      fp_mul #(.EA(OperandExpW), .MA(OperandFracW), .EB(PExpW), .MB(PFracW), .EO(PExpW), .MO(PFracW), .Rne(PRne),
          .Style(Style)) i_beta_p (
        .clk_i, .en_i, .a_cls_i(beta_cls_i), .a_i(beta_i), .b_cls_i(p_cls), .b_i(p_i[l*PW +: PW]), .cls_o(bp_cls),
        .word_o(bp));
      delay #(.W(2), .N(Wait), .Ram(DelayRam)) i_wait_cls (.clk_i, .en_i, .ptr_i, .d_i(bp_cls), .q_o(bp_late_cls));
      delay #(.W(PW), .N(Wait), .Ram(DelayRam)) i_wait (.clk_i, .en_i, .ptr_i, .d_i(bp), .q_o(bp_late));

      fp_add #(.EA(UExpW), .MA(UFracW), .EB(UExpW), .MB(UFracW), .EO(UExpW), .MO(UFracW),
          .Rne(URne), .Stages(AddStages)) i_u (
        .clk_i, .en_i, .a_cls_i(u_cls_i[l*2 +: 2]), .a_i(u_i[l*UW +: UW]), .b_cls_i(ap_cls), .b_i(ap),
        .cls_o(u_cls_o[l*2 +: 2]), .word_o(u_o[l*UW +: UW]));
      fp_add #(.EA(RExpW), .MA(RFracW), .EB(RExpW), .MB(RFracW), .EO(RExpW), .MO(RFracW),
          .Rne(RRne), .Stages(AddStages), .Subtract(1)) i_r (
        .clk_i, .en_i, .a_cls_i(r_cls_i[l*2 +: 2]), .a_i(r_i[l*RW +: RW]), .b_cls_i(aq_cls), .b_i(aq),
        .cls_o(r_cls_o[l*2 +: 2]), .word_o(r_o[l*RW +: RW]));
      fp_add #(.EA(RExpW), .MA(RFracW), .EB(PExpW), .MB(PFracW), .EO(PExpW), .MO(PFracW),
          .Rne(PRne), .Stages(AddStages)) i_p (
        .clk_i, .en_i, .a_cls_i(r_cls_o[l*2 +: 2]), .a_i(r_o[l*RW +: RW]), .b_cls_i(bp_late_cls), .b_i(bp_late),
        .cls_o(p_cls_o[l*2 +: 2]), .word_o(p_o[l*PW +: PW]));
    end
  endgenerate
endmodule
`default_nettype wire
