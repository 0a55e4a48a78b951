/// Sum of N terms of W bits (the sum fits W bits) by adjacent pairs, with a register every Every levels and one at the
/// end. Latency Stages, which must be at least ceil(levels / Every); registers left over follow the sum. Recursive.
`default_nettype none
module sum_tree #(
  parameter integer N      = 9,
  parameter integer W      = 32,
  parameter integer Every  = 2,
  parameter integer Stages = 2,
  parameter integer Phase  = 0 ///< levels since the last register
) (
  input  wire            clk_i,
  input  wire            en_i,
  input  wire  [N*W-1:0] terms_i,
  output logic [W-1:0]   sum_o
);
  localparam integer H = (N + 1) / 2;
  generate
    if (N == 1) begin : g_one
      if (Stages == 0) begin : g_wire
        assign sum_o = terms_i;
        wire unused = &{1'b0, clk_i, en_i};
      end else begin : g_registers
        logic [W-1:0] pipe_q [0:Stages-1];
        always_ff @(posedge clk_i)
          if (en_i) begin
            pipe_q[0] <= terms_i;
            for (int k = 1; k < Stages; k = k + 1) pipe_q[k] <= pipe_q[k-1];
          end
        assign sum_o = pipe_q[Stages-1];
      end
    end else begin : g_level
      // A register before this level when Every levels have gone by.
      localparam integer Cut = (Phase == Every) ? 1 : 0;
      wire [N*W-1:0] t;
      if (Cut != 0) begin : g_cut
        logic [N*W-1:0] t_q;
        always_ff @(posedge clk_i) if (en_i) t_q <= terms_i;
        assign t = t_q;
      end else begin : g_through
        assign t = terms_i;
      end
      wire [H*W-1:0] half;
      genvar i;
      for (i = 0; i < N / 2; i = i + 1) begin : g_pair
        assign half[i*W +: W] = t[2*i*W +: W] + t[(2*i+1)*W +: W];
      end
      if (N % 2 == 1) begin : g_odd
        assign half[(H-1)*W +: W] = t[(N-1)*W +: W];
      end
      sum_tree #(.N(H), .W(W), .Every(Every), .Stages(Stages - Cut), .Phase(Cut != 0 ? 1 : Phase + 1)) i_rest (
        .clk_i, .en_i, .terms_i(half), .sum_o);
    end
  endgenerate
endmodule
`default_nettype wire
