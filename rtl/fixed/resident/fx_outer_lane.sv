/// One lane of the outer unit: V' = V + rnd(c 2^-nv), D' = D - rnd(s 2^-nd), r = rnd(D' 2^-nr), where c is the correction's
/// word, s the exact row sum of such words, and the shifts stand through a pass. Roundings are to nearest, half up.
/// Clocks after c and s: V and D are taken in the third, V' and D' leave in the fourth, r in the eighth.
///
/// With Residues words of V and D have their residue modulo 3 above them. Those of V' and D' are formed from those of V, D, c
/// and s alone, and exactly: what a shift drops is taken away, and halves are added. V' and D' are compared with them as they
/// leave. r needs no such care: any r is a right-hand side.
`include "mantissa.svh"
`default_nettype none
module fx_outer_lane #(
  parameter integer CW  = 31, ///< bits of c,
  parameter integer SW  = 35, ///< of s,
  parameter integer VW  = 64,
  parameter integer DW  = 64,
  parameter integer RW  = 18,
  parameter integer Residues = 0,
  localparam integer VKeptW = VW + 2 * Residues,
  localparam integer DKeptW = DW + 2 * Residues,
  localparam integer VLeftW = $clog2(VW + 1 + CW + 1),
  localparam integer DLeftW = $clog2(DW + 1 + SW + 1),
  localparam integer RLeftW = $clog2(RW + DW + 1)
) (
  input  wire                clk_i,
  input  wire  [VLeftW-1:0]  v_left_i, ///< fx_place's
  input  wire  [DLeftW-1:0]  d_left_i,
  input  wire  [RLeftW-1:0]  r_left_i,
  input  wire  [CW-1:0]      c_i,
  input  wire  [SW-1:0]      sum_i,
  input  wire  [3:0]         residue_i, ///< with Residues: those that {c, s} must have, 0, 1 or 2
  input  wire  [VKeptW-1:0]  v_i,
  input  wire  [DKeptW-1:0]  d_i,
  input  wire                r_live_i, ///< in the clock before r_o: an element; else r_o is 0
  output logic [VKeptW-1:0]  v_o,
  output logic [DKeptW-1:0]  d_o,
  output logic               v_over_o,
  output logic               d_over_o,
  output logic [RW-1:0]      r_o,
  output logic               r_over_o,
  output logic               bad_o      ///< two clocks after V' and D': one is not what it must be, though both fit
);
`include "mod3.svh"
  wire [VW:0] v_term;
  wire [DW:0] d_term;
  wire v_half, d_half, v_beyond, d_beyond;
  wire [1:0] v_lost, d_lost;
  fx_shift #(.InW(CW), .OutW(VW + 1), .Residues(Residues)) i_v (
    .clk_i, .left_i(v_left_i), .x_i(c_i), .word_o(v_term), .half_o(v_half), .over_o(v_beyond), .below_o(v_lost));
  fx_shift #(.InW(SW), .OutW(DW + 1), .Residues(Residues)) i_d (
    .clk_i, .left_i(d_left_i), .x_i(sum_i), .word_o(d_term), .half_o(d_half),
    .over_o(d_beyond), .below_o(d_lost));

  // The carry in comes by way of one more bit below. A term beyond one more bit than the word has overflows always.
  wire [VW+1:0] v_sum;
  wire [DW+1:0] d_sum;
  wire v_below, d_below;
  wire [DW+1:0] d_wide = (DW+2)'($signed(d_term));
  assign {v_sum, v_below} = {(VW+2)'($signed(v_i[VW-1:0])), 1'b1} + {(VW+2)'($signed(v_term)), v_half};
  assign {d_sum, d_below} = {(DW+2)'($signed(d_i[DW-1:0])), 1'b1} + {~d_wide, ~d_half};
  logic [1:0] v_above, d_above; // bits above the word
  logic v_beyond_q, d_beyond_q;
  always_ff @(posedge clk_i) begin
    {v_above, v_o[VW-1:0]} <= v_sum;
    {d_above, d_o[DW-1:0]} <= d_sum;
    v_beyond_q <= v_beyond;
    d_beyond_q <= d_beyond;
  end
  assign v_over_o = v_beyond_q | v_above != {2{v_o[VW-1]}};
  assign d_over_o = d_beyond_q | d_above != {2{d_o[DW-1]}};

  wire [RW-1:0] r_term;
  wire r_half, r_beyond;
  wire [1:0] unused_lost;
  fx_shift #(.InW(DW), .OutW(RW)) i_r (
    .clk_i, .left_i(r_left_i), .x_i(d_o[DW-1:0]), .word_o(r_term), .half_o(r_half), .over_o(r_beyond), .below_o(unused_lost));
  wire [RW:0] r_sum;
  wire r_below;
  assign {r_sum, r_below} = {(RW+1)'($signed(r_term)), 1'b1} + {{(RW+1){1'b0}}, r_half};
  always_ff @(posedge clk_i) begin
    r_o      <= r_live_i ? r_sum[RW-1:0] : '0;
    r_over_o <= r_live_i & (r_beyond | (r_sum[RW] ^ r_sum[RW-1]));
  end
  generate
    if (Residues != 0) begin : g_residues
      wire [3:0] late;
      delay #(.W(4), .N(3)) i_wait (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(residue_i), .q_o(late));
      // A term, word + half, is -(2 word + half) - half, since 2 is -1; and x 2^left is (2 word + half) 2^(InW-1) + lost.
      wire [1:0] c_left   = v_left_i[0] ? mod3_minus(late[3:2]) : late[3:2];
      wire [1:0] sum_left = d_left_i[0] ? mod3_minus(late[1:0]) : late[1:0];
      wire [1:0] c_kept   = mod3_shifted(mod3_add(c_left, mod3_minus(v_lost)), CW - 1);
      wire [1:0] sum_kept = mod3_shifted(mod3_add(sum_left, mod3_minus(d_lost)), SW - 1);
      logic [1:0] v_q, d_q;
      logic over_q;
      always_ff @(posedge clk_i) begin
        v_o[VW +: 2] <= mod3_add(v_i[VW +: 2], mod3_minus(mod3_add(c_kept, {1'b0, v_half})));
        d_o[DW +: 2] <= mod3_add(d_i[DW +: 2], mod3_add(sum_kept, {1'b0, d_half}));
        v_q    <= v_o[VW +: 2];
        d_q    <= d_o[DW +: 2];
        over_q <= v_over_o | d_over_o;
      end
      wire [1:0] v_is, d_is;
      mod3_residue #(.W(VW), .Piped(1)) i_v_is (.clk_i, .en_i(1'b1), .word_i(v_o[VW-1:0]), .residue_o(v_is));
      mod3_residue #(.W(DW), .Piped(1)) i_d_is (.clk_i, .en_i(1'b1), .word_i(d_o[DW-1:0]), .residue_o(d_is));
      always_ff @(posedge clk_i) bad_o <= ~over_q & (v_is != v_q || d_is != d_q);
    end else begin : g_no_residues
      assign bad_o = 1'b0;
      wire unused_residues = &{1'b0, residue_i, v_lost, d_lost};
    end
  endgenerate
  wire unused = &{1'b0, v_below, d_below, r_below, unused_lost};
endmodule
`default_nettype wire
