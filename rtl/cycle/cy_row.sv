/// A row's delay: W bits, length_i clocks. clear_i, while length_i changes, begins anew: the memory keeps what it has.
`default_nettype none
module cy_row #(
  parameter integer W    = 32,
  parameter integer Max  = 128, ///< a power of two
  parameter integer Deep = 1,   ///< 1: 3 to Max clocks, in a block memory with the register behind it; 0: 2 to Max, in LUTs
  localparam integer LengthW = $clog2(Max + 1)
) (
  input  wire                clk_i,
  input  wire                clear_i,
  input  wire  [LengthW-1:0] length_i,
  input  wire  [W-1:0]       d_i,
  output logic [W-1:0]       q_o
);
  localparam integer AddrW = $clog2(Max);
  generate
    if (Deep != 0) begin : g_block
      // Reading is one ahead of writing, and its word is there two clocks later: two of the row are beside the memory.
      (* ram_style = "block", no_rw_check *) logic [W-1:0] mem [0:Max-1];
`ifndef SYNTHESIS
      initial for (int k = 0; k < Max; k = k + 1) mem[k] = '0;
`endif
      logic [LengthW-1:0] read_q; // from 2 to length_i
      logic [AddrW-1:0]   write_q;
      logic [W-1:0]       word_q;
      always_ff @(posedge clk_i)
        if (clear_i) begin
          write_q <= AddrW'(2);
          read_q  <= LengthW'(3);
        end else begin
          write_q <= read_q[AddrW-1:0];
          read_q  <= (read_q == length_i) ? LengthW'(2) : read_q + LengthW'(1);
        end
      // Not always_ff, which allows no `initial` beside it.
      always @(posedge clk_i) mem[write_q] <= d_i;
      // (With an enable of its own the memory's register is no part of a delay line behind it.)
      always_ff @(posedge clk_i) if (!clear_i) word_q <= mem[read_q[AddrW-1:0]];
      always_ff @(posedge clk_i) q_o <= word_q;
    end else begin : g_luts
      // A word is read in the clock in which the next one takes its place.
      (* ram_style = "distributed" *) logic [W-1:0] mem [0:Max-1];
`ifndef SYNTHESIS
      initial for (int k = 0; k < Max; k = k + 1) mem[k] = '0;
`endif
      logic [AddrW-1:0] at_q; // from length_i - 2 down
      always_ff @(posedge clk_i) at_q <= (clear_i || at_q == '0) ? AddrW'(length_i - LengthW'(2)) : at_q - AddrW'(1);
      always @(posedge clk_i) mem[at_q] <= d_i;
      always_ff @(posedge clk_i) q_o <= mem[at_q];
    end
  endgenerate
endmodule
`default_nettype wire
