/// The control of one beat of buffer after each of N input streams: the pipeline consumes from registers, and whether it
/// can move in the next clock is known a clock ahead. Full rate; tready depends on registers only. The caller keeps the
/// data, in registers that take a stream's tdata whenever its tready_o is high. All streams side by side: simulation
/// handles them as one word.
///
/// From the beat with tlast to the next clear_i, tready stays low: what comes then is of the next pass.
`default_nettype none
module stream_in #(
  parameter integer N = 13
) (
  input  wire          clk_i,
  input  wire          rst_ni,
  input  wire          clear_i,  ///< drop what is held, accept nothing
  input  wire  [N-1:0] unused_i, ///< accepts nothing after this clear either
  input  wire  [N-1:0] tvalid_i,
  input  wire  [N-1:0] tlast_i,
  output logic [N-1:0] tready_o,
  input  wire  [N-1:0] take_i,   ///< only while full_o
  output logic [N-1:0] last_o,
  output logic [N-1:0] full_o,
  output logic [N-1:0] soon_o    ///< full_o of the next clock, unless cleared
);
  logic [N-1:0] ended_q; // the last beat of this pass is in
  assign tready_o = {N{~clear_i}} & ~ended_q & (~full_o | take_i);
  assign soon_o   = (tvalid_i & ~ended_q) | (full_o & ~take_i);
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) begin
      full_o  <= '0;
      ended_q <= unused_i;
    end else begin
      full_o  <= soon_o;
      ended_q <= ended_q | (tvalid_i & tlast_i & tready_o);
    end
  always_ff @(posedge clk_i) last_o <= (last_o & ~tready_o) | (tlast_i & tready_o);
endmodule
`default_nettype wire
