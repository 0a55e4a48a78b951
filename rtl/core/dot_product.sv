/// One dot product over a pass: Lanes products per clock into one accumulator per lane, closed on close_i.
///
/// Float: term = product rounded to the format Term (Exact: to that of the sums, which must be wide enough to hold it),
/// accumulated in the format Sum; lanes fold by halves after their partial sums. Fixed: term = exact product, or the
/// rounded one when Exact is 0, truncated to the window's grid.
///   close_i   at the earliest `MUL_LATENCY + `ADD_LATENCY + 3 (both kinds) clocks after the last token
///   done_o    the result is there and stays until clear_i or subtract_i
///   subtract_i  float: the result becomes other_i - result, `ADD_LATENCY + 2 clocks before subtracted_o; the
///             accumulator's adder serves whoever needs one after a pass
`include "mantissa.svh"
`default_nettype none
module dot_product #(
`include "core_parameters.svh"
  , parameter integer AExpW = 8, ///< format of a
  parameter integer AFracW = 23,
  parameter integer BExpW = 8, ///< of b
  parameter integer BFracW = 23
) (
  input  wire                        clk_i,
  input  wire                        rst_ni,
  input  wire                        en_i,
  input  wire                        clear_i,
  input  wire                        valid_i,
  input  wire  [Lanes-1:0]           live_i, ///< lanes that hold an element
  input  wire  [Lanes*2-1:0]         a_cls_i,
  input  wire  [Lanes*(AExpW+AFracW+1)-1:0] a_i,
  input  wire  [Lanes*2-1:0]         b_cls_i,
  input  wire  [Lanes*(BExpW+BFracW+1)-1:0] b_i,
  input  wire                        close_i,
  input  wire                        subtract_i,
  input  wire  [DotW-1:0]            other_i,
  output logic                       subtracted_o,
  output logic                       done_o,
  output logic [DotW-1:0]            result_o, ///< fixed: the sum; float: {class, word}
  output logic                       over_o    ///< fixed: some term was outside the window
);
  localparam integer AW = AExpW + AFracW + 1;
  localparam integer BW = BExpW + BFracW + 1;
  // Terms that reach float accumulators: exact ones have the accumulators' format.
  localparam integer AsSum = (Exact != 0 && Fixed == 0) ? 1 : 0;
  localparam integer FormExpW  = (AsSum != 0) ? SumExpW : TermExpW;
  localparam integer FormFracW = (AsSum != 0) ? SumFracW : TermFracW;
  localparam integer Raw = (Fixed != 0 && Exact != 0) ? 1 : 0; // products go on as they leave the multiplier
  localparam integer TermLatency = (Fixed == 0) ? `MUL_LATENCY(AFracW, BFracW) :
                                   `TO_FIXED_LATENCY + ((Raw != 0) ? `PRODUCT_LATENCY(AFracW,
                                       BFracW) : `MUL_LATENCY(AFracW, BFracW));

  // Valid and live beside the multipliers.
  logic [TermLatency-1:0] valid_q;
  wire term_valid = valid_q[TermLatency-1];
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) valid_q <= '0;
    else if (en_i) valid_q <= {valid_q[TermLatency-2:0], valid_i};

  genvar l;
  generate
    if (Fixed != 0) begin : g_fixed
      localparam integer W = Msb - Lsb + 1;
      localparam integer SumW = W + GuardW;
      localparam integer ExpW = (Raw != 0) ? `MAX2(AExpW, BExpW) + 2 : FormExpW + 2;
      localparam integer SigW = (Raw != 0) ? AFracW + BFracW + 2 : FormFracW + 1;
      wire [Lanes*SumW-1:0] sums;
      wire [Lanes-1:0] over;
      for (l = 0; l < Lanes; l = l + 1) begin : g_lane
        wire [1:0] cls;
        wire sign;
        wire signed [ExpW-1:0] exp;
        wire [SigW-1:0] sig;
        // A lane without an element gives a zero term.
        wire [1:0] a_cls = a_cls_i[l*2 +: 2] & {2{live_i[l]}};
        wire [1:0] b_cls = b_cls_i[l*2 +: 2] & {2{live_i[l]}};
        if (Raw != 0) begin : g_raw
          wire [1:0] cls_ahead;
          wire signed [ExpW-1:0] exp_ahead;
          fp_product #(.EA(AExpW), .MA(AFracW), .EB(BExpW), .MB(BFracW), .Style(Style)) i_product (
            .clk_i, .en_i, .a_cls_i(a_cls), .a_i(a_i[l*AW +: AW]), .b_cls_i(b_cls), .b_i(b_i[l*BW +: BW]), .cls_o(cls),
            .sign_o(sign), .exp_o(exp), .sig_o(sig), .cls_ahead_o(cls_ahead), .exp_ahead_o(exp_ahead));
          wire unused = &{1'b0, cls_ahead, exp_ahead};
        end else begin : g_rounded
          wire [FormExpW+FormFracW:0] word;
          fp_mul #(.EA(AExpW), .MA(AFracW), .EB(BExpW), .MB(BFracW), .EO(FormExpW), .MO(FormFracW), .Rne(TermRne),
              .Style(Style)) i_mul (
            .clk_i, .en_i, .a_cls_i(a_cls), .a_i(a_i[l*AW +: AW]), .b_cls_i(b_cls), .b_i(b_i[l*BW +: BW]), .cls_o(cls),
            .word_o(word));
          assign sign = word[FormExpW+FormFracW];
          assign exp  = $signed({2'b00, word[FormExpW+FormFracW-1:FormFracW]}) - $signed(ExpW'(`BIAS(FormExpW)));
          assign sig  = {1'b1, word[FormFracW-1:0]};
        end
        wire [W-1:0] mag;
        wire neg, term_over;
        fp_to_fixed #(.ExpW(ExpW), .SigW(SigW), .Msb(Msb), .Lsb(Lsb)) i_to_fixed (
          .clk_i, .en_i, .cls_i(cls), .sign_i(sign), .exp_i(exp), .sig_i(sig), .mag_o(mag), .neg_o(neg),
          .over_o(term_over));
        fx_accumulate #(.W(W), .GuardW(GuardW)) i_sum (
          .clk_i, .en_i, .clear_i, .valid_i(term_valid), .mag_i(mag), .neg_i(neg), .over_i(term_over),
          .sum_o(sums[l*SumW +: SumW]), .over_o(over[l]));
      end
      assign over_o = |over;

      if (Lanes == 1) begin : g_one
        logic closed_q;
        always_ff @(posedge clk_i)
          if (!rst_ni || clear_i) {done_o, closed_q} <= 2'b00;
          else {done_o, closed_q} <= {done_o | closed_q, close_i};
        assign result_o = sums;
      end else begin : g_lanes // added one per clock
        localparam integer CntW = $clog2(Lanes + 1);
        logic [CntW-1:0] lane_q;
        logic [SumW-1:0] total_q;
        logic            busy_q;
        wire [SumW-1:0]  lane_sum = sums[lane_q[$clog2(Lanes)-1:0]*SumW +: SumW];
        always_ff @(posedge clk_i)
          if (!rst_ni || clear_i) begin
            busy_q <= 1'b0;
            done_o <= 1'b0;
          end else if (close_i) begin
            busy_q  <= 1'b1;
            lane_q  <= '0;
            total_q <= '0;
          end else if (busy_q) begin
            total_q <= total_q + lane_sum;
            lane_q  <= lane_q + CntW'(1);
            if (lane_q == CntW'(Lanes - 1)) begin
              busy_q <= 1'b0;
              done_o <= 1'b1;
            end
          end
        assign result_o = total_q;
      end
      assign subtracted_o = 1'b0;
      wire unused = &{1'b0, subtract_i, other_i};
    end else begin : g_float
      // A single lane is live in every token.
      wire [Lanes-1:0] live;
      if (Lanes == 1) begin : g_all_live
        assign live = 1'b1;
        wire unused = &{1'b0, live_i};
      end else begin : g_live
        logic [TermLatency*Lanes-1:0] live_q;
        always_ff @(posedge clk_i)
          if (en_i) live_q <= {live_q[(TermLatency-1)*Lanes-1:0], live_i};
        assign live = live_q[TermLatency*Lanes-1 -: Lanes];
      end

      wire [2*Lanes*DotW-1:0] totals; // the upper half only pads the last lanes' partners
      assign totals[2*Lanes*DotW-1 -: Lanes*DotW] = '0;
      wire [Lanes-1:0] lane_done;
      wire [$clog2(Lanes+1)-1:0] half; // lanes that still hold a part; 0 when folded
      wire fold;
      for (l = 0; l < Lanes; l = l + 1) begin : g_lane
        wire [1:0] cls;
        wire [FormExpW+FormFracW:0] word;
        fp_mul #(.EA(AExpW), .MA(AFracW), .EB(BExpW), .MB(BFracW), .EO(FormExpW), .MO(FormFracW), .Rne(TermRne),
            .Style(Style)) i_mul (
          .clk_i, .en_i, .a_cls_i(a_cls_i[l*2 +: 2]), .a_i(a_i[l*AW +: AW]), .b_cls_i(b_cls_i[l*2 +: 2]),
          .b_i(b_i[l*BW +: BW]), .cls_o(cls), .word_o(word));
        wire [DotW-1:0] other;
        if (Lanes == 1) begin : g_alone
          assign other = other_i;
        end else begin : g_partner
          wire [DotW-1:0] partner = totals[(l + 32'(half))*DotW +: DotW];
          assign other = (l == 0 && subtract_i) ? other_i : partner;
        end
        // A lane without an element adds -0, which changes nothing.
        fp_accumulate #(.ET(FormExpW), .MT(FormFracW), .EA(SumExpW), .MA(SumFracW), .Rne(SumRne), .Depth(Depth)) i_sum (
          .clk_i, .rst_ni, .en_i, .clear_i, .valid_i(term_valid), .term_cls_i(cls & {2{live[l]}}),
          .term_i({word[FormExpW+FormFracW] | ~live[l], word[FormExpW+FormFracW-1:0]}), .close_i,
              .fold_i(fold | subtract_i),
          .negate_i(subtract_i), .other_cls_i(other[DotW-1 -: 2]), .other_i(other[DotW-3:0]), .done_o(lane_done[l]),
          .total_cls_o(totals[l*DotW+DotW-1 -: 2]), .total_o(totals[l*DotW +: DotW-2]));
      end
      assign over_o = 1'b0;
      assign result_o = totals[DotW-1:0];
      assign subtracted_o = lane_done[0];
      if (Lanes == 1) begin : g_no_fold
        assign half = '0;
        assign fold = 1'b0;
        always_ff @(posedge clk_i)
          if (!rst_ni || clear_i) done_o <= 1'b0;
          else if (en_i && lane_done[0]) done_o <= 1'b1;
        wire unused_half = &{1'b0, half};
      end else begin : g_fold
        logic [$clog2(Lanes+1)-1:0] half_q;
        logic fold_q, folding_q;
        assign half = half_q;
        assign fold = fold_q;
        always_ff @(posedge clk_i)
          if (!rst_ni || clear_i) begin
            done_o    <= 1'b0;
            fold_q    <= 1'b0;
            folding_q <= 1'b0;
            half_q    <= '0;
          end else if (en_i) begin
            fold_q <= 1'b0;
            if (close_i) begin
              half_q    <= ($clog2(Lanes+1))'(Lanes / 2);
              folding_q <= 1'b0;
            end else if (lane_done[0]) begin
              if (folding_q && half_q == ($clog2(Lanes+1))'(1)) begin
                done_o <= 1'b1;
              end else begin
                fold_q    <= 1'b1;
                folding_q <= 1'b1;
                if (folding_q) half_q <= half_q >> 1;
              end
            end
          end
      end
      wire unused = &{1'b0, lane_done, totals};
    end
  endgenerate
endmodule
`default_nettype wire
