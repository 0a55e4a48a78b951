/// The outer loop's step on a stream of nodes by rows (flags and lanes as in cy_step): c = half(e, s), U' = U + c, D' = D - A c, exactly.
/// Where s is below zero c is e 2^-s. c is moved by less than 16 places in front of A, by a product with a power of two, and by whole
/// sixteens where it is added. U' must stay below 2^(UW-2) in magnitude, D' must fit its word; that c is below 2^(UW-2) is for
/// who knows the largest e to see. A word of U or D is read two clocks after read_u_o or read_d_o and written where write_u_o or
/// write_d_o says, three clocks after those. U is a row and some clocks ahead of D.
`include "mantissa.svh"
`default_nettype none
module cy_correct #(
`include "cycle_parameters.svh"
  , parameter integer InW = 27 ///< bits of e
) (
  input  wire               clk_i,
  input  wire               clear_i,
  input  wire  [2*MaxLevel-1:0]   row_at_i, ///< cy_row_at's addresses
  input  wire  signed [9:0] s_i,      ///< stands through a sweep
  input  wire  [Lanes-1:0]  lanes_i,
  input  wire  [2:0]        flags_i,
  input  wire  [Lanes*InW-1:0] e_i,
  output logic              read_u_o,
  input  wire  [Lanes*UW-1:0] u_i,
  output logic              write_u_o,
  output logic [Lanes*UW-1:0] u_o,
  output logic              u_over_o, ///< beside write_u_o
  output logic              read_d_o,
  input  wire  [Lanes*DW-1:0] d_i,
  output logic              write_d_o,
  output logic [Lanes*DW-1:0] d_o,
  output logic              d_over_o,
  // With Checks (cy_residues)
  input  wire               up_i,       ///< else U and D stay as they are,
  output logic              places_ok_o, ///< which the places say
  input  wire  [Lanes*2-1:0] u_residue_i, ///< beside u_i,
  input  wire  [Lanes*2-1:0] d_residue_i, ///< beside d_i
  output logic [Lanes*2-1:0] u_must_o,   ///< beside u_o,
  output logic [Lanes*2-1:0] d_must_o,   ///< beside d_o
  output logic [Lanes-1:0]  some_o,     ///< beside u_o: c is not 0
  output logic [Lanes-1:0]  live_o      ///< beside d_o: A c counts
);
`include "cycle_bounds.svh"
  localparam integer Places = (UW - 3) / 16 + 1; // -s is at most UW - 3 where c is not 0
  localparam integer CW    = InW + 15;
  localparam integer SumsW = CW + SumLog;
  localparam integer SumW  = cy_max(DW, UW) + SumLog; // of D': no bit of D - A c is lost
  localparam integer LowW  = 17;          // of e's parts: blocks have factors of 18 bits and a sign
  localparam integer HighW = InW - LowW;
  // c = e 2^near 2^(16 far), far rounded down
  wire signed [9:0] up = -s_i;
  logic [15:0]       near_q;   // 2^near
  logic              right_q, far_right_q; // far is below zero; it is -2, beyond which c is 0
  logic [Places-1:0] places_q;
  wire  moves = (Checks == 0) | up_i; // so that sums are the words where these are looked at
  always_ff @(posedge clk_i) begin
    for (int k = 0; k < 16; k = k + 1) near_q[k] <= (!up[9] || (&up[8:5])) ? up[3:0] == 4'(k) : k == 0;
    right_q     <= up[9];
    far_right_q <= up[9] & up[9:4] != 6'b111111;
    for (int p = 0; p < Places; p = p + 1)
      places_q[p] <= moves & ((p == 0) ? up[9] | up[8:4] == '0 : (p < Places - 1) ? ~up[9] & up[8:4] == 5'(p) : ~up[9] & up[8:4] >= 5'(p));
  end
  wire [Lanes*CW-1:0] c, unused_mid;
  wire [Lanes*SumsW-1:0] sums;
  cy_window #(
`include "cycle_parameters_passed.svh"
    , .GW(CW), .OutW(SumsW)) i_window (.clk_i, .clear_i, .row_at_i, .g_i(c), .mid_o(unused_mid), .sum_o(sums));
  // Two rows of residues wait beside the flags, where a block has room for them.
  localparam integer RowW = 3 + ((Checks != 0) ? 4 * Lanes : 0);
  wire [2:0] flags_row, flags;
  wire [RowW-1:0] row_in, row_out;
  cy_row #(.W(RowW), .Max(RowMost), .Deep(Deep)) i_row (
    .clk_i, .clear_i, .read_at_i(row_at_i[MaxLevel +: RowAtW]), .write_at_i(row_at_i[RowAtW-1:0]), .d_i(row_in), .q_o(row_out));
  assign flags_row = row_out[2:0];
  delay #(.W(1), .N(2)) i_read_u (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(flags_i[2]), .q_o(read_u_o));
  delay #(.W(1), .N(3)) i_write_u (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(read_u_o), .q_o(write_u_o));
  delay #(.W(1), .N(WindowLatency + 5)) i_read_d (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(flags_row[2]), .q_o(read_d_o));
  delay #(.W(1), .N(3)) i_write_d (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(read_d_o), .q_o(write_d_o));
  delay #(.W(3), .N(WindowLatency + 7)) i_flags (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(flags_row), .q_o(flags));

  wire [Lanes-1:0] u_over, d_over, lives;
  generate
    if (Checks != 0) begin : g_residues
      wire [Lanes*2-1:0] residues;
      assign row_in = {row_out[3 +: Lanes*2], residues, flags_i};
      cy_residues #(
`include "cycle_parameters_passed.svh"
        , .CW(CW)) i_residues (
        .clk_i, .up_i, .c_i(c), .c_o(residues), .here_i(row_out[3 +: Lanes*2]), .south_i(row_out[3+Lanes*2 +: Lanes*2]), .live_i(lives),
        .u_i(u_residue_i), .d_i(d_residue_i), .u_o(u_must_o), .d_o(d_must_o), .some_o);
      logic [Lanes-1:0] lives_q;
      always_ff @(posedge clk_i) lives_q <= lives;
      assign live_o = lives_q;
      assign places_ok_o = (|places_q) & ~(|(places_q & (places_q - Places'(1))));
    end else begin : g_none
      assign row_in = flags_i;
      assign {u_must_o, d_must_o, some_o, live_o, places_ok_o} = '0;
      wire unused_checks = &{1'b0, up_i, u_residue_i, d_residue_i, lives};
    end
  endgenerate
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      // (Modules of their own, so that a device's block has the registers after the products.)
      wire [35:0] low, high;
      sig_mul_tile i_low (.clk_i, .en_i(1'b1), .a_i({1'b0, e_i[l*InW +: LowW]}), .b_i({2'd0, near_q}), .tile_o(low));
      sig_mul_tile #(.SignedA(1)) i_high (
        .clk_i, .en_i(1'b1), .a_i(18'($signed(e_i[l*InW+LowW +: HighW]))), .b_i({2'd0, near_q}), .tile_o(high));
      wire [CW-1:0] near = {high[HighW+14:0], {LowW{1'b0}}} | CW'(low[LowW+14:0]); // (no bit of both is set)
      wire unused_product = &{1'b0, low, high};
      logic [CW:0]   moved_q; // with one bit below
      logic [CW-1:0] c_q;
      always_ff @(posedge clk_i) begin
        moved_q <= right_q ? (CW+1)'($signed(near[CW-1:15])) : {near, 1'b0};
        c_q     <= far_right_q ? CW'($signed(moved_q[CW:17])) + CW'(moved_q[16]) : moved_q[CW:1] + CW'(moved_q[0]);
      end
      assign c[l*CW +: CW] = c_q;

      wire [UW-1:0] u_sum;
      cy_place #(.InW(CW), .WordW(UW), .OutW(UW), .Places(Places)) i_u (
        .clk_i, .places_i(places_q), .x_i(c_q), .live_i(1'b1), .word_i(u_i[l*UW +: UW]), .sum_o(u_sum));
      assign u_o[l*UW +: UW] = u_sum;
      assign u_over[l] = u_sum[UW-1] != u_sum[UW-2] | (u_sum[UW-1] & ~(|u_sum[UW-3:0]));

      wire live = (flags[2:1] == 2'b11 && lanes_i[l] && (l != 0 || !flags[0])) || !moves; // A c is nothing at the edge
      assign lives[l] = live;
      wire [SumW-1:0] d_sum;
      cy_place #(.InW(SumsW), .WordW(DW), .OutW(SumW), .Places(Places), .Minus(1)) i_d (
        .clk_i, .places_i(places_q), .x_i(sums[l*SumsW +: SumsW]), .live_i(live), .word_i(d_i[l*DW +: DW]), .sum_o(d_sum));
      assign d_o[l*DW +: DW] = d_sum[DW-1:0];
      assign d_over[l] = d_sum[SumW-1:DW] != {(SumW-DW){d_sum[DW-1]}};
    end
  endgenerate
  assign u_over_o = write_u_o & (|u_over);
  assign d_over_o = write_d_o & (|d_over);
  wire unused = &{1'b0, unused_mid};
endmodule
`default_nettype wire
