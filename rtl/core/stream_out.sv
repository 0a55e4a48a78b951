/// The control of a skid buffer before each of N output streams: a beat is offered in the clock in which the pipeline lets
/// go of it, and waits when it is not taken. The pipeline may push while full_o is low; whether it can in the next clock
/// is known a clock ahead. tvalid does not depend on tready, and nothing but tready or reset ends it: a beat that was
/// offered when a run was aborted stays. The caller keeps the data: registers that take a beat while full_o is low, and
/// show it in the beat's place while full_o is high.
`default_nettype none
module stream_out #(
  parameter integer N = 4
) (
  input  wire          clk_i,
  input  wire          rst_ni,
  input  wire  [N-1:0] push_i,  ///< only while full_o is low
  input  wire  [N-1:0] last_i,
  output logic [N-1:0] tvalid_o,
  output logic [N-1:0] tlast_o,
  input  wire  [N-1:0] tready_i,
  output logic [N-1:0] full_o,
  output logic [N-1:0] soon_o   ///< full_o of the next clock
);
  logic [N-1:0] last_q;
  assign tvalid_o = full_o | push_i;
  assign tlast_o  = (full_o & last_q) | (~full_o & last_i);
  assign soon_o   = tvalid_o & ~tready_i;
  always_ff @(posedge clk_i) begin
    full_o <= soon_o & {N{rst_ni}};
    last_q <= tlast_o;
  end
endmodule
`default_nettype wire
