/// sig_mul on hard multipliers: `MUL_TILES(MA) * `MUL_TILES(MB) of them, 18 x 18 bits signed or 17 x 17 unsigned.
/// Latency `PRODUCT_LATENCY(MA, MB): the tiles, then their sum.
///
/// Each operand is a constant and a part t that its tiles hold; with M fraction bits f on 17 T bits of tiles,
///   M < 17 T       t = 2^M + f           the hidden bit fits
///   M = 17 T       1 2^M + t             t = f
///   M = 17 T + 1   3 2^(M-1) + t         t = f - 2^(M-1), signed: the top tile takes 18 bits
/// a b = ta tb + ca 2^ka b + cb 2^kb ta, and c 2^k (b + ta) where both have the same width. The tiles of one diagonal
/// stand side by side, so ta tb is the sum of TA + TB - 1 rows.
`include "mantissa.svh"
`default_nettype none
module sig_mul_blocks #(
  parameter integer MA = 23,
  parameter integer MB = 23
) (
  input  wire              clk_i,
  input  wire              en_i,
  input  wire  [MA-1:0]    a_i,
  input  wire  [MB-1:0]    b_i,
  output logic [MA+MB+1:0] product_o
);
  localparam integer PW = MA + MB + 2;
  localparam integer TA = `MUL_TILES(MA);
  localparam integer TB = `MUL_TILES(MB);
  localparam integer CA = (MA > 17 * TA) ? 3 : (MA == 17 * TA) ? 1 : 0;
  localparam integer CB = (MB > 17 * TB) ? 3 : (MB == 17 * TB) ? 1 : 0;
  localparam integer KA = (CA == 3) ? MA - 1 : MA;
  localparam integer KB = (CB == 3) ? MB - 1 : MB;
  localparam integer SA = (CA == 3) ? 1 : 0;
  localparam integer SB = (CB == 3) ? 1 : 0;
  localparam integer Stages = `PRODUCT_LATENCY(MA, MB);
  localparam integer Registered = (Stages > 1) ? 1 : 0;

  // The parts in tiles, sign-extended by one bit.
  wire [17*TA:0] ta;
  wire [17*TB:0] tb;
  generate
    if (CA == 3) begin : g_signed_a
      assign ta = {~a_i[MA-1], a_i[MA-2:0]};
    end else if (CA == 1) begin : g_fraction_a
      assign ta = {1'b0, a_i};
    end else begin : g_all_a
      assign ta = {{(17*TA-MA){1'b0}}, 1'b1, a_i};
    end
    if (CB == 3) begin : g_signed_b
      assign tb = {~b_i[MB-1], b_i[MB-2:0]};
    end else if (CB == 1) begin : g_fraction_b
      assign tb = {1'b0, b_i};
    end else begin : g_all_b
      assign tb = {{(17*TB-MB){1'b0}}, 1'b1, b_i};
    end
  endgenerate

  // Rows by diagonal. The last tiles hold what the others leave.
  localparam integer TopA = (CA == 0) ? MA + 1 - 17 * (TA - 1) : 17;
  localparam integer TopB = (CB == 0) ? MB + 1 - 17 * (TB - 1) : 17;
  localparam integer W0 = 34 * `ROW_TILES(TA, TB, 0) + 2;
  localparam integer W1 = 34 * `MAX2(`ROW_TILES(TA, TB, 1), `ROW_TILES(TA, TB, -1)) + 2;
  localparam integer W2 = 34 * `MAX3(`ROW_TILES(TA, TB, 2), `ROW_TILES(TA, TB, -2), 0) + 2;
  wire signed [W0-1:0] row;
  sig_mul_row #(.TA(TA), .TB(TB), .D(0), .SignedA(SA), .SignedB(SB), .TopA(TopA), .TopB(TopB), .Registered(Registered),
                .W(W0)) i_row (
    .clk_i, .en_i, .a_i(ta), .b_i(tb), .row_o(row));
  // Diagonals beside the middle one, to be added at 2^17. Two tiles of three stages: summed a stage earlier.
  localparam integer WX = `MAX2(W1, W2 + 17) + 2;
  wire signed [WX-1:0] beside;
  generate
    if (TA == 1 && TB == 1) begin : g_one_row
      assign beside = '0;
    end else begin : g_rows
      wire signed [W1-1:0] up1, down1;
      sig_mul_row #(.TA(TA), .TB(TB), .D(1), .SignedA(SA), .SignedB(SB), .TopA(TopA), .TopB(TopB), .W(W1)) i_up1 (
        .clk_i, .en_i, .a_i(ta), .b_i(tb), .row_o(up1));
      sig_mul_row #(.TA(TA), .TB(TB), .D(-1), .SignedA(SA), .SignedB(SB), .TopA(TopA), .TopB(TopB), .W(W1)) i_down1 (
        .clk_i, .en_i, .a_i(ta), .b_i(tb), .row_o(down1));
      wire signed [W1:0] near = (W1+1)'(up1) + (W1+1)'(down1);
      if (W2 == 2) begin : g_near
        assign beside = WX'(near);
      end else begin : g_far
        wire signed [W2-1:0] up2, down2;
        sig_mul_row #(.TA(TA), .TB(TB), .D(2), .SignedA(SA), .SignedB(SB), .TopA(TopA), .TopB(TopB), .W(W2)) i_up2 (
          .clk_i, .en_i, .a_i(ta), .b_i(tb), .row_o(up2));
        sig_mul_row #(.TA(TA), .TB(TB), .D(-2), .SignedA(SA), .SignedB(SB), .TopA(TopA), .TopB(TopB), .W(W2)) i_down2 (
          .clk_i, .en_i, .a_i(ta), .b_i(tb), .row_o(down2));
        wire signed [W2:0] far = (W2+1)'(up2) + (W2+1)'(down2);
        wire signed [WX-18:0] upper = (WX-17)'($signed(near[W1:17])) + (WX-17)'(far);
        assign beside = $signed({upper, near[16:0]});
      end
    end
  endgenerate

  // What the tiles leave out, at 2^KC.
  localparam integer Outside = (CA != 0 || CB != 0) ? 1 : 0;
  localparam integer KC = (CA == 0) ? KB : (CB == 0) ? KA : `MIN2(KA, KB);
  localparam integer OW = PW - KC;
  wire [OW-1:0] outside;
  generate
    if (Outside == 0) begin : g_inside
      assign outside = '0;
    end else begin : g_outside
      wire [OW-1:0] sum, sum_now;
      if (CA == CB && KA == KB) begin : g_alike
        assign sum_now = OW'({1'b1, b_i}) + OW'($signed(ta));
        assign outside = (CA == 3) ? sum + (sum << 1) : sum;
      end else begin : g_apart
        wire [OW-1:0] b_part = OW'({1'b1, b_i}) << (KA - KC);
        wire [OW-1:0] a_part = OW'($signed(ta)) << (KB - KC);
        assign sum_now = ((CA == 0) ? '0 : (CA == 3) ? b_part + (b_part << 1) : b_part) +
                         ((CB == 0) ? '0 : (CB == 3) ? a_part + (a_part << 1) : a_part);
        assign outside = sum;
      end
      if (Registered != 0) begin : g_register
        logic [OW-1:0] sum_q;
        always_ff @(posedge clk_i) if (en_i) sum_q <= sum_now;
        assign sum = sum_q;
      end else begin : g_wire
        assign sum = sum_now;
      end
    end
  endgenerate

  // With three stages, a register before the last sums.
  wire signed [W0-1:0] row_m;
  wire signed [WX-1:0] beside_m;
  wire [OW-1:0] outside_m;
  generate
    if (Stages > 2) begin : g_middle
      logic signed [W0-1:0] row_q;
      logic signed [WX-1:0] beside_q;
      logic [OW-1:0] outside_q;
      always_ff @(posedge clk_i)
        if (en_i) begin
          row_q     <= row;
          beside_q  <= beside;
          outside_q <= outside;
        end
      assign row_m     = row_q;
      assign beside_m  = beside_q;
      assign outside_m = outside_q;
    end else begin : g_through
      assign row_m     = row;
      assign beside_m  = beside;
      assign outside_m = outside;
    end
  endgenerate

  // Sums modulo 2^PW: the product fits. Bits below a summand's place pass by.
  localparam integer RW = `MAX2(PW, W0); // a row of tiles can be wider than the product, its upper bits zero
  wire [RW-1:0] rows = RW'(row_m);
  wire [PW-1:0] tiles, product;
  generate
    if (TA == 1 && TB == 1) begin : g_sum_one
      assign tiles = rows[PW-1:0];
    end else begin : g_sum
      wire [PW-18:0] upper = rows[PW-1:17] + (PW-17)'(beside_m);
      assign tiles = {upper, rows[16:0]};
    end
    if (Outside != 0) begin : g_sum_outside
      wire [OW-1:0] upper = tiles[PW-1:KC] + outside_m;
      assign product = {upper, tiles[KC-1:0]};
    end else begin : g_sum_inside
      assign product = tiles;
    end
  endgenerate
  always_ff @(posedge clk_i) if (en_i) product_o <= product;
  wire unused = &{1'b0, beside_m, outside_m, rows};
endmodule
`default_nettype wire
