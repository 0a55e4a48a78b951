/// The residue modulo 3 of each of Lanes words. Pairs of bits are digits, since 4 is 1; a sign counts as what it takes away.
`default_nettype none
module mod3_residue #(
  parameter integer Lanes  = 1,
  parameter integer W      = 18, ///< bits of a word
  parameter integer Signed = 1,
  parameter integer Piped  = 0   ///< 1: a clock later (mod3_piped)
) (
  input  wire                clk_i,  ///< used with Piped only
  input  wire                en_i,
  input  wire  [Lanes*W-1:0] word_i,
  output logic [Lanes*2-1:0] residue_o ///< 0, 1 or 2
);
  localparam integer N = (W + 1) / 2; // digits of a word
  genvar l;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      wire [2*N-1:0] bits = (2*N)'(word_i[l*W +: W]);
      // The sign's 2^(W-1) is 2 or, with W odd, 1; less it is 1 or 2.
      wire [1:0] top = (W % 2 == 0) ? {bits[2*N-1] & bits[2*N-2], bits[2*N-1] ^ bits[2*N-2]} : {bits[2*N-2], 1'b0};
      wire [2*N-1:0] low = bits & ~((2*N)'(3) << (2 * N - 2));
      wire [1:0] highest = (Signed != 0) ? top : bits[2*N-1 -: 2];
      wire [2*N-1:0] all = low | ((2*N)'(highest) << (2 * N - 2));
      if (Piped != 0) begin : g_piped
        mod3_piped #(.N(N)) i_sum (.clk_i, .en_i, .digits_i(all), .sum_o(residue_o[l*2 +: 2]));
      end else begin : g_now
        mod3_sum #(.N(N + 1)) i_sum (.digits_i({2'b00, all}), .sum_o(residue_o[l*2 +: 2]));
      end
    end
    if (Piped == 0) begin : g_unclocked
      wire unused_clock = &{1'b0, clk_i, en_i};
    end
  endgenerate
endmodule
`default_nettype wire
