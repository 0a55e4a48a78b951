/// t = R r on a stream of nodes by rows (flags and lanes as in cy_step): weights 1, 2, 1 along a row, and the same across rows, on one
/// row of sums. valid_o with each beat of the next level, from its south-west edge on; live_o: lanes that are no edge nodes. Two beats
/// of an odd row make one, with several lanes.
`include "mantissa.svh"
`default_nettype none
module cy_restrict #(
`include "cycle_parameters.svh"
  , parameter integer RW = 20
) (
  input  wire                     clk_i,
  input  wire                     clear_i,
  input  wire  [MaxLevel:0]       length_i, ///< beats of a row,
  input  wire  [2*MaxLevel-1:0]   row_at_i, ///< and cy_row_at's addresses
  input  wire  [Lanes-1:0]        lanes_i,
  input  wire  [2:0]              flags_i,
  input  wire  [Lanes*RW-1:0]     r_i,
  output logic                    valid_o,
  output logic [Lanes-1:0]        live_o,
  output logic [Lanes*(RW+4)-1:0] t_o
);
`include "cycle_bounds.svh"
  localparam integer Sums = (Lanes > 1) ? Lanes / 2 : 1; // of a beat
  localparam integer SumW = RW + 4;
  logic [RW-1:0]   last_q; // of the beat before, the last lane
  logic [2:0]      flags_q, flags_q2;
  always_ff @(posedge clk_i) begin
    last_q   <= r_i[(Lanes-1)*RW +: RW];
    flags_q  <= flags_i;
    flags_q2 <= flags_q;
  end
  wire first = flags_q2[0];
  logic column_q, row_q, edge_q; // the beat before: whether its number and its row's are odd; it is in the west edge's column
  wire column = ~first & ~column_q;
  wire row    = first ? flags_q2[1] & ~row_q : row_q;
  wire [Sums*SumW-1:0] above, sums, kept;
  wire live_above, live_kept;
  always_ff @(posedge clk_i) begin
    column_q <= column;
    row_q    <= row;
    edge_q   <= first;
    valid_o  <= flags_q2[2] & row & column;
  end
  // (Of one lane the node before is the one that is summed around.)
  assign live_kept = flags_q2[1] & ((Lanes > 1) ? 1'b1 : ~edge_q);
  genvar l;
  generate
    for (l = 0; l < Sums; l = l + 1) begin : g_sum
      wire [RW-1:0] west, middle, east;
      if (Lanes == 1) begin : g_one
        logic [RW-1:0] west_q2;
        always_ff @(posedge clk_i) west_q2 <= last_q;
        assign {west, middle, east} = {west_q2, last_q, r_i};
      end else if (l == 0) begin : g_first
        assign {west, middle, east} = {last_q, r_i[RW-1:0], r_i[RW +: RW]};
      end else begin : g_next
        assign {west, middle, east} = {r_i[(2*l-1)*RW +: RW], r_i[2*l*RW +: RW], r_i[(2*l+1)*RW +: RW]};
      end
      logic [RW-1:0] middle_q;
      logic [RW:0]   ends_q;
      logic [RW+1:0] along_q;
      always_ff @(posedge clk_i) begin
        ends_q   <= (RW+1)'($signed(east)) + (RW+1)'($signed(west));
        middle_q <= middle;
        along_q  <= (RW+2)'($signed(ends_q)) + {middle_q[RW-1], middle_q, 1'b0};
      end
      wire [SumW-1:0] sum = above[l*SumW +: SumW] + (row ? SumW'($signed(along_q)) : {along_q[RW+1], along_q, 1'b0});
      assign sums[l*SumW +: SumW] = sum;
      assign kept[l*SumW +: SumW] = row ? SumW'($signed(along_q)) : sum;
    end
    if (Deep != 0) begin : g_deep // a register is in front of the memory
      logic [Sums*SumW-1:0] kept_q;
      logic                 live_q;
      always_ff @(posedge clk_i) {live_q, kept_q} <= {live_kept, kept};
      wire [RowAtW-1:0] read_at, write_at;
      logic [LengthW-1:0] length_q; // (nobody looks at it while clear_i)
      always_ff @(posedge clk_i) length_q <= length_i[LengthW-1:0] - LengthW'(1);
      cy_row_at #(.Max(RowMost), .Deep(1)) i_row_at (
        .clk_i, .clear_i, .length_i(length_q), .read_o(read_at), .write_o(write_at));
      cy_row #(.W(Sums * SumW + 1), .Max(RowMost), .Deep(1)) i_row (
        .clk_i, .clear_i, .read_at_i(read_at), .write_at_i(write_at), .d_i({live_q, kept_q}), .q_o({live_above, above}));
    end else begin : g_short
      cy_row #(.W(Sums * SumW + 1), .Max(RowMost), .Deep(0)) i_row (
        .clk_i, .clear_i, .read_at_i(row_at_i[MaxLevel +: RowAtW]), .write_at_i(row_at_i[RowAtW-1:0]), .d_i({live_kept, kept}),
        .q_o({live_above, above}));
    end
    if (Lanes == 1) begin : g_whole
      always_ff @(posedge clk_i) {live_o, t_o} <= {live_above, sums};
    end else begin : g_halves
      logic [Sums*SumW-1:0] half_q;
      logic [Sums-1:0]      half_live_q;
      wire  [Sums-1:0]      live;
      for (l = 0; l < Sums; l = l + 1) begin : g_live // the next level has half the lanes where it has not all
        assign live[l] = live_above & lanes_i[2*l];
      end
      always_ff @(posedge clk_i) begin
        half_q      <= sums;
        half_live_q <= live & ~(first ? Sums'(1) : '0);
        t_o         <= {sums, half_q};
        live_o      <= {live, half_live_q};
      end
    end
  endgenerate
  wire unused = &{1'b0, length_i, row_at_i, lanes_i, edge_q};
endmodule
`default_nettype wire
