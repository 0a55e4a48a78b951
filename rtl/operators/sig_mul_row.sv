/// One diagonal of a tiled product: the tiles (i, i + D), each 17 x 17 bits (the last tile of an operand is 18 bits and
/// signed where SignedA or SignedB says so). They follow each other without overlap, so the row needs no adder.
/// Registers after the tiles with Registered. The row's lowest bit is worth 2^(17 |D|).
`include "mantissa.svh"
`default_nettype none
module sig_mul_row #(
  parameter integer TA = 2,         ///< tiles of a
  parameter integer TB = 2,
  parameter integer D  = 0,
  parameter integer TopA = 17,      ///< bits of a in its last tile
  parameter integer TopB = 17,
  parameter integer SignedA = 0,
  parameter integer SignedB = 0,
  parameter integer Registered = 1,
  parameter integer W = 70          ///< bits of row_o
) (
  input  wire                  clk_i,
  input  wire                  en_i,
  input  wire  [17*TA:0]       a_i,   ///< the top bit counts only when signed
  input  wire  [17*TB:0]       b_i,
  output logic signed [W-1:0]  row_o
);
  localparam integer First = (D < 0) ? -D : 0;
  localparam integer N = `ROW_TILES(TA, TB, D);
  generate
    if (N <= 0) begin : g_none
      assign row_o = '0;
      wire unused = &{1'b0, clk_i, en_i, a_i, b_i};
    end else begin : g_tiles
      wire [34*N+1:0] tiles;
      genvar k;
      for (k = 0; k < N; k = k + 1) begin : g_tile
        localparam integer I = First + k;
        localparam integer J = I + D;
        localparam integer SA = (SignedA != 0 && I == TA - 1) ? 1 : 0;
        localparam integer SB = (SignedB != 0 && J == TB - 1) ? 1 : 0;
        wire [35:0] tile;
        if (SA == 0 && SB == 0 && I == TA - 1 && J == TB - 1 && TopA <= 5 && TopB <= 5) begin : g_small
          // Too small for a block: b's bits from the top, the hidden one, with a row of a on each carry chain.
          wire [TopA-1:0] x = a_i[17*I +: TopA];
          genvar s;
          for (s = 0; s < TopB; s = s + 1) begin : g_bit
            wire [TopA+TopB-1:0] row = {{TopB{1'b0}}, x & {TopA{b_i[17*J + TopB - 1 - s]}}};
            wire [TopA+TopB-1:0] sum;
            if (s == 0) begin : g_first
              assign sum = row;
            end else begin : g_next
              assign sum = (g_bit[s-1].sum << 1) + row;
            end
          end
          wire [35:0] now = {{(36-TopA-TopB){1'b0}}, g_bit[TopB-1].sum};
          if (Registered != 0) begin : g_register
            logic [35:0] now_q;
            always_ff @(posedge clk_i) if (en_i) now_q <= now;
            assign tile = now_q;
          end else begin : g_wire
            assign tile = now;
          end
        end else begin : g_block
          sig_mul_tile #(.SignedA(SA), .SignedB(SB), .Registered(Registered)) i_tile (
            .clk_i, .en_i, .a_i(a_i[17*I +: 18]), .b_i(b_i[17*J +: 18]), .tile_o(tile));
        end
        // Only the last tile can be a signed one, whose two upper bits count.
        assign tiles[34*k +: 34] = tile[33:0];
        if (k == N - 1) begin : g_top
          assign tiles[34*N +: 2] = tile[35:34];
        end else begin : g_inside
          wire unused_top = &{1'b0, tile[35:34]};
        end
      end
      wire signed [34*N+1:0] row = $signed(tiles);
      assign row_o = W'(row);
      wire unused = &{1'b0, a_i, b_i};
    end
  endgenerate
endmodule
`default_nettype wire
