/// A g of a constant stencil on a stream of nodes, by rows of length_i beats: two rows wait, and columns are weighted before they
/// are added. Nodes beyond the grid's edge come as zeros, and a row begins with the west edge: what is east of a row's last
/// node is the next row's edge. Of the beat that came length_i + 1 clocks before g_i, sum_o is there WindowLatency + 3
/// clocks behind g_i, and mid_o, its g.
`include "mantissa.svh"
`default_nettype none
module cy_window #(
`include "cycle_parameters.svh"
  , parameter integer GW = 17,  ///< bits of a word
  parameter integer OutW = 21   ///< of the sum, enough
) (
  input  wire                   clk_i,
  input  wire                   clear_i,  ///< while length_i changes
  input  wire  [MaxLevel:0]     length_i,
  input  wire  [Lanes*GW-1:0]   g_i,
  output logic [Lanes*GW-1:0]   mid_o,
  output logic [Lanes*OutW-1:0] sum_o
);
`include "cycle_bounds.svh"
  localparam integer Negative = (East < 0 || Corner < 0) ? 1 : 0; // columns beside are subtracted
  wire [Lanes*GW-1:0] here, south;
  cy_row #(.W(Lanes * GW), .Max(RowMost), .Deep(Deep)) i_here (
    .clk_i, .clear_i, .length_i(length_i[LengthW-1:0]), .d_i(g_i), .q_o(here));
  cy_row #(.W(Lanes * GW), .Max(RowMost), .Deep(Deep)) i_south (
    .clk_i, .clear_i, .length_i(length_i[LengthW-1:0]), .d_i(here), .q_o(south));
  wire [Lanes*OutW-1:0] beside;
  logic [Lanes*OutW-1:0] behind_q;
  logic [OutW-1:0] behind_q2; // the last lane's
  always_ff @(posedge clk_i) begin
    behind_q  <= beside;
    behind_q2 <= behind_q[(Lanes-1)*OutW +: OutW];
  end
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
      // East of the last lane is the next beat's first, west of the first one the last lane of the beat before.
      wire [OutW-1:0] east, west;
      if (l == Lanes - 1) begin : g_east
        assign east = beside[OutW-1:0];
      end else begin : g_beside
        assign east = behind_q[(l+1)*OutW +: OutW];
      end
      if (l == 0) begin : g_west
        assign west = behind_q2;
      end else begin : g_next
        assign west = behind_q[(l-1)*OutW +: OutW];
      end
      logic [OutW-1:0] middle_q, both_q, centre_q, sum_q;
      always_ff @(posedge clk_i) begin
        both_q   <= east + west;
        middle_q <= column;
        centre_q <= middle_q;
        sum_q    <= (Negative != 0) ? centre_q - both_q : centre_q + both_q;
      end
      assign sum_o[l*OutW +: OutW] = sum_q;
    end
  endgenerate
  delay #(.W(Lanes * GW), .N(WindowLatency + 4)) i_mid (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(here), .q_o(mid_o));
  wire unused = &{1'b0, length_i};
endmodule
`default_nettype wire
