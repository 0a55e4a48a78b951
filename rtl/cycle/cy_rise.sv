/// e = half(f, phi - i) + half(P v, j + pc - i) on a stream of nodes by rows, v = cut(half(e', n), E) of the next level's e'. For
/// each two nodes of a row two words of e' are read: of the row that a node is in, or of the two rows that it is between. So an odd row adds
/// two rows, an even one a row twice. 14 clocks from word_i and f_i to e_o.
`include "mantissa.svh"
`default_nettype none
module cy_rise #(
`include "cycle_parameters.svh"
  , parameter integer InW = 27,  ///< bits of e' in memory
  parameter integer OutW = 27,
  localparam integer XW = E + 2
) (
  input  wire               clk_i,
  input  wire  [2:0]        flags_i,
  input  wire               none_i,    ///< word_i counts as 0
  input  wire  [InW-1:0]    word_i,
  input  wire  [F-1:0]      f_i,
  input  wire  [4:0]        n_i,       ///< these stand through a sweep: n,
  input  wire  [4:0]        f_down_i,  ///< phi - i, at most F,
  input  wire  [$clog2(XW+OutW+2)-1:0] x_left_i, ///< fx_place's of j + pc - i
  output logic [2:0]        flags_o,
  output logic [OutW-1:0]   e_o
);
  // v
  logic [InW:0]  by_fours_q; // with one bit below
  logic [E+1:0]  moved_q;
  logic [E:0]    rounded_q;
  logic [E-1:0]  v_q;
  wire  [E-1:0]  cut;
  wire           none;
  delay #(.W(1), .N(3)) i_none (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(none_i), .q_o(none));
  cy_cut #(.InW(E + 1), .OutW(E)) i_cut (.x_i(rounded_q), .word_o(cut));
  always_ff @(posedge clk_i) begin
    by_fours_q <= $signed({word_i, 1'b0}) >>> {n_i[4:2], 2'b00};
    moved_q    <= (E+2)'($signed(by_fours_q) >>> n_i[1:0]);
    rounded_q  <= moved_q[E+1:1] + (E+1)'(moved_q[0]);
    v_q        <= none ? '0 : cut;
  end

  // P v: two columns of sums, the east one new with every second node.
  wire [2:0] flags_v;
  delay #(.W(3), .N(4)) i_flags_v (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(flags_i), .q_o(flags_v));
  logic          column_q; // the node before is in an odd column
  logic [E-1:0]  before_q;
  logic [E:0]    east_q, west_q;
  logic [XW-1:0] x_q;
  wire column = ~flags_v[0] & ~column_q;
  always_ff @(posedge clk_i) begin
    column_q <= column;
    before_q <= v_q;
    if (column) begin
      east_q <= (E+1)'($signed(before_q)) + (E+1)'($signed(v_q));
      west_q <= east_q;
    end
    x_q <= XW'($signed(west_q)) + XW'($signed(column ? east_q : west_q));
  end

  // The sum
  wire [F-1:0]  f;
  wire [OutW:0] x_word;
  wire          x_half, unused_over;
  delay #(.W(F), .N(10)) i_f (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(f_i), .q_o(f));
  fx_shift #(.InW(XW), .OutW(OutW + 1)) i_shift (
    .clk_i, .left_i(x_left_i), .x_i(x_q), .word_o(x_word), .half_o(x_half), .over_o(unused_over));
  logic [F:0]      f_fours_q, f_moved_q;
  logic [F-1:0]    f_q;
  logic [OutW-1:0] x_moved_q;
  wire [2:0] flags;
  delay #(.W(3), .N(9)) i_flags (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(flags_v), .q_o(flags));
  always_ff @(posedge clk_i) begin
    f_fours_q <= $signed({f, 1'b0}) >>> {f_down_i[4:2], 2'b00};
    f_moved_q <= $signed(f_fours_q) >>> f_down_i[1:0];
    f_q       <= f_moved_q[F:1] + F'(f_moved_q[0]);
    x_moved_q <= OutW'(x_word) + OutW'(x_half);
    e_o       <= (flags == 3'b110) ? OutW'($signed(f_q)) + x_moved_q : '0;
    flags_o   <= flags;
  end
  wire unused = &{1'b0, unused_over, x_word[OutW]};
endmodule
`default_nettype wire
