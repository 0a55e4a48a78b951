/// The control of a core's streams, whatever they carry: one beat of buffer at each (lock_step), whether a stream ends
/// where its pass does, and what a pipeline that stands waits for. Streams are bits: of the inputs u, r, p, q from the
/// lowest up and coefficients above, of the outputs u, r, p, q. The pipeline's side is that of lock_step: take and give
/// are the beats that it takes and lets go of when it moves in this clock, `ahead` those after the next clock in which
/// it moves, `last` those with which a pass ends.
`default_nettype none
module stream_control #(
  parameter integer Ins = 13,
  parameter integer Outs = 4
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire             run_i,         ///< low: the pipeline stands from the next clock on
  input  wire             clear_i,       ///< between passes
  input  wire             drained_i,     ///< only beats that are not taken hold up the core
  input  wire  [Ins-1:0]  unread_i,      ///< streams that a pass does not read

  input  wire  [Ins-1:0]  in_valid_i,
  input  wire  [Ins-1:0]  in_last_i,
  output logic [Ins-1:0]  in_ready_o,    ///< a register that takes the data when this is high holds the beat
  input  wire  [Ins-1:0]  take_i,
  input  wire  [Ins-1:0]  take_ahead_i,
  input  wire  [Ins-1:0]  take_last_i,

  input  wire  [Outs-1:0] give_i,
  input  wire  [Outs-1:0] give_ahead_i,
  input  wire  [Outs-1:0] give_last_i,
  output logic [Outs-1:0] out_valid_o,
  output logic [Outs-1:0] out_last_o,
  input  wire  [Outs-1:0] out_ready_i,
  output logic [Outs-1:0] out_full_o,    ///< a beat waits to be taken, and must be shown

  output logic            en_o,          ///< the pipeline moves
  output logic            still_o,       ///< ~en_o, a register of its own for the logic about the streams
  output logic            ended_early_o, ///< one clock: a stream's tlast was before its last beat,
  output logic            ended_late_o,  ///< or not on it
  output logic [Ins-1:0]  waiting_in_o,  ///< what a pipeline that stands waits for
  output logic [Outs-1:0] waiting_out_o
);
  wire [Ins-1:0] in_last, in_full, take;
  lock_step #(.Ins(Ins), .Outs(Outs)) i_steps (
    .clk_i, .rst_ni, .run_i, .clear_i, .unused_i(unread_i), .in_tvalid_i(in_valid_i), .in_tlast_i(in_last_i),
    .in_tready_o(in_ready_o), .want_i(take_i), .want_ahead_i(take_ahead_i), .take_o(take), .in_last_o(in_last),
    .in_full_o(in_full), .valid_i(give_i), .valid_ahead_i(give_ahead_i), .last_i(give_last_i),
    .out_tvalid_o(out_valid_o), .out_tlast_o(out_last_o), .out_tready_i(out_ready_i), .out_full_o(out_full_o), .en_o,
    .still_o);

  wire [Ins-1:0] odd = take & (in_last ^ take_last_i);
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) {ended_early_o, ended_late_o} <= 2'b00;
    else {ended_early_o, ended_late_o} <= {|(odd & in_last), |(odd & take_last_i)};
  assign waiting_in_o  = take_i & ~in_full;
  assign waiting_out_o = out_full_o & (give_i | {Outs{drained_i}});
endmodule
`default_nettype wire
