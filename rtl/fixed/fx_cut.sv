/// The word of an exact row sum: sum_i 2^-Shift, rounded, its low QW bits, and whether it does not fit. One clock; two where
/// half a unit is added (Shift > 0, Down 0).
`include "mantissa.svh"
`default_nettype none
module fx_cut #(
  parameter integer W     = 22, ///< bits of a sum, two's complement
  parameter integer QW    = 18,
  parameter integer Shift = 0,  ///< below zero: to the left
  parameter integer Down  = 0,  ///< 0 to nearest, half up; 1 down
  localparam integer BelowW = `MAX2(1, Shift)
) (
  input  wire           clk_i,
  input  wire           en_i,
  input  wire  [W-1:0]  sum_i,
  input  wire           zero_i, ///< the word becomes 0: in the last of these clocks
  output logic [QW-1:0] q_o,
  output logic          over_o,
  output logic [1:0]    above_o,    ///< for the checks, with q_o: the residue modulo 3 of what is cut off above it
  output logic [BelowW-1:0] below_o ///< for the checks, with q_o: the Shift bits that are cut off, of a word of 0 too
);
`include "mod3.svh"
  localparam integer Left  = (Shift < 0) ? -Shift : 0;
  localparam integer Right = (Shift > 0) ? Shift : 0;
  localparam integer Round = (Shift > 0 && Down == 0) ? 1 : 0;
  localparam integer WholeW = (W > Right) ? W - Right : 1;
  localparam integer UnitsW = WholeW + Round;
  wire [UnitsW-1:0] whole;
  wire [W-1:0] exact; // with whole
  generate
    if (Round == 0) begin : g_cut
      assign exact = sum_i;
      assign whole = (W > Right) ? sum_i[W-1 -: WholeW] : {UnitsW{sum_i[W-1]}};
    end else if (W > Right) begin : g_round
      // Half a unit more carries just where the first bit that is cut off is set.
      logic [W-1:0] sum_q;
      always_ff @(posedge clk_i) if (en_i) sum_q <= sum_i;
      assign exact = sum_q;
      assign whole = {sum_q[W-1], sum_q[W-1 -: WholeW]} + UnitsW'(sum_q[Right-1]);
    end else begin : g_none // within half a unit of 0
      assign whole = '0;
      logic [W-1:0] sum_q;
      always_ff @(posedge clk_i) if (en_i) sum_q <= sum_i;
      assign exact = sum_q;
    end
  endgenerate
  logic [UnitsW-1:0] whole_q;
  always_ff @(posedge clk_i) if (en_i) whole_q <= zero_i ? '0 : whole;
  logic [BelowW-1:0] below_q;
  always_ff @(posedge clk_i) if (en_i) below_q <= (zero_i || Right == 0) ? '0 : BelowW'($signed(exact));
  assign below_o = below_q;
  wire unused_exact = &{1'b0, exact};

  localparam integer KeptW = (Left < QW) ? QW - Left : 0; // bits of whole_q in the word
  generate
    if (KeptW == 0) begin : g_beyond
      assign q_o = '0;
      assign over_o = |whole_q;
      wire [1:0] all;
      mod3_residue #(.W(UnitsW)) i_above (.clk_i, .en_i(1'b1), .word_i(whole_q), .residue_o(all));
      assign above_o = mod3_shifted(all, Left);
    end else begin : g_word
      assign q_o = QW'($signed(whole_q)) << Left;
      if (UnitsW > KeptW) begin : g_over
        wire [1:0] high;
        mod3_residue #(.W(UnitsW - KeptW)) i_high (.clk_i, .en_i(1'b1), .word_i(whole_q[UnitsW-1:KeptW]), .residue_o(high));
        assign above_o = mod3_shifted(mod3_add(high, {1'b0, whole_q[KeptW-1]}), KeptW + Left);
        assign over_o = ~(&whole_q[UnitsW-1:KeptW-1] | ~|whole_q[UnitsW-1:KeptW-1]);
      end else begin : g_fits
        assign over_o = 1'b0;
        assign above_o = '0;
      end
    end
  endgenerate
endmodule
`default_nettype wire
