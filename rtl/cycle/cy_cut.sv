/// A word held within OutW bits, -(2^(OutW-1) - 1) .. 2^(OutW-1) - 1: no registers.
`default_nettype none
module cy_cut #(
  parameter integer InW  = 18,
  parameter integer OutW = 17
) (
  input  wire  [InW-1:0]  x_i,
  output logic [OutW-1:0] word_o
);
  generate
    if (InW <= OutW) begin : g_fits
      assign word_o = OutW'($signed(x_i));
    end else begin : g_cut
      wire sign = x_i[InW-1];
      wire over = x_i[InW-2:OutW-1] != {(InW-OutW){sign}} | (sign & ~(|x_i[OutW-2:0]));
      assign word_o = over ? {sign, {(OutW-2){~sign}}, 1'b1} : x_i[OutW-1:0];
    end
  endgenerate
endmodule
`default_nettype wire
