/// rtl/operators/sig_mul_tile.sv on the ECP5: the register after the tile is the multiplier's own. yosys maps `*` to
/// the multiplier and leaves the register outside, 36 flip-flops and a net away.
`default_nettype none
module sig_mul_tile #(
  parameter integer SignedA = 0,
  parameter integer SignedB = 0,
  parameter integer Registered = 1
) (
  input  wire         clk_i,
  input  wire         en_i,
  input  wire  [17:0] a_i,
  input  wire  [17:0] b_i,
  output wire  [35:0] tile_o
);
  localparam integer Signed = (SignedA != 0 || SignedB != 0) ? 1 : 0;
  wire [17:0] a = {(SignedA != 0) ? a_i[17] : 1'b0, a_i[16:0]};
  wire [17:0] b = {(SignedB != 0) ? b_i[17] : 1'b0, b_i[16:0]};
  generate
    if (Registered != 0) begin : g_register
      MULT18X18D #(.REG_OUTPUT_CLK("CLK0"), .REG_OUTPUT_CE("CE0"), .REG_OUTPUT_RST("RST0")) i_block (
        .CLK0(clk_i), .CE0(en_i), .RST0(1'b0), .SOURCEA(1'b0), .SOURCEB(1'b0),
        .SIGNEDA(Signed != 0 ? 1'b1 : 1'b0), .SIGNEDB(Signed != 0 ? 1'b1 : 1'b0),
        .A0(a[0]), .A1(a[1]), .A2(a[2]), .A3(a[3]), .A4(a[4]), .A5(a[5]), .A6(a[6]), .A7(a[7]), .A8(a[8]),
        .A9(a[9]), .A10(a[10]), .A11(a[11]), .A12(a[12]), .A13(a[13]), .A14(a[14]), .A15(a[15]), .A16(a[16]),
        .A17(a[17]),
        .B0(b[0]), .B1(b[1]), .B2(b[2]), .B3(b[3]), .B4(b[4]), .B5(b[5]), .B6(b[6]), .B7(b[7]), .B8(b[8]),
        .B9(b[9]), .B10(b[10]), .B11(b[11]), .B12(b[12]), .B13(b[13]), .B14(b[14]), .B15(b[15]), .B16(b[16]),
        .B17(b[17]),
        .C0(1'b0), .C1(1'b0), .C2(1'b0), .C3(1'b0), .C4(1'b0), .C5(1'b0), .C6(1'b0), .C7(1'b0), .C8(1'b0),
        .C9(1'b0), .C10(1'b0), .C11(1'b0), .C12(1'b0), .C13(1'b0), .C14(1'b0), .C15(1'b0), .C16(1'b0), .C17(1'b0),
        .P0(tile_o[0]), .P1(tile_o[1]), .P2(tile_o[2]), .P3(tile_o[3]), .P4(tile_o[4]), .P5(tile_o[5]),
        .P6(tile_o[6]), .P7(tile_o[7]), .P8(tile_o[8]), .P9(tile_o[9]), .P10(tile_o[10]), .P11(tile_o[11]),
        .P12(tile_o[12]), .P13(tile_o[13]), .P14(tile_o[14]), .P15(tile_o[15]), .P16(tile_o[16]), .P17(tile_o[17]),
        .P18(tile_o[18]), .P19(tile_o[19]), .P20(tile_o[20]), .P21(tile_o[21]), .P22(tile_o[22]), .P23(tile_o[23]),
        .P24(tile_o[24]), .P25(tile_o[25]), .P26(tile_o[26]), .P27(tile_o[27]), .P28(tile_o[28]), .P29(tile_o[29]),
        .P30(tile_o[30]), .P31(tile_o[31]), .P32(tile_o[32]), .P33(tile_o[33]), .P34(tile_o[34]), .P35(tile_o[35]));
    end else if (Signed != 0) begin : g_signed
      wire signed [35:0] product = $signed(a) * $signed(b);
      assign tile_o = product;
    end else begin : g_unsigned
      assign tile_o = {2'b00, {17'b0, a[16:0]} * {17'b0, b[16:0]}};
    end
  endgenerate
endmodule
`default_nettype wire
