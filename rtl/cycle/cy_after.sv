/// A smoothing step on the way up: r' = cut(r - A e, H), e' = cut(e + half(m r', s + G - i)), on a stream of nodes by rows (flags
/// and lanes as in cy_step). r has no fraction bits, so that r' is r 2^G and what is rounded of -A e.
`include "mantissa.svh"
`default_nettype none
module cy_after #(
`include "cycle_parameters.svh"
  , parameter integer K = 0,
  parameter integer InW = 27, ///< bits of e
  parameter integer SumsW = 31,
  parameter integer RestW = 20
) (
  input  wire               clk_i,
  input  wire               clear_i,
  input  wire  [2*MaxLevel-1:0]   row_at_i, ///< cy_row_at's addresses
  input  wire  signed [9:0] point_i,  ///< i; stands through a sweep
  input  wire  [Lanes-1:0]      lanes_i,
  input  wire  [2:0]            flags_i,
  input  wire  [Lanes*W-1:0]    r_i,
  input  wire  [Lanes*InW-1:0]  e_i,
  output logic [2:0]            flags_o,
  output logic [Lanes*W-1:0]    r_o,
  output logic [Lanes*InW-1:0]  e_o
);
`include "cycle_bounds.svh"
  localparam integer M = cy_weight_after(K);
  localparam integer ProductLatency = fx_weighted_latency(M, 0, 0);
  localparam integer ProductW = RestW + 9;

  wire [Lanes*InW-1:0] mid, e;
  wire [Lanes*SumsW-1:0] sums; // -A e
  cy_window #(.Lanes(Lanes), .MaxLevel(MaxLevel), .Centre(-Centre), .East(-East), .North(-North), .Corner(-Corner), .GW(InW),
              .OutW(SumsW)) i_window (.clk_i, .clear_i, .row_at_i, .g_i(e_i), .mid_o(mid), .sum_o(sums));
  wire [Lanes*W-1:0] r_row, r;
  wire [2:0]   flags_row, flags;
  cy_row #(.W(Lanes * W + 3), .Max(RowMost), .Deep(Deep)) i_row (
    .clk_i, .clear_i, .read_at_i(row_at_i[MaxLevel +: RowAtW]), .write_at_i(row_at_i[RowAtW-1:0]), .d_i({flags_i, r_i}), .q_o({flags_row, r_row}));
  delay #(.W(Lanes * W), .N(WindowLatency + 6)) i_r (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(r_row), .q_o(r));
  delay #(.W(Lanes * W), .N(ProductLatency + 7)) i_r_out (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(r), .q_o(r_o));
  delay #(.W(Lanes * InW), .N(ProductLatency + 8)) i_e (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(mid), .q_o(e));
  delay #(.W(3), .N(WindowLatency + ProductLatency + 12)) i_flags (
    .clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(flags_row), .q_o(flags));
  always_ff @(posedge clk_i) flags_o <= flags;
  wire [$clog2(SumsW+RestW+3)-1:0] sums_left;
  fx_place #(.InW(SumsW), .OutW(RestW + 2), .NW(10)) i_sums_place (
    .clk_i, .n_i(point_i - 10'(Guard)), .left_o(sums_left));
  wire [$clog2(ProductW+InW+3)-1:0] product_left;
  fx_place #(.InW(ProductW), .OutW(InW + 2), .NW(10)) i_product_place (
    .clk_i, .n_i(10'(cy_point_after(K) + Guard) - point_i), .left_o(product_left));

  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      // r'
      wire [RestW+1:0] moved;
      wire moved_half, moved_over;
      wire [1:0] unused_moved_below, unused_step_below;
      fx_shift #(.InW(SumsW), .OutW(RestW + 2)) i_sums_shift (
        .clk_i, .left_i(sums_left), .x_i(sums[l*SumsW +: SumsW]), .word_o(moved), .half_o(moved_half), .over_o(moved_over),
        .below_o(unused_moved_below));
      wire sums_sign, sum_sign;
      delay #(.W(1), .N(3)) i_sums_sign (
        .clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(sums[(l+1)*SumsW-1]), .q_o(sums_sign));
      logic [RestW+2:0] whole_q;
      logic [RestW-1:0] rest_q;
      wire  [RestW-1:0] rest;
      cy_cut #(.InW(RestW + 3), .OutW(RestW)) i_rest (.x_i(whole_q), .word_o(rest));
      // What is beyond the shift's word is beyond r' too, whatever is added: it is held at the longest.
      wire [RestW+2:0] most = {sums_sign, {(RestW+2){~sums_sign}}};
      always_ff @(posedge clk_i) begin
        whole_q <= moved_over ? most : (RestW+3)'($signed(moved)) + (RestW+3)'(moved_half) +
                                           ((RestW+3)'($signed(r[l*W +: W])) << Guard);
        rest_q  <= rest;
      end

      // e'
      wire [ProductW-1:0] product;
      fx_weighted #(.W(RestW), .Words(1), .C0(M), .Latency(ProductLatency), .OutW(ProductW)) i_product (
        .clk_i, .en_i(1'b1), .x_i(rest_q), .sum_o(product));
      wire [InW+1:0] step;
      wire step_half, step_over;
      fx_shift #(.InW(ProductW), .OutW(InW + 2)) i_product_shift (
        .clk_i, .left_i(product_left), .x_i(product), .word_o(step), .half_o(step_half), .over_o(step_over),
        .below_o(unused_step_below));
      delay #(.W(1), .N(3)) i_sum_sign (
        .clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(product[ProductW-1]), .q_o(sum_sign));
      logic [InW+2:0] sum_q;
      logic [InW-1:0] e_q;
      wire  [InW-1:0] cut;
      cy_cut #(.InW(InW + 3), .OutW(InW)) i_cut (.x_i(sum_q), .word_o(cut));
      wire [InW+2:0] most_e = {sum_sign, {(InW+2){~sum_sign}}};
      always_ff @(posedge clk_i) begin
        sum_q <= step_over ? most_e : (InW+3)'($signed(step)) + (InW+3)'(step_half) + (InW+3)'($signed(e[l*InW +: InW]));
        e_q   <= (flags[2:1] == 2'b11 && lanes_i[l] && (l != 0 || !flags[0])) ? cut : '0;
      end
      assign e_o[l*InW +: InW] = e_q;
    end
  endgenerate
endmodule
`default_nettype wire
