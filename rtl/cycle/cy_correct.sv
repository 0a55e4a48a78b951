/// The outer loop's step on a stream of nodes by rows (flags and lanes as in cy_step): c = half(e, s), U' = U + c, D' = D - A c, exactly.
/// Where s is below zero c is e 2^-s: A e is formed of e's short words, then moved. c and U' must stay below 2^(UW-2) in
/// magnitude, D' must fit its word. U and D are read two clocks behind
/// read_o, at the address of a counter that it moves; U' and D' are written where write_o says, two clocks later.
`include "mantissa.svh"
`default_nettype none
module cy_correct #(
`include "cycle_parameters.svh"
  , parameter integer InW = 27, ///< bits of e
  parameter integer SumsW = 31
) (
  input  wire               clk_i,
  input  wire               clear_i,
  input  wire  [MaxLevel:0]       length_i, ///< beats of a row
  input  wire  signed [9:0] s_i,      ///< stands through a sweep
  input  wire  [Lanes-1:0]  lanes_i,
  input  wire  [2:0]        flags_i,
  input  wire  [Lanes*InW-1:0] e_i,
  output logic              read_o,
  input  wire  [Lanes*UW-1:0] u_i,
  input  wire  [Lanes*DW-1:0] d_i,
  output logic              write_o,
  output logic [Lanes*UW-1:0] u_o,
  output logic [Lanes*DW-1:0] d_o,
  output logic              u_over_o,
  output logic              d_over_o
);
`include "cycle_bounds.svh"
  localparam integer DownW = $clog2(InW + 1);
  logic [DownW-1:0]  down_q;
  logic signed [9:0] up_q; // s where it is below zero
  always_ff @(posedge clk_i) begin
    down_q <= s_i[9] ? '0 : (s_i > 10'(InW)) ? DownW'(InW) : DownW'(s_i);
    up_q   <= s_i[9] ? s_i : '0;
  end
  wire [Lanes*InW-1:0] c_words, mid;
  wire [Lanes*SumsW-1:0] sums;
  cy_window #(
`include "cycle_parameters_passed.svh"
    , .GW(InW), .OutW(SumsW)) i_window (.clk_i, .clear_i, .length_i, .g_i(c_words), .mid_o(mid), .sum_o(sums));
  wire [2:0] flags_row, flags;
  cy_row #(.W(3), .Max(RowMost), .Deep(Deep)) i_row (
    .clk_i, .clear_i, .length_i(length_i[LengthW-1:0]), .d_i(flags_i), .q_o(flags_row));
  delay #(.W(1), .N(WindowLatency + 8)) i_read (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(flags_row[2]), .q_o(read_o));
  delay #(.W(3), .N(WindowLatency + 10)) i_flags (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(flags_row), .q_o(flags));
  delay #(.W(1), .N(3)) i_write (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(read_o), .q_o(write_o));
  wire [$clog2(InW+UW+2)-1:0] u_left;
  wire [$clog2(SumsW+DW+2)-1:0] d_left;
  fx_place #(.InW(InW), .OutW(UW + 1), .NW(10)) i_u_place (.clk_i, .n_i(up_q), .left_o(u_left));
  fx_place #(.InW(SumsW), .OutW(DW + 1), .NW(10)) i_d_place (.clk_i, .n_i(up_q), .left_o(d_left));

  wire [Lanes-1:0] u_over, d_over;
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      logic [InW:0]   fours_q, moved_q;
      logic [InW-1:0] c_q;
      always_ff @(posedge clk_i) begin
        fours_q <= $signed({e_i[l*InW +: InW], 1'b0}) >>> {down_q[DownW-1:2], 2'b00};
        moved_q <= $signed(fours_q) >>> down_q[1:0];
        c_q     <= moved_q[InW:1] + InW'(moved_q[0]);
      end
      assign c_words[l*InW +: InW] = c_q;
      wire [UW:0] c;
      wire [DW:0] ac;
      wire c_beyond, ac_beyond, unused_c, unused_ac;
      fx_shift #(.InW(InW), .OutW(UW + 1)) i_u_shift (
        .clk_i, .left_i(u_left), .x_i(mid[l*InW +: InW]), .word_o(c), .half_o(unused_c), .over_o(c_beyond));
      fx_shift #(.InW(SumsW), .OutW(DW + 1)) i_d_shift (
        .clk_i, .left_i(d_left), .x_i(sums[l*SumsW +: SumsW]), .word_o(ac), .half_o(unused_ac), .over_o(ac_beyond));
      wire live = flags[2:1] == 2'b11 && lanes_i[l] && (l != 0 || !flags[0]); // A c is nothing at the edge
      wire [UW:0] u_sum = (UW+1)'($signed(u_i[l*UW +: UW])) + c;
      wire [DW+1:0] d_sum = (DW+2)'($signed(d_i[l*DW +: DW])) - (DW+2)'($signed(ac));
      logic          u_wraps_q, c_over_q, d_beyond_q;
      logic [UW-1:0] u_q;
      logic [DW-1:0] d_q;
      logic [1:0]    d_above_q; // bits above the word
      always_ff @(posedge clk_i) begin
        {u_wraps_q, u_q} <= u_sum;
        {d_above_q, d_q} <= live ? d_sum : '0;
        c_over_q   <= c_beyond | cy_long(c);
        d_beyond_q <= live & ac_beyond;
      end
      assign u_o[l*UW +: UW] = u_q;
      assign d_o[l*DW +: DW] = d_q;
      assign u_over[l] = c_over_q | cy_long({u_wraps_q, u_q});
      assign d_over[l] = d_beyond_q | d_above_q != {2{d_q[DW-1]}};
      wire unused = &{1'b0, unused_c, unused_ac};
    end
  endgenerate
  assign u_over_o = write_o & (|u_over);
  assign d_over_o = write_o & (|d_over);
  function automatic logic cy_long(input [UW:0] x); // its magnitude is not below 2^(UW-2)
    cy_long = x[UW:UW-2] != {3{x[UW]}} | (x[UW] & ~(|x[UW-3:0]));
  endfunction
endmodule
`default_nettype wire
