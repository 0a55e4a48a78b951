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
  output logic            done_o,
  output logic [2:0]      end_o,
  output logic [`ERRORS_W-1:0] errors_o,
  output logic [31:0]     pass_count_o,
  output logic [31:0]     sigma_guards_o,
  output logic [63:0]     cycles_o
);
  localparam integer Log = $clog2(Lanes);
  typedef enum logic [3:0] {Idle, Check, Command, Begin, Stream, Flush, Drain, Close, Scalar, Next, Abort} state_t;
  state_t state_q;
  logic [LenW-1:0] left_q; // slots left in Stream or Flush, clocks in Drain

  wire  [LenW-1:0] tokens;  // slots of a pass's tokens,
  logic [LenW-1:0] flush_q; // and of its flush
  wire last_left = left_q == LenW'(1);
  wire no_flush;

  assign busy_o         = state_q != Idle;
  assign slot_real_o    = state_q == Stream;
  assign slot_o         = state_q == Stream || state_q == Flush;
  assign slot_last_o    = (state_q == Flush || (state_q == Stream && no_flush)) && last_left;
  assign token_last_o   = state_q == Stream && last_left;
  assign drained_o      = state_q == Drain && last_left;
  assign aborting_o     = state_q == Abort;

  wire streaming = state_q == Stream || state_q == Flush || state_q == Drain;
  wire standing  = (state_q == Command && !pass_ready_i) || (streaming && !en_i) || (drained_o && out_full_i);
  logic [31:0] stall_q;
  logic standing_q;
  logic stall_out;

  generate
    if (Lanes == 1) begin : g_one_lane
      assign tokens = length_i;
    end else begin : g_lanes
      logic [LenW-1:0] tokens_q;
      always_ff @(posedge clk_i) tokens_q <= (length_i + LenW'(Lanes - 1)) >> Log;
      assign tokens = tokens_q;
    end
  endgenerate

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

  // What was programmed stands for long before it is looked at.
  logic bad_length, bad_row, bad_passes;
  always_ff @(posedge clk_i) begin
    flush_q    <= (LenW'(row_length_i) >> Log) + ((Lanes == 1) ? LenW'(1) : LenW'(2)) - halo;
    bad_length <= length_i == '0;
    bad_row    <= row_bad_i || row_length_i > RowLenW'(MaxRow) || row_length_i < RowLenW'(Lanes) ||
                  LenW'(row_length_i) > length_i;
    bad_passes <= passes_i == '0;
    stall_out  <= rst_ni && busy_o && stall_limit_i != '0 && stall_q >= stall_limit_i;
  end
  // Whether a pass is the last is known before the scalar unit is done with it, which takes longer than these.
  logic [31:0] number_q; // of the pass, from one
  logic        final_q;
  always_ff @(posedge clk_i)
    if (state_q == Scalar) begin
      number_q <= pass_count_o + 32'd1;
      final_q  <= number_q == passes_i;
    end
  always_comb begin
    errors_o = '0;
    if (state_q == Check) begin
      errors_o[`ERROR_BAD_LENGTH] = bad_length;
      errors_o[`ERROR_BAD_ROW_LENGTH] = bad_row;
      errors_o[`ERROR_NO_PASSES] = bad_passes;
      errors_o[`ERROR_STILL_OFFERED] = out_full_i | pass_valid_o;
    end
    errors_o[`ERROR_ENDED_EARLY] = streaming & ended_early_i;
    errors_o[`ERROR_ENDED_LATE] = streaming & ended_late_i;
    errors_o[`ERROR_STALLED] = stall_out;
    errors_o[`ERROR_ABORTED] = abort_i & busy_o;
  end

  wire refused  = bad_length | bad_row | bad_passes | out_full_i | pass_valid_o; // in Check
  wire finished = scalar_end_i != `END_PASSES || final_q;                                // in Next
  wire broken   = errors_o[`ERROR_ENDED_EARLY] | errors_o[`ERROR_ENDED_LATE] | errors_o[`ERROR_STALLED];
  wire stop     = (broken || abort_i) && !aborting_o && busy_o;
  wire command  = (state_q == Check && !refused) || (state_q == Next && !finished);

  // What reaches far leaves from registers; clear_o follows the state by a clock, which Begin waits for.
  always_ff @(posedge clk_i) begin
    clear_o        <= !rst_ni || state_q == Command || state_q == Check || state_q == Idle;
    close_o        <= rst_ni && state_q == Drain && en_i && last_left && !out_full_i;
    scalar_start_o <= rst_ni && state_q == Close && dots_done_i && !close_o;
  end

  // Stands while it is offered, whatever is programmed meanwhile.
  always_ff @(posedge clk_i) if (!pass_valid_o) pass_data_o <= {~stencil_i, bank_o};

  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      state_q <= Idle;
      done_o  <= 1'b0;
      end_o   <= `END_PASSES;
      bank_o  <= 1'b0;
      pass_valid_o   <= 1'b0;
      pass_count_o   <= '0;
      sigma_guards_o <= '0;
      cycles_o <= '0;
      stall_q  <= '0;
      standing_q <= 1'b0;
      left_q   <= '0;
    end else begin
      if (busy_o) cycles_o <= cycles_o + 64'd1;
      standing_q <= standing;
      stall_q <= standing_q ? stall_q + 32'd1 : '0;
      pass_valid_o <= (command && !stop) || (pass_valid_o && !pass_ready_i);
      case (state_q)
        Idle:
          if (start_i) begin
            state_q  <= Check;
            done_o   <= 1'b0;
            bank_o   <= bank_i;
            cycles_o <= '0;
            pass_count_o   <= '0;
            sigma_guards_o <= '0;
          end
        Check: begin
          state_q <= Command;
          if (refused) begin
            state_q <= Idle;
            done_o  <= 1'b1;
            end_o   <= `END_FAULT;
          end
        end
        Command: begin
          left_q <= tokens;
          if (pass_ready_i) state_q <= Begin;
        end
        Begin: state_q <= Stream;
        Stream:
          if (en_i) begin
            left_q <= left_q - LenW'(1);
            if (last_left) begin
              left_q  <= no_flush ? LenW'(DrainN) : flush_q;
              state_q <= no_flush ? Drain : Flush;
            end
          end
        Flush:
          if (en_i) begin
            left_q <= left_q - LenW'(1);
            if (last_left) begin
              left_q  <= LenW'(DrainN);
              state_q <= Drain;
            end
          end
        Drain:
          if (en_i) begin
            if (!last_left) left_q <= left_q - LenW'(1);
            else if (!out_full_i) state_q <= Close;
          end
        Close:
          if (dots_done_i && !close_o) state_q <= Scalar;
        Scalar:
          if (scalar_done_i) begin
            state_q        <= Next;
            pass_count_o   <= pass_count_o + 32'd1;
            sigma_guards_o <= sigma_guards_o + {31'd0, scalar_guard_i};
            bank_o         <= ~bank_o;
          end
        Next: begin
          state_q <= Command;
          if (finished) begin
            state_q <= Idle;
            done_o  <= 1'b1;
            end_o   <= scalar_end_i;
          end
        end
        default: begin // Abort
          state_q <= Idle;
          done_o  <= 1'b1;
          end_o   <= `END_FAULT;
        end
      endcase
      if (stop) state_q <= Abort;
    end
endmodule
`default_nettype wire
