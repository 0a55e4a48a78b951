/// The rules of the core's input streams, as assertions: a stream is read only in a pass, from the pass beat to the
/// beat with tlast, so that what a source offers early is the next pass's first beat and is not lost.
`default_nettype none
module pass_rules #(
  parameter integer N = 13
) (
  input wire         clk_i,
  input wire         rst_ni,
  input wire         pass_i, ///< a pass beat is taken
  input wire [N-1:0] tvalid_i,
  input wire [N-1:0] tready_i,
  input wire [N-1:0] tlast_i
);
  logic [N-1:0] open_q;
  wire  [N-1:0] taken = tvalid_i & tready_i;
  always_ff @(posedge clk_i)
    if (!rst_ni) open_q <= '0;
    else if (pass_i) open_q <= '1;
    else open_q <= open_q & ~(taken & tlast_i);
  always @(posedge clk_i)
    if (rst_ni) assert ((taken & ~open_q) == '0);
endmodule
`default_nettype wire
