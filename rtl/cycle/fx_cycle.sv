/// The cycle core: multilevel cycles in short words on a constant stencil (multilevel/cycle.hpp, to the bit), with the outer loop
/// around them; all vectors are in memory on the chip. docs/cycle_core.md has the registers and what a solve is.
///
///   s_axis_d    in, words of D, a node of the grid each, while no run is on; tlast with the last beat. A run begins with U = 0.
///   m_axis_u    out, words of U, after CONTROL.send
///   accepted_o  one clock: D was looked at; cycles, x and the sum of squares as they are then, for who looks on
///   link_*, peer_*, all_*   of several cores on one grid, which are in step (fx_cycles); with Cores 1 nothing looks at them
///
/// A sweep takes a level's nodes by beats, Lanes of them a clock. Down: r enters, the smoothing steps trail one another by a row, t leaves. Up: the
/// next level's e, interpolated, and f, then the steps after, and on the finest level the outer loop's step. Rows end with the grid's
/// edge, so nothing is asked about a node's neighbours.
`include "mantissa.svh"
`include "cycle_registers.svh"
`default_nettype none
module fx_cycle #(
`include "cycle_parameters.svh"
  , localparam integer SquaresW = 31 + 2 * MaxLevel
  , localparam integer LinkW = Lanes * ((DW > 34) ? DW : 34) // a beat of D, or of t or e, which have 34 bits at most
) (
  input  wire              clk_i,
  input  wire              rst_ni,

  `AXIL_PORTS(8)

  `AXIS_IN_PORTS(d, BusWords*DW)
  `AXIS_OUT_PORTS(u, BusWords*UW)

  output logic             accepted_o,
  output logic [31:0]      cycles_o,
  output logic [6:0]       exponent_o,
  output logic [63:0]      squares_o,
  output logic             busy_o,       ///< a run is on; its end can serve as an interrupt

  output logic             link_valid_o, ///< a beat for both neighbours
  output logic [LinkW-1:0] link_o,
  input  wire  [1:0]       link_valid_i, ///< of the neighbours to the south and to the north
  input  wire  [2*LinkW-1:0] link_i,
  output logic [3:0]       peer_o,       ///< at the end of what it was told; no length is being counted; a word of U, of D did not fit
  output logic [13:0]      peer_lengths_o, ///< of D, and of t or e
  output logic [SquaresW-1:0] peer_squares_o,
  input  wire  [3:0]       all_i,        ///< a clock later: the same of all cores, or of one,
  input  wire  [13:0]      all_lengths_i, ///< the longest,
  input  wire  [SquaresW-1:0] all_squares_i ///< and the sums' sum
);
`include "cycle_bounds.svh"
`include "cycle_slabs.svh"
`include "cycle_checks.svh"
  localparam integer IndexW = 2 * MaxLevel;
  localparam integer NodeW  = cy_beats_log(StoredLevel);
  localparam integer Nodes  = (Cores == 1) ? 1 << NodeW : cy_finest(Core);               // beats of the finest level
  localparam integer Rest   = (Cores == 1) ? cy_rest(StoredLevel) : cy_slab_base(Core, -1);  // of all others
  localparam integer StoreW = $clog2(Nodes);
  localparam integer FW     = cy_bits(cy_most(Before - 1, 2));
  // What is on its way when a sweep's last node has entered: rows, and clocks. One lane takes the most of all, since adders are
  // dearer than a level's latency; several take what the direction needs.
  localparam integer TailRows = cy_max(Before, After + 1);
  localparam integer Drain  = cy_max(16 + Before * (WindowLatency + 11), 33 + WindowLatency + After * (WindowLatency + 17)) +
                              ((Lanes > 1) ? 2 : 0);

  localparam integer TailW     = $clog2(TailRows + 1);
  localparam integer DrainW    = $clog2(Drain + 1);
  localparam integer DownDrain = 18 + Before * (WindowLatency + 11);
  localparam integer RiseDrain = 24 + After * (WindowLatency + 17);
  localparam integer UpDrain   = 35 + WindowLatency + After * (WindowLatency + 17);

  // ---- Registers and control ---------------------------------------------------------------------------------------------
  wire begins, start, abort, asked, resized, alone, done, sending, loaded, load;
  wire [3:0]  level, how;
  wire [31:0] cycles;
  wire signed [15:0] limit_exponent;
  wire [63:0] limit;
  wire signed [9:0]  point;
  wire [47:0] clocks;
  logic u_over_q, d_over_q;
  logic [SquaresW-1:0] squares_q;
  wire sweep, scrub, down, turn, up, finest, swept, measure, fresh, none;
  wire [MaxLevel:0] side;
  wire [IndexW-1:0] base, next;
  wire d_counts, word_counts, c_over;
  wire [6:0] d_length, word_length, y;
  wire [4:0] e_down, f_down;
  wire signed [9:0] x_down, i_point, s;
  // With several cores what is at its end, what was found and how long it is, is what all of them say.
  wire [3:0] k_now;
  wire share, north, gather, shares, at_end, measured, u_over, d_over;
  wire [6:0] own_d_length, own_word_length;
  wire [SquaresW-1:0] squares = (Cores > 1) ? all_squares_i : squares_q;
  assign peer_o         = {swept & ~shares, ~(d_counts | word_counts), u_over_q, d_over_q};
  assign peer_lengths_o = {own_d_length, own_word_length};
  assign peer_squares_o = squares_q;
  // That comes a clock later, so it says nothing in the clock after something was begun.
  logic begun_q, measure_q;
  always_ff @(posedge clk_i) {begun_q, measure_q} <= {sweep | share, measure};
  assign at_end   = (Cores > 1) ? all_i[3] & ~begun_q : swept;
  assign measured = (Cores > 1) ? all_i[2] & ~measure_q : ~(d_counts | word_counts);
  assign u_over   = u_over_q | (Cores > 1 && all_i[1]);
  assign d_over   = d_over_q | (Cores > 1 && all_i[0]);
  assign {d_length, word_length}  = (Cores > 1) ? all_lengths_i : peer_lengths_o;
  wire send = asked;
  // What the host's side sees of it: a clock later, which no two of its accesses are apart by.
  logic busy_q, open_q, runs_q;
  always_ff @(posedge clk_i) begin
    runs_q <= busy_o; // (no word comes or goes in a run's first and last clocks)
    busy_q <= rst_ni & (busy_o | start | sending | send);
    open_q <= rst_ni & ~(busy_o | start | sending | send | begins);
  end
  wire stop, fault, tests, sided, single; // with Checks
  cy_regs #(.Config(LaneLog + fx_log2(BusWords) * 16 + StoredLevel * 256 + Before * 65536 + After * 1048576 + Checks * 16777216)) i_regs (
    .clk_i, .rst_ni, `AXIL_PASSED,
    .begins_o(begins), .start_o(start), .abort_o(abort), .send_o(asked),
    .level_o(level), .resized_o(resized), .cycles_o(cycles), .alone_o(alone), .limit_exponent_o(limit_exponent),
    .limit_o(limit), .busy_i(busy_q), .done_i(done | (fault & ~busy_o)), .sending_i(sending), .loaded_i(loaded),
    .end_i(fault ? `CYCLE_END_FAULT : how), .u_over_i(u_over), .d_over_i(d_over), .fault_i(fault), .count_i(cycles_o), .exponent_i(exponent_o),
    .squares_i(squares_o), .point_i(point), .clocks_i(clocks));
  assign squares_o = 64'(squares);

  // An abort resets all but the registers, the memories and the words of U that are on their way out.
  logic run_n;
  always_ff @(posedge clk_i) run_n <= rst_ni & ~abort & ~stop;
  wire bad = level < 4'd2 | level > 4'(StoredLevel) | cycles == '0;

  cy_control #(
