/// r as it enters a level: cut(half(t, y - (W - 1)), W) of words with |t| < 2^y, zero at the edge (flags
/// and lanes as in cy_step). leading_o is
/// half(t, y - 15), a clock before r.
`include "mantissa.svh"
`default_nettype none
module cy_enter #(
`include "cycle_parameters.svh"
  , parameter integer InW = 64   ///< bits of t, up to 64
) (
  input  wire                clk_i,
  input  wire  [6:0]         length_i, ///< y, in 1 .. InW - 2; stands
  input  wire  [Lanes-1:0]    lanes_i,
  input  wire  [2:0]          flags_i,
  input  wire  [Lanes*InW-1:0] t_i,
  output logic [Lanes-1:0]    live_o,    ///< beside leading_o
  output logic [Lanes*17-1:0] leading_o,
  output logic [2:0]          flags_o,
  output logic [Lanes*W-1:0]  r_o,       ///< five clocks after t_i
  output logic [Lanes-1:0]    lost_o,    ///< beside leading_o, with Checks: t is longer, by less than 16 bits;
  output logic [Lanes-1:0]    full_o     ///< it is at most two bits shorter
);
`include "cycle_bounds.svh"
  logic [5:0] right_q;
  always_ff @(posedge clk_i) right_q <= length_i[5:0];
  logic [2:0] flags_q3;
  wire [2:0] flags;
  delay #(.W(3), .N(3)) i_flags (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(flags_i), .q_o(flags));
  always_ff @(posedge clk_i) begin
    flags_q3 <= flags;
    flags_o  <= flags_q3;
  end
  genvar l;
  wire unused_length = length_i[6];
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      // floor(t 2^(16 - y)), in which no bit but the sign is lost.
      wire [InW+15:0] all = {t_i[l*InW +: InW], 16'd0};
      logic [31:0] sixteens_q;
      logic [19:0] fours_q;
      logic [16:0] moved;
      always_ff @(posedge clk_i) begin
        sixteens_q <= 32'($signed(all) >>> {right_q[5:4], 4'd0});
        fours_q    <= 20'($signed(sixteens_q) >>> {right_q[3:2], 2'd0});
        moved      <= 17'($signed(fours_q) >>> right_q[1:0]);
      end
      logic [W:0]   rounded_q;
      logic [16:0]  leading_q;
      logic [W-1:0] r_q;
      wire [W+1:0] twice = (W+2)'($signed(moved[16:16-W])) + (W+2)'(1);
      wire [W-1:0] cut;
      cy_cut #(.InW(W + 1), .OutW(W)) i_cut (.x_i(rounded_q), .word_o(cut));
      assign live_o[l] = flags_q3[2:1] == 2'b11 && lanes_i[l] && (l != 0 || !flags_q3[0]);
      always_ff @(posedge clk_i) begin
        leading_q <= 17'($signed(moved[16:1])) + 17'(moved[0]);
        rounded_q <= twice[W+1:1];
        r_q       <= live_o[l] ? cut : '0;
      end
      if (Checks != 0) begin : g_lost
        wire [31:0] by_fours = $signed(sixteens_q) >>> {right_q[3:2], 2'd0};
        wire [19:0] by_ones  = $signed(fours_q) >>> right_q[1:0];
        logic lost_q, lost_q2, lost_q3, full_q;
        always_ff @(posedge clk_i) begin
          lost_q  <= by_fours[31:19] != {13{by_fours[31]}};
          lost_q2 <= lost_q | by_ones[19:16] != {4{by_ones[19]}};
          lost_q3 <= lost_q2;
          full_q  <= moved[16:13] != {4{moved[16]}};
        end
        assign lost_o[l] = lost_q3 & live_o[l];
        assign full_o[l] = full_q & live_o[l];
        wire unused_low = &{1'b0, by_fours[18:0], by_ones[15:0]};
      end else begin : g_none
        assign {lost_o[l], full_o[l]} = '0;
      end
      assign leading_o[l*17 +: 17] = leading_q;
      assign r_o[l*W +: W] = r_q;
      wire unused = &{1'b0, twice[0], moved[0]};
    end
  endgenerate
endmodule
`default_nettype wire
