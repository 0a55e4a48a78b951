/// q' of one token by fluxes f_d(i) = w_d(i) (p_i - p_(i+d)) to the neighbours d = E, NW, N, NE, each formed once and used by
/// two rows, exact, and rounded once:
///
///     q_i = f_E(i) - f_E(i-1) + (f_NW(i) + f_N(i) + f_NE(i)) + c_i p_i - up(i-n)
///     up(i) = f_NE(i-1) + f_N(i) + f_NW(i+1)      what the element to the north takes: summed, then kept for a row
///
/// PlanFluxes clocks (fx_row_plan.svh) from that in which the rows are those of token t + 1 to q' of token t. Weights are those of token
/// t a clock after the former (PlanWeightAt), row sums at PlanRowSumAt.
`include "mantissa.svh"
`default_nettype none
module fx_row_fluxes #(
`include "fx_parameters.svh"
) (
  input  wire                          clk_i,
  input  wire                          en_i,
  input  wire                          clear_i,      ///< between passes
  input  wire  [6:0]                   ptr_i,
  input  wire  [RowLenW-1:0]           row_length_i, ///< stands while a pass runs
  input  wire  [Lanes*PW-1:0]          centre_i,
  input  wire  [Lanes*PW-1:0]          north_i,
  input  wire  [Coefs*Lanes*CoefW-1:0] coef_i,       ///< w_E, w_NW, w_N, w_NE, c
  input  wire                          token_i,      ///< the fluxes after the multipliers are those of a token
  input  wire                          second_i,     ///< see up_live
  input  wire  [Lanes-1:0]             zero_i,       ///< a clock before q_o: lanes that become 0
  output logic [Lanes*QW-1:0]          q_o,
  output logic [Lanes-1:0]             over_o        ///< the word does not fit
);
`include "fx_row_plan.svh"
  localparam integer TW = Lanes * PW;
  localparam integer FW = PW + CoefW + 1; // of a flux, and of two
  localparam integer UpW = FW + 1;
  localparam integer XW = FW + 2;     // of the fluxes that token t forms
  localparam integer W = XW + RowSums; // of the row's sum: eight fluxes and c p
  localparam integer Log = $clog2(Lanes);
  localparam integer East = 0;
  localparam integer NorthWest = 1;
  localparam integer North = 2;
  localparam integer NorthEast = 3;

  // Words of token t, and those beside it.
  logic [TW-1:0] centre_q, north_q;
  logic [PW-1:0] north_q2;
  always_ff @(posedge clk_i)
    if (en_i) begin
      centre_q <= centre_i;
      north_q  <= north_i;
      north_q2 <= north_q[TW-1 -: PW];
    end
  wire [TW+PW-1:0] to_east = {centre_i[PW-1:0], centre_q};
  wire [TW+PW-1:0] to_north_east = {north_i[PW-1:0], north_q};
  wire [TW+PW-1:0] to_north_west = {north_q, north_q2};
  wire unused_beside = &{1'b0, to_east, to_north_east, to_north_west};

  wire [4*Lanes*FW-1:0] flux; // as coef_i
  genvar l, d;
  wire [Lanes*(PW+CoefW)-1:0] c_p_at; // products of row sums
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_flux
      wire [4*PW-1:0] other = {to_north_east[(l+1)*PW +: PW], north_q[l*PW +: PW], to_north_west[l*PW +: PW],
                               to_east[(l+1)*PW +: PW]};
      for (d = 0; d < 4; d = d + 1) begin : g_d
        logic signed [PW:0] difference_q;
        always_ff @(posedge clk_i)
          if (en_i) difference_q <= (PW+1)'($signed(centre_q[l*PW +: PW])) - (PW+1)'($signed(other[d*PW +: PW]));
        fx_mul #(.AW(PW + 1), .BW(CoefW), .Style(Style)) i_mul (
          .clk_i, .en_i, .a_i(difference_q), .b_i(coef_i[(d*Lanes+l)*CoefW +: CoefW]),
          .product_o(flux[(d*Lanes+l)*FW +: FW]));
      end
    end
  endgenerate

  // In front of the vector every flux is 0.
  logic [FW-1:0] east_q2, north_east_q2; // of the last lane, one token earlier
  always_ff @(posedge clk_i)
    if (en_i) begin
      east_q2       <= token_i ? flux[((East+1)*Lanes)*FW-1 -: FW] : '0;
      north_east_q2 <= token_i ? flux[((NorthEast+1)*Lanes)*FW-1 -: FW] : '0;
    end

  wire [(Lanes+1)*FW-1:0] from_west = {flux[East*Lanes*FW +: Lanes*FW], east_q2};
  wire [(Lanes+1)*FW-1:0] from_south_west = {flux[NorthEast*Lanes*FW +: Lanes*FW], north_east_q2};
  wire unused_before = &{1'b0, from_west, from_south_west};

  wire [Lanes*XW-1:0] own; // of token t, four clocks after its fluxes
  wire [Lanes*UpW-1:0] up;  // of token t, two after
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_sums
      wire [FW-1:0] f_east = flux[(East*Lanes+l)*FW +: FW];
      wire [FW-1:0] f_north_west = flux[(NorthWest*Lanes+l)*FW +: FW];
      wire [FW-1:0] f_north = flux[(North*Lanes+l)*FW +: FW];
      wire [FW-1:0] f_north_east = flux[(NorthEast*Lanes+l)*FW +: FW];
      wire [FW-1:0] east_before = from_west[l*FW +: FW];
      wire [FW-1:0] north_east_before = from_south_west[l*FW +: FW];
      // Two fluxes fit the bits of one: a flux is below 2^(FW-2).
      logic [FW-1:0] along_q, two_q, north_east_q, up_q;
      logic [UpW-1:0] three_q, up_q2;
      always_ff @(posedge clk_i)
        if (en_i) begin
          along_q      <= f_east - east_before;
          two_q        <= f_north_west + f_north;
          north_east_q <= f_north_east;
          three_q      <= UpW'($signed(two_q)) + UpW'($signed(north_east_q));
          up_q         <= north_east_before + f_north;
        end
      // The north-west's of the next lane: of the next token beyond the last one.
      wire [FW-1:0] north_west_behind;
      if (l + 1 == Lanes) begin : g_last
        assign north_west_behind = flux[(NorthWest*Lanes)*FW +: FW];
      end else begin : g_inner
        logic [FW-1:0] behind_q;
        always_ff @(posedge clk_i) if (en_i) behind_q <= flux[(NorthWest*Lanes+l+1)*FW +: FW];
        assign north_west_behind = behind_q;
      end
      always_ff @(posedge clk_i) if (en_i) up_q2 <= UpW'($signed(up_q)) + UpW'($signed(north_west_behind));
      assign up[l*UpW +: UpW] = up_q2;

      logic [UpW-1:0] beside_q; // along the row, and c p
      if (RowSums != 0) begin : g_row_sum
        logic [UpW-1:0] c_p;
        assign c_p = UpW'($signed(c_p_at[l*(PW+CoefW) +: PW+CoefW]));
        always_ff @(posedge clk_i) if (en_i) beside_q <= UpW'($signed(along_q)) + c_p;
      end else begin : g_no_row_sum
        always_ff @(posedge clk_i) if (en_i) beside_q <= UpW'($signed(along_q));
      end
      logic [XW-1:0] own_q;
      always_ff @(posedge clk_i) if (en_i) own_q <= XW'($signed(three_q)) + XW'($signed(beside_q));
      assign own[l*XW +: XW] = own_q;
    end

    if (RowSums != 0) begin : g_row_sums
      // Its product a clock after the fluxes.
      wire [TW-1:0] p;
      delay #(.W(TW), .N(PlanRowSumAt - PlanWeightAt + 1)) i_p (.clk_i, .en_i, .ptr_i, .d_i(centre_q), .q_o(p));
      for (l = 0; l < Lanes; l = l + 1) begin : g_lane
        fx_mul #(.AW(PW), .BW(CoefW), .Style(Style)) i_mul (
          .clk_i, .en_i, .a_i(p[l*PW +: PW]), .b_i(coef_i[((Coefs-1)*Lanes+l)*CoefW +: CoefW]),
          .product_o(c_p_at[l*(PW+CoefW) +: PW+CoefW]));
      end
    end else begin : g_no_row_sums
      assign c_p_at = '0;
      wire unused_c_p = &{1'b0, c_p_at};
    end
  endgenerate

  // What the row to the south sent up, beside own's token; nothing in the first row. It leaves the memory in front of
  // lane_turn, or, with one lane, in front of one more register.
  wire [Lanes*UpW-1:0] from_south;
  wire [Lanes*XW-1:0] own_waited;
  delay #(.W(Lanes*XW), .N(PlanWait), .Ram(DelayRam)) i_own (.clk_i, .en_i, .ptr_i, .d_i(own), .q_o(own_waited));
  localparam integer More = (Lanes == 1) ? 0 : 2;
  localparam integer Max = MaxRow / Lanes + More;
  localparam integer AW = $clog2(Max + 1);
  wire [AW-1:0] length = AW'(row_length_i >> Log) + AW'(More);
  wire [Lanes*UpW-1:0] kept;
  row_ram #(.W(Lanes*UpW), .Max(Max), .Least(3), .Zero((Lanes == 1) ? 0 : 1)) i_ram (
    .clk_i, .en_i, .clear_i, .length_i(length), .zero_i((Lanes == 1) ? 1'b0 : ~second_i), .d_i(up), .q_o(kept));
  generate
    if (Lanes == 1) begin : g_one
      logic [UpW-1:0] kept_q;
      always_ff @(posedge clk_i) if (en_i) kept_q <= second_i ? kept : '0;
      assign from_south = kept_q;
    end else begin : g_lanes
      wire last;
      logic [Lanes*UpW-1:0] kept_q;
      always_ff @(posedge clk_i) if (en_i) kept_q <= kept;
      lane_turn #(.W(UpW), .Lanes(Lanes), .Back(1)) i_turn (
        .clk_i, .en_i, .turn_i(row_length_i[Log-1:0]), .older_i(kept_q), .newer_i(kept), .turned_o(from_south),
        .last_o(last));
      wire unused = &{1'b0, last};
    end
    for (l = 0; l < Lanes; l = l + 1) begin : g_cut
      wire [`MAX2(1, RowShift)-1:0] unused_below;
      wire [1:0] unused_above;
      wire [W-1:0] sum = W'($signed(own_waited[l*XW +: XW])) - W'($signed(from_south[l*UpW +: UpW]));
      fx_cut #(.W(W), .QW(QW), .Shift(RowShift), .Down(QDown)) i_cut (
        .clk_i, .en_i, .sum_i(sum), .zero_i(zero_i[l]), .q_o(q_o[l*QW +: QW]), .over_o(over_o[l]),
        .above_o(unused_above), .below_o(unused_below));
    end
  endgenerate
endmodule
`default_nettype wire
