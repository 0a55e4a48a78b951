/// The nodes of a level, by rows, a beat of lanes a clock, and as many clocks after them as their rows need to go through all stages.
/// Flags of a beat as in cy_step; the edges to the north and to the east are not among its nodes. For the way up it says which beat of
/// the next level is read: the two of an odd row's pair of beats are south and north of it, those of an even row both the one.
`default_nettype none
module cy_sweep #(
`include "cycle_parameters.svh"
  , parameter integer TailRows = 4, ///< the most of tail_i,
  parameter integer Drain = 64,     ///< and of drain_i
  localparam integer IndexW = 2 * MaxLevel
) (
  input  wire                  clk_i,
  input  wire                  rst_ni,
  input  wire                  start_i,
  input  wire                  scrub_i,  ///< beside start_i: no nodes, only what is after them
  input  wire  [MaxLevel:0]    side_i,   ///< 2^k, the nodes of a row,
  input  wire  [MaxLevel:0]    row_i,    ///< its beats,
  input  wire  [IndexW:0]      beats_i,  ///< those of all rows,
  input  wire  [IndexW:0]      below_i,  ///< of the next level's rows,
  input  wire  [MaxLevel:0]    below_row_i, ///< and of one of them;
  input  wire  [IndexW-1:0]    coarse_from_i, ///< the first row's beat of the next level; all stand
  input  wire  [$clog2(TailRows+1)-1:0] tail_i,  ///< rows that go on after the nodes, from 1,
  input  wire  [$clog2(Drain+1)-1:0]    drain_i, ///< and clocks after those; they stand
  output logic [2:0]           flags_o,
  output logic [IndexW-1:0]    index_o,  ///< of the beat
  output logic [IndexW-1:0]    coarse_o, ///< of the next level's
  output logic                 beyond_o, ///< which is at the edge to the north
  output logic                 busy_o
);
`include "cycle_bounds.svh"
  logic [IndexW:0]   at_q;   // beats_i: past the last one
  logic [IndexW-1:0] row_q;  // the next level's row: its first beat's index
  logic              odd_q, south_q, nodes_q, drains_q;
  logic [$clog2(TailRows+1)-1:0] rows_q;
  logic [$clog2(Drain+1)-1:0]    drain_q;
  logic [MaxLevel-1:0] mask;
  always_ff @(posedge clk_i) mask <= row_i[MaxLevel-1:0] - MaxLevel'(1);
  wire [MaxLevel-1:0] column = at_q[MaxLevel-1:0] & mask;
  wire last = column == mask;
  wire [IndexW-1:0] north = row_q + IndexW'(below_row_i);
  wire dead; // after the row's end
  cy_dead #(
`include "cycle_parameters_passed.svh"
    ) i_dead (.column_i(column[1:0]), .side_i(side_i), .dead_o(dead));
  wire beside = odd_q & column[0];
  assign flags_o  = {nodes_q, south_q & ~dead, nodes_q & column == '0};
  assign index_o  = at_q[IndexW-1:0];
  assign coarse_o = (beside ? north : row_q) | IndexW'(column[MaxLevel-1:1]);
  // (A grid of one core alone has a power of two of beats.)
  wire [IndexW:0] next = at_q + (IndexW+1)'(1);
  assign beyond_o = beside & ((Cores > 1) ? {1'b0, north} == below_i : |(north & below_i[IndexW-1:0]));
  assign busy_o   = nodes_q | drains_q | rows_q != '0;
  logic [IndexW-1:0] grid_mask; // beats_i - 1
  genvar b;
  generate
    for (b = 0; b < IndexW; b = b + 1) begin : g_mask
      always_ff @(posedge clk_i) grid_mask[b] <= |beats_i[IndexW:b+1];
    end
  endgenerate
  wire ends = last & nodes_q & ((Cores > 1) ? next == beats_i : &(at_q[IndexW-1:0] | ~grid_mask));
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      nodes_q  <= 1'b0;
      drains_q <= 1'b0;
      rows_q   <= '0;
    end else if (start_i) begin
      at_q    <= '0;
      row_q   <= coarse_from_i;
      odd_q   <= 1'b0;
      south_q <= 1'b0;
      nodes_q <= ~scrub_i;
      rows_q  <= tail_i;
      drain_q <= '0;
      drains_q <= 1'b0;
    end else if (busy_o) begin
      at_q <= at_q + (IndexW+1)'(1);
      if (last) begin
        south_q <= 1'b1;
        odd_q   <= ~odd_q;
        if (odd_q) row_q <= north;
        if (!nodes_q && !drains_q) begin
          rows_q   <= rows_q - 1'b1;
          drains_q <= rows_q == 1;
        end
      end
      if (ends) nodes_q <= 1'b0;
      if (drains_q) begin
        drain_q  <= drain_q + 1'b1;
        drains_q <= drain_q != drain_i;
      end
    end
  wire unused = &{1'b0, side_i, row_i[MaxLevel], beats_i, grid_mask, next, below_i[IndexW]};
endmodule
`default_nettype wire
