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
  localparam integer FromMost = `MAX2(PW, QW),
  localparam integer OutMost  = `MAX3(UW, RW, WideP),
  localparam integer UMoveW   = `FX_MOVE_W(OperandFracW, FromMost, OutMost, UW),
  localparam integer RMoveW   = `FX_MOVE_W(OperandFracW, FromMost, OutMost, RW),
  localparam integer PMoveW   = `FX_MOVE_W(OperandFracW, FromMost, OutMost, WideP)
) (
  input  wire                clk_i,
  input  wire                en_i,
  input  wire  [FactorW-1:0] u_factor_i,   ///< alpha and beta: see fx_operand
  input  wire  [UMoveW-1:0]  u_move_i,
  input  wire  [FactorW-1:0] r_factor_i,
  input  wire  [RMoveW-1:0]  r_move_i,
  input  wire  [FactorW-1:0] p_factor_i,
  input  wire  [PMoveW-1:0]  p_move_i,
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
  output logic               p_over_o,
  output logic [FactorW+PW-1:0] alpha_p_o, ///< for the checks: products,
  output logic [FactorW+QW-1:0] alpha_q_o,
  output logic [FactorW+PW-1:0] beta_p_o,
  output logic [UW+2+RW+2+WideP+2-1:0] sum_o, ///< of {p, u, r}, a clock before the words: what they are cut from,
  output logic               beyond_o,     ///< with the words: a term was cut already,
  output logic               p_beyond_o,   ///< that of p'
  output logic [2:0]         half_o,       ///< and of {p, u, r}, a clock before p', u' or r': a half is added, of r' taken away
  output wire  [2:0]         longer_o,     ///< {p, u, r}: what the registers that say where a term is cut will be, and are
  output wire  [2:0]         longer_q_o
);
  wire [FactorW+PW-1:0] alpha_p, beta_p;
  wire [FactorW+QW-1:0] alpha_q;
  fx_mul #(.AW(FactorW), .BW(PW), .Style(Style)) i_alpha_p (
    .clk_i, .en_i, .a_i(u_factor_i), .b_i(p_i), .product_o(alpha_p));
  fx_mul #(.AW(FactorW), .BW(QW), .Style(Style)) i_alpha_q (
    .clk_i, .en_i, .a_i(r_factor_i), .b_i(q_i), .product_o(alpha_q));
  fx_mul #(.AW(FactorW), .BW(PW), .Style(Style)) i_beta_p (
    .clk_i, .en_i, .a_i(p_factor_i), .b_i(p_i), .product_o(beta_p));

`ifdef LEAN_LANES
  // Whether the words are other than 0, beside their products, which take one clock.
  logic p_nonzero, q_nonzero;
  always_ff @(posedge clk_i)
    if (en_i) begin
      p_nonzero <= |p_i;
      q_nonzero <= |q_i;
    end
  // Terms with their halves, as fx_add takes them: -aq, less one, for r'.
  wire [UW+1:0]    ap;
  wire [RW+1:0]    aq;
  wire [WideP+1:0] bp;
  wire [UW+2:0]    u_keep, u_else;
  wire [RW+2:0]    r_keep, r_else;
  wire [WideP+2:0] p_keep, p_else;
  wire ap_beyond, aq_beyond, bp_beyond;
  fx_term #(.M(OperandFracW), .FromW(PW), .OutW(UW), .FromMost(FromMost), .OutMost(OutMost), .Down(UDown)) i_term_u (
    .clk_i, .en_i, .product_i(alpha_p), .nonzero_i(p_nonzero), .move_i(u_move_i), .term_o(ap), .keep_o(u_keep),
    .else_o(u_else), .beyond_o(ap_beyond));
  fx_term #(.M(OperandFracW), .FromW(QW), .OutW(RW), .FromMost(FromMost), .OutMost(OutMost), .Down(RDown),
            .Negate(1)) i_term_r (
    .clk_i, .en_i, .product_i(alpha_q), .nonzero_i(q_nonzero), .move_i(r_move_i), .term_o(aq), .keep_o(r_keep),
    .else_o(r_else), .beyond_o(aq_beyond));
  fx_term #(.M(OperandFracW), .FromW(PW), .OutW(WideP), .FromMost(FromMost), .OutMost(OutMost), .Down(PDown)) i_term_p (
    .clk_i, .en_i, .product_i(beta_p), .nonzero_i(p_nonzero), .move_i(p_move_i), .term_o(bp), .keep_o(p_keep),
    .else_o(p_else), .beyond_o(bp_beyond));
  assign {longer_o, longer_q_o} = '0; // no checks here
