/// The scalar unit's rounding: what a division, a multiplication, scalar_normalise or a floating total leaves becomes a
/// scalar. In the first clock the one of them is taken, and it is known whether the fraction goes up; in the second,
/// word_o and valid_o; in the third, written_o, what is stored, and what it is.
`include "mantissa.svh"
`include "scalar_program.svh"
`default_nettype none
module scalar_round #(
  parameter integer E = 11,
  parameter integer M = 52,
  parameter integer Rne = 0,
  parameter integer Integer = 0,
  parameter integer SumExpW = 11,
  parameter integer SumFracW = 52,
  parameter integer TotalW = 66,
  parameter integer TagW = 6,
  localparam integer SW = E + M + 1,
  localparam integer StepExpW = E + 3,
  localparam integer MoveExpW = `MAX2(E, 10) + 3,
  localparam integer ExpW = `MAX2(MoveExpW, SumExpW + 3)
) (
  input  wire                        clk_i,
  input  wire                        rst_ni,
  input  wire                    awake_i, ///< low: nothing is here, and nothing comes (for AWAKE)
  input  wire                        quotient_i,
  input  wire                        product_i,
  input  wire  [M:0]                 quotient_sig_i,
  input  wire  [M:0]                 product_sig_i,
  input  wire                        product_rest_i,
  input  wire                        steps_sign_i,
  input  wire  [1:0]                 steps_cls_i,
  input  wire  signed [StepExpW-1:0] steps_exp_i,
  input  wire  [TagW-1:0]            steps_tag_i,
  input  wire                        moved_i,
  input  wire  [M+1:0]               moved_sig_i,
  input  wire                        moved_rest_i,
  input  wire                        moved_fill_i,
  input  wire                        moved_sign_i,
  input  wire  [1:0]                 moved_cls_i,
  input  wire  signed [MoveExpW-1:0] moved_exp_i,
  input  wire  [TagW-1:0]            moved_tag_i,
  input  wire                        float_i,     ///< floating totals: one is there,
  input  wire  [1:0]                 float_at_i,  ///< this one,
  input  wire  [3*TotalW-1:0]        totals_i,    ///< of these
  input  wire  [TagW-1:0]            float_tag_i,
  output logic                       valid_o,
  output logic [SW-1:0]              word_o,      ///< right but where a negative total leaves the range toward zero
  output logic [TagW-1:0]            tag_o,
  output logic                       written_o,
  output logic [SW-1:0]              written_word_o,
  output logic [TagW-1:0]            written_tag_o,
  output logic                       guarded_o    ///< with written_o: was negative, and must not be
);
  // ---- A floating total: one that is longer leaves a rest ------------------------------------------------------------
  wire [M:0]              float_sig;
  wire                    float_rest;
  wire [SumExpW+SumFracW+2:0] total;
  generate
    if (Integer == 0) begin : g_float
      assign total = (float_at_i == 2'd0) ? totals_i[0 +: SumExpW+SumFracW+3] :
                     (float_at_i == 2'd1) ? totals_i[TotalW +: SumExpW+SumFracW+3] :
                                            totals_i[2*TotalW +: SumExpW+SumFracW+3];
      if (SumFracW > M) begin : g_cut
        assign float_sig  = total[SumFracW-1 -: M+1];
        assign float_rest = |(total[SumFracW-1:0] << (M + 1));
      end else begin : g_pad
        assign float_sig  = (M+1)'(total[SumFracW-1:0]) << (M + 1 - SumFracW);
        assign float_rest = 1'b0;
      end
    end else begin : g_integer
      assign total      = '0;
      assign float_sig  = '0;
      assign float_rest = 1'b0;
      wire unused = &{1'b0, float_at_i, totals_i, float_tag_i};
    end
  endgenerate
  wire floating = float_i & (Integer == 0);
  localparam integer Rebias = `BIAS(E) - `BIAS(SumExpW);

  // ---- Taking it ---------------------------------------------------------------------------------------------------
  // Up: a half and more of the last place kept. Of a complement one less is known; where all that is not kept is ones, one
  // more makes one of the last place.
  function automatic goes_up(input last, input next, input rest, input fill);
    if (Rne != 0) goes_up = fill ? next | (~rest & last) : next & (rest | last);
    else goes_up = fill & next & ~rest;
  endfunction
  logic [M-1:0]           frac_q;
  logic                   up_q, fill_q, sign_q, guard_q;
  logic [1:0]             cls_q;
  logic signed [ExpW-1:0] exp_q;
  task automatic take;
    logic nothing;
    begin
      if (moved_i) begin
        nothing = moved_cls_i == `CLS_FINITE & ~moved_sig_i[M+1];
        frac_q <= moved_sig_i[M:1];
        up_q   <= goes_up(moved_sig_i[1], moved_sig_i[0], moved_rest_i, moved_fill_i);
        fill_q <= moved_fill_i;
        sign_q <= moved_sign_i & ~nothing;
        cls_q  <= nothing ? `CLS_ZERO : moved_cls_i;
        exp_q  <= ExpW'(moved_exp_i);
        tag_o  <= moved_tag_i;
      end else if (floating) begin
        frac_q <= float_sig[M:1];
        up_q   <= goes_up(float_sig[1], float_sig[0], float_rest, 1'b0);
        fill_q <= 1'b0;
        sign_q <= total[SumExpW+SumFracW];
        cls_q  <= total[SumExpW+SumFracW+2 -: 2];
        exp_q  <= $signed(ExpW'(total[SumExpW+SumFracW-1 -: SumExpW])) + $signed(ExpW'(Rebias));
        tag_o  <= float_tag_i;
      end else begin
        frac_q <= product_i ? product_sig_i[M:1] : quotient_sig_i[M:1];
        up_q   <= product_i ? goes_up(product_sig_i[1], product_sig_i[0], product_rest_i, 1'b0)
                            : goes_up(1'b1, quotient_sig_i[0], 1'b1, 1'b0);
        fill_q <= 1'b0;
        sign_q <= steps_sign_i;
        cls_q  <= steps_cls_i;
        exp_q  <= ExpW'(steps_exp_i);
        tag_o  <= steps_tag_i;
      end
    end
  endtask
  wire any = quotient_i | product_i | moved_i | floating;
  always_ff @(posedge clk_i) `AWAKE(awake_i) if (any) take();

  // ---- Rounding ----------------------------------------------------------------------------------------------------
  // The exponent and the fraction count up together. As fp_round, but that the range is that of the number before, which
  // is enough: what comes to the range's end by rounding is an infinity as it stands, or the smallest normal number.
  wire guarded = tag_o[2:0] == `SCALAR_GUARDED & sign_q & ~(&cls_q);
  always_comb begin : p_round
    logic [E+M-1:0] sum;
    logic below, empty, over, nan, infinite, zero, largest;
    word_o = {SW{1'bx}};
    sum    = {(E+M){1'bx}};
    {below, empty, over, nan, infinite, zero, largest} = 7'bx;
    if (valid_o) begin
      sum      = {exp_q[E-1:0], frac_q} + {{(E+M-1){1'b0}}, up_q};
      below    = exp_q[ExpW-1];
      empty    = ~(|exp_q[ExpW-2:0]);
      over     = ~below & ((|exp_q[ExpW-2:E]) | (&exp_q[E-1:0]));
      nan      = &cls_q;
      infinite = (cls_q == `CLS_INF) | (cls_q == `CLS_FINITE & over & (Rne != 0));
      zero     = (cls_q == `CLS_ZERO) | (cls_q == `CLS_FINITE & below);
      largest  = cls_q == `CLS_FINITE & over & (Rne == 0);
      word_o   = {sign_q & ~nan, sum};
      // A carry into an exponent of 0 leaves no fraction either.
      if (zero | infinite | nan | (cls_q == `CLS_FINITE & empty)) word_o[M-1:0] = '0;
      if (largest) word_o[M-1:0] = '1;
      if (zero) word_o[E+M-1:M] = '0;
      if (infinite | nan | largest) word_o[E+M-1:M] = '1;
      if (largest) word_o[M] = 1'b0;
      if (nan) word_o[M-1] = 1'b1;
      if (guarded) word_o = '0;
    end
  end

  // ---- Storing it --------------------------------------------------------------------------------------------------
  logic [SW-1:0] word_q;
  logic          late_q; // a carry, toward zero, that may have left the range
  always_ff @(posedge clk_i) `AWAKE(awake_i)
    if (valid_o) begin
      word_q        <= word_o;
      late_q        <= (Rne == 0) & (Integer != 0) & up_q & cls_q == `CLS_FINITE;
      written_tag_o <= tag_o;
      guarded_o     <= guarded;
    end
  wire leaves = late_q & (&word_q[E+M-1:M]);
  assign written_word_o = leaves ? {word_q[SW-1], {(E-1){1'b1}}, 1'b0, {M{1'b1}}} : word_q;
  always_ff @(posedge clk_i) `AWAKE(awake_i)
    if (!rst_ni) begin
      valid_o   <= 1'b0;
      written_o <= 1'b0;
    end else begin
      valid_o   <= any;
      written_o <= valid_o;
    end
  wire unused = &{1'b0, fill_q};
  wire unused_awake = &{1'b0, awake_i};
endmodule
`default_nettype wire
