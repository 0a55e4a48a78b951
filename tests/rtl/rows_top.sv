// Row stages of the integer core side by side, for rows_test.cpp, which reads their parameters off config_o. Ports are as
// wide as the widest case's; what a case has not is not driven.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module rows_top #(
  parameter integer Cases = 21,
  parameter integer Wide = 64 * 32 ///< bits of a token, at most
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               en_i         [0:Cases-1],
  input  wire               clear_i      [0:Cases-1],
  input  wire  [6:0]        ptr_i        [0:Cases-1],
  input  wire  [31:0]       length_i     [0:Cases-1],
  input  wire  [31:0]       row_length_i [0:Cases-1],
  input  wire  [63:0]       live_last_i  [0:Cases-1],
  input  wire  [2:0]        slot_i       [0:Cases-1], // last, real, slot
  input  wire  [Wide-1:0]   p_i          [0:Cases-1],
  input  wire  [Wide-1:0]   w_east_i     [0:Cases-1],
  input  wire  [Wide-1:0]   w_north_west_i [0:Cases-1],
  input  wire  [Wide-1:0]   w_north_i    [0:Cases-1],
  input  wire  [Wide-1:0]   w_north_east_i [0:Cases-1],
  input  wire  [Wide-1:0]   c_i          [0:Cases-1],
  output logic [4:0]        take_o       [0:Cases-1],
  output logic [4:0]        take_ahead_o [0:Cases-1],
  output logic [4:0]        take_last_o  [0:Cases-1],
  output logic [2:0]        give_o       [0:Cases-1], // last, ahead, now
  output logic [Wide-1:0]   q_o          [0:Cases-1],
  output logic [63:0]       over_o       [0:Cases-1],
  output logic [63:0]       live_o       [0:Cases-1],
  output logic [Wide-1:0]   p_o          [0:Cases-1],
  output logic [31:0]       config_o     [0:Cases*20-1]
);
  localparam integer MaxRow = 150;
`define ROWS_CASE(N, L, MODE, SUMS, PBITS, QBITS, CBITS, SHIFT, DOWN, STENCIL) \
  rows_case #(.Wide(Wide), .Lanes(L), .CoefMode(MODE), .RowSums(SUMS), .PW(PBITS), .QW(QBITS), .CoefW(CBITS), \
      .RowShift(SHIFT), .QDown(DOWN), .MaxRow(MaxRow), .DelayRam(N % 2), STENCIL) i_case_``N ( \
    .clk_i, .rst_ni, .en_i(en_i[N]), .clear_i(clear_i[N]), .ptr_i(ptr_i[N]), .length_i(length_i[N]), \
    .row_length_i(row_length_i[N]), .live_last_i(live_last_i[N]), .slot_i(slot_i[N]), .p_i(p_i[N]), \
    .w_i({c_i[N], w_north_east_i[N], w_north_i[N], w_north_west_i[N], w_east_i[N]}), .take_o(take_o[N]), \
    .take_ahead_o(take_ahead_o[N]), .take_last_o(take_last_o[N]), .give_o(give_o[N]), .q_o(q_o[N]), .over_o(over_o[N]), \
    .live_o(live_o[N]), .p_o(p_o[N]), .config_o(config_o[20*N:20*N+19]));
`include "rows_cases.svh"
endmodule

module rows_case #(
  parameter integer Wide = 1,
`include "fx_parameters.svh"
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               en_i,
  input  wire               clear_i,
  input  wire  [6:0]        ptr_i,
  input  wire  [31:0]       length_i,
  input  wire  [31:0]       row_length_i,
  input  wire  [63:0]       live_last_i,
  input  wire  [2:0]        slot_i,
  input  wire  [Wide-1:0]   p_i,
  input  wire  [5*Wide-1:0] w_i,
  output logic [4:0]        take_o,
  output logic [4:0]        take_ahead_o,
  output logic [4:0]        take_last_o,
  output logic [2:0]        give_o,
  output logic [Wide-1:0]   q_o,
  output logic [63:0]       over_o,
  output logic [63:0]       live_o,
  output logic [Wide-1:0]   p_o,
  output logic [31:0]       config_o [0:19]
);
  wire [Coefs*Lanes*CoefW-1:0] band;
  genvar c;
  generate
    for (c = 0; c < Coefs; c = c + 1) begin : g_band
      assign band[c*Lanes*CoefW +: Lanes*CoefW] = w_i[c*Wide +: Lanes*CoefW];
    end
  endgenerate
  wire [Coefs-1:0] take, take_ahead, take_last;
  core_vectors_t give, give_ahead, give_last;
  wire [Lanes*QW-1:0] q;
  wire [Lanes*PW-1:0] p;
  wire [Lanes-1:0] over, live;
  wire unused_bad;
  fx_rows #(
`include "fx_parameters_passed.svh"
  ) i_rows (
    .clk_i, .rst_ni, .en_i, .clear_i, .ptr_i, .length_i(length_i[LenW-1:0]), .row_length_i(row_length_i[RowLenW-1:0]),
    .live_last_i(live_last_i[Lanes-1:0]), .slot_i(slot_i[0]), .slot_real_i(slot_i[1]), .slot_last_i(slot_i[2]),
    .own_first_i('0), .own_last_i('0), .column_i('0), .p_i(p_i[Lanes*PW-1:0]), .band_i(band), .take_band_o(take), .take_band_ahead_o(take_ahead),
    .take_band_last_o(take_last), .give_o(give), .give_ahead_o(give_ahead), .give_last_o(give_last), .q_o(q), .over_o(over),
    .live_o(live), .p_o(p), .bad_o(unused_bad), .residue_i('0), .residue_o());
  assign take_o       = 5'(take);
  assign take_ahead_o = 5'(take_ahead);
  assign take_last_o  = 5'(take_last);
  assign give_o       = {give_last.q, give_ahead.q, give.q};
  assign q_o          = Wide'(q);
  assign over_o       = 64'(over);
  assign live_o       = 64'(live);
  assign p_o          = Wide'(p);
  assign config_o[0] = Lanes;
  assign config_o[1] = CoefMode;
  assign config_o[2] = RowSums;
  assign config_o[3] = PW;
  assign config_o[4] = QW;
  assign config_o[5] = CoefW;
  assign config_o[6] = RowShift;
  assign config_o[7] = QDown;
  assign config_o[8] = S0;
  assign config_o[9] = S1;
  assign config_o[10] = S2;
  assign config_o[11] = S3;
  assign config_o[12] = S4;
  assign config_o[13] = S5;
  assign config_o[14] = S6;
  assign config_o[15] = S7;
  assign config_o[16] = S8;
  assign config_o[17] = MaxRow;
  assign config_o[18] = i_rows.Latency;
  assign config_o[19] = 0;
endmodule
`default_nettype wire
