/// The sequence of a run of the sparse core: checks, then for each pass its two parts, the updates of all tokens (Lanes
/// elements each) and the rows of all slices, then the drain of the row pipeline and the scalar unit. Faults and aborts
/// end it at once.
///
/// The beat that asks for the matrix is offered as a pass begins, and the updates do not wait until it is taken.
`include "mantissa.svh"
`default_nettype none
module sp_control #(
  parameter integer Lanes = 1,
  parameter integer Depth = 1024,
  parameter integer LenW = 32,
  parameter integer UpdateN = 5,  ///< clocks from the last token to the first beat of the rows
  parameter integer DrainN = 20,  ///< clocks from the last beat to the totals
  localparam integer AW = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire             start_i,
  input  wire             abort_i,
  input  wire  [LenW-1:0] length_i,
`ifndef UNWATCHED
  input  wire             length_bad_i,   ///< what was written does not fit
`endif
  input  wire  [31:0]     passes_i,
  input  wire  [31:0]     stall_limit_i,
  input  wire             pass_ready_i,   ///< who brings the matrix takes the beat that asks for it
  input  wire             beat_i,         ///< a beat of the matrix is taken,
  input  wire             beat_ends_i,    ///< the last one of a slice,
  input  wire             beat_last_i,    ///< and with tlast
  input  wire             sending_i,      ///< a vector is on its way out,
  input  wire             loading_i,      ///< or half loaded
  input  wire             scalar_done_i,
  input  wire             scalar_guard_i,
  input  wire  [2:0]      scalar_end_i,

  output logic            busy_o,
  output logic            pass_valid_o,
  output logic            clear_o,        ///< between passes
  output logic            token_o,        ///< a token begins its way
  output logic            linear_o,       ///< p is read and written in order
  output logic            rows_o,         ///< beats of the matrix are taken
  output logic            scalar_start_o, ///< one clock
  output logic            aborting_o,
  output logic            done_o,
  output logic [2:0]      end_o,
  output logic [`ERRORS_W-1:0] errors_o,
  output logic [31:0]     pass_count_o,
  output logic [31:0]     sigma_guards_o,
  output logic [63:0]     cycles_o,
`ifndef UNWATCHED
  output logic            bad_length_o,   ///< LENGTH is 0 or above Lanes * Depth
`endif
  output logic [AW:0]     tokens_o        ///< of a vector: LENGTH / Lanes, rounded up
);
  localparam integer Log = $clog2(Lanes);
  localparam integer Idle = 0, Check = 1, Command = 2, Begin = 3, Update = 4, Turn = 5, Rows = 6, Drain = 7, Scalar = 8,
                     Next = 9, Abort = 10, States = 11;
  localparam integer WaitW = $clog2(((UpdateN > DrainN) ? UpdateN : DrainN) + 1);
  logic [States-1:0] in_q; // one bit for each state
  logic [AW:0]       left_q;  // tokens or slices left
  logic              last_left;
  logic [WaitW-1:0]  wait_q;
  wire               waited = wait_q == '0;

  assign busy_o     = ~in_q[Idle];
  assign token_o    = in_q[Update];
  assign rows_o     = in_q[Rows];
  assign aborting_o = in_q[Abort];

  // What was programmed stands for long before it is looked at.
  logic bad_length, bad_passes;
  wire [LenW:0] more = {1'b0, length_i} + (LenW+1)'(Lanes - 1);
  wire unused_more = &{1'b0, more};
  always_ff @(posedge clk_i) begin
    tokens_o   <= (AW+1)'(more >> Log);
`ifndef UNWATCHED
    bad_length <= length_i == '0 || length_i > LenW'(Lanes * Depth) || length_bad_i;
`else
    bad_length <= length_i == '0 || length_i > LenW'(Lanes * Depth);
`endif
    bad_passes <= passes_i == '0;
  end
`ifndef UNWATCHED
  assign bad_length_o = bad_length;
`endif

  logic [31:0] stall_q;
  logic        stall_out;
  wire rows_end    = beat_ends_i & last_left;
  wire ended_early = beat_i & beat_last_i & ~rows_end;
  wire ended_late  = beat_i & ~beat_last_i & rows_end;
  always_comb begin
    errors_o = '0;
    if (in_q[Check]) begin
      errors_o[`ERROR_BAD_LENGTH] = bad_length;
      errors_o[`ERROR_NO_PASSES] = bad_passes;
      errors_o[`ERROR_STILL_OFFERED] = pass_valid_o | sending_i; // STATUS[9]
    end
    errors_o[`ERROR_ENDED_EARLY] = ended_early | (in_q[Check] & loading_i);
    errors_o[`ERROR_ENDED_LATE] = ended_late;
    errors_o[`ERROR_STALLED] = stall_out;
    errors_o[`ERROR_ABORTED] = abort_i & busy_o;
  end
`ifndef UNWATCHED
  // As core_control's.
  wire new_k = &cycles_o[9:0];
  logic once_q, late_q;
  always_ff @(posedge clk_i) begin
    once_q <= rst_ni & in_q[Scalar] & (once_q | new_k);
    late_q <= rst_ni & in_q[Scalar] & (late_q | (once_q & new_k));
  end
  wire late = late_q & in_q[Scalar];
`endif
  wire refused = bad_length | bad_passes | pass_valid_o | sending_i | loading_i; // in Check
  wire stop    = (ended_early | ended_late | stall_out | abort_i) & busy_o & ~in_q[Abort];

  logic [31:0] number_q; // of the pass, from one
  logic        final_q;
  always_ff @(posedge clk_i)
    if (in_q[Scalar]) begin
      number_q <= pass_count_o + 32'd1;
      final_q  <= number_q == passes_i;
    end
  wire finished = scalar_end_i != `END_PASSES || final_q; // in Next
  wire command  = (in_q[Check] & ~refused) | (in_q[Next] & ~finished);
  wire run_ends = in_q[Abort] | (in_q[Check] & refused) | (in_q[Next] & finished);

  logic [States-1:0] in_next;
  always_comb begin
    in_next = '0;
    in_next[Idle]    = (in_q[Idle] & ~start_i) | run_ends;
    in_next[Check]   = in_q[Idle] & start_i;
    in_next[Command] = command;
    in_next[Begin]   = in_q[Command];
    in_next[Update]  = in_q[Begin] | (in_q[Update] & ~last_left);
    in_next[Turn]    = (in_q[Update] & last_left) | (in_q[Turn] & ~waited);
    in_next[Rows]    = (in_q[Turn] & waited) | (in_q[Rows] & ~(beat_i & rows_end));
    in_next[Drain]   = (in_q[Rows] & beat_i & rows_end) | (in_q[Drain] & ~waited);
    in_next[Scalar]  = (in_q[Drain] & waited) | (in_q[Scalar] & ~scalar_done_i);
    in_next[Next]    = in_q[Scalar] & scalar_done_i;
    if (stop) begin
      in_next = '0;
      in_next[Abort] = 1'b1;
    end
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) in_q <= States'(1) << Idle;
    else in_q <= in_next;

  always_ff @(posedge clk_i) begin
    clear_o        <= !rst_ni || in_q[Command] || in_q[Check] || in_q[Idle];
    scalar_start_o <= rst_ni && in_q[Drain] && waited && !stop;
  end

  wire counts = in_q[Update] | (beat_i & beat_ends_i);
  always_ff @(posedge clk_i) begin
    if (in_q[Begin] | (in_q[Turn] & waited)) begin
      left_q    <= tokens_o;
      last_left <= tokens_o == (AW+1)'(1);
    end else if (counts) begin
      left_q    <= left_q - (AW+1)'(1);
      last_left <= left_q == (AW+1)'(2);
    end
    if (in_q[Update]) wait_q <= WaitW'(UpdateN);
    else if (in_q[Rows]) wait_q <= WaitW'(DrainN);
    else if (!waited) wait_q <= wait_q - WaitW'(1);
  end

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      done_o       <= 1'b0;
      end_o        <= `END_PASSES;
      linear_o     <= 1'b1;
      pass_valid_o <= 1'b0;
      pass_count_o   <= '0;
      sigma_guards_o <= '0;
      cycles_o  <= '0;
      stall_q   <= '0;
      stall_out <= 1'b0;
    end else begin
      if (busy_o) cycles_o <= cycles_o + 64'd1;
`ifndef UNWATCHED
      stall_q   <= ((in_q[Rows] & ~beat_i) | late) ? stall_q + 32'd1 : '0;
      stall_out <= (in_q[Rows] || late) && stall_limit_i != '0 && stall_q >= stall_limit_i;
`else
      stall_q   <= (in_q[Rows] & ~beat_i) ? stall_q + 32'd1 : '0;
      stall_out <= in_q[Rows] && stall_limit_i != '0 && stall_q >= stall_limit_i;
`endif
      linear_o     <= ~(in_next[Rows] | in_next[Drain]);
      pass_valid_o <= (command & ~stop) | (pass_valid_o & ~pass_ready_i);
      if (in_q[Idle] & start_i) begin
        done_o   <= 1'b0;
        cycles_o <= '0;
        pass_count_o   <= '0;
        sigma_guards_o <= '0;
      end
      if (in_q[Scalar] & scalar_done_i) begin
        pass_count_o   <= pass_count_o + 32'd1;
        sigma_guards_o <= sigma_guards_o + {31'd0, scalar_guard_i};
      end
      if (run_ends) begin
        done_o <= 1'b1;
        end_o  <= in_q[Next] ? scalar_end_i : `END_FAULT;
      end
    end
endmodule
`default_nettype wire
