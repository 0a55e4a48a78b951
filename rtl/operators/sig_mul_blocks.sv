/// sig_mul on hard multipliers: `MUL_TILES(MA) * `MUL_TILES(MB) tiles of 17 x 17 bits, the bits above them in logic.
/// Latency `PRODUCT_LATENCY(MA, MB): the tiles, then their sum.
///
/// With a = ah 2^KA + al and b = bh 2^KB + bl, al and bl in tiles: a b = al bl + (ah bl + bh al) + ah bh, where ah and
/// bh are 1 (the hidden bit), or 2 or 3 where the widest fraction bit stays outside as well.
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
  localparam integer KA = (MA > 17 * TA) ? MA - 1 : MA; // bits in tiles
  localparam integer KB = (MB > 17 * TB) ? MB - 1 : MB;
  localparam integer Stages = `PRODUCT_LATENCY(MA, MB);
  localparam integer N = TA * TB + 1;

  wire [MA-1:0] a = a_i;
  wire [MB:0] b = {1'b1, b_i};
  wire [17*TA-1:0] al;
  wire [17*TB-1:0] bl;
  wire [1:0] ah;
  wire [1:0] bh;
  wire [N*PW-1:0] terms;
  genvar i, j;
  generate
    if (KA < 17 * TA) begin : g_pad_a
      assign al = {{(17*TA-KA){1'b0}}, a[KA-1:0]};
    end else begin : g_all_a
      assign al = a[KA-1:0];
    end
    if (KB < 17 * TB) begin : g_pad_b
      assign bl = {{(17*TB-KB){1'b0}}, b[KB-1:0]};
    end else begin : g_all_b
      assign bl = b[KB-1:0];
    end
    if (KA == MA) begin : g_hidden_a
      assign ah = 2'b01;
    end else begin : g_two_a
      assign ah = {1'b1, a[MA-1]};
    end
    if (KB == MB) begin : g_hidden_b
      assign bh = 2'b01;
    end else begin : g_two_b
      assign bh = {1'b1, b[MB-1]};
    end
    for (i = 0; i < TA; i = i + 1) begin : g_row
      for (j = 0; j < TB; j = j + 1) begin : g_tile
        wire [33:0] tile = {17'b0, al[17*i +: 17]} * {17'b0, bl[17*j +: 17]};
        wire [PW+33:0] placed = {{PW{1'b0}}, tile} << (17 * (i + j));
        assign terms[(i*TB+j)*PW +: PW] = placed[PW-1:0];
        wire unused = &{1'b0, placed[PW+33:PW]};
      end
    end
  endgenerate
  // The bits outside the tiles: ah b 2^KA + bh al 2^KB.
  wire [PW-1:0] ab = (ah[1] ? {{(PW-MB-2){1'b0}}, b, 1'b0} : '0) + (ah[0] ? {{(PW-MB-1){1'b0}}, b} : '0);
  wire [PW-1:0] ba = (bh[1] ? {{(PW-KA-1){1'b0}}, a[KA-1:0], 1'b0} : '0) +
                     (bh[0] ? {{(PW-KA){1'b0}}, a[KA-1:0]} : '0);
  assign terms[(N-1)*PW +: PW] = (ab << KA) + (ba << KB);

  // The tiles' registers, then the sum over the stages that are left (with one stage, the sum stands before it).
  generate
    if (Stages == 1) begin : g_single
      sum_tree #(.N(N), .W(PW), .Every(8), .Stages(1)) i_sum (.clk_i, .en_i, .terms_i(terms), .sum_o(product_o));
    end else begin : g_staged
      logic [N*PW-1:0] terms_q;
      always_ff @(posedge clk_i) if (en_i) terms_q <= terms;
      sum_tree #(.N(N), .W(PW), .Every((N > 5) ? 2 : 3), .Stages(Stages - 1)) i_sum (
        .clk_i, .en_i, .terms_i(terms_q), .sum_o(product_o));
    end
  endgenerate
endmodule
`default_nettype wire
