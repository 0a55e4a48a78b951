/// Product of two significands {1, fraction}, in one of three styles. Latency `PRODUCT_LATENCY(MA, MB).
///
///   Style 0  one `*`, left to the tool; registers after it
///   Style 1  logic: rows of partial products in a tree of carry-chain adders
///   Style 2  hard blocks: 17 x 17 bit tiles, each one unsigned 17-bit (18-bit signed) multiplier. The hidden bit,
///            and one bit more where that saves a tile, are added from logic: (1 + f)(1 + g) = 1 + f + g + f g
`include "mantissa.svh"
`default_nettype none
module sig_mul #(
  parameter integer MA    = 23,
  parameter integer MB    = 23,
  parameter integer Style = 0
) (
  input  wire              clk_i,
  input  wire              en_i,
  input  wire  [MA-1:0]    a_i,
  input  wire  [MB-1:0]    b_i,
  output logic [MA+MB+1:0] product_o ///< (2^MA + a)(2^MB + b)
);
  localparam integer PW     = MA + MB + 2;
  localparam integer Stages = `PRODUCT_LATENCY(MA, MB);

  `REQUIRE(g_bad, Style >= 0 && Style <= 2, "sig_mul: Style must be 0, 1 or 2")
  generate
    if (Style == 0) begin : g_star
      // Above 64 bits the product goes in pieces: a wide `*` is slow in simulation, and the sum is the same.
      wire [PW-1:0] product;
      if (PW <= 64) begin : g_short
        assign product = {{(PW-MA-1){1'b0}}, 1'b1, a_i} * {{(PW-MB-1){1'b0}}, 1'b1, b_i};
      end else begin : g_long
        localparam integer K = (MB + 1) / 2;
        localparam integer H = MB + 1 - K;
        wire [MA+K:0]   low  = {{K{1'b0}}, 1'b1, a_i} * {{(MA+1){1'b0}}, b_i[K-1:0]};
        wire [MA+H:0]   high = {{H{1'b0}}, 1'b1, a_i} * {{(MA+1){1'b0}}, 1'b1, b_i[MB-1:K]};
        assign product = {{(PW-MA-K-1){1'b0}}, low} + ({{(PW-MA-H-1){1'b0}}, high} << K);
      end
      genvar k;
      for (k = 0; k < Stages; k = k + 1) begin : g_stage
        logic [PW-1:0] product_q;
        if (k == 0) begin : g_first
          always_ff @(posedge clk_i) if (en_i) product_q <= product;
        end else begin : g_next
          always_ff @(posedge clk_i) if (en_i) product_q <= g_stage[k-1].product_q;
        end
      end
      assign product_o = g_stage[Stages-1].product_q;
    end else if (Style == 1) begin : g_logic
      sig_mul_logic #(.MA(MA), .MB(MB)) i_tree (.clk_i, .en_i, .a_i, .b_i, .product_o);
    end else begin : g_blocks
      sig_mul_blocks #(.MA(MA), .MB(MB)) i_tiles (.clk_i, .en_i, .a_i, .b_i, .product_o);
    end
  endgenerate
endmodule
`default_nettype wire
