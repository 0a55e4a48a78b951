/// A number to fixed point: its magnitude truncated toward zero to the 2^Lsb grid of the window [-2^Msb, 2^Msb).
/// Latency `TO_FIXED_LATENCY, one number per clock. Takes fp_product's outputs as they are: value =
/// sig_i * 2^(exp_i - (SigW - 1)), where the top bit of sig_i or the next is set.
///   mag_o, neg_o   magnitude in units of 2^Lsb (bit W-1 is set for -2^Msb only) and sign
///   over_o         one clock later: the truncated value is outside the window, or infinite, or not a number
`include "mantissa.svh"
`default_nettype none
module fp_to_fixed #(
  parameter integer ExpW = 10,
  parameter integer SigW = 48,
  parameter integer Msb  = 13,
  parameter integer Lsb  = -50,
  localparam integer W   = Msb - Lsb + 1
) (
  input  wire                    clk_i,
  input  wire                    en_i,
  input  wire  [1:0]             cls_i,
  input  wire                    sign_i,
  input  wire  signed [ExpW-1:0] exp_i,
  input  wire  [SigW-1:0]        sig_i,
  output logic [W-1:0]           mag_o,
  output logic                   neg_o,
  output logic                   over_o
);
  localparam integer InW = (SigW < W + 2) ? SigW : W + 2; // bits below that can never reach the grid
  localparam integer ShW = $clog2(W + 2);
  // Distances live in [Msb + 1 - 2^(ExpW-1), Msb + 1 + 2^(ExpW-1)].
  localparam integer MsbW = $clog2(((Msb < 0) ? -Msb : Msb) + 2) + 1;
  localparam integer DistW = `MAX3(ExpW, MsbW, ShW) + 2;

  // Stage 1: how far below 2^(Msb+1) the top bit stands.
  wire signed [DistW-1:0] distance = $signed(DistW'(Msb + 1)) - $signed({{(DistW-ExpW){exp_i[ExpW-1]}}, exp_i});
  wire live = cls_i == `CLS_FINITE;
  logic [InW-1:0] sig_q;
  logic [ShW-1:0] shift_q;
  logic           far_q, above_q, neg_q, bad_q;
  always_ff @(posedge clk_i)
    if (en_i) begin
      sig_q   <= sig_i[SigW-1 -: InW] & {InW{live}};
      shift_q <= distance[ShW-1:0];
      far_q   <= ~distance[DistW-1] & (|distance[DistW-2:ShW]);
      above_q <= live & distance[DistW-1];
      neg_q   <= sign_i;
      bad_q   <= cls_i[1];
    end
  generate
    if (SigW > InW) begin : g_below
      wire unused = &{1'b0, sig_i[SigW-InW-1:0]};
    end
  endgenerate

  // Stage 2: shift. Two bits above the magnitude's W - 1: 2^Msb and 2^(Msb+1).
  wire [W:0] placed;
  generate
    if (InW > W + 1) begin : g_cut
      assign placed = sig_q[InW-1 -: W+1];
      wire unused = &{1'b0, sig_q[InW-W-2:0]};
    end else if (InW == W + 1) begin : g_fit
      assign placed = sig_q;
    end else begin : g_pad
      assign placed = {sig_q, {(W+1-InW){1'b0}}};
    end
  endgenerate
  wire [W:0] mag = far_q ? '0 : placed >> shift_q;
  logic out_q; // outside whatever the bits of mag_o
  always_ff @(posedge clk_i)
    if (en_i) begin
      mag_o  <= mag[W-1:0];
      neg_o  <= neg_q;
      out_q  <= above_q | bad_q | mag[W];
      over_o <= out_q | (mag_o[W-1] & ~(neg_o & ~(|mag_o[W-2:0])));
    end
endmodule
`default_nettype wire
