/// N clocks of delay for W bits. Ram 0: a shift register (an SRL where the device has them); Ram 1: a small circular
/// memory when N is above two; Ram 2: such a memory in a block of its own. ptr_i counts enabled clocks and is
/// shared by all delays of a core.
`include "mantissa.svh"
`default_nettype none
module delay #(
  parameter integer W   = 32,
  parameter integer N   = 4,
  parameter integer Ram = 0
) (
  input  wire          clk_i,
  input  wire          en_i,
  input  wire  [6:0]   ptr_i,
  input  wire  [W-1:0] d_i,
  output logic [W-1:0] q_o
);
  `REQUIRE(g_bad, N >= 0 && N <= 120, "delay: N must be in 0..120")
  generate
    if (N == 0) begin : g_wire
      assign q_o = d_i;
      wire unused = &{1'b0, clk_i, en_i, ptr_i};
    end else if (Ram != 0 && N > 2) begin : g_ram
      localparam integer AW = $clog2(N);
      logic [W-1:0] q_q;
      wire [AW-1:0] read_at = ptr_i[AW-1:0] - AW'(N - 1);
      if (Ram == 2) begin : g_block
        (* ram_style = "block" *) logic [W-1:0] mem [0:(1<<AW)-1];
`ifndef SYNTHESIS
        initial for (int k = 0; k < (1 << AW); k = k + 1) mem[k] = '0;
`endif
        // Not always_ff, which allows no `initial` beside it.
        always @(posedge clk_i) if (en_i) mem[ptr_i[AW-1:0]] <= d_i;
        always_ff @(posedge clk_i) if (en_i) q_q <= mem[read_at];
      end else begin : g_small
        logic [W-1:0] mem [0:(1<<AW)-1];
`ifndef SYNTHESIS
        initial for (int k = 0; k < (1 << AW); k = k + 1) mem[k] = '0;
`endif
        always @(posedge clk_i) if (en_i) mem[ptr_i[AW-1:0]] <= d_i;
        always_ff @(posedge clk_i) if (en_i) q_q <= mem[read_at];
      end
      assign q_o = q_q;
      wire unused = &{1'b0, ptr_i};
    end else begin : g_shift
      genvar k;
      for (k = 0; k < N; k = k + 1) begin : g_stage
        logic [W-1:0] d_q;
        if (k == 0) begin : g_first
          always_ff @(posedge clk_i) if (en_i) d_q <= d_i;
        end else begin : g_next
          always_ff @(posedge clk_i) if (en_i) d_q <= g_stage[k-1].d_q;
        end
      end
      assign q_o = g_stage[N-1].d_q;
      wire unused = &{1'b0, ptr_i};
    end
  endgenerate
endmodule
`default_nettype wire