`include "cycle_parameters_passed.svh"
    , .SquaresW(SquaresW)) i_control (
    .clk_i, .rst_ni(run_n), .start_i(start), .refuse_i(bad | ~loaded), .level_i(level), .cycles_i(cycles), .alone_i(alone),
    .limit_i(limit), .limit_exponent_i(limit_exponent), .busy_o, .done_o(done), .end_o(how), .count_o(cycles_o), .exponent_o,
    .point_o(point), .clocks_o(clocks), .accepted_o, .sweep_o(sweep), .scrub_o(scrub), .down_o(down), .turn_o(turn),
    .up_o(up), .finest_o(finest), .k_o(k_now), .share_o(share), .north_o(north), .gather_o(gather), .shared_i(at_end), .side_o(side),
    .base_o(base), .next_o(next), .swept_i(at_end), .measure_o(measure),
    .measured_i(measured), .d_length_i(d_length), .word_length_i(word_length), .squares_i(squares),
    .over_i(u_over | d_over), .fault_i(fault), .tests_o(tests), .sided_o(sided), .single_o(single), .c_over_o(c_over), .y_o(y), .fresh_o(fresh), .none_o(none), .e_down_o(e_down), .f_down_o(f_down),
    .x_down_o(x_down), .i_o(i_point), .s_o(s));

  // ---- Nodes and where their words are -------------------------------------------------------------------------------------
  wire [2:0] flags;
  wire [IndexW-1:0] index, coarse;
  wire beyond, sweeps;
  wire [TailW-1:0]  tail;
  wire [DrainW-1:0] drain;
  logic [MaxLevel:0] beats_row, below_row;
  wire  [IndexW:0]   beats, below;
  logic [IndexW:0]   all_beats, all_below;
  wire [IndexW-1:0] coarse_from;
  wire [MaxLevel+IndexW+1:0] shape, shape_below;
  cy_shape #(
`include "cycle_parameters_passed.svh"
    ) i_shape (.side_i(side), .row_o(shape[MaxLevel:0]), .beats_o(shape[MaxLevel+1 +: IndexW+1]));
  cy_shape #(
