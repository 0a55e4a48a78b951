/// One vector in memory on the chip: Lanes memories side by side, each with a port that reads and a port that writes. A
/// word is there two clocks after its address: the memory's register, and one after it. What is written is read from
/// the next clock on; nobody reads a word while it is written.
///
/// With Parity a word has one bit more, and bad_o tells, three clocks after the address, that a word read with check_i was
/// not as it was written: it is word_o that is looked at, because the memory's own register is late in its clock.
`default_nettype none
module fx_memory #(
  parameter integer Lanes = 1,
  parameter integer W     = 18,
  parameter integer Depth = 1024, ///< words of a lane
  parameter integer Parity = 0,
  localparam integer AW   = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  wire                clk_i,
  input  wire                read_i,     ///< the read's two registers move
  input  wire  [AW-1:0]      read_at_i,
  output logic [Lanes*W-1:0] early_o,    ///< a clock after the address: for who selects lanes in front of a register
  output logic [Lanes*W-1:0] word_o,     ///< two clocks after it
  input  wire  [Lanes-1:0]   write_i,
  input  wire  [AW-1:0]      write_at_i,
  input  wire  [Lanes*W-1:0] word_i,
  input  wire                check_i,    ///< the word at read_at_i counts
  output logic               bad_o
);
  localparam integer MW = W + Parity; // bits of a word with its parity
  wire [Lanes-1:0] odd;
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      (* no_rw_check *) logic [MW-1:0] mem [0:Depth-1];
      logic [MW-1:0] word_q;
`ifndef SYNTHESIS
      initial for (int k = 0; k < Depth; k = k + 1) mem[k] = '0;
`endif
      // Not always_ff, which allows no `initial` beside it.
      always @(posedge clk_i) if (write_i[l]) mem[write_at_i] <= MW'({^word_i[l*W +: W], word_i[l*W +: W]});
      always_ff @(posedge clk_i) if (read_i) word_q <= mem[read_at_i];
      assign early_o[l*W +: W] = word_q[W-1:0];
      if (Parity != 0) begin : g_odd
        logic parity_q; // beside word_o
        always_ff @(posedge clk_i) if (read_i) parity_q <= word_q[MW-1];
        assign odd[l] = parity_q ^ (^word_o[l*W +: W]);
      end else begin : g_even
        assign odd[l] = 1'b0;
      end
    end
  endgenerate
  always_ff @(posedge clk_i) if (read_i) word_o <= early_o;
  generate
    if (Parity != 0) begin : g_parity
      logic check_q, check_q2;
      always_ff @(posedge clk_i) begin
        if (read_i) {check_q2, check_q} <= {check_q, check_i};
        bad_o <= check_q2 & |odd;
      end
    end else begin : g_bare
      assign bad_o = 1'b0;
      wire unused = &{1'b0, odd, check_i};
    end
  endgenerate
endmodule
`default_nettype wire
