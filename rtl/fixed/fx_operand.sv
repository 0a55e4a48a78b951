/// alpha and beta in front of words, once a pass: for each of u', r' and p' a multiplier and a shift that is a multiple of
/// Step.
///
///     s a 2^-shift, s the significand of M + 1 bits, shift = FromF - ToF - exponent: from the words' grid onto another
///
/// The multiplier has more bits than s and its sign need, so s is shifted left there by up to Step - 1 places, and
/// fx_scale moves products by multiples of Step only: the position is how far, counted from the longest shift to the
/// left. From the bits of the word that is added to on, nothing is left of the low bits of a word moved left; and from
/// the bits of the word multiplied and M + 1 on, only the sign of one moved right: beyond these the shift stands.
///
/// One unit for the three, one after another: r' three clocks after load_i, u' four, p' five. All stand then.
`include "mantissa.svh"
`default_nettype none
module fx_operand #(
`include "fx_parameters.svh"
  , localparam integer M       = OperandFracW,
  localparam integer FactorW = `FX_OPERAND_W(M),
  localparam integer WideP    = `FX_WIDE_P(RW, RF, PW, PF),
  localparam integer FromMost = `MAX2(PW, QW),
  localparam integer OutMost  = `MAX3(UW, RW, WideP),
  localparam integer UMoveW   = `FX_MOVE_W(M, FromMost, OutMost, UW),
  localparam integer RMoveW   = `FX_MOVE_W(M, FromMost, OutMost, RW),
  localparam integer PMoveW   = `FX_MOVE_W(M, FromMost, OutMost, WideP)
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,
  input  wire                 load_i,
  input  wire  [1:0]          alpha_cls_i,
  input  wire  [OperandW-1:0] alpha_i,
  input  wire  [1:0]          beta_cls_i,
  input  wire  [OperandW-1:0] beta_i,
  output logic [FactorW-1:0]  u_factor_o,
  output logic [UMoveW-1:0]   u_move_o,     ///< for fx_scale: see fx_move
  output logic [FactorW-1:0]  r_factor_o,
  output logic [RMoveW-1:0]   r_move_o,
  output logic [FactorW-1:0]  p_factor_o,
  output logic [PMoveW-1:0]   p_move_o,
  output logic [FactorW-1:0]  factor_o,     ///< for the checks: what is stored when store_o, of {p, u, r}, is high
  output logic [`FX_POSITION_W(M, FromMost, OutMost)-1:0] position_o,
  output logic [2:0]          store_o
);
  localparam integer E    = OperandExpW;
  localparam integer Step = `FX_OPERAND_STEP(M);
  localparam integer K    = $clog2(Step);
  // A place is the shift to the right, from the longest one to the left on, plus Step - 1: Base - exponent.
  localparam integer Zero = Step * `FX_BASE(M, OutMost) + Step - 1; // the place of no shift
  function automatic integer base_of(input integer from_f, input integer to_f);
    base_of = from_f - to_f + `BIAS(E) + M + Zero;
  endfunction
  function automatic integer high_of(input integer from_w); // a place at most,
    high_of = from_w + M + 1 + Zero;
  endfunction
  function automatic integer low_of(input integer out_w); // and at least
    low_of = Zero - out_w;
  endfunction
  localparam integer BaseR = base_of(QF, RF);
  localparam integer BaseU = base_of(PF, UF);
  localparam integer BaseP = base_of(PF, PF);
  localparam integer HighR = high_of(QW);
  localparam integer HighU = high_of(PW);
  localparam integer HighP = high_of(PW);
  localparam integer Most  = `MAX2(`MAX3((BaseR < 0) ? -BaseR : BaseR, (BaseU < 0) ? -BaseU : BaseU,
                                         (BaseP < 0) ? -BaseP : BaseP), `MAX3(HighR, HighU, HighP));
  localparam integer BaseW  = $clog2(Most + (1 << E) + 1) + 1;
  localparam integer PosW   = `FX_POSITION_W(M, FromMost, OutMost);
  localparam integer PlaceW = PosW + K;

  logic [2:0] turn_q, clamp_q, store_q; // of r, u, p: the place; between its ends; stored
  wire  [2:0] turn = load_i ? 3'b001 : turn_q;
  always_ff @(posedge clk_i) begin
    turn_q  <= rst_ni ? turn << 1 : 3'b000;
    clamp_q <= rst_ni ? turn : 3'b000;
    store_q <= rst_ni ? clamp_q : 3'b000;
  end

  wire [E-1:0] exponent = turn[2] ? beta_i[E+M-1:M] : alpha_i[E+M-1:M];
  wire signed [BaseW-1:0] base = turn[0] ? BaseW'(BaseR) : turn[1] ? BaseW'(BaseU) :
                                 BaseW'(BaseP);
  // Where it stands to the least and to the most a place can be is known as soon as it is, from borrows of their own.
  wire signed [BaseW+1:0] to_low  = turn[0] ? (BaseW+2)'(BaseR - low_of(RW)) : turn[1] ? (BaseW+2)'(BaseU - low_of(UW)) :
                                    (BaseW+2)'(BaseP - low_of(WideP));
  wire signed [BaseW+1:0] to_high = turn[0] ? (BaseW+2)'(BaseR - HighR) : turn[1] ? (BaseW+2)'(BaseU - HighU) :
                                    (BaseW+2)'(BaseP - HighP);
  wire signed [BaseW+1:0] above_low  = to_low - $signed((BaseW+2)'({1'b0, exponent}));
  wire signed [BaseW+1:0] below_high = $signed((BaseW+2)'({1'b0, exponent})) - to_high;
  logic signed [BaseW-1:0] raw_q;
  logic low_q, high_q;
  always_ff @(posedge clk_i)
    if (|turn) begin
      raw_q  <= base - $signed(BaseW'({1'b0, exponent}));
      low_q  <= above_low[BaseW+1];
      high_q <= below_high[BaseW+1];
    end

  wire [OperandW-1:0] word   = clamp_q[2] ? beta_i : alpha_i;
  wire                finite = (clamp_q[2] ? beta_cls_i : alpha_cls_i) == `CLS_FINITE;
  wire signed [BaseW-1:0] high = clamp_q[0] ? BaseW'(HighR) : clamp_q[1] ? BaseW'(HighU) :
                                 BaseW'(HighP);
  wire signed [BaseW-1:0] low  = clamp_q[0] ? BaseW'(low_of(RW)) : clamp_q[1] ? BaseW'(low_of(UW)) :
                                 BaseW'(low_of(WideP));
`ifdef LEAN_LANES
  // What is no number is 0, which fits at any place: not at one too far to the left for any other.
  wire [PlaceW-1:0] place = (low_q & finite) ? PlaceW'(low) : (high_q | ~finite) ? PlaceW'(high) : PlaceW'(raw_q);
