/// The sequence of a solve: down all levels, one unknown, up again, and what the words' points are on the way. Between sweeps
/// the length of the largest word that was written is counted, a bit a clock.
`include "mantissa.svh"
`include "cycle_registers.svh"
`default_nettype none
module cy_control #(
`include "cycle_parameters.svh"
  , parameter integer SquaresW = 48,
  localparam integer LevelW = 4
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               start_i,
  input  wire               refuse_i,       ///< beside start_i
  input  wire  [LevelW-1:0] level_i,
  input  wire  [31:0]       cycles_i,
  input  wire               alone_i,        ///< one cycle, no outer loop
  input  wire  [63:0]       limit_i,
  input  wire  signed [15:0] limit_exponent_i,
  output logic              busy_o,
  output logic              done_o,
  output logic [3:0]        end_o,
  output logic [31:0]       count_o,
  output logic [6:0]        exponent_o,
  output logic signed [9:0] point_o,
  output logic [47:0]       clocks_o,
  output logic              accepted_o,

  output logic              sweep_o,        ///< a sweep starts
  output logic              scrub_o,        ///< beside it: without nodes
  output logic              down_o,         ///< these stand through a sweep: which way,
  output logic              turn_o,         ///< the coarsest level
  output logic              up_o,
  output logic              finest_o,
  output logic [LevelW-1:0] k_o,            ///< the level
  output logic              share_o,        ///< one clock, with several cores: a round of sharing (cy_slab) begins,
  output logic              north_o,
  output logic              gather_o,
  input  wire               shared_i,       ///< and it is at its end
  output logic [MaxLevel:0] side_o,         ///< 2^k
  output logic [2*MaxLevel-1:0] base_o,     ///< of the level's words, but the finest's,
  output logic [2*MaxLevel-1:0] next_o,     ///< and of the next level's
  input  wire               swept_i,        ///< the sweep is at its end
  output logic              measure_o,      ///< the largest word of what was written
  input  wire               measured_i,
  input  wire  [6:0]        d_length_i,
  input  wire  [6:0]        word_length_i,  ///< of t or e
  input  wire  [SquaresW-1:0] squares_i,
  input  wire               over_i,         ///< a word of U or D did not fit
  input  wire               fault_i,        ///< with Checks: one failed
  output logic              tests_o,        ///< D's length stands, from its look to the verdict
  output logic              sided_o,        ///< side_o is 2^k
  output logic              single_o,       ///< it is in one state
  output logic              c_over_o,       ///< one clock: a word of c did not fit
  output logic [6:0]        y_o,            ///< the length of what the sweep reads on the way down
  output logic              fresh_o,        ///< U counts as zero
  output logic              none_o,         ///< nothing comes from the next level
  output logic [4:0]        e_down_o,       ///< n of the way up,
  output logic [4:0]        f_down_o,       ///< phi - i,
  output logic signed [9:0] x_down_o,       ///< j + pc - i,
  output logic signed [9:0] i_o,
  output logic signed [9:0] s_o             ///< of the correction
);
`include "cycle_bounds.svh"
`include "cycle_slabs.svh"
  localparam integer MostLength = DW - 2; // of D
  localparam signed [9:0] MostC = UW[9:0] - 10'd2; // of c
  // Signed, as long as points.
  localparam signed [9:0] PhiPoint = Phi[9:0];
  localparam signed [9:0] FBits    = F[9:0];
  localparam signed [9:0] Room     = EW[9:0] - 10'd3;        // N - 2
  localparam signed [9:0] Lone     = EW[9:0] - 10'd2 - F[9:0] + Phi[9:0]; // where f alone is what e is long by
  localparam signed [9:0] MostPoint = (PhiPoint < Lone) ? PhiPoint : Lone;
  localparam signed [9:0] Gained   = Guard[9:0] + W[9:0] + 10'd1; // G + pc + W - 1
  localparam signed [9:0] Entering = W[9:0] - 10'd1;
  // States have a bit each, since what they decide is far from their register; none while not busy.
  typedef enum logic [4:0] {Scrub, Look, LookWait, Ends, Down, DownWait, Verdict, Align, Judge, Judged, Length, LengthWait,
                            Lower, Turn, TurnWait, Rise, RiseWait, Join, Bound, Point, Shifts, Settle, Up, UpWait, Correct, Share, ShareWait} place_t;
  localparam integer States = 27;
  logic [States-1:0] state_q;
  function automatic [States-1:0] only(input [4:0] place);
    only = States'(1) << place;
  endfunction
  logic [LevelW-1:0] k_q;
  logic [6:0]  y_q [0:15];        // of each level's r, by its k
  logic signed [9:0] v_point_q, gained_q, j_q, s_q;
  logic [6:0]  v_length_q;
  logic        d_long_q;           // a word of D did not fit
  logic signed [9:0] room_q;       // N - 2 - len(v), then with v's point: e's where v is what it is long by
  logic [3:0]  settle_q;
  logic        waits_q;            // a sweep, or a count, that has just been asked for
  logic [5:0]  place_q;            // a place of SQUARES,
  logic signed [15:0] limit_place_q; // LIMIT's there
  logic        within_q;           // of what is below
  logic [4:0]  rounds_q;           // of sharing that are left,
  logic [States-1:0] then_q;            // and what is after them
  logic        again_q;            // with Checks a solve has not converged before D was looked at twice

  logic finest; // (k_q changes two clocks before anything begins)
  always_ff @(posedge clk_i) finest <= k_q == level_i;
  wire [MaxLevel:0] side_at_k = side_o >> k_q;
  assign sided_o = side_at_k == (MaxLevel+1)'(1);
  assign single_o = (state_q & (state_q - States'(1))) == '0;
  assign tests_o = k_q == level_i & |state_q[Judged:Ends]; // (Down is the next level's too)
  wire [2*MaxLevel:0] beats, more; // of the level, and of the one above
  wire [MaxLevel:0] unused_row, unused_rows;
  cy_shape #(
`include "cycle_parameters_passed.svh"
    ) i_shape (.side_i(side_o), .row_o(unused_row), .beats_o(beats));
  cy_shape #(
`include "cycle_parameters_passed.svh"
    ) i_above (.side_i({side_o[MaxLevel-1:0], 1'b0}), .row_o(unused_rows), .beats_o(more));
  wire [63:0] squares = 64'(squares_i);
  wire [1:0] squares_bits = squares[2*place_q[4:0] +: 2] & {2{~place_q[5]}};
  wire [1:0] limit_bits   = limit_i[2*limit_place_q[4:0] +: 2] & {2{~(|limit_place_q[15:5])}};
  // They are compared a clock later; of the last place there is nothing.
  logic [1:0] squares_bits_q, limit_bits_q;
  always_ff @(posedge clk_i) {squares_bits_q, limit_bits_q} <= state_q[Judge] ? {squares_bits, limit_bits} : '0;
  logic last_q; // cycle
  always_ff @(posedge clk_i) last_q <= count_o == cycles_i;
  assign k_o      = k_q;
  wire   split    = Cores > 1 && k_q >= LevelW'(SplitLevel);
  assign finest_o = finest;
  assign next_o   = finest ? '0 : base_o | beats[2*MaxLevel-1:0];
  always_ff @(posedge clk_i) s_o <= alone_i ? '0 : s_q; // (which stands for clocks before a sweep)
  // At a look: the length of the largest e that the sweep corrected by, moved as c is. (Where s is above zero c is short anyway.)
  // (The length stands a clock before it is measured.)
  logic c_long_q;
  logic signed [9:0] e_most_q; // of e's length
  always_ff @(posedge clk_i) begin
    e_most_q <= s_q + MostC;
    c_long_q <= word_length_i != '0 & $signed({3'd0, word_length_i}) > e_most_q;
  end
  assign c_over_o = state_q[LookWait] & ~waits_q & ~measure_o & measured_i & c_long_q;
  wire [2*MaxLevel-1:0] above = base_o & ~more[2*MaxLevel-1:0]; // of the level above, but the finest
  wire [6:0] y_of_next = none_o ? 7'd0 : y_q[k_q-1'b1];

  wire signed [9:0] lost = PhiPoint - i_o;

  task automatic finish(input [3:0] how);
    begin
      state_q <= '0;
      busy_o  <= 1'b0;
      done_o  <= 1'b1;
      end_o   <= how;
    end
  endtask
  task automatic sweep(input down, input turn, input up, input [States-1:0] then);
    begin
      sweep_o <= 1'b1;
      {down_o, turn_o, up_o} <= {down, turn, up};
      waits_q <= 1'b1;
      state_q <= then;
    end
  endtask

  task automatic shares(input gather, input [States-1:0] then);
    begin
      gather_o <= gather;
      rounds_q <= gather ? 5'(2 * Cores - 3) : 5'd1;
      then_q   <= then;
      state_q  <= only(Share);
    end
  endtask

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      state_q <= '0;
      busy_o  <= 1'b0;
      done_o  <= 1'b0;
      end_o   <= `CYCLE_END_FAULT;
      {sweep_o, scrub_o, down_o, turn_o, up_o, measure_o, accepted_o, none_o, waits_q, share_o, gather_o} <= '0;
      {count_o, exponent_o, point_o, clocks_o} <= '0;
      fresh_o <= 1'b1;
      k_q    <= '0;
      side_o <= '0;
      base_o <= '0;
    end else begin
      {sweep_o, measure_o, accepted_o, share_o} <= '0;
      waits_q  <= 1'b0;
      settle_q <= settle_q - 4'd1;
      if (!busy_o) begin
        if (start_i) begin
          done_o <= 1'b0;
          busy_o <= 1'b1;
          {count_o, clocks_o} <= '0;
          k_q     <= level_i;
          side_o  <= (MaxLevel+1)'(1) << level_i;
          base_o  <= '0;
          scrub_o <= 1'b1;
          fresh_o <= 1'b1;
          again_q <= 1'b0;
          state_q <= only(Scrub);
          if (refuse_i) finish(`CYCLE_END_FAULT);
        end
      end else begin
        clocks_o <= clocks_o + 48'd1;
        (* parallel_case *)
        case (1'b1)
          // What an aborted sweep left in the rows' memories goes.
          state_q[Scrub]: begin
            sweep(1'b0, 1'b0, 1'b0, only(Look));
          end
          state_q[Look]:
            if (!waits_q && !sweep_o && swept_i) begin
              scrub_o     <= 1'b0;
              measure_o <= 1'b1;
              waits_q     <= 1'b1;
              state_q     <= only(LookWait);
            end
          state_q[LookWait]:
            if (!waits_q && !measure_o && measured_i) begin
              exponent_o <= d_length_i;
              d_long_q   <= d_length_i > 7'(MostLength);
              y_o        <= d_length_i;
              state_q    <= only(Ends);
            end
          state_q[Ends]: begin
            state_q <= only(Down);
            if (over_i || d_long_q) begin
              accepted_o <= 1'b1;
              finish(`CYCLE_END_OVERFLOW);
            end else if (Checks != 0 && fault_i) begin
              finish(`CYCLE_END_FAULT);
            end else if (exponent_o == '0) begin
              accepted_o <= 1'b1;
              finish(`CYCLE_END_EXACT);
            end
          end
          state_q[Down]: sweep(1'b1, 1'b0, 1'b0, only(DownWait));
          state_q[DownWait]:
            if (!waits_q && !sweep_o && swept_i) state_q <= (finest && !alone_i) ? only(Verdict) : only(Length);
          // SQUARES 4^x <= LIMIT 4^LIMIT_EXPONENT, from the lowest place on. SQUARES is below 2^62.
          state_q[Verdict]: begin
            accepted_o <= (Checks == 0) | ~again_q;
            // LIMIT's places against SQUARES', two bits each
            limit_place_q <= $signed({9'd0, exponent_o}) - limit_exponent_i;
            state_q    <= only(Align);
          end
          state_q[Align]: begin
            place_q       <= '0;
            if (limit_place_q < -16'sd31) limit_place_q <= -16'sd31;
            within_q      <= 1'b1;
            state_q       <= only(Judge);
          end
          state_q[Judge]: begin
            place_q       <= place_q + 6'd1;
            limit_place_q <= limit_place_q + 16'sd1;
            if (squares_bits_q != limit_bits_q) within_q <= squares_bits_q < limit_bits_q;
            if (&place_q) state_q <= only(Judged);
          end
          state_q[Judged]: begin
            state_q <= only(Length);
            if (Checks != 0 && fault_i) finish(`CYCLE_END_FAULT);
            else if (Checks != 0 && within_q && !again_q) begin
              again_q <= 1'b1;
              state_q <= only(Down);
            end else if (within_q) finish(`CYCLE_END_REACHED);
            else if (Checks != 0 && again_q) finish(`CYCLE_END_FAULT);
            else if (last_q) finish(`CYCLE_END_CYCLES);
          end
          state_q[Length]: begin
            measure_o <= 1'b1;
            waits_q   <= 1'b1;
            state_q   <= only(LengthWait);
          end
          state_q[LengthWait]:
            if (!waits_q && !measure_o && measured_i) begin
              y_o     <= word_length_i;
              none_o  <= word_length_i == '0;
              v_length_q <= '0;
              state_q <= (word_length_i == '0) ? only(Join) : only(Lower);
            end
          state_q[Lower]: begin
            y_q[k_q-1'b1] <= y_o;
            k_q     <= k_q - 1'b1;
            side_o  <= side_o >> 1;
            base_o  <= next_o;
            state_q <= (k_q == LevelW'(2)) ? only(Turn) : only(Down);
            if (split) shares(k_q == LevelW'(SplitLevel), only(Down));
          end
          state_q[Turn]: sweep(1'b0, 1'b1, 1'b0, only(TurnWait));
          state_q[TurnWait]:
            if (!waits_q && !sweep_o && swept_i) begin
              v_point_q <= ZC[9:0];
              state_q   <= only(Rise);
            end
          // On the level that was left: how long is its e?
          state_q[Rise]: begin
            measure_o <= 1'b1;
            waits_q   <= 1'b1;
            state_q   <= only(RiseWait);
          end
          state_q[RiseWait]:
            if (!waits_q && !measure_o && measured_i) begin
              v_length_q <= word_length_i;
              k_q     <= k_q + 1'b1;
              side_o  <= side_o << 1;
              base_o  <= above;
              state_q <= only(Join);
            end
          state_q[Join]: begin
            e_down_o <= (v_length_q > 7'(E - 1)) ? 5'(v_length_q - 7'(E - 1)) : '0;
            if (v_length_q > 7'(E - 1)) v_length_q <= 7'(E - 1);
            gained_q <= v_point_q + Gained - $signed({3'd0, y_of_next});
            state_q <= only(Bound);
          end
          state_q[Bound]: begin
            j_q     <= none_o ? '0 : gained_q - $signed({5'd0, e_down_o});
            room_q  <= Room - $signed({3'd0, v_length_q});
            state_q <= only(Point);
          end
          state_q[Point]: begin
            room_q  <= room_q + j_q;
            state_q <= only(Shifts);
          end
          state_q[Shifts]: begin
            // b = max(F - 1 - phi, bound) + 1, i = min(phi, N - 1 - b)
            i_o      <= (MostPoint < room_q) ? MostPoint : room_q;
            settle_q <= 4'd8;
            state_q <= only(Settle);
          end
          state_q[Settle]: begin
            f_down_o <= (lost > FBits) ? FBits[4:0] : lost[4:0];
            x_down_o <= j_q + 10'sd2 - i_o;
            s_q      <= i_o + Entering - $signed({3'd0, exponent_o});
            if (settle_q == '0) state_q <= only(Up);
          end
          state_q[Up]: sweep(1'b0, 1'b0, 1'b1, only(UpWait));
          state_q[UpWait]:
            if (!waits_q && !sweep_o && swept_i) begin
              v_point_q <= i_o;
              none_o    <= 1'b0;
              state_q   <= finest ? only(Correct) : only(Rise);
              if (split) shares(1'b0, finest ? only(Correct) : only(Rise));
            end
          state_q[Correct]: begin
            count_o <= count_o + 32'd1;
            fresh_o <= 1'b0;
            point_o <= s_q;
            waits_q <= 1'b1;
            measure_o <= 1'b1;
            state_q <= only(LookWait);
            if (alone_i) finish(`CYCLE_END_CYCLES);
          end
          // With several cores: words go north, in half of the rounds, then south.
          state_q[Share]: begin
            share_o <= 1'b1;
            north_o <= gather_o ? rounds_q >= 5'(cy_max(Cores, 2) - 1) : rounds_q[0];
            waits_q <= 1'b1;
            state_q <= only(ShareWait);
          end
          state_q[ShareWait]:
            if (!waits_q && !share_o && shared_i) begin
              rounds_q <= rounds_q - 5'd1;
              state_q  <= (rounds_q == '0) ? then_q : only(Share);
            end
          default: begin
            state_q <= '0;
            busy_o  <= 1'b0;
          end
        endcase
      end
    end
  wire unused = &{1'b0, fault_i, again_q, beats, more, unused_row, unused_rows};
endmodule
`default_nettype wire
