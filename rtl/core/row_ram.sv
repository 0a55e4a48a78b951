/// A delay of length_i enabled clocks, Least <= length_i <= Max, for W bits, in a simple dual-port memory. From Least 3
/// on, the memory's output has a register of its own, which zero_i clears in place of its next word; the memory then has
/// Max - 1 words, so rows of 2^n + 1 fit one of 2^n. With Least 2 it is the memory alone; with 1 a length of one is served
/// beside it.
`default_nettype none
module row_ram #(
  parameter integer W   = 32,
  parameter integer Max = 1025,
  parameter integer Least = 1,
  localparam integer AW = $clog2(Max + 1)
) (
  input  wire           clk_i,
  input  wire           en_i,
  input  wire           clear_i,  ///< while length_i changes
  input  wire  [AW-1:0] length_i,
  input  wire           zero_i,   ///< the next q_o is 0 (from Least 3 on)
  input  wire  [W-1:0]  d_i,
  output logic [W-1:0]  q_o
);
  // Pointers run from First to length_i, so that what they are compared with needs no arithmetic; addresses are their low
  // bits. One address is never read and written at once: reading is one ahead of writing, over two words at least.
  localparam integer First = (Least >= 3) ? 2 : 1;
  localparam integer AddrW = (Max > First + 1) ? $clog2(Max - First + 1) : 1;
  (* no_rw_check *) logic [W-1:0] mem [0:(1<<AddrW)-1];
`ifndef SYNTHESIS
  initial for (int k = 0; k < (1 << AddrW); k = k + 1) mem[k] = '0;
`endif
  logic [AW-1:0] read_q;
  logic [AddrW-1:0] write_q;
  logic [W-1:0]  q_q;
  always_ff @(posedge clk_i)
    if (clear_i) begin
      write_q <= AddrW'(First);
      read_q  <= AW'(First + 1);
    end else if (en_i) begin
      write_q <= read_q[AddrW-1:0];
      read_q  <= (read_q == length_i) ? AW'(First) : read_q + AW'(1);
    end
  // Not always_ff, which allows no `initial` beside it.
  always @(posedge clk_i) if (en_i) mem[write_q] <= d_i;
  always_ff @(posedge clk_i) if (en_i) q_q <= mem[read_q[AddrW-1:0]];
  generate
    if (Least >= 3) begin : g_register
      logic [W-1:0] q_q2;
      always_ff @(posedge clk_i) if (en_i) q_q2 <= zero_i ? '0 : q_q;
      assign q_o = q_q2;
    end else if (Least == 2) begin : g_bare
      assign q_o = q_q;
      wire unused = &{1'b0, zero_i};
    end else begin : g_short
      logic [W-1:0] d_q;
      always_ff @(posedge clk_i) if (en_i) d_q <= d_i;
      assign q_o = (length_i == AW'(1)) ? d_q : q_q;
      wire unused = &{1'b0, zero_i};
    end
  endgenerate
endmodule
`default_nettype wire
