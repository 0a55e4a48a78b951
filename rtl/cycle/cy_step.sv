/// A smoothing step on the way down: g = cut(half(m r), F), f' = cut(f + g, F), r' = cut(r - A g, H), on a stream of nodes by
/// rows (cy_window), a beat of lanes a clock. Flags of a beat: {valid, neither in the south edge's row nor after a row's end, its
/// first lane is in the west edge's column}; lanes_i: those that a row has nodes for, standing through a sweep. r is zero at the edge
/// and where nothing is valid. A beat's r' is there a row and Latency clocks after its r (f with it), f' alone Found clocks
/// after r.
`include "mantissa.svh"
`default_nettype none
module cy_step #(
`include "cycle_parameters.svh"
  , parameter integer K = 0,   ///< which step, from 0
  parameter integer RW = 10,   ///< bits of r,
  parameter integer NextW = 16, ///< of r',
  parameter integer FW = 17,   ///< of f,
  parameter integer FoundW = 17 ///< of f'
) (
  input  wire               clk_i,
  input  wire               clear_i,
  input  wire  [2*MaxLevel-1:0]   row_at_i, ///< cy_row_at's addresses
  input  wire  [Lanes-1:0]        lanes_i,
  input  wire  [2:0]              flags_i,
  input  wire  [Lanes*RW-1:0]     r_i,
  input  wire  [Lanes*FW-1:0]     f_i,      ///< not at the first step
  output logic                    found_valid_o,
  output logic [Lanes*FoundW-1:0] found_o,  ///< f'
  output logic [2:0]              flags_o,
  output logic [Lanes*NextW-1:0]  r_o,
  output logic [Lanes*FoundW-1:0] f_o       ///< f' beside r'; not at the last step
);
`include "cycle_bounds.svh"
  localparam integer Q = (K == 0) ? 0 : Guard;
  localparam integer M = cy_weight(K);
  localparam integer Down = cy_point(K) + Q - Phi;
  localparam integer ProductLatency = fx_weighted_latency(M, 0, 0);
  localparam integer GW = cy_bits(cy_most(K, 1));
  localparam integer WholeW = cy_bits(cy_most(K, 3));
  localparam integer CutG = (WholeW > F) ? 1 : 0;
  localparam integer SumW = cy_bits(cy_most(K, 4));
  localparam integer CutF = (SumW > F) ? 1 : 0;
  localparam integer GLatency = ProductLatency + 1 + CutG;
  localparam integer FLatency = (K == 0) ? 0 : 1 + CutF;

  localparam integer ProductW = cy_max(RW + 9, WholeW + ((Down > 0) ? Down : 0));
  localparam integer Common = cy_common(Q);
  localparam integer Up = Common - Q;           // r's way to where it meets A g,
  localparam integer Far = Common - Phi;        // and A g's
  localparam integer Round = Common - Guard;    // bits that are rounded away; r has zeros there
  localparam integer RestW = cy_bits(cy_most(K, 5));
  localparam integer ExactW = RestW + Round;
  localparam integer SumsW = GW + SumLog;

  // ---- Rows --------------------------------------------------------------------------------------------------------------
  wire [Lanes*GW-1:0] g, mid;
  wire [Lanes*SumsW-1:0] sums;
  cy_window #(
