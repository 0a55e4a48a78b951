/// One enable for the whole pipeline and the handshakes of all its streams. The pipeline moves in a clock when every beat
/// that it takes in that clock is here and every beat that it lets go of has room; with one beat of buffer at each
/// stream this is known a clock ahead, so the enable is a register, and tready and tvalid hang on registers only.
///
/// The pipeline's side: want_i are the streams whose beat it takes when it moves in this clock, valid_i the beats that
/// it lets go of then. After a clock in which it moves, want_i and valid_i must be what want_ahead_i and valid_ahead_i
/// were in that clock, unless clear_i was high, which empties them; after a clock in which it stands they stay.
`default_nettype none
module lock_step #(
  parameter integer Ins = 13,
  parameter integer Outs = 4
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire             run_i,   ///< low: the pipeline stands from the next clock on
  input  wire             clear_i, ///< between passes: drop the beats taken in, accept none

  input  wire  [Ins-1:0]  unused_i, ///< streams that the pass after this clear does not read
  input  wire  [Ins-1:0]  in_tvalid_i,
  input  wire  [Ins-1:0]  in_tlast_i,
  output logic [Ins-1:0]  in_tready_o,
  input  wire  [Ins-1:0]  want_i,
  input  wire  [Ins-1:0]  want_ahead_i,
  output logic [Ins-1:0]  take_o,
  output logic [Ins-1:0]  in_last_o,
  output logic [Ins-1:0]  in_full_o,

  input  wire  [Outs-1:0] valid_i,
  input  wire  [Outs-1:0] valid_ahead_i,
  input  wire  [Outs-1:0] last_i,
  output logic [Outs-1:0] out_tvalid_o,
  output logic [Outs-1:0] out_tlast_o,
  input  wire  [Outs-1:0] out_tready_i,
  output logic [Outs-1:0] out_full_o, ///< a beat waits, and must be shown

  output logic            en_o,    ///< the pipeline moves
  output logic            still_o  ///< ~en_o, a register of its own for the logic about the streams
);
  wire [Ins-1:0]  in_soon;
  wire [Outs-1:0] out_soon;
  assign take_o = want_i & {Ins{~still_o}};
  stream_in #(.N(Ins)) i_in (
    .clk_i, .rst_ni, .clear_i, .unused_i, .tvalid_i(in_tvalid_i), .tlast_i(in_tlast_i), .tready_o(in_tready_o),
    .take_i(take_o), .last_o(in_last_o), .full_o(in_full_o), .soon_o(in_soon));
  stream_out #(.N(Outs)) i_out (
    .clk_i, .rst_ni, .push_i(valid_i & {Outs{~still_o}}), .last_i, .tvalid_o(out_tvalid_o), .tlast_o(out_tlast_o),
    .tready_i(out_tready_i), .full_o(out_full_o), .soon_o(out_soon));

  wire go = (still_o ? &(in_soon | ~want_i) && ~|(out_soon & valid_i)
                     : &(in_soon | ~want_ahead_i) && ~|(out_soon & valid_ahead_i)) && run_i;
  always_ff @(posedge clk_i) begin
    en_o    <= rst_ni & go;
    still_o <= ~(rst_ni & go);
  end
endmodule
`default_nettype wire