`else
  // Terms with their halves: -aq, less one, for r'.
  wire [UW+1:0]    ap;
  wire [RW+1:0]    aq;
  wire [WideP+1:0] bp;
  wire ap_fill, aq_fill, bp_fill, ap_beyond, aq_beyond, bp_beyond;
  fx_scale #(.M(OperandFracW), .FromW(PW), .OutW(UW), .FromMost(FromMost), .OutMost(OutMost), .Down(UDown)) i_scale_u (
    .clk_i, .en_i, .product_i(alpha_p), .move_i(u_move_i), .term_o(ap), .fill_o(ap_fill), .beyond_o(ap_beyond),
    .longer_o(longer_o[1]));
  fx_scale #(.M(OperandFracW), .FromW(QW), .OutW(RW), .FromMost(FromMost), .OutMost(OutMost), .Down(RDown),
             .Negate(1)) i_scale_r (
    .clk_i, .en_i, .product_i(alpha_q), .move_i(r_move_i), .term_o(aq), .fill_o(aq_fill), .beyond_o(aq_beyond),
    .longer_o(longer_o[0]));
  fx_scale #(.M(OperandFracW), .FromW(PW), .OutW(WideP), .FromMost(FromMost), .OutMost(OutMost), .Down(PDown)) i_scale_p (
    .clk_i, .en_i, .product_i(beta_p), .move_i(p_move_i), .term_o(bp), .fill_o(bp_fill), .beyond_o(bp_beyond),
    .longer_o(longer_o[2]));
  assign longer_q_o = {bp_beyond, ap_beyond, aq_beyond};
`endif

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

`ifndef LEAN_LANES
  // Which bits of a half and a term are the product's: see fx_move.
  wire [UW+2:0]    u_keep = u_move_i[`FX_TURN_W(OperandFracW, FromMost, OutMost, UW) +: UW+3];
  wire [RW+2:0]    r_keep = r_move_i[`FX_TURN_W(OperandFracW, FromMost, OutMost, RW) +: RW+3];
  wire [WideP+2:0] p_keep = p_move_i[`FX_TURN_W(OperandFracW, FromMost, OutMost, WideP) +: WideP+3];
`endif

  // A half carries into what is added to from one bit below.
  wire [UW+1:0]    u_sum;
  wire [RW+1:0]    r_sum;
  wire [WideP+1:0] p_sum;
  wire u_below, r_below, p_below;
`ifdef LEAN_LANES
  fx_add #(.W(UW + 3)) i_add_u (
    .a_i({(UW+2)'($signed(u_i)), 1'b1}), .t_i({ap[UW+1], ap}), .keep_i(u_keep), .else_i(u_else),
    .sum_o({u_sum, u_below}));
  fx_add #(.W(RW + 3), .NotT(`FX_SHIFT_BLOCKS(OperandFracW, FromMost, RW, RDown))) i_add_r (
    .a_i({(RW+2)'($signed(r_i)), 1'b1}), .t_i({aq[RW+1], aq}), .keep_i(r_keep), .else_i(r_else),
    .sum_o({r_sum, r_below}));
  fx_add #(.W(WideP + 3)) i_add_p (
    .a_i({(WideP+2)'($signed(r_in_p)), 1'b1}), .t_i({bp[WideP+1], bp}), .keep_i(p_keep), .else_i(p_else),
    .sum_o({p_sum, p_below}));
`else
  fx_add #(.W(UW + 3)) i_add_u (
    .a_i({(UW+2)'($signed(u_i)), 1'b1}), .t_i({ap[UW+1], ap}), .keep_i(u_keep), .else_i({(UW+3){ap_fill}}),
    .sum_o({u_sum, u_below}));
  fx_add #(.W(RW + 3)) i_add_r (
    .a_i({(RW+2)'($signed(r_i)), 1'b1}), .t_i({aq[RW+1], aq}), .keep_i(r_keep), .else_i({(RW+3){aq_fill}}),
    .sum_o({r_sum, r_below}));
  fx_add #(.W(WideP + 3)) i_add_p (
    .a_i({(WideP+2)'($signed(r_in_p)), 1'b1}), .t_i({bp[WideP+1], bp}), .keep_i(p_keep), .else_i({(WideP+3){bp_fill}}),
    .sum_o({p_sum, p_below}));
`endif
  assign alpha_p_o = alpha_p;
  assign alpha_q_o = alpha_q;
  assign beta_p_o  = beta_p;
  assign sum_o     = {p_sum, u_sum, r_sum};
  always_ff @(posedge clk_i)
    if (en_i) begin
      beyond_o   <= (p_live_i & bp_beyond) | (u_live_i & ap_beyond) | (r_live_i & aq_beyond);
      p_beyond_o <= p_live_i & bp_beyond;
    end
  assign half_o    = {~p_below, ~u_below, r_below};
  always_ff @(posedge clk_i)
    if (en_i) begin
      u_o <= u_live_i ? u_sum[UW-1:0] : '0;
      r_o <= r_live_i ? r_sum[RW-1:0] : '0;
      p_o <= p_live_i ? p_sum[PW-1:0] : '0;
      u_over_o <= u_live_i & (ap_beyond | ~(&u_sum[UW+1:UW-1] | ~|u_sum[UW+1:UW-1]));
      r_over_o <= r_live_i & (aq_beyond | ~(&r_sum[RW+1:RW-1] | ~|r_sum[RW+1:RW-1]));
      p_over_o <= p_live_i & (bp_beyond | ~(&p_sum[WideP+1:PW-1] | ~|p_sum[WideP+1:PW-1]));
    end
  wire unused = &{1'b0, u_move_i, r_move_i, p_move_i};
endmodule
`default_nettype wire
