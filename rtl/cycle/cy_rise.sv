/// e = half(f, phi - i) + half(P v, j + pc - i) on a stream of nodes by rows, v = cut(half(e', n), E) of the next level's e'. For
/// each two nodes of a row two words of e' are read: of the row that a node is in, or of the two rows that it is between. So an odd row adds
/// two rows, an even one a row twice. With several lanes these are beats (flags and lanes as in cy_step). 14 clocks from word_i and f_i to e_o.
`include "mantissa.svh"
`default_nettype none
module cy_rise #(
`include "cycle_parameters.svh"
  , parameter integer InW = 27,  ///< bits of e' in memory
  parameter integer OutW = 27,
  localparam integer XW = E + 2
) (
  input  wire               clk_i,
  input  wire  [Lanes-1:0]      lanes_i,
  input  wire  [2:0]            flags_i,
  input  wire                   none_i,    ///< word_i counts as 0
  input  wire  [Lanes*InW-1:0]  word_i,
  input  wire  [Lanes*F-1:0]    f_i,
  input  wire  [4:0]            n_i,       ///< these stand through a sweep: n,
  input  wire  [4:0]            f_down_i,  ///< phi - i, at most F,
  input  wire  [$clog2(XW+OutW+2)-1:0] x_left_i, ///< fx_place's of j + pc - i
  output logic [2:0]            flags_o,
  output logic [Lanes*OutW-1:0] e_o
);
`include "cycle_bounds.svh"
  localparam integer Most  = (InW > E) ? InW - E : 0; // n, in three bits of fours and two of ones
  localparam [4:0]   NBits = 5'((1 << fx_log2(Most + 1)) - 1);
  wire [4:0] n = n_i & NBits;
  wire none;
  delay #(.W(1), .N(3)) i_none (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(none_i), .q_o(none));
  wire [2:0] flags_v, flags;
  delay #(.W(3), .N(4)) i_flags_v (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(flags_i), .q_o(flags_v));
  delay #(.W(3), .N(9)) i_flags (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(flags_v), .q_o(flags));
  logic column_q; // the beat before is an odd one
  wire column = ~flags_v[0] & ~column_q;
  always_ff @(posedge clk_i) begin
    column_q <= column;
    flags_o  <= flags;
  end
  wire [Lanes*F-1:0] f_late;
  delay #(.W(Lanes * F), .N(11)) i_f (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(f_i), .q_o(f_late));

  wire [Lanes*(E+1)-1:0] west; // of each lane,
  wire [((Lanes+1)/2)*(E+1)-1:0] here; // of each other one,
  wire [E:0] east;             // of the first
  wire unused_sums = &{1'b0, west, here, east}; // not all are asked for with one lane
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      // v, and columns of sums, new with every second beat
      logic [InW:0]  by_fours_q; // with one bit below
      logic [E+1:0]  moved_q;
      logic [E:0]    rounded_q;
      logic [E-1:0]  v_q, before_q;
      logic [E:0]    east_q, west_q;
      wire  [E-1:0]  cut;
      cy_cut #(.InW(E + 1), .OutW(E)) i_cut (.x_i(rounded_q), .word_o(cut));
      always_ff @(posedge clk_i) begin
        by_fours_q <= $signed({word_i[l*InW +: InW], 1'b0}) >>> {n[4:2], 2'b00};
        moved_q    <= (E+2)'($signed(by_fours_q) >>> n[1:0]);
        rounded_q  <= moved_q[E+1:1] + (E+1)'(moved_q[0]);
        v_q        <= none ? '0 : cut;
        before_q   <= v_q;
        if (column) begin
          east_q <= (E+1)'($signed(before_q)) + (E+1)'($signed(v_q));
          west_q <= east_q;
        end
      end

      assign west[l*(E+1) +: E+1] = west_q;
      if (l == 0) begin : g_first
        assign east = east_q;
      end

      // P v. The first one of a pair of beats is between the lower half of the columns, the second one the upper half.
      wire [E:0] one, other;
      if (l % 2 == 0) begin : g_here
        assign here[(l/2)*(E+1) +: E+1] = one;
      end
      if (Lanes == 1) begin : g_one
        assign one = west_q;
        assign other = column ? east_q : west_q;
      end else begin : g_halves
        assign one = column ? west[(Lanes/2+l/2)*(E+1) +: E+1] : west[(l/2)*(E+1) +: E+1];
        if (l % 2 == 0) begin : g_on
          assign other = one;
        end else if (l == Lanes - 1) begin : g_last
          assign other = column ? east : west[(Lanes/2)*(E+1) +: E+1];
        end else begin : g_between
          assign other = here[((l+1)/2)*(E+1) +: E+1];
        end
      end
      logic [XW-1:0] x_q;
      always_ff @(posedge clk_i) x_q <= XW'($signed(one)) + XW'($signed(other));

      // The sum
      wire [F-1:0]  f = f_late[l*F +: F];
      wire [OutW:0] x_word;
      wire          x_half, unused_over;
      wire [1:0]    unused_below;
      fx_shift #(.InW(XW), .OutW(OutW + 1)) i_shift (
        .clk_i, .left_i(x_left_i), .x_i(x_q), .word_o(x_word), .half_o(x_half), .over_o(unused_over),
        .below_o(unused_below));
      logic [F:0]      f_fours_q, f_moved_q;
      logic [OutW-1:0] x_moved_q, e_q;
      // What rounds f comes in as the sum's carry, from a place below.
      wire  [OutW:0]   sum = {OutW'($signed(f_moved_q[F:1])), 1'b1} + {x_moved_q, f_moved_q[0]};
      always_ff @(posedge clk_i) begin
        f_fours_q <= $signed({f, 1'b0}) >>> {f_down_i[4:2], 2'b00};
        f_moved_q <= $signed(f_fours_q) >>> f_down_i[1:0];
        x_moved_q <= OutW'(x_word) + OutW'(x_half);
        e_q       <= (flags[2:1] == 2'b11 && lanes_i[l] && (l != 0 || !flags[0])) ? sum[OutW:1] : '0;
      end
      assign e_o[l*OutW +: OutW] = e_q;
      wire unused = &{1'b0, unused_over, x_word[OutW], sum[0]};
    end
  endgenerate
endmodule
`default_nettype wire
