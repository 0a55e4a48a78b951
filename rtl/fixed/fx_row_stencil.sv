/// q' of one token with a constant stencil, its row sum exact and rounded once. PlanStencil clocks (fx_row_plan.svh) from that in which
/// the rows are those of token t + 1 to q' of token t. Constants are multiplied by shift and add (fx_weighted).
///
///   columns   each column with the constants of the west, the middle and the east: q = west(i - 1) + middle(i) + east(i + 1).
///             Where the south's constants are the north's, these two rows are added first; where the west's are the
///             east's they are one. Five adders for (8, -1)
///   box       where the eight outer constants are one of several digits: column sums of three rows, of which three make a
///             box of nine (pairs of columns are shared by two lanes); q = S0 box + (S4 - S0) p
///
/// Where S0 divides all of the others and has several digits, it is taken out and multiplied with last.
`include "mantissa.svh"
// The three columns of the rows around, each a weighted sum.
`define FX_WEIGHTED_COLUMNS \
  fx_weighted #(.W(XW), .Words(Words), .C0(PlanFlipWest * T0), .C1(PlanFlipWest * T3), \
      .C2((PlanMirror != 0) ? 0 : PlanFlipWest * T6), .Latency(PlanColumns), .OutW(W)) i_west ( \
    .clk_i, .en_i, .x_i(x), .sum_o(west[l*W +: W])); \
  fx_weighted #(.W(XW), .Words(Words), .C0(T1), .C1(T4), .C2((PlanMirror != 0) ? 0 : T7), .Latency(PlanColumns), \
      .OutW(W)) i_middle (.clk_i, .en_i, .x_i(x), .sum_o(middle[l*W +: W])); \
  if (PlanSameSides != 0) begin : g_same \
    assign east[l*W +: W] = west[l*W +: W]; \
  end else begin : g_east \
    fx_weighted #(.W(XW), .Words(Words), .C0(PlanFlipEast * T2), .C1(PlanFlipEast * T5), \
        .C2((PlanMirror != 0) ? 0 : PlanFlipEast * T8), .Latency(PlanColumns), .OutW(W)) i_east ( \
      .clk_i, .en_i, .x_i(x), .sum_o(east[l*W +: W])); \
  end
