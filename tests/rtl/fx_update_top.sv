// fx_update with all words of a token side by side, and fx_dot on them, for fx_update_test.cpp: a token comes in with
// slot_i, and everything about it is on the outputs latency_o clocks later.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module fx_update_top #(
`include "fx_parameters.svh"
) (
  input  wire                  clk_i,
  input  wire                  rst_ni,
  input  wire                  load_i,
  input  wire  [63:0]          alpha_i, ///< {class, word}
  input  wire  [63:0]          beta_i,
  input  wire                  slot_i,
  input  wire                  last_i,
  input  wire  [Lanes-1:0]     live_last_i,
  input  wire  [63:0]          u_i [0:Lanes-1],
  input  wire  [63:0]          r_i [0:Lanes-1],
  input  wire  [63:0]          p_i [0:Lanes-1],
  input  wire  [63:0]          q_i [0:Lanes-1],
  output logic [63:0]          u_o [0:Lanes-1],
  output logic [63:0]          r_o [0:Lanes-1],
  output logic [63:0]          p_o [0:Lanes-1],
  output logic [Lanes-1:0]     u_over_o,
  output logic [Lanes-1:0]     r_over_o,
  output logic [Lanes-1:0]     p_over_o,
  input  wire                  clear_i,   ///< of the dot products of p' and r', and of r' and r'
  output logic [127:0]         pr_o,
  output logic [127:0]         rr_o,
  output logic [31:0]          latency_o, ///< from a token to its words,
  output logic [31:0]          dot_latency_o ///< and to the sums with it
);
  localparam integer Out = UpdatePOut + 1;
  assign latency_o     = Out;
  assign dot_latency_o = Out + `MAX2(`FX_DOT_LATENCY(Lanes, PW, RW), `FX_DOT_LATENCY(Lanes, RW, RW));
  wire [Lanes*UW-1:0] u, u_in, u_new;
  wire [Lanes*RW-1:0] r, r_in, r_new, r_late;
  wire [Lanes*PW-1:0] p, p_in, p_new;
  wire [Lanes*QW-1:0] q, q_in;
  wire [Lanes*UW-1:0] u_late;
  wire [Lanes-1:0]    u_over, r_over;
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      assign u[l*UW +: UW] = u_i[l][UW-1:0];
      assign r[l*RW +: RW] = r_i[l][RW-1:0];
      assign p[l*PW +: PW] = p_i[l][PW-1:0];
      assign q[l*QW +: QW] = q_i[l][QW-1:0];
      assign u_o[l] = 64'(u_late[l*UW +: UW]);
      assign r_o[l] = 64'(r_late[l*RW +: RW]);
      assign p_o[l] = 64'(p_new[l*PW +: PW]);
    end
  endgenerate
  delay #(.W(Lanes*UW), .N(UpdateUIn + 1)) i_u (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(u), .q_o(u_in));
  delay #(.W(Lanes*RW), .N(UpdateRIn + 1)) i_r (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(r), .q_o(r_in));
  delay #(.W(Lanes*PW), .N(UpdatePIn + 1)) i_p (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(p), .q_o(p_in));
  delay #(.W(Lanes*QW), .N(1)) i_q (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(q), .q_o(q_in));
  delay #(.W(Lanes*UW+Lanes), .N(UpdatePOut - UpdateUOut)) i_u_late (
    .clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i({u_new, u_over}), .q_o({u_late, u_over_o}));
  delay #(.W(Lanes*RW+Lanes), .N(UpdatePOut - UpdateROut)) i_r_late (
    .clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i({r_new, r_over}), .q_o({r_late, r_over_o}));
  core_vectors_t take, take_ahead, take_last, give, give_ahead, give_last;
  wire row_slot, row_slot_real, row_slot_last;
  fx_update #(
`include "fx_parameters_passed.svh"
  ) i_update (
    .clk_i, .rst_ni, .en_i(1'b1), .clear_i(1'b0), .slot_i, .slot_real_i(slot_i), .slot_last_i(1'b0),
    .token_last_i(last_i), .live_last_i, .own_first_i('0), .own_last_i('0), .load_i, .alpha_cls_i(alpha_i[OperandW+1 -: 2]),
    .alpha_i(alpha_i[OperandW-1:0]), .beta_cls_i(beta_i[OperandW+1 -: 2]), .beta_i(beta_i[OperandW-1:0]), .u_i(u_in),
    .r_i(r_in), .p_i(p_in), .q_i(q_in), .take_o(take), .take_ahead_o(take_ahead), .take_last_o(take_last),
    .give_o(give), .give_ahead_o(give_ahead), .give_last_o(give_last), .u_o(u_new), .r_o(r_new), .p_o(p_new),
    .u_over_o(u_over), .r_over_o(r_over), .p_over_o, .row_slot_o(row_slot),
    .row_slot_real_o(row_slot_real), .row_slot_last_o(row_slot_last),
    .residue_i('0), .residue_o(), .beyond_o(), .over_bad_o());

  wire [PW+RW-1+LenW-1:0] pr;
  wire [DotRrW-1:0]       rr;
  fx_dot #(.Lanes(Lanes), .AW(PW), .BW(RW), .TotalW(PW + RW - 1 + LenW), .Style(Style)) i_pr (
    .clk_i, .en_i(1'b1), .clear_i, .valid_i(1'b1), .a_i(p_new), .b_i(r_late), .total_o(pr));
  fx_dot #(.Lanes(Lanes), .AW(RW), .BW(RW), .TotalW(DotRrW), .Square(1), .Style(Style)) i_rr (
    .clk_i, .en_i(1'b1), .clear_i, .valid_i(1'b1), .a_i(r_late), .b_i(r_late), .total_o(rr));
  assign pr_o = 128'($signed(pr));
  assign rr_o = 128'($signed(rr));
  wire unused = &{1'b0, take, take_ahead, take_last, give, give_ahead, give_last, row_slot, row_slot_real,
                  row_slot_last, alpha_i, beta_i};
endmodule
`default_nettype wire
