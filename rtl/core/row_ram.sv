/// A delay of length_i enabled clocks, Least <= length_i <= Max, for W bits, in a simple dual-port memory. Least 1: a
/// length of one is served beside the memory; 2: the memory alone; from 3 on, its output has a register of its own.
`default_nettype none
module row_ram #(
  parameter integer W   = 32,
  parameter integer Max = 1025,
  parameter integer Least = 1,
  localparam integer AW = $clog2(Max + 1)
) (
  input  wire           clk_i,
  input  wire           en_i,
  input  wire           clear_i,  ///< before length_i changes
  input  wire  [AW-1:0] length_i,
  input  wire  [W-1:0]  d_i,
  output logic [W-1:0]  q_o
);
  logic [W-1:0]  mem [0:Max-1];
`ifndef SYNTHESIS
  initial for (int k = 0; k < Max; k = k + 1) mem[k] = '0;
`endif
  // read_q runs ahead, so that one address is never read and written at once.
  localparam integer Ahead = (Least >= 3) ? 2 : 1;
  localparam integer PtrW = $clog2(Max);
  logic [PtrW-1:0] write_q, read_q;
  logic [W-1:0]  q_q;
  logic [PtrW-1:0] last;
  always_ff @(posedge clk_i) last <= PtrW'(length_i - AW'(1)); // stands long before the first clock
  always_ff @(posedge clk_i)
    if (clear_i) begin
      write_q <= '0;
      read_q  <= PtrW'(Ahead);
    end else if (en_i) begin
      write_q <= (write_q == last) ? '0 : write_q + PtrW'(1);
      read_q  <= (read_q == last) ? '0 : read_q + PtrW'(1);
    end
  // Not always_ff, which allows no `initial` beside it.
  always @(posedge clk_i) if (en_i) mem[write_q] <= d_i;
  always_ff @(posedge clk_i) if (en_i) q_q <= mem[read_q];
  generate
    if (Least >= 3) begin : g_register
      logic [W-1:0] q_q2;
      always_ff @(posedge clk_i) if (en_i) q_q2 <= q_q;
      assign q_o = q_q2;
    end else if (Least == 2) begin : g_bare
      assign q_o = q_q;
    end else begin : g_short
      logic [W-1:0] d_q;
      always_ff @(posedge clk_i) if (en_i) d_q <= d_i;
      assign q_o = (length_i == AW'(1)) ? d_q : q_q;
    end
  endgenerate
endmodule
`default_nettype wire