`default_nettype none
module fx_row_stencil #(
`include "fx_parameters.svh"
) (
  input  wire                 clk_i,
  input  wire                 en_i,
  input  wire  [6:0]          ptr_i,
  input  wire  [Lanes*PW-1:0] south_i,
  input  wire  [Lanes*PW-1:0] centre_i,
  input  wire  [(Lanes+1)*PW-1:0] north_i,  ///< of lane l its lane l + north_next_i
  input  wire                 north_next_i,
`ifdef LEAN_LANES
  input  wire                 half_i, ///< with PlanHalf south and north, a clock ahead of the centre, are to be moved by half the lanes
`endif
  input  wire  [Lanes-1:0]    zero_i, ///< a clock before q_o: lanes that become 0
  output logic [Lanes*QW-1:0] q_o,
  output logic [Lanes-1:0]    over_o, ///< the word does not fit
  output logic [2*Lanes-1:0]  above_o, ///< for the checks: fx_cut's, as what follows
  output logic [Lanes*`MAX2(1, RowShift)-1:0] below_o
);
`include "fx_row_plan.svh"
  // Bits of an exact sum. Sums of nine constants from 2^27 on would leave 32 bits.
  localparam integer Magnitudes = fx_abs(S0) | fx_abs(S1) | fx_abs(S2) | fx_abs(S3) | fx_abs(S4) | fx_abs(S5) | fx_abs(S6) |
                                  fx_abs(S7) | fx_abs(S8);
  localparam integer Magnitude = fx_abs(S0) + fx_abs(S1) + fx_abs(S2) + fx_abs(S3) + fx_abs(S4) + fx_abs(S5) + fx_abs(S6) +
                                 fx_abs(S7) + fx_abs(S8);
  localparam integer Above = (S0 > 0 || S1 > 0 || S2 > 0 || S3 > 0 || S4 > 0 || S5 > 0 || S6 > 0 || S7 > 0 || S8 > 0) ? 0 : 1;
  localparam integer W = (Magnitudes >= (1 << 27)) ? PW + 34 : PW + fx_log2(Magnitude + Above);
  localparam integer TW = Lanes * PW;
  wire [Lanes*W-1:0] sum; // over the common factor
  // South and north of the same elements added.
  wire [Lanes*(PW+1)-1:0] outer;
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_outer
      fx_add #(.W(PW + 1)) i_add (
        .a_i((PW+1)'($signed(south_i[l*PW +: PW]))), .t_i((PW+1)'($signed(north_i[(l+1)*PW +: PW]))),
        .keep_i({(PW+1){north_next_i}}), .else_i((PW+1)'($signed(north_i[l*PW +: PW]))), .sum_o(outer[l*(PW+1) +: PW+1]));
    end
    wire unused_outer = &{1'b0, outer};
`ifdef LEAN_LANES
    // With PlanHalf two clocks later, else one.
    wire [Lanes*(PW+1)-1:0] outer_moved, outer_newer, outer_older; // the former of the latter two
    logic [Lanes*(PW+1)-1:0] next_q;
    always_ff @(posedge clk_i) if (en_i) next_q <= outer;
    if (PlanHalf != 0) begin : g_half
      localparam integer HalfW = Lanes / 2 * (PW + 1);
      logic [Lanes*(PW+1)-1:0] whole_q;
      always_ff @(posedge clk_i) if (en_i) whole_q <= next_q;
      assign outer_newer = {next_q[HalfW-1:0], whole_q[2*HalfW-1:HalfW]};
      assign outer_older = whole_q;
      assign outer_moved = half_i ? outer_newer : outer_older;
    end else begin : g_whole
      assign outer_moved = next_q;
      assign outer_newer = '0;
      assign outer_older = '0;
      wire unused = &{1'b0, half_i};
    end
    wire unused_moved = &{1'b0, outer_moved, outer_newer, outer_older};
`endif
    if (PlanBox != 0) begin : g_box
      localparam integer ColumnW = PW + 2;
      localparam integer BoxW = PW + 4;
      localparam integer CT = Lanes * ColumnW;
      // Columns of token t + 1, then of t, and the last one of t - 1.
      logic [CT-1:0] column, column_q;
      logic [ColumnW-1:0] column_q2;
      logic [TW-1:0] centre_q;
      always_ff @(posedge clk_i)
        if (en_i) begin
          centre_q  <= centre_i;
          column_q  <= column;
          column_q2 <= column_q[CT-1 -: ColumnW];
        end
      for (l = 0; l < Lanes; l = l + 1) begin : g_column
`ifdef LEAN_LANES
        wire [PW:0] outer_q = outer_moved[l*(PW+1) +: PW+1];
`else
        logic [PW:0] outer_q;
`endif
        logic [ColumnW-1:0] sum_q;
        always_ff @(posedge clk_i)
          if (en_i) begin
`ifndef LEAN_LANES
            outer_q <= outer[l*(PW+1) +: PW+1];
`endif
            sum_q   <= ColumnW'($signed(outer_q)) + ColumnW'($signed(centre_q[l*PW +: PW]));
          end
        assign column[l*ColumnW +: ColumnW] = sum_q;
      end
      // A pair of columns, and the third. With one lane: the column and the one in front of it, then the one after.
      wire [Lanes*BoxW-1:0] box;
      for (l = 0; l < Lanes; l = l + 2) begin : g_pair
        localparam integer Left = (Lanes == 1) ? 0 : l;
        logic [ColumnW:0] pair_q;
        logic [BoxW-1:0] left_q;
        wire [ColumnW-1:0] third;
        if (Lanes == 1) begin : g_one
          assign third = column;
          always_ff @(posedge clk_i)
            if (en_i) pair_q <= (ColumnW+1)'($signed(column)) + (ColumnW+1)'($signed(column_q));
          wire unused = &{1'b0, column_q2};
        end else begin : g_two
          wire [CT+ColumnW-1:0] from_west = {column_q, column_q2};
          wire [CT+ColumnW-1:0] to_east = {column[ColumnW-1:0], column_q};
          assign third = from_west[l*ColumnW +: ColumnW];
          logic [BoxW-1:0] right_q;
          wire [ColumnW-1:0] behind = to_east[(l+2)*ColumnW +: ColumnW];
          wire unused = &{1'b0, from_west, to_east};
          always_ff @(posedge clk_i)
            if (en_i) begin
              pair_q  <= (ColumnW+1)'($signed(column[l*ColumnW +: ColumnW])) +
                         (ColumnW+1)'($signed(column[(l+1)*ColumnW +: ColumnW]));
              right_q <= BoxW'($signed(pair_q)) + BoxW'($signed(behind));
            end
          assign box[(l+1)*BoxW +: BoxW] = right_q;
        end
        always_ff @(posedge clk_i) if (en_i) left_q <= BoxW'($signed(pair_q)) + BoxW'($signed(third));
        assign box[Left*BoxW +: BoxW] = left_q;
      end
      // p on its way to meet the box: it leaves so early that its multiplication ends in time.
      wire [TW-1:0] middle;
      delay #(.W(TW), .N(3 + PlanBoxLatency - PlanCentreLatency), .Ram(DelayRam)) i_middle (
        .clk_i, .en_i, .ptr_i, .d_i(centre_q), .q_o(middle));
      for (l = 0; l < Lanes; l = l + 1) begin : g_lane
        wire [W-1:0] of_box, of_centre;
        fx_weighted #(.W(BoxW), .Words(1), .C0(PlanTimesBox), .Latency(PlanBoxLatency), .OutW(W)) i_box (
          .clk_i, .en_i, .x_i(box[l*BoxW +: BoxW]), .sum_o(of_box));
        fx_weighted #(.W(PW), .Words(1), .C0(PlanTimesCentre), .Latency(PlanCentreLatency), .OutW(W)) i_centre (
          .clk_i, .en_i, .x_i(middle[l*PW +: PW]), .sum_o(of_centre));
        wire [W-1:0] both = (T0 < 0) ? of_centre - of_box :
                            (PlanOfCentre < 0) ? of_box - of_centre : of_box + of_centre;
        assign sum[l*W +: W] = both;
      end
    end else begin : g_columns
      localparam integer Words = (PlanMirror != 0) ? 2 : 3;
      localparam integer XW = PW + PlanMirror;
      wire [Lanes*W-1:0] west, middle, east; // of token t + 1
      logic [Lanes*W-1:0] east_q;
      logic [W-1:0] west_q; // of the last lane
      always_ff @(posedge clk_i)
        if (en_i) begin
          west_q <= west[Lanes*W-1 -: W];
          east_q <= east;
        end
      wire [(Lanes+1)*W-1:0] from_west = {west, west_q};
      wire [(Lanes+1)*W-1:0] to_east = {east[W-1:0], east_q};
      for (l = 0; l < Lanes; l = l + 1) begin : g_lane
        wire [Words*XW-1:0] x;
        if (PlanMirror != 0) begin : g_mirror
`ifdef LEAN_LANES
          wire [XW-1:0] outer_q = outer_moved[l*(PW+1) +: PW+1];
          logic [XW-1:0] centre_q;
          always_ff @(posedge clk_i) if (en_i) centre_q <= XW'($signed(centre_i[l*PW +: PW]));
`else
          logic [XW-1:0] outer_q, centre_q;
          always_ff @(posedge clk_i)
            if (en_i) begin
              outer_q  <= outer[l*(PW+1) +: PW+1];
              centre_q <= XW'($signed(centre_i[l*PW +: PW]));
            end
`endif
          assign x = {centre_q, outer_q};
        end else begin : g_rows
          wire [PW-1:0] north = north_next_i ? north_i[(l+1)*PW +: PW] : north_i[l*PW +: PW];
          assign x = {north, centre_i[l*PW +: PW], south_i[l*PW +: PW]};
        end
`ifdef LEAN_LANES
        if (PlanPick != 0) begin : g_pick
          wire [PW:0] newer = outer_newer[l*(PW+1) +: PW+1];
          wire [PW:0] older = outer_older[l*(PW+1) +: PW+1];
          wire [XW-1:0] centre = x[2*XW-1:XW];
          wire unused_x = &{1'b0, x};
          fx_pick #(.W(XW), .C0(PlanFlipWest * T0), .C1(PlanFlipWest * T3), .OutW(W)) i_west (
            .clk_i, .en_i, .newer_i(half_i), .x_newer_i(newer), .x_older_i(older), .y_i(centre),
            .sum_o(west[l*W +: W]));
          fx_pick #(.W(XW), .C0(T1), .C1(T4), .OutW(W)) i_middle (
            .clk_i, .en_i, .newer_i(half_i), .x_newer_i(newer), .x_older_i(older), .y_i(centre),
            .sum_o(middle[l*W +: W]));
          if (PlanSameSides != 0) begin : g_same
            assign east[l*W +: W] = west[l*W +: W];
          end else begin : g_east
            fx_pick #(.W(XW), .C0(PlanFlipEast * T2), .C1(PlanFlipEast * T5), .OutW(W)) i_east (
              .clk_i, .en_i, .newer_i(half_i), .x_newer_i(newer), .x_older_i(older), .y_i(centre),
              .sum_o(east[l*W +: W]));
          end
        end else begin : g_weighted
          `FX_WEIGHTED_COLUMNS
        end
`else
        `FX_WEIGHTED_COLUMNS
`endif
        logic [W-1:0] two_q; // of token t: the west and the middle
        wire [W-1:0] before_it = from_west[l*W +: W];
        wire [W-1:0] behind_it = to_east[(l+1)*W +: W];
        always_ff @(posedge clk_i)
          if (en_i) two_q <= (PlanFlipWest < 0) ? middle[l*W +: W] - before_it : middle[l*W +: W] + before_it;
        assign sum[l*W +: W] = (PlanFlipEast < 0) ? two_q - behind_it : two_q + behind_it;
      end
      wire unused = &{1'b0, ptr_i, from_west, to_east};
    end
    for (l = 0; l < Lanes; l = l + 1) begin : g_cut
      wire [W-1:0] whole;
      if (PlanCommon != 1) begin : g_common
        logic [W-1:0] sum_q;
        always_ff @(posedge clk_i) if (en_i) sum_q <= sum[l*W +: W];
        fx_weighted #(.W(W), .Words(1), .C0(PlanCommon), .Latency(PlanCommonLatency), .OutW(W)) i_times (
          .clk_i, .en_i, .x_i(sum_q), .sum_o(whole));
      end else begin : g_own
        assign whole = sum[l*W +: W];
      end
      fx_cut #(.W(W), .QW(QW), .Shift(RowShift), .Down(QDown)) i_cut (
        .clk_i, .en_i, .sum_i(whole), .zero_i(zero_i[l]), .q_o(q_o[l*QW +: QW]), .over_o(over_o[l]),
        .above_o(above_o[2*l +: 2]), .below_o(below_o[l*`MAX2(1, RowShift) +: `MAX2(1, RowShift)]));
    end
  endgenerate
endmodule
`default_nettype wire
