/// t = R r on a stream of nodes by rows (flags as in cy_step): weights 1, 2, 1 along a row, and the same across rows, on one
/// row of sums. valid_o with each node of the next level, from its south-west edge on; live_o: it is no edge node.
`include "mantissa.svh"
`default_nettype none
module cy_restrict #(
`include "cycle_parameters.svh"
  , parameter integer RW = 20
) (
  input  wire               clk_i,
  input  wire               clear_i,
  input  wire  [$clog2((1<<MaxLevel)+1)-1:0] length_i,
  input  wire  [2:0]        flags_i,
  input  wire  [RW-1:0]     r_i,
  output logic              valid_o,
  output logic              live_o,
  output logic [RW+3:0]     t_o
);
`include "cycle_bounds.svh"
  logic [RW-1:0] west_q, west_q2, middle_q;
  logic [RW:0]   ends_q;
  logic [RW+1:0] along_q;
  logic [2:0]    flags_q, flags_q2;
  always_ff @(posedge clk_i) begin
    west_q   <= r_i;
    west_q2  <= west_q;
    ends_q   <= (RW+1)'($signed(r_i)) + (RW+1)'($signed(west_q2));
    middle_q <= west_q;
    along_q  <= (RW+2)'($signed(ends_q)) + {middle_q[RW-1], middle_q, 1'b0};
    flags_q  <= flags_i;
    flags_q2 <= flags_q;
  end
  wire first = flags_q2[0];
  logic column_q, row_q, edge_q; // the node before: whether its column and its row are odd; it is in the west edge's column
  wire column = ~first & ~column_q;
  wire row    = first ? flags_q2[1] & ~row_q : row_q;
  wire [RW+3:0] above;
  wire          live;
  wire [RW+3:0] sum = above + (row ? (RW+4)'($signed(along_q)) : {along_q[RW+1], along_q, 1'b0});
  logic [RW+3:0] kept_q;
  logic          live_q; // the node to the west of the one that is kept is no edge node
  always_ff @(posedge clk_i) begin
    column_q <= column;
    row_q    <= row;
    edge_q   <= first;
    kept_q   <= row ? (RW+4)'($signed(along_q)) : sum;
    live_q   <= flags_q2[1] & ~edge_q;
    valid_o  <= flags_q2[2] & row & column;
    live_o   <= live;
    t_o      <= sum;
  end
  cy_row #(.W(RW + 5), .Max(RowMost)) i_row (
    .clk_i, .clear_i, .length_i(length_i - LengthW'(1)), .d_i({live_q, kept_q}),
    .q_o({live, above}));
endmodule
`default_nettype wire