`include "cycle_parameters_passed.svh"
    ) i_below (.side_i({1'b0, side[MaxLevel:1]}), .row_o(shape_below[MaxLevel:0]), .beats_o(shape_below[MaxLevel+1 +: IndexW+1]));
  // (side changes two clocks before a sweep begins)
  always_ff @(posedge clk_i) begin
    {all_beats, beats_row} <= shape;
    {all_below, below_row} <= shape_below;
  end
  cy_sweep #(
`include "cycle_parameters_passed.svh"
    , .TailRows(TailRows), .Drain(Drain)) i_sweep (
    .clk_i, .rst_ni(run_n), .start_i(sweep), .scrub_i(scrub), .side_i(side), .row_i(beats_row), .beats_i(beats), .below_i(below),
    .below_row_i(below_row), .coarse_from_i(coarse_from), .tail_i(tail), .drain_i(drain), .flags_o(flags), .index_o(index), .coarse_o(coarse), .beyond_o(beyond), .busy_o(sweeps));
  assign swept = ~sweeps;
  wire whole = (Lanes == 1) | scrub;
  assign tail  = whole ? TailW'(TailRows) : !up ? TailW'(Before) : finest ? TailW'(After + 1) : TailW'(cy_max(After, 1));
  assign drain = whole ? DrainW'(Drain) : !up ? DrainW'(DownDrain) : finest ? DrainW'(UpDrain) : DrainW'(RiseDrain);
  // Beats that stages delay by; the coarsest level goes through none.
  logic [MaxLevel:0] row;
  always_ff @(posedge clk_i) row <= (Lanes == 1 && side[MaxLevel:2] == '0) ? (MaxLevel+1)'(4) : shape[MaxLevel:0];
  wire [2*MaxLevel-1:0] row_at;
  generate
    if (RowAtW < MaxLevel) begin : g_narrow
      assign row_at[2*MaxLevel-1:MaxLevel+RowAtW] = '0;
      assign row_at[MaxLevel-1:RowAtW] = '0;
    end
  endgenerate
  cy_row_at #(.Max(RowMost), .Deep(Deep)) i_row_at (
    .clk_i, .clear_i(sweep), .length_i(row[LengthW-1:0]), .read_o(row_at[MaxLevel +: RowAtW]), .write_o(row_at[RowAtW-1:0]));
  wire unused_row = &{1'b0, row};
  // Lanes that a row has nodes for
  wire  [Lanes-1:0] lanes;
  genvar l;
  generate
    if (Lanes == 1) begin : g_lane
      assign lanes = 1'b1;
    end else begin : g_live_lanes
      logic [Lanes-1:0] lanes_q;
      for (l = 0; l < Lanes; l = l + 1) begin : g_live
        always_ff @(posedge clk_i) lanes_q[l] <= |side[MaxLevel:fx_log2(l+1)];
      end
      assign lanes = lanes_q;
    end
  endgenerate
  // The finest level's words are first, then those of the others.
  wire [MaxLevel:0] top_side = (MaxLevel+1)'(1) << level;
  wire [MaxLevel:0] top_row;
  wire [IndexW:0]   top;
  cy_shape #(
`include "cycle_parameters_passed.svh"
    ) i_top (.side_i(top_side), .row_o(top_row), .beats_o(top));
  logic [AW-1:0] all_base_q;
  wire  [AW-1:0] slab_all_base;
  wire  [IndexW-1:0] slab_from, slab_to, slab_seam_to, share_from, share_to;
  wire  own_word, own_u, own_d, own_leading, seam_in, seam_own, takes;
  // With several cores addresses are sums
  wire [AW-1:0] all_from = (Cores > 1) ? slab_all_base + AW'(index) : all_base_q | AW'(index);
  wire unused_alone = &{1'b0, all_from, all_beats, all_below};
  always_ff @(posedge clk_i) all_base_q <= finest ? '0 : top | (IndexW+1)'(base);

  wire [2:0] flags_read; // beside words that were read
  wire       none_read;
  delay #(.W(4), .N(2)) i_flags (
    .clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i({flags, none | beyond | ~flags[2]}), .q_o({flags_read, none_read}));

  // ---- Down ----------------------------------------------------------------------------------------------------------------
  wire [Lanes*DW-1:0]    d_word;
  wire [Lanes*WordW-1:0] word;
  // t stands at the top of its word.
  localparam integer EnterW = cy_max(DW, WordW + 1);
  localparam integer Lifted = EnterW - 1 - WordW;
  wire [Lanes*EnterW-1:0] entering;
  wire [6:0]              entering_length = finest ? y : y + 7'(Lifted);
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_entering
      assign entering[l*EnterW +: EnterW] = finest ? EnterW'($signed(d_word[l*DW +: DW])) : EnterW'($signed(word[l*WordW +: WordW])) << Lifted;
    end
  endgenerate
  wire [Lanes-1:0]    live_leading, lost, full;
  wire [Lanes*17-1:0] leading;
  wire [2:0]          flags_r;
  wire [Lanes*W-1:0]  r;
  cy_enter #(
`include "cycle_parameters_passed.svh"
    , .InW(EnterW)) i_enter (
    .clk_i, .length_i(entering_length), .lanes_i(lanes), .flags_i(flags_read & {3{~up}}), .t_i(entering), .live_o(live_leading),
    .leading_o(leading), .flags_o(flags_r), .r_o(r), .lost_o(lost), .full_o(full));

  // Squares of all lanes, in a tree of which the last ones in are at its root.
  localparam integer SquareW = 31 + LaneLog;
  wire [SquareW-1:0] squared;
  wire               adds;
  cy_squares #(.Lanes(Lanes), .OutW(SquareW)) i_squares (
    .clk_i, .live_i(live_leading & {Lanes{finest & down & own_leading}}), .x_i(leading), .live_o(adds), .sum_o(squared));
  always_ff @(posedge clk_i)
    if (sweep & finest) squares_q <= '0;
    else if (adds) squares_q <= squares_q + SquaresW'(squared);

  genvar k;
  generate
    for (k = 0; k < Before; k = k + 1) begin : g_step
      localparam integer RW = (k == 0) ? W : cy_bits(cy_capped(cy_most(cy_max(k - 1, 0), 5), H));
      localparam integer NextW = cy_bits(cy_capped(cy_most(k, 5), H));
      localparam integer FoundW = cy_bits(cy_most(k, 2));
      localparam integer InW = (k == 0) ? FoundW : cy_bits(cy_most(cy_max(k - 1, 0), 2));
      wire [2:0]        flags_in, flags_out;
      wire [Lanes*RW-1:0]     r_in;
      wire [Lanes*NextW-1:0]  r_out;
      wire [Lanes*InW-1:0]    f_in;
      wire [Lanes*FoundW-1:0] f_out, found;
      wire              found_valid;
      if (k == 0) begin : g_first
        assign flags_in = flags_r & {3{down}};
        assign r_in = r;
        assign f_in = '0;
      end else begin : g_next
        assign flags_in = g_step[k-1].flags_out;
        assign r_in = g_step[k-1].r_out;
        assign f_in = g_step[k-1].f_out;
      end
      cy_step #(
