/// A sum of shifted words: for every bit 32 j + k of Terms, word j times 2^k. The low OutW bits of it, Latency clocks later: a
/// balanced tree with a register after each adder. Terms that are due later wait before they are added.
`include "mantissa.svh"
`default_nettype none
module fx_terms #(
  parameter integer W       = 18, ///< bits of a word, two's complement
  parameter integer Words   = 3,  ///< up to 3
  parameter [95:0]  Terms   = 96'd1,
  parameter integer Latency = 0,  ///< at least log2, upwards, of the number of terms
  parameter integer OutW    = 18
) (
  input  wire                clk_i,
  input  wire                en_i,
  input  wire  [Words*W-1:0] x_i,
  output logic [OutW-1:0]    sum_o
);
  // The lowest n terms.
  function automatic [95:0] lowest(input [95:0] terms, input integer n);
    integer left;
    begin
      left = n;
      lowest = '0;
      for (int k = 0; k < 96; k = k + 1)
        if (terms[k] && left > 0) begin
          lowest[k] = 1'b1;
          left = left - 1;
        end
    end
  endfunction
  function automatic integer position(input [95:0] term); // of the one bit
    begin
      position = 0;
      for (int k = 0; k < 96; k = k + 1) if (term[k]) position = k;
    end
  endfunction
  // Bits that hold a sum of terms: those of a word, and log2 of the sum of their 2^k.
  function automatic integer width(input [95:0] terms);
    logic [39:0] weight;
    begin
      weight = '0;
      for (int k = 0; k < 96; k = k + 1) if (terms[k]) weight = weight + (40'd1 << (k % 32));
      weight = weight - 40'd1;
      width = W;
      for (int k = 0; k < 40; k = k + 1) if (weight[k]) width = W + k + 1;
      if (width > OutW) width = OutW;
    end
  endfunction
  localparam integer N = $countones(Terms);
  `REQUIRE(g_early, (1 << Latency) >= N, "fx_terms: Latency is too short")
  generate
    if (N == 0) begin : g_none
      assign sum_o = '0;
      wire unused = &{1'b0, clk_i, en_i, x_i};
    end else if (N == 1) begin : g_word
      localparam integer At = position(Terms);
      wire [W-1:0] x;
      delay #(.W(W), .N(Latency)) i_wait (.clk_i, .en_i, .ptr_i(7'd0), .d_i(x_i[(At/32)*W +: W]), .q_o(x));
      assign sum_o = OutW'($signed(x)) << (At % 32);
      wire unused = &{1'b0, x_i, x};
    end else begin : g_sum
      localparam [95:0] Low = lowest(Terms, (N + 1) / 2);
      localparam integer LowW = width(Low);
      localparam integer HighW = width(Terms & ~Low);
      wire [LowW-1:0] low;
      wire [HighW-1:0] high;
      fx_terms #(.W(W), .Words(Words), .Terms(Low), .Latency(Latency - 1), .OutW(LowW)) i_low (
        .clk_i, .en_i, .x_i, .sum_o(low));
      fx_terms #(.W(W), .Words(Words), .Terms(Terms & ~Low), .Latency(Latency - 1), .OutW(HighW)) i_high (
        .clk_i, .en_i, .x_i, .sum_o(high));
      always_ff @(posedge clk_i) if (en_i) sum_o <= OutW'($signed(low)) + OutW'($signed(high));
    end
  endgenerate
endmodule
`default_nettype wire
