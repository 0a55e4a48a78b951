/// One tile of a product, 17 x 17 bits, each operand 18 bits and signed where SignedA or SignedB says so; a register
/// after it with Registered. A module of its own, so that synthesis can put a device's multiplier with the register
/// inside it in its place.
`default_nettype none
module sig_mul_tile #(
  parameter integer SignedA = 0,
  parameter integer SignedB = 0,
  parameter integer Registered = 1
) (
  input  wire         clk_i,
  input  wire         en_i,
  input  wire  [17:0] a_i, ///< the top bit counts only when signed
  input  wire  [17:0] b_i,
  output logic [35:0] tile_o
);
  wire [35:0] tile;
  generate
    if (SignedA != 0 || SignedB != 0) begin : g_signed
      wire signed [17:0] a = $signed({(SignedA != 0) ? a_i[17] : 1'b0, a_i[16:0]});
      wire signed [17:0] b = $signed({(SignedB != 0) ? b_i[17] : 1'b0, b_i[16:0]});
      wire signed [35:0] product = a * b;
      assign tile = product;
    end else begin : g_unsigned
      wire [33:0] product = {17'b0, a_i[16:0]} * {17'b0, b_i[16:0]};
      assign tile = {2'b00, product};
    end
    if (Registered != 0) begin : g_register
      logic [35:0] tile_q;
      always_ff @(posedge clk_i) if (en_i) tile_q <= tile;
      assign tile_o = tile_q;
    end else begin : g_wire
      assign tile_o = tile;
      wire unused_clk = &{1'b0, clk_i, en_i};
    end
  endgenerate
  wire unused = &{1'b0, a_i[17], b_i[17]};
endmodule
`default_nettype wire
