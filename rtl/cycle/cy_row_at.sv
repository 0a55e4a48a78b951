/// Where the words of all rows' delays (cy_row) of one length are read and written: one count for the core.
`default_nettype none
module cy_row_at #(
  parameter integer Max  = 128, ///< as cy_row's
  parameter integer Deep = 1,
  localparam integer LengthW = $clog2(Max + 1),
  localparam integer AddrW = $clog2(Max)
) (
  input  wire                clk_i,
  input  wire                clear_i,  ///< while length_i changes
  input  wire  [LengthW-1:0] length_i, ///< Deep: 3 to Max; else 2 to Max
  output logic [AddrW-1:0]   read_o,
  output logic [AddrW-1:0]   write_o
);
  generate
    if (Deep != 0) begin : g_block
      // Reading is one ahead of writing, and its word is there two clocks later: two of the row are beside the memory.
      logic [LengthW-1:0] read_q; // from 2 to length_i
      always_ff @(posedge clk_i)
        if (clear_i) begin
          write_o <= AddrW'(2);
          read_q  <= LengthW'(3);
        end else begin
          write_o <= read_q[AddrW-1:0];
          read_q  <= (read_q == length_i) ? LengthW'(2) : read_q + LengthW'(1);
        end
      assign read_o = read_q[AddrW-1:0];
    end else begin : g_luts
      // A word is read in the clock in which the next one takes its place.
      logic [AddrW-1:0] at_q; // from length_i - 2 down
      always_ff @(posedge clk_i) at_q <= (clear_i || at_q == '0) ? AddrW'(length_i - LengthW'(2)) : at_q - AddrW'(1);
      assign read_o = at_q;
      assign write_o = at_q;
    end
  endgenerate
endmodule
`default_nettype wire
