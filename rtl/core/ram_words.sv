/// A simple dual-port memory of 2^AddrW words of W bits: q_o is the word at read_at_i, one enabled clock after it, or, with
/// Registered, two. Nobody reads a word while it is written. Synthesis may put a block whose output register is inside
/// in its place.
`default_nettype none
module ram_words #(
  parameter integer W          = 36,
  parameter integer AddrW      = 10,
  parameter integer Registered = 1
) (
  input  wire             clk_i,
  input  wire             en_i,
  input  wire [AddrW-1:0] write_at_i,
  input  wire [W-1:0]     d_i,
  input  wire [AddrW-1:0] read_at_i,
  output logic [W-1:0]    q_o
);
  (* no_rw_check *) logic [W-1:0] mem [0:(1<<AddrW)-1];
`ifndef SYNTHESIS
  initial for (int k = 0; k < (1 << AddrW); k = k + 1) mem[k] = '0;
`endif
  logic [W-1:0] q_q;
  // Not always_ff, which allows no `initial` beside it.
  always @(posedge clk_i) if (en_i) mem[write_at_i] <= d_i;
  always_ff @(posedge clk_i) if (en_i) q_q <= mem[read_at_i];
  generate
    if (Registered != 0) begin : g_register
      always_ff @(posedge clk_i) if (en_i) q_o <= q_q;
    end else begin : g_bare
      assign q_o = q_q;
    end
  endgenerate
endmodule
`default_nettype wire
