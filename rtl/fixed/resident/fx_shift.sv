/// A word moved onto another grid: floor(x 2^-n), its low OutW bits, the bit below them (add it to round to nearest, half
/// up), and whether it does not fit. left_i = InW - n stands while words are on their way, in 0 .. InW + OutW (fx_place);
/// beyond either end nothing is left of a word but its sign. Three clocks: shorter words are moved by 1s, by 4s, by 16s;
/// longer ones by 16s, by 4s, by 1s, since they get shorter on their way.
`include "mantissa.svh"
`default_nettype none
module fx_shift #(
  parameter integer InW  = 31,
  parameter integer OutW = 65,
  localparam integer LeftW = $clog2(InW + OutW + 1)
) (
  input  wire             clk_i,
  input  wire [LeftW-1:0] left_i,
  input  wire [InW-1:0]   x_i,
  output logic [OutW-1:0] word_o,
  output logic            half_o,
  output logic            over_o
);
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
    end else begin : g_shorter
      // x behind OutW + 1 zeros, to the right by what is left of InW + OutW.
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
    end
  endgenerate
endmodule
`default_nettype wire
