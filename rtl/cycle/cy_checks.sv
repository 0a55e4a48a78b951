/// With Checks: what the core knows of its own upsets. A check that fails stops the run, or says so when it has ended; only residues of
/// words wait for the next end test, since they differ too where a word has overflowed. Registers that stand for others have other
/// values than those, or synthesis would make one of two.
`include "mantissa.svh"
`default_nettype none
module cy_checks #(
`include "cycle_parameters.svh"
  , parameter integer NodeW = 10, ///< bits of a beat's number on the finest level,
  parameter integer StandW = 1,  ///< and of what was programmed
  localparam integer IndexW = 2 * MaxLevel
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,
  input  wire                 run_ni,     ///< of a run: an abort too
  input  wire                 start_i,
  input  wire                 busy_i,
  input  wire                 done_i,
  input  wire  [StandW-1:0]   programmed_i,
  input  wire                 over_i,     ///< a word did not fit: residues say nothing
  // Sweeps
  input  wire                 sweep_i,
  input  wire                 sweeps_i,
  input  wire                 sided_i,    ///< its side is that of its level
  input  wire                 single_i,   ///< the sequence is in one state
  input  wire  [4:0]          way_i,      ///< scrub, down, turn, up, finest
  input  wire  [MaxLevel:0]   side_i,
  input  wire  [MaxLevel:0]   top_side_i, ///< of the finest level: its side, and in beats a row and all rows
  input  wire  [MaxLevel:0]   top_row_i,
  input  wire  [IndexW:0]     top_i,
  input  wire  [2*MaxLevel-1:0] row_at_i,
  input  wire  [MaxLevel:0]   row_i,      ///< that row_at_i counts
  // The end test
  input  wire                 tests_i,    ///< D's length stands
  input  wire                 measure_i,
  input  wire                 counts_i,
  input  wire  [6:0]          exponent_i,
  input  wire  [6:0]          y_i,
  input  wire  [6:0]          length_i,
  input  wire                 lost_i,     ///< a word of D is longer than that,
  input  wire                 full_i,     ///< and one is as long, or nearly
  // The outer loop's step
  input  wire                 fresh_i,
  input  wire  signed [9:0]   s_i,
  input  wire                 alone_i,
  input  wire  [Lanes-1:0]    lanes_i,
  input  wire                 places_ok_i,
  input  wire                 write_u_i,
  input  wire                 write_d_i,
  input  wire  [NodeW-1:0]    u_to_i,
  input  wire  [NodeW-1:0]    d_to_i,
  input  wire  [Lanes-1:0]    some_i,     ///< beside write_u_i: c is not 0
  input  wire  [Lanes-1:0]    live_i,     ///< beside write_d_i: D' is not 0
  input  wire                 sent_i,     ///< u_i is what is sent,
  input  wire  [Lanes-1:0]    looked_i,   ///< d_i what is looked at on the way down
  input  wire  [Lanes*UW-1:0] u_i,
  input  wire  [Lanes*DW-1:0] d_i,
  input  wire  [Lanes*2-1:0]  u_must_i,   ///< residues that they must have
  input  wire  [Lanes*2-1:0]  d_must_i,
  output logic [Lanes*2-1:0]  u_residue_o, ///< that they have
  output logic [Lanes*2-1:0]  d_residue_o,
  output logic                stop_o,     ///< one clock: the run is not worth going on with
  output logic                fault_o     ///< since the start
);
`include "cycle_bounds.svh"
  // Words
  wire [Lanes-1:0] u_bad, d_bad;
  mod3_residue #(.Lanes(Lanes), .W(UW)) i_u (.clk_i, .en_i(1'b1), .word_i(u_i), .residue_o(u_residue_o));
  mod3_residue #(.Lanes(Lanes), .W(DW)) i_d (.clk_i, .en_i(1'b1), .word_i(d_i), .residue_o(d_residue_o));
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      assign u_bad[l] = u_residue_o[l*2 +: 2] != u_must_i[l*2 +: 2];
      assign d_bad[l] = d_residue_o[l*2 +: 2] != d_must_i[l*2 +: 2];
    end
  endgenerate
  wire words = ((write_u_i | sent_i) & (|u_bad)) | (write_d_i & (|d_bad)) | (|(looked_i & d_bad));

  // A sweep goes one way to its end. On the finest level upwards each node of U and D is written once, in its turn.
  logic [4:0] way_q;
  logic       s_odd_q;
  logic [NodeW-1:0] u_count_q, d_count_q;
  wire  steps = way_q[1] & way_q[0]; // the last sweep is, or was, such a one
  wire  stepping = steps & sweeps_i;
  wire  [NodeW-1:0] all = top_i[NodeW-1:0];
  wire  counted = u_count_q == all & d_count_q == (alone_i ? '0 : all);
  wire  [Lanes-1:0] u_inside, d_inside;
  cy_inside #(
`include "cycle_parameters_passed.svh"
    ) i_u_inside (.at_i(IndexW'(u_count_q)), .side_i(top_side_i), .row_i(top_row_i), .lanes_i, .inside_o(u_inside));
  cy_inside #(
`include "cycle_parameters_passed.svh"
    ) i_d_inside (.at_i(IndexW'(d_count_q)), .side_i(top_side_i), .row_i(top_row_i), .lanes_i, .inside_o(d_inside));
  logic fresh_q;
  wire  fresh = fresh_q & ~(measure_i & steps); // U has not been written
  wire  strayed = (|(some_i & ~(u_inside & {Lanes{write_u_i}}))) | (write_u_i & u_to_i != u_count_q) |
                  (write_d_i & (d_to_i != d_count_q | live_i != d_inside)) | ~places_ok_i | (^s_i) != s_odd_q;
  always_ff @(posedge clk_i) begin
    if (!run_ni || start_i) way_q <= '0;
    else if (sweep_i) way_q <= way_i;
    if (sweep_i) begin
      s_odd_q   <= ^s_i;
      u_count_q <= '0;
      d_count_q <= '0;
    end else begin
      u_count_q <= u_count_q + NodeW'(write_u_i);
      d_count_q <= d_count_q + NodeW'(write_d_i);
    end
    fresh_q <= !run_ni | start_i | fresh;
  end

  // The rows' addresses once more, by registers that hold the other value.
  wire row_differs;
  generate
    if (Deep != 0) begin : g_block
      // (yosys 0.23 takes ~W'(x) for another size.)
      localparam [RowAtW-1:0]  First  = RowAtW'(2);
      localparam [LengthW-1:0] Second = LengthW'(2), Third = LengthW'(3);
      logic [RowAtW-1:0]  write_q;
      logic [LengthW-1:0] read_q;
      always_ff @(posedge clk_i)
        if (sweep_i) begin
          write_q <= ~First;
          read_q  <= ~Third;
        end else begin
          write_q <= read_q[RowAtW-1:0];
          read_q  <= (~read_q == row_i[LengthW-1:0]) ? ~Second : read_q - LengthW'(1);
        end
      assign row_differs = {row_at_i[MaxLevel +: RowAtW], row_at_i[RowAtW-1:0]} != ~{read_q[RowAtW-1:0], write_q};
    end else begin : g_luts
      logic [RowAtW-1:0] at_q;
      wire  [RowAtW-1:0] last = RowAtW'(row_i[LengthW-1:0] - LengthW'(2));
      always_ff @(posedge clk_i)
        at_q <= (sweep_i || (&at_q)) ? ~last : at_q + RowAtW'(1);
      assign row_differs = {row_at_i[MaxLevel +: RowAtW], row_at_i[RowAtW-1:0]} != {~at_q, ~at_q};
    end
  endgenerate

  // D's length, counted once more from -1: as many clocks as it takes, and one.
  logic [6:0] again_q;
  always_ff @(posedge clk_i)
    if (measure_i) again_q <= '1;
    else again_q <= again_q + 7'(counts_i);
  wire length_differs = exponent_i != length_i | y_i != length_i | again_q != length_i;
  // Squares of a D that was looked at as too long say nothing.
  logic full_q;
  always_ff @(posedge clk_i) full_q <= ~sweep_i & (full_q | full_i);
  logic gathered_q; // D has come in since its length was counted: it is not zero for want of words
  always_ff @(posedge clk_i)
    if (start_i) gathered_q <= 1'b1;
    else if (sweep_i) gathered_q <= (way_i[1] & way_i[0]) | (gathered_q & way_i[4]);
  wire slack = tests_i & way_q[3] & way_q[0] & ~sweeps_i & ~sweep_i & ~full_q;

  // What stands through a run
  logic programmed_odd_q, running_q;
  always_ff @(posedge clk_i) begin
    if (start_i) programmed_odd_q <= ^programmed_i;
    running_q <= run_ni & (start_i | (running_q & ~done_i));
  end

  logic stop_q, words_q;
  wire  lost = (busy_i & ~running_q) | (running_q & ~busy_i & ~done_i);
  wire  bad  = lost | ~single_i | fresh_i != fresh | (busy_i & (^programmed_i) != programmed_odd_q) |
               (sweeps_i & ~sweep_i & (way_q != way_i | (way_q[0] & side_i != top_side_i) | ~sided_i | counts_i)) |
               (stepping & (strayed | row_differs)) | (steps & ~counted & (sweep_i | (running_q & done_i))) |
               (tests_i & length_differs) | lost_i | slack |
               (tests_i & exponent_i == '0 & ~gathered_q);
  always_ff @(posedge clk_i) begin
    stop_o  <= rst_ni & run_ni & ~stop_o & ~start_i & bad;
    stop_q  <= rst_ni & ~start_i & (stop_q | stop_o);
    words_q <= rst_ni & ~start_i & (words_q | words);
  end
  assign fault_o = stop_o | stop_q | (words_q & ~over_i);
  wire unused = &{1'b0, row_at_i, top_i, row_i, way_q};
endmodule
`default_nettype wire
