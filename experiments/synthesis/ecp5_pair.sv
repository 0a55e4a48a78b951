/// rtl/fixed/fx_pair.sv on the ECP5, a LUT a bit. Left to itself ABC9 takes the OR over four lanes and the mask, functions of
/// nine inputs, as LUTs of seven with wide multiplexers: half as many LUTs of four inputs again.
`default_nettype none
module fx_pair #(
  parameter integer W = 18
) (
  input  wire  [W-1:0] low_i,
  input  wire  [W-1:0] high_i,
  input  wire          low_over_i,
  input  wire          high_over_i,
  output wire  [W-1:0] used_o
);
  assign used_o[W-1] = low_over_i | high_over_i;
  genvar i;
  generate
    for (i = 0; i < W - 1; i = i + 1) begin : g_bit
      LUT4 #(.INIT(16'h6FF6)) i_lut ( // (A ^ B) | (C ^ D)
        .A(low_i[i]), .B(low_i[W-1]), .C(high_i[i]), .D(high_i[W-1]), .Z(used_o[i]));
    end
  endgenerate
endmodule
`default_nettype wire