`include "cycle_parameters_passed.svh"
        , .K(k), .RW(RW), .NextW(NextW), .FW(InW), .FoundW(FoundW)) i_step (
        .clk_i, .clear_i(sweep), .row_at_i(row_at), .lanes_i(lanes), .flags_i(flags_in), .r_i(r_in), .f_i(f_in), .found_valid_o(found_valid),
        .found_o(found), .flags_o(flags_out), .r_o(r_out), .f_o(f_out));
      wire unused = &{1'b0, found_valid, found, f_out}; // the last step's f is kept, the others' goes on
    end
  endgenerate
  wire t_valid;
  wire [Lanes-1:0]    t_live;
  wire [Lanes*TW-1:0] t;
  cy_restrict #(
`include "cycle_parameters_passed.svh"
    , .RW(LastW)) i_restrict (
    .clk_i, .clear_i(sweep), .length_i(row), .row_at_i(row_at), .lanes_i(lanes), .flags_i(g_step[Before-1].flags_out), .r_i(g_step[Before-1].r_out),
    .valid_o(t_valid), .live_o(t_live), .t_o(t));

  // The coarsest level, of one node
  localparam integer TurnLatency = fx_weighted_latency(Z, 0, 0);
  localparam integer TurnLane    = (Lanes > 1) ? 1 : 0;
  wire [WordW-1:0] turned;
  wire             valid_turned;
  fx_weighted #(.W(W), .Words(1), .C0(Z), .Latency(TurnLatency), .OutW(WordW)) i_turn (
    .clk_i, .en_i(1'b1), .x_i(r[TurnLane*W +: W]), .sum_o(turned));
  delay #(.W(1), .N(TurnLatency)) i_turned (
    .clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(flags_r[2] & turn), .q_o(valid_turned));

  // ---- Up ------------------------------------------------------------------------------------------------------------------
  wire [Lanes*FW-1:0] f_word;
  wire [Lanes*F-1:0]  f_wide;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_wide
      assign f_wide[l*F +: F] = F'($signed(f_word[l*FW +: FW]));
    end
  endgenerate
  wire [2:0]          flags_e;
  wire [Lanes*EW-1:0] e;
  localparam integer XLeftW = $clog2(E + EW + 4);
  wire [XLeftW-1:0] x_left;
  fx_place #(.InW(E + 2), .OutW(EW + 1), .NW(10)) i_place (.clk_i, .n_i(x_down), .left_o(x_left));
  cy_rise #(
