/// One vector on the chip, in block memories, with a port that reads and a port that writes. A word is there two clocks after its
/// address. What is written is read from the next clock on; nobody reads a word while it is written.
`default_nettype none
module cy_memory #(
  parameter integer W     = 18,
  parameter integer Depth = 1024,
  localparam integer AW   = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  wire           clk_i,
  input  wire           read_i,     ///< the read's two registers move
  input  wire  [AW-1:0] read_at_i,
  input  wire           clear_i,    ///< beside read_i: zero in the word's place
  output logic [W-1:0]  word_o,
  input  wire           write_i,
  input  wire  [AW-1:0] write_at_i,
  input  wire  [W-1:0]  word_i
);
  (* ram_style = "block", no_rw_check *) logic [W-1:0] mem [0:Depth-1];
`ifndef SYNTHESIS
  initial for (int k = 0; k < Depth; k = k + 1) mem[k] = '0;
`endif
  logic [W-1:0] word_q;
  // Not always_ff, which allows no `initial` beside it.
  always @(posedge clk_i) if (write_i) mem[write_at_i] <= word_i;
  always_ff @(posedge clk_i) if (read_i) word_q <= mem[read_at_i];
  always_ff @(posedge clk_i) if (read_i) word_o <= clear_i ? '0 : word_q;
endmodule
`default_nettype wire
