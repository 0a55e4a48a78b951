/// The sequence of a run: checks, then for each pass the memory's command, the slots of the stream, the flush of the
/// line buffer, the drain of the pipeline, the close of the dot products, and the scalar unit. Faults and aborts end it
/// at once. Beats that are offered then, the memory's command among them, stay offered until they are taken; a start
/// before that is a fault.
///
/// slot_o counts a token's place into the pipeline in every clock in which en_i is high: real tokens first, then those
/// that flush the last row.
`include "mantissa.svh"
`default_nettype none
module core_control #(
  parameter integer Lanes = 1,
  parameter integer MaxRow = 1025,
  parameter integer LenW = 32,
  parameter integer DrainN = 100, ///< clocks from the last slot to the close
  parameter integer Slab = 0,     ///< 1: halo_last_i counts
  localparam integer RowLenW = $clog2(MaxRow + 1)
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire             en_i,
  input  wire             start_i,
  input  wire             abort_i,
  input  wire             bank_i,
  input  wire             stencil_i,      ///< no bands are streamed
  input  wire  [LenW-1:0] length_i,
  input  wire  [RowLenW-1:0] row_length_i,
  input  wire             row_bad_i,
`ifndef UNWATCHED
  input  wire             length_bad_i,   ///< what was written does not fit
`endif
  input  wire  [LenW-1:0] halo_last_i,    ///< elements at the end whose rows are not formed: the flush is that much shorter
  input  wire  [31:0]     passes_i,
  input  wire  [31:0]     stall_limit_i,
  input  wire             pass_ready_i,   ///< the memory takes the command
  input  wire             ended_early_i,
  input  wire             ended_late_i,
  input  wire             out_full_i,     ///< some beat has been offered and not taken
  input  wire             dots_done_i,
  input  wire             scalar_done_i,
  input  wire             scalar_guard_i,
  input  wire  [2:0]      scalar_end_i,

  output logic            busy_o,
  output logic            lost_o,         ///< the sequence is in no state, or in several: for the checks
  output logic            pass_valid_o,   ///< a pass is asked for
  output logic [1:0]      pass_data_o,    ///< [0] the bank to read, [1] bands are streamed
  output logic            bank_o,         ///< to be read
  output logic            clear_o,        ///< between passes
  output logic            slot_o,
  output logic            slot_real_o,    ///< of a token, not of the flush
  output logic            slot_last_o,
  output logic            token_last_o,
  output logic            drained_o,      ///< only beats that are not taken hold up the close
  output logic            close_o,        ///< one clock
  output logic            scalar_start_o, ///< one clock
  output logic            aborting_o,
  output logic            run_o,          ///< low: after an abort, and after a run, the pipeline stands until it has been cleared
  output logic            done_o,
  output logic [2:0]      end_o,
  output logic [`ERRORS_W-1:0] errors_o,
  output logic [31:0]     pass_count_o,
  output logic [31:0]     sigma_guards_o,
  output logic [63:0]     cycles_o
);
  localparam integer Log = $clog2(Lanes);
  // One bit for each state, since what a state means reaches far.
  localparam integer Idle = 0, Check = 1, Command = 2, Begin = 3, Stream = 4, Flush = 5, Drain = 6, Close = 7, Scalar = 8,
                     Next = 9, Abort = 10, States = 11;
  logic [States-1:0] in_q; // the state that the sequence is in
  logic [LenW-1:0] left_q; // slots left in Stream or Flush, clocks in Drain
  logic last_left;         // it is one

  wire  [LenW-1:0] tokens;  // slots of a pass's tokens,
  logic [LenW-1:0] flush_q; // and of its flush
  wire no_flush;

  assign busy_o         = ~in_q[Idle];
  assign lost_o         = ~(^in_q);
  assign slot_real_o    = in_q[Stream];
  assign slot_o         = in_q[Stream] | in_q[Flush];
  assign slot_last_o    = (in_q[Flush] | (in_q[Stream] & no_flush)) & last_left;
  assign token_last_o   = in_q[Stream] & last_left;
  assign drained_o      = in_q[Drain] & last_left;
  assign aborting_o     = in_q[Abort];

  wire streaming = in_q[Stream] | in_q[Flush] | in_q[Drain];
`ifndef UNWATCHED
  wire late, odd; // the scalar unit has had its time; LENGTH is no multiple of ROW_LENGTH
  wire standing  = (in_q[Command] & ~pass_ready_i) | (streaming & ~en_i) | (drained_o & out_full_i) | late;`else
  wire standing  = (in_q[Command] & ~pass_ready_i) | (streaming & ~en_i) | (drained_o & out_full_i);
`endif

  logic [31:0] stall_q;
  logic standing_q;
  logic stall_out;

`ifdef LEAN_LANES
  wire some;
`endif
  generate
    if (Lanes == 1) begin : g_one_lane
      assign tokens = length_i;
`ifdef LEAN_LANES
      assign some   = 1'b0;
`endif
    end else begin : g_lanes
`ifdef LEAN_LANES
      // Whole tokens; Begin counts the one that is not, on the counter's own adder.
      assign tokens = length_i >> Log;
      assign some   = |length_i[Log-1:0];
    end
  endgenerate
  wire [LenW-1:0] step = in_q[Begin] ? LenW'(some) : '1;
`else
      logic [LenW-1:0] tokens_q;
      always_ff @(posedge clk_i) tokens_q <= (length_i + LenW'(Lanes - 1)) >> Log;
      assign tokens = tokens_q;
    end
  endgenerate
`endif

  wire [LenW-1:0] halo;
  generate
    if (Slab != 0) begin : g_slab
      assign halo     = halo_last_i >> Log;
      assign no_flush = flush_q == '0;
    end else begin : g_whole
      assign halo     = '0;
      assign no_flush = 1'b0;
      wire unused = &{1'b0, halo_last_i};
    end
  endgenerate

`ifndef UNWATCHED
  // Dot products and scalar unit are late after the second time that the run's clocks begin a new 1024. (A slab's totals wait for
  // other cores.)
  wire scalars = in_q[Scalar] | (in_q[Close] & (Slab == 0));
  wire new_k   = &cycles_o[9:0];
  logic once_q, late_q, stencil_q;
  always_ff @(posedge clk_i) begin
    once_q    <= rst_ni & scalars & (once_q | new_k);
    late_q    <= rst_ni & scalars & (late_q | (once_q & new_k));
    stencil_q <= stencil_i;
  end
  assign late = late_q & scalars;
  generate
    if (Slab == 0) begin : g_rows
      wire bad;
      row_remainder #(.LenW(LenW), .RowLenW(RowLenW)) i_remainder (
        .clk_i, .rst_ni, .start_i(in_q[Idle] & start_i), .length_i, .row_length_i, .bad_o(bad));
      assign odd = bad & busy_o & stencil_q;
    end else begin : g_no_rows
      assign odd = 1'b0;
      wire unused = &{1'b0, stencil_q};
    end
  endgenerate
`endif

  // What was programmed stands for long before it is looked at.
  logic bad_length, bad_row, bad_passes;
  logic row_bad_q, row_long_q, row_above_q;
  logic one_token_q, one_flush_q;
  always_ff @(posedge clk_i) begin
`ifdef LEAN_LANES
    one_token_q <= tokens[LenW-1:1] == '0 && tokens[0] != some; // a pass has one token at least
`else
    one_token_q <= tokens == LenW'(1);
`endif
    one_flush_q <= flush_q == LenW'(1);
    row_bad_q   <= row_bad_i || row_length_i < RowLenW'(Lanes);
    row_long_q  <= row_length_i > RowLenW'(MaxRow);
    row_above_q <= LenW'(row_length_i) > length_i;
    flush_q    <= (LenW'(row_length_i) >> Log) + ((Lanes == 1) ? LenW'(1) : LenW'(2)) - halo;
`ifndef UNWATCHED
    bad_length <= length_i == '0 || length_bad_i;
`else
    bad_length <= length_i == '0;
`endif
    bad_row    <= row_bad_q | row_long_q | row_above_q;
    bad_passes <= passes_i == '0;
    stall_out  <= rst_ni && busy_o && stall_limit_i != '0 && stall_q >= stall_limit_i;
  end
  // Whether a pass is the last is known before the scalar unit is done with it, which takes longer than these.
  logic [31:0] number_q; // of the pass, from one
  logic        final_q;
  always_ff @(posedge clk_i)
    if (in_q[Scalar]) begin
      number_q <= pass_count_o + 32'd1;
      final_q  <= number_q == passes_i;
    end
  always_comb begin
    errors_o = '0;
    if (in_q[Check]) begin
      errors_o[`ERROR_BAD_LENGTH] = bad_length;
      errors_o[`ERROR_BAD_ROW_LENGTH] = bad_row;
      errors_o[`ERROR_NO_PASSES] = bad_passes;
      errors_o[`ERROR_STILL_OFFERED] = out_full_i | pass_valid_o;
    end
`ifndef UNWATCHED
    if (odd) errors_o[`ERROR_BAD_ROW_LENGTH] = 1'b1;
`endif
    errors_o[`ERROR_ENDED_EARLY] = streaming & ended_early_i;
    errors_o[`ERROR_ENDED_LATE] = streaming & ended_late_i;
    errors_o[`ERROR_STALLED] = stall_out;
    errors_o[`ERROR_ABORTED] = abort_i & busy_o;
  end

  wire refused  = bad_length | bad_row | bad_passes | out_full_i | pass_valid_o; // in Check
  wire finished = scalar_end_i != `END_PASSES || final_q;                                // in Next
`ifndef UNWATCHED
  wire broken   = odd | errors_o[`ERROR_ENDED_EARLY] | errors_o[`ERROR_ENDED_LATE] | errors_o[`ERROR_STALLED];
`else
  wire broken   = errors_o[`ERROR_ENDED_EARLY] | errors_o[`ERROR_ENDED_LATE] | errors_o[`ERROR_STALLED];
`endif
  wire stop     = (broken || abort_i) && !aborting_o && busy_o;
  wire command  = (in_q[Check] & ~refused) | (in_q[Next] & ~finished);

  // What reaches far leaves from registers; clear_o follows the state by a clock, which Begin waits for.
  always_ff @(posedge clk_i) begin
    clear_o        <= !rst_ni || in_q[Command] || in_q[Check] || in_q[Idle];
    close_o        <= rst_ni && in_q[Drain] && en_i && last_left && !out_full_i;
    scalar_start_o <= rst_ni && in_q[Close] && dots_done_i && !close_o;
    run_o          <= !rst_ni || !(stop || in_q[Abort] || (in_q[Next] && finished));
  end

  // Stands while it is offered, whatever is programmed meanwhile.
  always_ff @(posedge clk_i) if (!pass_valid_o) pass_data_o <= {~stencil_i, bank_o};

  // The sequence. Of what a state leads to only one comes.
  wire move = en_i & last_left;
  wire run_ends = in_q[Abort] | (in_q[Check] & refused) | (in_q[Next] & finished);
  logic [States-1:0] in_next;
  always_comb begin
    in_next = '0;
    in_next[Idle]    = (in_q[Idle] & ~start_i) | run_ends;
    in_next[Check]   = in_q[Idle] & start_i;
    in_next[Command] = command | (in_q[Command] & ~pass_ready_i);
    in_next[Begin]   = in_q[Command] & pass_ready_i;
    in_next[Stream]  = in_q[Begin] | (in_q[Stream] & ~move);
    in_next[Flush]   = (in_q[Stream] & move & ~no_flush) | (in_q[Flush] & ~move);
    in_next[Drain]   = (in_q[Stream] & move & no_flush) | (in_q[Flush] & move) | (in_q[Drain] & (~move | out_full_i));
    in_next[Close]   = (in_q[Drain] & move & ~out_full_i) | (in_q[Close] & (~dots_done_i | close_o));
    in_next[Scalar]  = (in_q[Close] & dots_done_i & ~close_o) | (in_q[Scalar] & ~scalar_done_i);
    in_next[Next]    = in_q[Scalar] & scalar_done_i;
    if (stop) begin
      in_next = '0;
      in_next[Abort] = 1'b1;
    end
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) in_q <= States'(1) << Idle;
    else in_q <= in_next;
`ifdef FORMAL
  always @(posedge clk_i) assert (!rst_ni || (in_q != '0 && (in_q & (in_q - States'(1))) == '0)); // just one
`endif

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      done_o  <= 1'b0;
      end_o   <= `END_PASSES;
      bank_o  <= 1'b0;
      pass_valid_o   <= 1'b0;
      pass_count_o   <= '0;
      sigma_guards_o <= '0;
      cycles_o <= '0;
      stall_q  <= '0;
      standing_q <= 1'b0;
      left_q    <= '0;
      last_left <= 1'b0;
    end else begin
      if (busy_o) cycles_o <= cycles_o + 64'd1;
      standing_q <= standing;
      stall_q <= standing_q ? stall_q + 32'd1 : '0;
      pass_valid_o <= (command && !stop) || (pass_valid_o && !pass_ready_i);
      if (in_q[Idle] & start_i) begin
        done_o   <= 1'b0;
        bank_o   <= bank_i;
        cycles_o <= '0;
        pass_count_o   <= '0;
        sigma_guards_o <= '0;
      end
      if (in_q[Command]) begin
        left_q    <= tokens;
        last_left <= one_token_q;
      end
`ifdef LEAN_LANES
      if (in_q[Begin]) left_q <= left_q + step;
      if (streaming & en_i & ~drained_o) begin
        left_q    <= left_q + step;
`else
      if (streaming & en_i & ~drained_o) begin
        left_q    <= left_q - LenW'(1);
`endif
        last_left <= left_q == LenW'(2);
        if (last_left) begin
          left_q    <= (in_q[Stream] & ~no_flush) ? flush_q : LenW'(DrainN);
          last_left <= (in_q[Stream] & ~no_flush) ? one_flush_q : DrainN == 1;
        end
      end
      if (in_q[Scalar] & scalar_done_i) begin
        pass_count_o   <= pass_count_o + 32'd1;
        sigma_guards_o <= sigma_guards_o + {31'd0, scalar_guard_i};
        bank_o         <= ~bank_o;
      end
      if (run_ends) begin
        done_o <= 1'b1;
        end_o  <= in_q[Next] ? scalar_end_i : `END_FAULT;
      end
    end
endmodule
`default_nettype wire