`include "cycle_parameters_passed.svh"
    , .InW(WordW), .OutW(EW)) i_rise (
    .clk_i, .lanes_i(lanes), .flags_i(flags_read & {3{up}}), .none_i(none_read), .word_i(word), .f_i(f_wide), .n_i(e_down),
    .f_down_i(f_down), .x_left_i(x_left), .flags_o(flags_e), .e_o(e));

  wire [Lanes*W-1:0] r_word;
  generate
    for (k = 0; k < After; k = k + 1) begin : g_after
      wire [2:0]    flags_in, flags_out;
      wire [Lanes*W-1:0]  r_in, r_out;
      wire [Lanes*EW-1:0] e_in, e_out;
      if (k == 0) begin : g_first
        assign flags_in = flags_e;
        assign e_in = e;
        delay #(.W(Lanes * W), .N(14)) i_r (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(r_word), .q_o(r_in));
      end else begin : g_next
        assign flags_in = g_after[k-1].flags_out;
        assign e_in = g_after[k-1].e_out;
        assign r_in = g_after[k-1].r_out;
      end
      cy_after #(
`include "cycle_parameters_passed.svh"
        , .K(k), .InW(EW), .SumsW(EW + SumLog), .RestW(H)) i_after (
        .clk_i, .clear_i(sweep), .row_at_i(row_at), .point_i(i_point), .lanes_i(lanes), .flags_i(flags_in), .r_i(r_in), .e_i(e_in),
        .flags_o(flags_out), .r_o(r_out), .e_o(e_out));
    end
  endgenerate
  wire [2:0]          flags_risen;
  wire [Lanes*EW-1:0] risen;
  generate
    if (After == 0) begin : g_risen
      assign flags_risen = flags_e;
      assign risen = e;
      wire unused = &{1'b0, i_point, r_word};
    end else begin : g_smoothed
      assign flags_risen = g_after[After-1].flags_out;
      assign risen = g_after[After-1].e_out;
      wire unused = &{1'b0, g_after[After-1].r_out};
    end
  endgenerate

  wire read_u, read_d, writes_u, writes_d, u_long, d_long;
  // With Checks: residues of words beside them in memory, those that sums must have, and those that words to be written have.
  wire [Lanes*2-1:0] u_residue, d_residue, u_must, d_must, u_has, d_has;
  wire [Lanes-1:0]   c_some, d_lives;
  wire               places_ok;
  localparam integer ResidueW = (Checks != 0) ? 2 : 0;
  wire [Lanes*UW-1:0] u_word, u_new;
  wire [Lanes*DW-1:0] d_new;
  cy_correct #(
`include "cycle_parameters_passed.svh"
    , .InW(EW)) i_correct (
    .clk_i, .clear_i(sweep), .row_at_i(row_at), .s_i(s), .lanes_i(lanes), .flags_i(flags_risen & {3{finest}}), .e_i(risen),
    .read_u_o(read_u), .u_i(u_word), .write_u_o(writes_u), .u_o(u_new), .u_over_o(u_long),
    .read_d_o(read_d), .d_i(d_word), .write_d_o(writes_d), .d_o(d_new), .d_over_o(d_long),
    .up_i(up), .places_ok_o(places_ok), .u_residue_i(u_residue), .d_residue_i(d_residue), .u_must_o(u_must), .d_must_o(d_must),
    .some_o(c_some), .live_o(d_lives));
  // What is left of an aborted sweep is not written, but for a word on its end: U is lost then, and D is loaded anew.
  logic writes_q, writes_d_q;
  always_ff @(posedge clk_i) {writes_q, writes_d_q} <= {busy_o & ~scrub, busy_o & ~scrub & ~alone};
  wire writes  = writes_q & busy_o;
  wire write_u = writes_u & writes_q;
  wire write_d = writes_d & writes_d_q;
  logic [NodeW-1:0] u_from_q, d_from_q;
  wire  [NodeW-1:0] u_to, d_to_next; // the words that were read three clocks before
  always_ff @(posedge clk_i) begin
    if (sweep) begin
      u_from_q <= '0;
      d_from_q <= '0;
    end else begin
      u_from_q <= u_from_q + NodeW'(read_u);
      d_from_q <= d_from_q + NodeW'(read_d);
    end
    u_over_q <= ~start & rst_ni & (u_over_q | (((u_long & writes & own_u) | c_over) & ~alone));
    d_over_q <= ~start & rst_ni & (d_over_q | (d_long & writes & own_d & ~alone));
  end
  delay #(.W(NodeW), .N(3)) i_u_to (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(u_from_q), .q_o(u_to));
  delay #(.W(NodeW), .N(3)) i_d_to (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(d_from_q), .q_o(d_to_next));

  // ---- Memories ------------------------------------------------------------------------------------------------------------
  wire [IndexW-1:0] seam_at;
  wire unused_at = &{1'b0, seam_at};
  wire load_edge, load_west, load_first, moves;
  assign s_axis_d_tready = open_q;
  localparam integer Parts = Lanes / BusWords; // of a beat of lanes, a beat of the streams each
  localparam integer PartW = (Parts > 1) ? $clog2(Parts) : 1;
  wire [Parts-1:0] seam_part;
  wire [PartW-1:0] u_part;
  cy_seam #(
`include "cycle_parameters_passed.svh"
    ) i_seam (
    .clk_i, .rst_ni(run_n), .send_rst_ni(rst_ni), .side_i(top_side), .row_i(top_row), .beats_i(top), .forget_i(resized | start),
    .open_i(s_axis_d_tready), .d_valid_i(s_axis_d_tvalid), .d_last_i(s_axis_d_tlast), .load_o(load), .load_edge_o(load_edge),
    .load_west_o(load_west), .load_first_o(load_first), .loaded_o(loaded), .send_i(send), .sending_o(sending),
    .moves_o(moves), .at_o(seam_at), .part_o(seam_part), .u_part_o(u_part), .u_valid_o(m_axis_u_tvalid),
    .u_last_o(m_axis_u_tlast), .u_ready_i(m_axis_u_tready));

  wire [Lanes-1:0]    lanes_top; // that a row of LEVEL has nodes for
  wire [Lanes*DW-1:0] d_into;
  wire [Lanes-1:0]    d_live;
  logic fresh_sent_q; // U counted as zero when it was asked for: an abort changes nothing of what is on its way
  always_ff @(posedge clk_i) if (send) fresh_sent_q <= fresh;
  wire  u_zero = sending ? fresh_sent_q : fresh;
  wire [IndexW-1:0]   seam_to = (Cores > 1) ? slab_seam_to : seam_at;
  wire [NodeW-1:0]    d_from = shares ? NodeW'(share_from) : up ? d_from_q : NodeW'(index);
  wire [NodeW-1:0]    d_to   = takes ? NodeW'(share_to) : runs_q ? d_to_next : NodeW'(seam_to);
  wire [NodeW-1:0]    u_from = runs_q ? u_from_q : NodeW'(seam_to);
  wire                unused_numbers = &{1'b0, d_from, d_to, u_from, seam_to, share_from, share_to}; // (longer than a slab's)
  logic [IndexW-1:0]  word_to_q; // where the next word of t or e goes in its level,
  wire [IndexW-1:0]   t_to;      // and of t
  // Beats that come from a neighbour
  wire                takes_d = takes & finest;
  wire [LinkW-1:0]    link;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_link
      localparam integer LaneW = LinkW / Lanes;
      assign link_o[l*LaneW +: LaneW] = finest ? LaneW'(d_word[l*DW +: DW]) : LaneW'(word[l*WordW +: WordW]);
    end
    if (Cores > 1) begin : g_slab
      logic [LinkW-1:0] link_q;
      always_ff @(posedge clk_i) link_q <= north ? link_i[LinkW-1:0] : link_i[2*LinkW-1:LinkW];
      assign link = link_q;
      cy_slab #(
`include "cycle_parameters_passed.svh"
        ) i_slab (
        .clk_i, .rst_ni(run_n), .level_i(level), .k_i(k_now), .row_i(beats_row), .down_i(down), .up_i(up), .finest_i(finest), .beats_o(beats),
        .below_o(below), .coarse_from_o(coarse_from), .sweep_i(sweep), .index_i(index), .coarse_i(coarse), .word_at_i(word_to_q),
        .t_at_i(t_to), .risen_i(flags_risen[2]), .word_from_o(slab_from), .word_to_o(slab_to), .all_base_o(slab_all_base),
        .u_at_i(IndexW'(u_to)), .d_at_i(IndexW'(d_to_next)), .own_word_o(own_word), .own_u_o(own_u), .own_d_o(own_d),
        .own_leading_o(own_leading), .seam_at_i(seam_at), .seam_to_o(slab_seam_to), .seam_in_o(seam_in), .seam_own_o(seam_own),
        .share_i(share), .north_i(north), .gather_i(gather), .shares_o(shares), .share_from_o(share_from), .share_to_o(share_to),
        .link_valid_o, .link_valid_i(north ? link_valid_i[0] : link_valid_i[1]), .takes_o(takes));
    end else begin : g_alone
      assign {beats, below, coarse_from} = {all_beats, all_below, {IndexW{1'b0}}};
      assign {own_word, own_u, own_d, own_leading, seam_in, seam_own} = '1;
      assign {shares, takes, link_valid_o, share_from, share_to, slab_from, slab_to, slab_all_base, slab_seam_to, link} = '0;
      wire unused_peers = &{1'b0, begun_q, measure_q, k_now, share, north, gather, link_valid_i, link_i, all_i, all_lengths_i, all_squares_i};
    end
  endgenerate
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_outer_lane
      assign lanes_top[l] = (Lanes == 1) ? 1'b1 : |top_side[MaxLevel:fx_log2(l+1)];
      wire loads = load & seam_in & seam_part[l/BusWords];
      wire live  = ~load_edge & lanes_top[l] & ((l == 0) ? ~load_west : 1'b1);
      assign d_into[l*DW +: DW] = runs_q ? d_new[l*DW +: DW] : s_axis_d_tdata[(l%BusWords)*DW +: DW];
      assign d_live[l] = (loads & live) | (write_d & own_d);
      wire [DW+1:0] d_kept;
      wire [UW+1:0] u_kept;
      wire [DW+1:0] d_keep = {d_has[l*2 +: 2], d_into[l*DW +: DW]};
      wire [UW+1:0] u_keep = {u_has[l*2 +: 2], u_new[l*UW +: UW]};
      assign {d_residue[l*2 +: 2], d_word[l*DW +: DW]} = d_kept;
      assign {u_residue[l*2 +: 2], u_word[l*UW +: UW]} = u_kept;
      cy_memory #(.W(DW + ResidueW), .Depth(Nodes)) i_d (
        .clk_i, .read_i(1'b1), .read_at_i(StoreW'(d_from)), .clear_i(1'b0), .word_o(d_kept[DW+ResidueW-1:0]),
        .write_i(loads | write_d | takes_d), .write_at_i(StoreW'(d_to)), .word_i(takes_d ? (DW+ResidueW)'(link[l*(LinkW/Lanes) +: DW]) : d_keep[DW+ResidueW-1:0]));
      cy_memory #(.W(UW + ResidueW), .Depth(Nodes)) i_u (
        .clk_i, .read_i(busy_o | moves), .read_at_i(StoreW'(u_from)), .clear_i(u_zero), .word_o(u_kept[UW+ResidueW-1:0]), .write_i(write_u),
        .write_at_i(StoreW'(u_to)), .word_i(u_keep[UW+ResidueW-1:0]));
      if (Checks == 0) begin : g_words
        assign d_kept[DW+1:DW] = '0;
        assign u_kept[UW+1:UW] = '0;
        wire unused_has = &{1'b0, d_keep[DW+1:DW], u_keep[UW+1:UW]};
      end
    end
    // (Of several cores one has a beat's words, and the others none.)
    wire sent_own;
    if (Cores > 1) begin : g_sent
      logic own_q, own_q2;
      always_ff @(posedge clk_i) if (moves) {own_q, own_q2} <= {seam_own, own_q};
      assign sent_own = own_q2;
    end else begin : g_all
      assign sent_own = 1'b1;
      wire unused = seam_own;
    end
    if (Parts == 1) begin : g_out
      assign m_axis_u_tdata = u_word & {(BusWords*UW){sent_own}};
      wire unused = u_part;
    end else begin : g_parts
      assign m_axis_u_tdata = u_word[u_part*BusWords*UW +: BusWords*UW] & {(BusWords*UW){sent_own}};
    end
  endgenerate
  generate
    if (Checks != 0) begin : g_checks
      logic sent_q;
      logic [Lanes-1:0] looked_q;
      for (l = 0; l < Lanes; l = l + 1) begin : g_looked
        always_ff @(posedge clk_i)
          looked_q[l] <= down & finest & busy_o & flags_read[2:1] == 2'b11 & lanes[l] & ((l != 0) | ~flags_read[0]);
      end
      always_ff @(posedge clk_i) sent_q <= sending & m_axis_u_tvalid;
      cy_checks #(
`include "cycle_parameters_passed.svh"
        , .NodeW(NodeW), .StandW(117)) i_checks (
        .clk_i, .rst_ni, .run_ni(run_n), .start_i(start), .busy_i(busy_o), .done_i(done), .over_i(u_over_q | d_over_q),
        .programmed_i({level, cycles, alone, limit_exponent, limit}), .sweep_i(sweep), .sweeps_i(sweeps),
        .way_i({scrub, down, turn, up, finest}), .side_i(side), .top_side_i(top_side), .top_row_i(top_row), .top_i(top),
        .row_at_i(row_at), .row_i(row), .tests_i(tests), .measure_i(measure), .counts_i(d_counts), .exponent_i(exponent_o), .y_i(y),
        .length_i(d_length), .lost_i(|(lost & {Lanes{tests}})), .full_i(|full), .sided_i(sided), .single_i(single), .fresh_i(fresh), .s_i(s), .alone_i(alone), .lanes_i(lanes_top),
        .places_ok_i(places_ok), .write_u_i(write_u), .write_d_i(write_d), .u_to_i(u_to), .d_to_i(d_to_next), .some_i(c_some),
        .live_i(d_lives), .sent_i(sent_q), .looked_i(looked_q), .u_i(u_new), .d_i(d_into), .u_must_i(u_must), .d_must_i(d_must),
        .u_residue_o(u_has), .d_residue_o(d_has), .stop_o(stop), .fault_o(fault));
    end else begin : g_unchecked
      assign {stop, fault, u_has, d_has} = '0;
      wire unused_checks = &{1'b0, tests, sided, single, lost, full, c_some, d_lives, places_ok, u_must, d_must, u_residue, d_residue};
    end
  endgenerate
  // t on the way down, e on the way up: what one leaves the other finds.
  wire e_valid  = flags_risen[2] & ~finest;
  wire word_write = t_valid | valid_turned | e_valid;
  wire [Lanes-1:0]       word_live;
  wire [Lanes*WordW-1:0] word_into, link_words;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_into
      assign link_words[l*WordW +: WordW] = link[l*(LinkW/Lanes) +: WordW];
      wire [WordW-1:0] turned_lane = (l == TurnLane) ? turned : '0;
      assign word_into[l*WordW +: WordW] = up ? WordW'($signed(risen[l*EW +: EW])) : turn ? turned_lane : WordW'($signed(t[l*TW +: TW]));
      // e is zero at the edge; that of the finest level goes to no memory, but its length says whether c is too long.
      assign word_live[l] = (word_write | (up & finest & flags_risen[2])) & (t_live[l] | ~down) & own_word & busy_o & ~scrub;
    end
  endgenerate
  logic [AW-1:0]     f_to_q;
  wire f_write = g_step[Before-1].found_valid;
  always_ff @(posedge clk_i)
    if (sweep) begin
      word_to_q <= '0;
      f_to_q    <= '0;
    end else begin
      word_to_q <= word_to_q + IndexW'(word_write);
      f_to_q    <= f_to_q + AW'(f_write);
    end
  // t comes by pairs of beats, half of a row's least beats where the level has no more.
  generate
    if (LeastLog == 0) begin : g_whole
      assign t_to = word_to_q;
    end else if (LeastLog == 1) begin : g_every
      assign t_to = beats_row[LeastLog] ? {word_to_q[IndexW-2:0], 1'b0} : word_to_q;
    end else begin : g_pairs
      assign t_to = beats_row[LeastLog] ? {word_to_q[IndexW-2:1], 1'b0, word_to_q[0]} : word_to_q;
    end
  endgenerate
  localparam integer WordsW = $clog2(Rest);
  cy_memory #(.W(Lanes * WordW), .Depth(Rest)) i_words (
    .clk_i, .read_i(1'b1), .clear_i(1'b0), .read_at_i(WordsW'((Cores > 1) ? slab_from : up ? next | coarse : base | index)),
    .word_o(word), .write_i(word_write | (takes & ~finest)),
    .write_at_i(WordsW'((Cores > 1) ? slab_to : down ? next | t_to : base | word_to_q)), .word_i(takes ? link_words : word_into));
  // The largest words of what a sweep writes, of D as it comes in too, and of t or e. What is left of an aborted sweep does not count.
  cy_length #(.W(DW), .Lanes(Lanes)) i_d_length (
    .clk_i, .clear_i(load_first), .live_i(d_live), .word_i(d_into), .count_i(measure), .busy_o(d_counts), .length_o(own_d_length));
  cy_length #(.W(WordW), .Lanes(Lanes)) i_word_length (
    .clk_i, .clear_i(load_first), .live_i(word_live), .word_i(word_into), .count_i(measure), .busy_o(word_counts),
    .length_o(own_word_length));
  localparam integer AllW = $clog2(Nodes + Rest);
  cy_memory #(.W(Lanes * FW), .Depth(Nodes + Rest)) i_f (
    .clk_i, .read_i(~sweep), .clear_i(1'b0), .read_at_i(AllW'(all_from)), .word_o(f_word), .write_i(f_write),
    .write_at_i(AllW'((Cores > 1) ? slab_all_base + f_to_q : all_base_q | f_to_q)), .word_i(g_step[Before-1].found));
  // r as it entered, for the steps after.
  generate
    if (After != 0) begin : g_entered
      logic [AW-1:0] r_to_q;
      wire r_write = flags_r[2] & down;
      always_ff @(posedge clk_i) r_to_q <= sweep ? '0 : r_to_q + AW'(r_write);
      cy_memory #(.W(Lanes * W), .Depth(Nodes + Rest)) i_r (
        .clk_i, .read_i(~sweep), .clear_i(1'b0), .read_at_i(AllW'(all_from)), .word_o(r_word), .write_i(r_write),
        .write_at_i(AllW'((Cores > 1) ? slab_all_base + r_to_q : all_base_q | r_to_q)), .word_i(r));
    end else begin : g_none
      assign r_word = '0;
    end
  endgenerate
endmodule
`default_nettype wire
