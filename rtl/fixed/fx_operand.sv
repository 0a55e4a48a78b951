/// alpha or beta in front of words, once a pass: a multiplier and a shift that is a multiple of Step.
///
///     s a 2^-shift, s the significand of M + 1 bits, shift = FromF - ToF - exponent: from the words' grid onto another
///
/// The multiplier has MulW bits, more than s and its sign need, so s is shifted left there by up to Step - 1 places, and
/// fx_scale moves products by multiples of Step only: position_o is how far, counted from the longest shift to the left. From OutW places to the left on nothing is left of a word's low bits, and from FromW + M + 1 to the right
/// only its sign: beyond these the shift stands.
///
/// Two clocks from load_i to the outputs, which stand then.
`include "mantissa.svh"
`default_nettype none
module fx_operand #(
  parameter integer E     = 8,  ///< the operand format s<M>e<E>
  parameter integer M     = 13,
  parameter integer FromW = 18, ///< bits and fraction bits of the words that it meets
  parameter integer FromF = 16,
  parameter integer OutW  = 18, ///< and of the words that the product is added to
  parameter integer ToF   = 16,
  localparam integer MulW   = `FX_OPERAND_W(M),
  localparam integer PosW   = `FX_POSITION_W(M, FromW, OutW),
  localparam integer BeyondN = `FX_BEYOND_N(M, FromW, OutW)
) (
  input  wire                clk_i,
  input  wire                load_i,
  input  wire  [1:0]         cls_i,
  input  wire  [E+M:0]       word_i,
  output logic [MulW-1:0]    factor_o,
  output logic [PosW-1:0]    position_o,
  output logic [BeyondN-1:0] beyond_o   ///< for fx_scale: position_o <= k
);
  localparam integer Step  = `FX_OPERAND_STEP(M);
  localparam integer K     = $clog2(Step);
  localparam integer Least = `FX_POSITION_LEAST(M, OutW); // the longest shift to the left is -Least Step
  localparam integer Base  = FromF - ToF + `BIAS(E) + M - Step * Least + Step - 1;
  localparam integer High  = FromW + M + 1 - Step * Least + Step - 1; // place_q at most,
  localparam integer Low   = Step - 1 - OutW - Step * Least;          // and at least
  localparam integer BaseW = $clog2(((Base < 0) ? -Base : Base) + (1 << E) + 1) + 1;
  localparam integer PlaceW = PosW + K;

  // The shift to the right, from the longest one to the left on, plus Step - 1.
  wire signed [BaseW-1:0] place = BaseW'(Base) - $signed(BaseW'({1'b0, word_i[E+M-1:M]}));
  logic [PlaceW-1:0] place_q;
  logic [M:0]        sig_q;
  logic              neg_q, load_q;
  always_ff @(posedge clk_i) begin
    load_q <= load_i;
    if (load_i) begin
      place_q <= (place < $signed(BaseW'(Low))) ? PlaceW'(Low) : (place > $signed(BaseW'(High))) ? PlaceW'(High) : PlaceW'(place);
      sig_q   <= {1'b1, word_i[M-1:0]} & {(M+1){cls_i == `CLS_FINITE}};
      neg_q   <= word_i[E+M] & cls_i == `CLS_FINITE;
    end
  end

  wire [MulW-1:0] moved;
  wire [PosW-1:0] position = place_q[PlaceW-1:K];
  generate
    if (K == 0) begin : g_still
      assign moved = MulW'(sig_q);
    end else begin : g_moved
      assign moved = MulW'(sig_q) << (~place_q[K-1:0]);
    end
  endgenerate
  wire [MulW-1:0] factor;
  wire            unused;
  assign {factor, unused} = {moved ^ {MulW{neg_q}}, 1'b1} + {{MulW{1'b0}}, neg_q};
  genvar k;
  always_ff @(posedge clk_i)
    if (load_q) begin
      factor_o   <= factor;
      position_o <= position;
    end
  generate
    for (k = 0; k < BeyondN; k = k + 1) begin : g_beyond
      always_ff @(posedge clk_i) if (load_q) beyond_o[k] <= position <= PosW'(`MIN2(k, (1 << PosW) - 1));
    end
  endgenerate
endmodule
`default_nettype wire
