/// A g of a constant stencil on a stream of nodes, by rows: two rows wait, and columns are weighted before they
/// are added. Nodes beyond the grid's edge come as zeros, and a row begins with the west edge: what is east of a row's last
/// node is the next row's edge. Of the beat that came a row and 1 clock before g_i, sum_o is there WindowLatency + 2
/// clocks after g_i, and mid_o, its g.
`include "mantissa.svh"
`default_nettype none
module cy_window #(
`include "cycle_parameters.svh"
  , parameter integer GW = 17,  ///< bits of a word
  parameter integer OutW = 21   ///< of the sum, enough
) (
  input  wire                   clk_i,
  input  wire                   clear_i,  ///< while the rows' length changes
  input  wire  [2*MaxLevel-1:0]   row_at_i, ///< cy_row_at's addresses
  input  wire  [Lanes*GW-1:0]   g_i,
  output logic [Lanes*GW-1:0]   mid_o,
  output logic [Lanes*OutW-1:0] sum_o
);
`include "cycle_bounds.svh"
  localparam integer Negative = (East < 0 || Corner < 0) ? 1 : 0; // columns beside are subtracted
  wire [Lanes*GW-1:0] here, south;
  cy_row #(.W(Lanes * GW), .Max(RowMost), .Deep(Deep)) i_here (
    .clk_i, .clear_i, .read_at_i(row_at_i[MaxLevel +: RowAtW]), .write_at_i(row_at_i[RowAtW-1:0]), .d_i(g_i), .q_o(here));
  cy_row #(.W(Lanes * GW), .Max(RowMost), .Deep(Deep)) i_south (
    .clk_i, .clear_i, .read_at_i(row_at_i[MaxLevel +: RowAtW]), .write_at_i(row_at_i[RowAtW-1:0]), .d_i(here), .q_o(south));
  wire [Lanes*OutW-1:0] beside;
  logic [Lanes*OutW-1:0] behind_q; // the beat before
  always_ff @(posedge clk_i) behind_q <= beside;
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      wire [GW-1:0] g = g_i[l*GW +: GW];
      wire [GW-1:0] to_south = south[l*GW +: GW];
      logic [GW:0] outer_q; // of the rows to the south and to the north
      logic [GW:0] here_q;
      always_ff @(posedge clk_i) begin
        outer_q <= (GW+1)'($signed(g)) + (GW+1)'($signed(to_south));
        here_q  <= (GW+1)'($signed(here[l*GW +: GW]));
      end
      wire [OutW-1:0] column;
      fx_weighted #(.W(GW + 1), .Words(2), .C0(North), .C1(Centre), .Latency(WindowLatency), .OutW(OutW)) i_column (
        .clk_i, .en_i(1'b1), .x_i({here_q, outer_q}), .sum_o(column));
      fx_weighted #(.W(GW + 1), .Words(2), .C0((Negative != 0) ? -Corner : Corner), .C1((Negative != 0) ? -East : East),
                    .Latency(WindowLatency), .OutW(OutW)) i_beside (
        .clk_i, .en_i(1'b1), .x_i({here_q, outer_q}), .sum_o(beside[l*OutW +: OutW]));
      // West of the first lane is the last one of the beat before; what is east of a node comes a clock after what is west of it.
      wire [OutW-1:0] west, east;
      if (l == 0) begin : g_west
        assign west = behind_q[(Lanes-1)*OutW +: OutW];
      end else begin : g_beside
        assign west = beside[(l-1)*OutW +: OutW];
      end
      if (l == Lanes - 1) begin : g_east
        assign east = beside[OutW-1:0];
      end else begin : g_next
        assign east = behind_q[(l+1)*OutW +: OutW];
      end
      logic [OutW-1:0] part_q, sum_q;
      always_ff @(posedge clk_i) begin
        part_q <= (Negative != 0) ? column - west : column + west;
        sum_q  <= (Negative != 0) ? part_q - east : part_q + east;
      end
      assign sum_o[l*OutW +: OutW] = sum_q;
    end
  endgenerate
  delay #(.W(Lanes * GW), .N(WindowLatency + 3)) i_mid (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(here), .q_o(mid_o));
  wire unused = &{1'b0, row_at_i, behind_q}; // (of the first of several lanes nothing is asked later)
endmodule
`default_nettype wire
