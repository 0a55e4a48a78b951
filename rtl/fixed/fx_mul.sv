/// a b, two's complement, exact. Latency `FX_MUL_LATENCY(AW - 2, BW): one clock where one block of 18 x 18 bits holds
/// it, else two, of blocks and of their sum.
///
///   Style 0  one `*`, left to the tool; registers after it
///   Style 1  logic: rows of partial products in a tree of carry-chain adders
///   Style 2  hard blocks: parts of 17 bits, the highest one signed. With Square, where b is a, the tiles (i, j) and
///            (j, i) are one.
`include "mantissa.svh"
`default_nettype none
module fx_mul #(
  parameter integer AW     = 18,
  parameter integer BW     = 18,
  parameter integer Square = 0,
  parameter integer Style  = 0
) (
  input  wire                     clk_i,
  input  wire                     en_i,
  input  wire signed [AW-1:0]     a_i,
  input  wire signed [BW-1:0]     b_i,
  output logic signed [AW+BW-1:0] product_o
);
  localparam integer W      = AW + BW;
  localparam integer Stages = `FX_MUL_LATENCY(AW - 2, BW);
  genvar i, j;
  generate
    if (Style == 0) begin : g_star
      logic signed [W-1:0] product_q;
      always_ff @(posedge clk_i) if (en_i) product_q <= W'(a_i) * W'(b_i);
      if (Stages == 1) begin : g_one
        assign product_o = product_q;
      end else begin : g_two
        always_ff @(posedge clk_i) if (en_i) product_o <= product_q;
      end
    end else if (Style == 1) begin : g_logic
      wire [BW*W-1:0] rows;
      for (i = 0; i < BW; i = i + 1) begin : g_row
        wire [W-1:0] row = W'(a_i) & {W{b_i[i]}};
        assign rows[i*W +: W] = (i == BW - 1 ? -row : row) << i;
      end
      sum_tree #(.N(BW), .W(W), .Every(($clog2(BW) + Stages - 1) / Stages), .Stages(Stages)) i_sum (
        .clk_i, .en_i, .terms_i(rows), .sum_o(product_o));
    end else begin : g_blocks
      localparam integer TA = (AW + 15) / 17;
      localparam integer TB = (BW + 15) / 17;
      localparam integer TopA = AW - 17 * (TA - 1); // bits of the highest part
      localparam integer TopB = BW - 17 * (TB - 1);
      wire [TA*TB*W-1:0] tiles;
      for (i = 0; i < TA; i = i + 1) begin : g_a
        wire [17:0] a;
        if (i == TA - 1) begin : g_top
          assign a = 18'($signed(a_i[AW-1 -: TopA]));
        end else begin : g_part
          assign a = {1'b0, a_i[17*i +: 17]};
        end
        for (j = 0; j < TB; j = j + 1) begin : g_b
          if (Square != 0 && j < i) begin : g_same
            assign tiles[(i*TB+j)*W +: W] = '0;
          end else begin : g_tile
            wire [17:0] b;
            if (j == TB - 1) begin : g_top
              assign b = 18'($signed(b_i[BW-1 -: TopB]));
            end else begin : g_part
              assign b = {1'b0, b_i[17*j +: 17]};
            end
            wire signed [35:0] tile;
            sig_mul_tile #(.SignedA((i == TA - 1) ? 1 : 0), .SignedB((j == TB - 1) ? 1 : 0), .Registered(1)) i_tile (
              .clk_i, .en_i, .a_i(a), .b_i(b), .tile_o(tile));
            assign tiles[(i*TB+j)*W +: W] = W'(tile) << (17 * (i + j) + ((Square != 0 && j != i) ? 1 : 0));
          end
        end
      end
      if (TA * TB == 1) begin : g_one
        assign product_o = tiles;
      end else begin : g_sum
        sum_tree #(.N(TA * TB), .W(W), .Every(8), .Stages(1)) i_sum (.clk_i, .en_i, .terms_i(tiles), .sum_o(product_o));
      end
    end
  endgenerate
endmodule
`default_nettype wire
