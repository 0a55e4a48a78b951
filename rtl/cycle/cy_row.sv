/// A row's delay: W bits, as many clocks as cy_row_at counts. clear_i, while that begins anew: the memory keeps what it has.
`default_nettype none
module cy_row #(
  parameter integer W    = 32,
  parameter integer Max  = 128, ///< a power of two
  parameter integer Deep = 1,   ///< 1: 3 to Max clocks, in a block memory with the register after it; 0: 2 to Max, in LUTs
  localparam integer AddrW = $clog2(Max)
) (
  input  wire                clk_i,
  input  wire                clear_i,
  input  wire  [AddrW-1:0]   read_at_i,  ///< cy_row_at's
  input  wire  [AddrW-1:0]   write_at_i,
  input  wire  [W-1:0]       d_i,
  output logic [W-1:0]       q_o
);
  generate
    if (Deep != 0) begin : g_block
      (* ram_style = "block", no_rw_check *) logic [W-1:0] mem [0:Max-1];
`ifndef SYNTHESIS
      initial for (int k = 0; k < Max; k = k + 1) mem[k] = '0;
`endif
      logic [W-1:0] word_q;
      // Not always_ff, which allows no `initial` beside it.
      always @(posedge clk_i) mem[write_at_i] <= d_i;
      // (With an enable of its own the memory's register is no part of a delay line after it.)
      always_ff @(posedge clk_i) if (!clear_i) word_q <= mem[read_at_i];
      always_ff @(posedge clk_i) q_o <= word_q;
    end else begin : g_luts
      (* ram_style = "distributed" *) logic [W-1:0] mem [0:Max-1];
`ifndef SYNTHESIS
      initial for (int k = 0; k < Max; k = k + 1) mem[k] = '0;
`endif
      always @(posedge clk_i) mem[write_at_i] <= d_i;
      always_ff @(posedge clk_i) q_o <= mem[read_at_i];
      wire unused = &{1'b0, clear_i};
    end
  endgenerate
endmodule
`default_nettype wire