`endif
  logic [PlaceW-1:0] place_q;
  logic [M:0]        sig_q;
  logic              neg_q;
  always_ff @(posedge clk_i)
    if (|clamp_q) begin
`ifdef LEAN_LANES
      place_q <= place;
`else
      place_q <= low_q ? PlaceW'(low) : high_q ? PlaceW'(high) : PlaceW'(raw_q);
`endif
      sig_q   <= {1'b1, word[M-1:0]} & {(M+1){finite}};
      neg_q   <= word[E+M] & finite;
    end

`ifdef LEAN_LANES
  // For fx_blocks: where no product but 0 fits, how many more steps to the left the factor is moved itself, its low bits kept.
  // Eight leave none of them.
  function automatic [3:0] far_of(input integer at, input integer blocks, input integer least);
    begin
      far_of = (blocks == 0 || at >= least) ? 4'd0 : (least - at > 8) ? 4'd8 : 4'(least - at);
    end
  endfunction
  localparam integer Base = `FX_BASE(M, OutMost);
  logic [3:0] far, far_q;
  always_comb begin // a table
    far = 4'd0;
    for (int at = 0; at < Base; at = at + 1)
      if (place[PlaceW-1:K] == PosW'(at))
        far = clamp_q[0] ? far_of(at, `FX_SHIFT_BLOCKS(M, FromMost, RW, RDown), Base + `FX_SHIFT_LEAST(M, RW)) :
              clamp_q[1] ? far_of(at, `FX_SHIFT_BLOCKS(M, FromMost, UW, UDown), Base + `FX_SHIFT_LEAST(M, UW)) :
              far_of(at, `FX_SHIFT_BLOCKS(M, FromMost, WideP, PDown), Base + `FX_SHIFT_LEAST(M, WideP));
  end
  always_ff @(posedge clk_i) if (|clamp_q) far_q <= far;
`endif

  wire unused_ends = &{1'b0, above_low, below_high, raw_q, high, low}; // a place is shorter than the way to it

  wire [FactorW-1:0] moved;
  wire [PosW-1:0] position = place_q[PlaceW-1:K];
  generate
    if (K == 0) begin : g_still
      assign moved = FactorW'(sig_q);
`ifdef LEAN_LANES
      wire unused = &{1'b0, far_q}; // no blocks with such an operand
`endif
    end else begin : g_moved
`ifdef LEAN_LANES
      wire [FactorW-1:0] near = FactorW'(sig_q) << (~place_q[K-1:0]);
      assign moved = (near << (Step * 32'(far_q[2:0]))) & {FactorW{~far_q[3]}};
`else
      assign moved = FactorW'(sig_q) << (~place_q[K-1:0]);
`endif
    end
  endgenerate
  wire [FactorW-1:0] factor;
  wire               unused_below;
  assign {factor, unused_below} = {moved ^ {FactorW{neg_q}}, 1'b1} + {{FactorW{1'b0}}, neg_q};
  assign factor_o   = factor;
  assign position_o = position;
  assign store_o    = store_q;
  wire [RMoveW-1:0] r_move;
  wire [UMoveW-1:0] u_move;
  wire [PMoveW-1:0] p_move;
  fx_move #(.M(M), .FromMost(FromMost), .OutMost(OutMost), .OutW(RW), .Down(RDown)) i_r (
    .position_i(position), .move_o(r_move));
  fx_move #(.M(M), .FromMost(FromMost), .OutMost(OutMost), .OutW(UW), .Down(UDown)) i_u (
    .position_i(position), .move_o(u_move));
  fx_move #(.M(M), .FromMost(FromMost), .OutMost(OutMost), .OutW(WideP), .Down(PDown)) i_p (
    .position_i(position), .move_o(p_move));
  always_ff @(posedge clk_i) begin
    if (store_q[0]) begin
      r_factor_o <= factor;
      r_move_o   <= r_move;
    end
    if (store_q[1]) begin
      u_factor_o <= factor;
      u_move_o   <= u_move;
    end
    if (store_q[2]) begin
      p_factor_o <= factor;
      p_move_o   <= p_move;
    end
  end
endmodule
`default_nettype wire
