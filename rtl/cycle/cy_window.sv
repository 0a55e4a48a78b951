/// A g of a constant stencil on a stream of nodes, by rows of length_i: two rows wait, and columns are weighted before they
/// are added. Nodes beyond the grid's edge come as zeros, and a row begins with the west edge: what is east of a row's last
/// node is the next row's edge. Of the node that came length_i + 1 clocks before g_i, sum_o is there WindowLatency + 3
/// clocks behind g_i, and mid_o, its g.
`include "mantissa.svh"
`default_nettype none
module cy_window #(
`include "cycle_parameters.svh"
  , parameter integer GW = 17,  ///< bits of a word
  parameter integer OutW = 21   ///< of the sum, enough
) (
  input  wire               clk_i,
  input  wire               clear_i,  ///< while length_i changes
  input  wire  [$clog2((1<<MaxLevel)+1)-1:0] length_i,
  input  wire  [GW-1:0]     g_i,
  output logic [GW-1:0]     mid_o,
  output logic [OutW-1:0]   sum_o
);
`include "cycle_bounds.svh"
  localparam integer Negative = (East < 0 || Corner < 0) ? 1 : 0; // columns beside are subtracted
  wire [GW-1:0] here, south;
  cy_row #(.W(GW), .Max(RowMost)) i_here (
    .clk_i, .clear_i, .length_i, .d_i(g_i), .q_o(here));
  cy_row #(.W(GW), .Max(RowMost)) i_south (
    .clk_i, .clear_i, .length_i, .d_i(here), .q_o(south));
  logic [GW:0] outer_q; // of the rows to the south and to the north
  logic [GW:0] here_q;
  always_ff @(posedge clk_i) begin
    outer_q <= (GW+1)'($signed(g_i)) + (GW+1)'($signed(south));
    here_q  <= (GW+1)'($signed(here));
  end
  wire [OutW-1:0] column, beside;
  fx_weighted #(.W(GW + 1), .Words(2), .C0(North), .C1(Centre), .Latency(WindowLatency), .OutW(OutW)) i_column (
    .clk_i, .en_i(1'b1), .x_i({here_q, outer_q}), .sum_o(column));
  fx_weighted #(.W(GW + 1), .Words(2), .C0((Negative != 0) ? -Corner : Corner), .C1((Negative != 0) ? -East : East),
                .Latency(WindowLatency), .OutW(OutW)) i_beside (
    .clk_i, .en_i(1'b1), .x_i({here_q, outer_q}), .sum_o(beside));
  logic [OutW-1:0] middle_q, behind_q, behind_q2, both_q, centre_q;
  always_ff @(posedge clk_i) begin
    behind_q  <= beside;
    behind_q2 <= behind_q;
    both_q    <= beside + behind_q2; // east and west
    middle_q  <= column;
    centre_q  <= middle_q;
    sum_o     <= (Negative != 0) ? centre_q - both_q : centre_q + both_q;
  end
  delay #(.W(GW), .N(WindowLatency + 4)) i_mid (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(here), .q_o(mid_o));
endmodule
`default_nettype wire