`include "cycle_parameters_passed.svh"
    , .GW(GW), .OutW(SumsW)) i_window (.clk_i, .clear_i, .row_at_i, .g_i(g), .mid_o(mid), .sum_o(sums));
  wire [Lanes*RW-1:0] r_row, r;
  wire [2:0] flags_row, flags;
  cy_row #(.W(Lanes * RW + 3), .Max(RowMost), .Deep(Deep)) i_row (
    .clk_i, .clear_i, .read_at_i(row_at_i[MaxLevel +: RowAtW]), .write_at_i(row_at_i[RowAtW-1:0]), .d_i({flags_i, r_i}), .q_o({flags_row, r_row}));
  delay #(.W(Lanes * RW), .N(GLatency + WindowLatency + 3)) i_r (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(r_row), .q_o(r));
  delay #(.W(3), .N(GLatency + WindowLatency + 4)) i_flags (
    .clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(flags_row), .q_o(flags));
  always_ff @(posedge clk_i) flags_o <= flags;
  delay #(.W(1), .N(GLatency + FLatency)) i_found_valid (
    .clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(flags_i[2]), .q_o(found_valid_o));

  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      // ---- g -----------------------------------------------------------------------------------------------------------
      wire [ProductW-1:0] product;
      fx_weighted #(.W(RW), .Words(1), .C0(M), .Latency(ProductLatency), .OutW(ProductW)) i_product (
        .clk_i, .en_i(1'b1), .x_i(r_i[l*RW +: RW]), .sum_o(product));
      logic [WholeW-1:0] whole_q;
      if (Down > 0) begin : g_round
        wire [WholeW:0] twice = (WholeW+1)'($signed(product) >>> (Down - 1)) + (WholeW+1)'(1);
        always_ff @(posedge clk_i) whole_q <= twice[WholeW:1];
        wire unused = twice[0];
      end else begin : g_move
        always_ff @(posedge clk_i) whole_q <= WholeW'($signed(product)) << (-Down);
      end
      if (CutG != 0) begin : g_cut_g
        wire [GW-1:0] cut;
        logic [GW-1:0] g_q;
        cy_cut #(.InW(WholeW), .OutW(GW)) i_cut (.x_i(whole_q), .word_o(cut));
        always_ff @(posedge clk_i) g_q <= cut;
        assign g[l*GW +: GW] = g_q;
      end else begin : g_whole_g
        assign g[l*GW +: GW] = whole_q;
      end

      // ---- f' ----------------------------------------------------------------------------------------------------------
      if (K == 0) begin : g_first
        assign found_o[l*FoundW +: FoundW] = g[l*GW +: GW];
        wire unused = &{1'b0, f_i[l*FW +: FW]};
      end else begin : g_added
        wire [FW-1:0] f;
        delay #(.W(FW), .N(GLatency)) i_f (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(f_i[l*FW +: FW]), .q_o(f));
        logic [SumW-1:0] sum_q;
        always_ff @(posedge clk_i) sum_q <= SumW'($signed(f)) + SumW'($signed(g[l*GW +: GW]));
        if (CutF != 0) begin : g_cut_f
          wire [FoundW-1:0] cut;
          logic [FoundW-1:0] found_q;
          cy_cut #(.InW(SumW), .OutW(FoundW)) i_cut (.x_i(sum_q), .word_o(cut));
          always_ff @(posedge clk_i) found_q <= cut;
          assign found_o[l*FoundW +: FoundW] = found_q;
        end else begin : g_whole_f
          assign found_o[l*FoundW +: FoundW] = sum_q;
        end
      end

      // ---- r' ----------------------------------------------------------------------------------------------------------
      logic [ExactW-1:0] exact_q;
      wire [ExactW-1:0] half = (Round > 0) ? ExactW'(1) << ((Round > 0) ? Round - 1 : 0) : '0;
      always_ff @(posedge clk_i)
        exact_q <= ((ExactW'($signed(r[l*RW +: RW])) << Up) | half) - (ExactW'($signed(sums[l*SumsW +: SumsW])) << Far);
      wire [NextW-1:0] next;
      logic [NextW-1:0] r_q;
      wire unused_exact = &{1'b0, exact_q};
      cy_cut #(.InW(RestW), .OutW(NextW)) i_cut (.x_i(exact_q[ExactW-1:Round]), .word_o(next));
      always_ff @(posedge clk_i) r_q <= (flags[2:1] == 2'b11 && lanes_i[l] && (l != 0 || !flags[0])) ? next : '0;
      assign r_o[l*NextW +: NextW] = r_q;
    end
    if (K == 0) begin : g_mid
      delay #(.W(Lanes * GW), .N(2)) i_f (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(mid), .q_o(f_o));
    end else if (K < Before - 1) begin : g_row
      wire [Lanes*FoundW-1:0] f_row;
      cy_row #(.W(Lanes * FoundW), .Max(RowMost), .Deep(Deep)) i_f_row (
        .clk_i, .clear_i, .read_at_i(row_at_i[MaxLevel +: RowAtW]), .write_at_i(row_at_i[RowAtW-1:0]), .d_i(found_o), .q_o(f_row));
      delay #(.W(Lanes * FoundW), .N(WindowLatency + 5 - FLatency)) i_f (
        .clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(f_row), .q_o(f_o));
      wire unused = &{1'b0, mid};
    end else begin : g_last
      assign f_o = '0;
      wire unused = &{1'b0, mid};
    end
  endgenerate
endmodule
`default_nettype wire
