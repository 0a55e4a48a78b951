/// One lane of the vector updates in words:
///
///     u' = u + rnd_u(alpha p),  r' = r - rnd_r(alpha q),  p' = rnd_p(r') + rnd_p(beta p)
///
/// with a product, a shift, and an adder whose carry in is the half of the rounding. q_i comes at clock 0, and the
/// rest in step with the pipeline: p_i at `FX_P_IN, r_i at `FX_R_IN, u_i at `FX_U_IN; r_o leaves at `FX_R_OUT, u_o at
/// `FX_U_OUT, p_o at `FX_P_OUT. Where a lane holds no element (its live a clock ahead of the word is low) the word is 0.
`include "mantissa.svh"
`default_nettype none
module fx_lane #(
`include "fx_parameters.svh"
  , localparam integer FactorW = `FX_OPERAND_W(OperandFracW),
  localparam integer WideP    = `FX_WIDE_P(RW, RF, PW, PF),
  localparam integer UPosW    = `FX_POSITION_W(OperandFracW, PW, UW),
  localparam integer RPosW    = `FX_POSITION_W(OperandFracW, QW, RW),
  localparam integer PPosW    = `FX_POSITION_W(OperandFracW, PW, WideP),
  localparam integer UBeyondN = `FX_BEYOND_N(OperandFracW, PW, UW),
  localparam integer RBeyondN = `FX_BEYOND_N(OperandFracW, QW, RW),
  localparam integer PBeyondN = `FX_BEYOND_N(OperandFracW, PW, WideP)
) (
  input  wire                clk_i,
  input  wire                en_i,
  input  wire  [FactorW-1:0] u_factor_i,   ///< alpha and beta: see fx_operand
  input  wire  [UPosW-1:0]   u_position_i,
  input  wire  [UBeyondN-1:0] u_beyond_i,
  input  wire  [FactorW-1:0] r_factor_i,
  input  wire  [RPosW-1:0]   r_position_i,
  input  wire  [RBeyondN-1:0] r_beyond_i,
  input  wire  [FactorW-1:0] p_factor_i,
  input  wire  [PPosW-1:0]   p_position_i,
  input  wire  [PBeyondN-1:0] p_beyond_i,
  input  wire  [UW-1:0]      u_i,
  input  wire  [RW-1:0]      r_i,
  input  wire  [PW-1:0]      p_i,
  input  wire  [QW-1:0]      q_i,
  input  wire                u_live_i,     ///< in the clock before u_o
  input  wire                r_live_i,
  input  wire                p_live_i,
  output logic [UW-1:0]      u_o,
  output logic [RW-1:0]      r_o,
  output logic [PW-1:0]      p_o,
  output logic               u_over_o,     ///< with u_o: u' did not fit
  output logic               r_over_o,
  output logic               p_over_o
);
  wire [FactorW+PW-1:0] alpha_p, beta_p;
  wire [FactorW+QW-1:0] alpha_q;
  fx_mul #(.AW(FactorW), .BW(PW), .Style(Style)) i_alpha_p (
    .clk_i, .en_i, .a_i(u_factor_i), .b_i(p_i), .product_o(alpha_p));
  fx_mul #(.AW(FactorW), .BW(QW), .Style(Style)) i_alpha_q (
    .clk_i, .en_i, .a_i(r_factor_i), .b_i(q_i), .product_o(alpha_q));
  fx_mul #(.AW(FactorW), .BW(PW), .Style(Style)) i_beta_p (
    .clk_i, .en_i, .a_i(p_factor_i), .b_i(p_i), .product_o(beta_p));

  wire [UW:0]    ap;
  wire [RW:0]    aq;
  wire [WideP:0] bp;
  wire ap_half, aq_half, bp_half, ap_beyond, aq_beyond, bp_beyond;
  fx_scale #(.M(OperandFracW), .FromW(PW), .OutW(UW), .Down(UDown)) i_scale_u (
    .clk_i, .en_i, .product_i(alpha_p), .position_i(u_position_i), .beyond_i(u_beyond_i), .term_o(ap),
    .half_o(ap_half), .beyond_o(ap_beyond));
  fx_scale #(.M(OperandFracW), .FromW(QW), .OutW(RW), .Down(RDown)) i_scale_r (
    .clk_i, .en_i, .product_i(alpha_q), .position_i(r_position_i), .beyond_i(r_beyond_i), .term_o(aq),
    .half_o(aq_half), .beyond_o(aq_beyond));
  fx_scale #(.M(OperandFracW), .FromW(PW), .OutW(WideP), .Down(PDown)) i_scale_p (
    .clk_i, .en_i, .product_i(beta_p), .position_i(p_position_i), .beyond_i(p_beyond_i), .term_o(bp),
    .half_o(bp_half), .beyond_o(bp_beyond));

  // rnd_p(r')
  localparam integer Cut = RF - PF;
  wire [WideP-1:0] r_in_p;
  generate
    if (Cut <= 0) begin : g_whole
      assign r_in_p = WideP'($signed({r_o, {(1-Cut){1'b0}}}) >>> 1);
    end else begin : g_cut
      localparam integer Keep = (RW > Cut) ? RW - Cut : 1;
      wire [Keep+Cut-1:0] r = (Keep+Cut)'($signed(r_o));
      wire half = (PDown == 0) & r[Cut-1];
      wire unused_below;
      wire [Keep:0] rounded;
      assign {rounded, unused_below} = {r[Keep+Cut-1], r[Keep+Cut-1:Cut], 1'b1} + {{(Keep+1){1'b0}}, half};
      assign r_in_p = WideP'($signed(rounded));
    end
  endgenerate

  // The carry in comes by way of one more bit below.
  wire [UW+1:0]    u_sum;
  wire [RW+1:0]    r_sum;
  wire [WideP+1:0] p_sum;
  wire [RW+1:0]    aq_wide = (RW+2)'($signed(aq));
  wire u_below, r_below, p_below;
  assign {u_sum, u_below} = {(UW+2)'($signed(u_i)), 1'b1} + {(UW+2)'($signed(ap)), ap_half};
  assign {r_sum, r_below} = {(RW+2)'($signed(r_i)), 1'b1} + {~aq_wide, ~aq_half};
  assign {p_sum, p_below} = {(WideP+2)'($signed(r_in_p)), 1'b1} + {(WideP+2)'($signed(bp)), bp_half};
  always_ff @(posedge clk_i)
    if (en_i) begin
      u_o <= u_live_i ? u_sum[UW-1:0] : '0;
      r_o <= r_live_i ? r_sum[RW-1:0] : '0;
      p_o <= p_live_i ? p_sum[PW-1:0] : '0;
      u_over_o <= u_live_i & (ap_beyond | ~(&u_sum[UW+1:UW-1] | ~|u_sum[UW+1:UW-1]));
      r_over_o <= r_live_i & (aq_beyond | ~(&r_sum[RW+1:RW-1] | ~|r_sum[RW+1:RW-1]));
      p_over_o <= p_live_i & (bp_beyond | ~(&p_sum[WideP+1:PW-1] | ~|p_sum[WideP+1:PW-1]));
    end
  wire unused = &{1'b0, u_below, r_below, p_below};
endmodule
`default_nettype wire
