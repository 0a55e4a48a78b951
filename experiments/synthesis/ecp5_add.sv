/// rtl/fixed/fx_add.sv on the ECP5: the choice is in the carry cells' own LUTs. yosys gives a carry cell two operands and makes
/// the choice in a LUT before it.
///
/// A cell's LUT of A, B, C, D says whether the carry goes through; where it does not, the carry is the same LUT's at C = D = 0.
/// That is A here, since with keep (C) and else (D) low nothing is added.
`default_nettype none
module fx_add #(
  parameter integer W = 18
`ifdef LEAN_LANES
  , parameter integer NotT = 0
`endif
) (
  input  wire  [W-1:0] a_i,
  input  wire  [W-1:0] t_i,
  input  wire  [W-1:0] keep_i,
  input  wire  [W-1:0] else_i,
  output wire  [W-1:0] sum_o
);
  localparam integer Pairs = (W + 1) / 2;
`ifdef LEAN_LANES
  localparam [15:0] Init = (NotT != 0) ? 16'b1001_0101_1001_1010  // A ^ (C ? ~B : D)
                                       : 16'b0110_0101_0110_1010; // A ^ (C ? B : D)
`else
  localparam [15:0] Init = 16'b0110_0101_0110_1010; // A ^ (C ? B : D)
`endif
  wire [2*Pairs-1:0] a = {1'b0, a_i}, t = {1'b0, t_i}, keep = {1'b1, keep_i}, other = {1'b0, else_i}, sum;
  wire [Pairs:0] carry;
  assign carry[0] = 1'b0;
  assign sum_o = sum[W-1:0];
  genvar i;
  generate
    for (i = 0; i < Pairs; i = i + 1) begin : g_pair
      CCU2C #(.INIT0(Init), .INIT1(Init), .INJECT1_0("NO"), .INJECT1_1("NO")) i_carry (
        .CIN(carry[i]), .COUT(carry[i+1]), .A0(a[2*i]), .B0(t[2*i]), .C0(keep[2*i]), .D0(other[2*i]), .S0(sum[2*i]),
        .A1(a[2*i+1]), .B1(t[2*i+1]), .C1(keep[2*i+1]), .D1(other[2*i+1]), .S1(sum[2*i+1]));
    end
  endgenerate
endmodule
`default_nettype wire
