/// One bank of p: a memory of two ports, of which both read and one writes. A word is there two clocks after its
/// address. A clock in which the second port writes reads nothing there.
`default_nettype none
module sp_bank #(
  parameter integer W     = 18,
  parameter integer Depth = 1024,
  localparam integer AW   = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  wire           clk_i,
  input  wire           a_read_i, ///< the first port's two registers move
  input  wire  [AW-1:0] a_at_i,
  output logic [W-1:0]  a_o,
  input  wire  [AW-1:0] b_at_i,
  output logic [W-1:0]  b_o,
  input  wire           write_i, ///< word_i to b_at_i
  input  wire  [W-1:0]  word_i
);
  (* no_rw_check *) logic [W-1:0] mem [0:Depth-1];
  logic [W-1:0] a_q, b_q;
`ifndef SYNTHESIS
  initial for (int k = 0; k < Depth; k = k + 1) mem[k] = '0;
`endif
  // Not always_ff, which allows no `initial` beside it.
  always @(posedge clk_i)
    if (write_i) mem[b_at_i] <= word_i;
    else b_q <= mem[b_at_i];
  always_ff @(posedge clk_i) if (a_read_i) a_q <= mem[a_at_i];
  always_ff @(posedge clk_i) begin
    if (a_read_i) a_o <= a_q;
    b_o <= b_q;
  end
endmodule
`default_nettype wire
