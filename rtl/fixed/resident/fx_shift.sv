/// A word moved onto another grid: floor(x 2^-n), its low OutW bits, the bit below them (add it to round to nearest, half
/// up), and whether it does not fit. left_i = InW - n stands while words are on their way, in 0 .. InW + OutW (fx_place);
/// beyond either end nothing is left of a word but its sign. Three clocks: shorter words are moved by 1s, by 4s, by 16s;
/// longer ones by 16s, by 4s, by 1s, since they get shorter on their way.
///
/// With Residues below_o says, with the word, what it has lost at its low end: x 2^left is (2 word + half) 2^(InW-1) and this,
/// modulo 3, as long as the word fits.
`include "mantissa.svh"
`default_nettype none
module fx_shift #(
  parameter integer InW  = 31,
  parameter integer OutW = 65,
  parameter integer Residues = 0,
  localparam integer LeftW = $clog2(InW + OutW + 1)
) (
  input  wire             clk_i,
  input  wire [LeftW-1:0] left_i,
  input  wire [InW-1:0]   x_i,
  output logic [OutW-1:0] word_o,
  output logic            half_o,
  output logic            over_o,
  output logic [1:0]      below_o  ///< 0, 1 or 2
);
`include "mod3.svh"
  generate
    if (InW <= OutW) begin : g_longer
      // The word is bits InW - 1 and above of x 2^left, half a unit the first of them.
      localparam integer AW = InW + 3;
      localparam integer BW = InW + 15;
      localparam integer Steps = (InW + OutW) / 16;
      wire [7:0] left = 8'(left_i);
      logic [AW-1:0] a_q;
      logic [BW-1:0] b_q;
      logic [OutW:0] moved;
      logic          over;
      always_comb begin
        moved = '0;
        over  = 1'b0;
        for (int s = 0; s <= Steps; s = s + 1) begin
          for (int k = 0; k <= OutW; k = k + 1)
            if (left[7:4] == 4'(s)) begin
              if (k + InW - 1 - 16 * s >= BW) moved[k] = moved[k] | b_q[BW-1];
              else if (k + InW - 1 - 16 * s >= 0) moved[k] = moved[k] | b_q[k+InW-1-16*s];
            end
          // From the place of the word's sign on, all must be the sign: what this step moves there, and those below.
          for (int j = 0; j < BW; j = j + 1)
            if (j >= OutW + InW - 1 - 16 * s && (j < OutW + InW - 1 - 16 * (s - 1) || s == 0) && left[7:4] >= 4'(s))
              over = over | (b_q[j] ^ b_q[BW-1]);
          if (OutW + InW - 1 - 16 * s < 0 && left[7:4] >= 4'(s)) over = over | b_q[BW-1];
        end
      end
      always_ff @(posedge clk_i) begin
        a_q <= AW'($signed(x_i)) << left[1:0];
        b_q <= BW'($signed(a_q)) << {left[3:2], 2'b00};
        {word_o, half_o} <= moved;
        over_o <= over;
      end
      if (Residues != 0) begin : g_residues
        logic [InW-2:0] lost; // steps of 16 are even powers of two
        wire [1:0] below;
        always_comb
          for (int j = 0; j < InW - 1; j = j + 1) lost[j] = b_q[j] & left[7:4] <= 4'((InW - 2 - j) / 16);
        mod3_residue #(.W(InW - 1), .Signed(0)) i_below (.clk_i, .en_i(1'b1), .word_i(lost), .residue_o(below));
        always_ff @(posedge clk_i) below_o <= below;
      end else begin : g_no_residues
        assign below_o = '0;
      end
    end else begin : g_shorter
      // x after OutW + 1 zeros, to the right by what is left of InW + OutW.
      localparam integer AllW = InW + OutW + 1;
      localparam integer AW   = OutW + 16;
      localparam integer BW   = OutW + 4;
      wire [7:0] right = 8'(InW + OutW) - 8'(left_i);
      wire [AllW-1:0] all = {x_i, {(OutW+1){1'b0}}};
      logic [AW-1:0] a_q;
      logic [BW-1:0] b_q;
      logic [1:0]    sign_q, over_q;
      // Bits from the place of the word's sign on must be the sign, at each stage those that can get no lower.
      logic over_a, over_b, over_c;
      always_comb begin
        over_a = 1'b0;
        for (int j = OutW + 15; j < AllW; j = j + 1)
          over_a = over_a | ((all[j] ^ x_i[InW-1]) & (right[7:4] <= 4'((j - OutW - 15) / 16)));
        over_b = 1'b0;
        for (int j = OutW + 3; j < AW; j = j + 1)
          over_b = over_b | ((a_q[j] ^ sign_q[0]) & (right[3:2] <= 2'((j - OutW - 3) / 4)));
        over_c = 1'b0;
        for (int j = OutW; j < BW; j = j + 1)
          over_c = over_c | ((b_q[j] ^ sign_q[1]) & (right[1:0] <= 2'(j - OutW)));
      end
      always_ff @(posedge clk_i) begin
        a_q <= AW'($signed(all) >>> {right[7:4], 4'd0});
        b_q <= BW'($signed(a_q) >>> {right[3:2], 2'b00});
        {word_o, half_o} <= (OutW+1)'($signed(b_q) >>> right[1:0]);
        sign_q <= {sign_q[0], x_i[InW-1]};
        over_q <= {over_q[0] | over_b, over_a};
        over_o <= over_q[1] | over_c;
      end
      if (Residues != 0) begin : g_residues
        // What each stage loses, on the grid of all, of which x 2^left is 2^(left-OutW-1) times as much.
        logic [AllW-1:0] lost_a;
        logic [11:0]     lost_b;
        logic [2:0]      lost_c;
        wire  [1:0] below_a, below_b, below_c;
        logic [1:0] below_aq, below_bq;
        always_comb begin
          for (int j = 0; j < AllW; j = j + 1) lost_a[j] = all[j] & right[7:4] > 4'(j / 16);
          for (int j = 0; j < 12; j = j + 1) lost_b[j] = a_q[j] & right[3:2] > 2'(j / 4);
          for (int j = 0; j < 3; j = j + 1) lost_c[j] = b_q[j] & right[1:0] > 2'(j);
        end
        mod3_residue #(.W(AllW), .Signed(0)) i_a (.clk_i, .en_i(1'b1), .word_i(lost_a), .residue_o(below_a));
        mod3_residue #(.W(12), .Signed(0)) i_b (.clk_i, .en_i(1'b1), .word_i(lost_b), .residue_o(below_b));
        mod3_residue #(.W(3), .Signed(0)) i_c (.clk_i, .en_i(1'b1), .word_i(lost_c), .residue_o(below_c));
        wire [1:0] below = mod3_add(below_bq, below_c);
        always_ff @(posedge clk_i) begin
          below_aq <= below_a;
          below_bq <= mod3_add(below_aq, below_b);
          below_o  <= (left_i[0] ^ 1'((OutW + 1) % 2)) ? mod3_minus(below) : below;
        end
      end else begin : g_no_residues
        assign below_o = '0;
      end
    end
  endgenerate
endmodule
`default_nettype wire
