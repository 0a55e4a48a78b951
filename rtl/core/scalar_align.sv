/// Differences of the scalar unit, up to the sum that is not yet normalised: the smaller operand is put where it meets the
/// larger one, in two clocks, and added or subtracted. sum_o comes with valid_o, three clocks after valid_i, and stands.
`include "mantissa.svh"
`default_nettype none
module scalar_align #(
  parameter integer E = 11,
  parameter integer M = 52,
  localparam integer S = M + 1,
  localparam integer FW = S + 3 ///< a carry, the significand, two bits after it
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire                    awake_i, ///< low: nothing is here, and nothing comes (for AWAKE)
  input  wire               valid_i,   ///< both operands, and what scalar_steps says of them, are there
  input  wire  [E+M:0]      a_i,
  input  wire  [E+M:0]      d_i,
  input  wire  [1:0]        a_cls_i,
  input  wire  [1:0]        d_cls_i,
  input  wire               a_above_i, ///< |A| > |D|
  input  wire  signed [E:0] apart_i,   ///< exponent of A less that of D
  output logic              moving_o,  ///< something is here, the clock of valid_o among them
  output logic              valid_o,
  output logic [FW-1:0]     sum_o,
  output logic              sticky_o,
  output logic              sign_o,
  output logic [1:0]        cls_o,
  output logic [E-1:0]      exp_o      ///< of the place below the carry
);
  localparam integer X  = S + 5;                  // the smaller one after the coarse shift: three bits more
  localparam integer G  = (X + 3) / 4;            // in groups of four
  localparam integer CW = $clog2(G + 1);          // how many groups are passed
  logic          placed_q, moved_q;
  logic [S-1:0]  larger_q, smaller_q;
  logic          subtract_q;
  logic [E:0]    distance_q;
  logic [X-1:0]  x_q;
  logic [1:0]    fine_q;
  logic          sticky_q;

  // Which is larger, and how far they are apart.
  task automatic place;
    logic [E:0] distance;
    logic [S-1:0] a_sig, d_sig;
    logic subtract, both;
    begin
      a_sig      = {1'b1, a_i[M-1:0]};
      d_sig      = {1'b1, d_i[M-1:0]};
      subtract   = a_i[E+M] == d_i[E+M]; // A - D
      both       = (a_cls_i | d_cls_i) != `CLS_ZERO;
      distance   = apart_i[E] ? (E+1)'(-apart_i) : (E+1)'(apart_i);
      distance_q <= distance;
      larger_q   <= a_above_i ? a_sig : d_sig;
      smaller_q  <= (a_cls_i == `CLS_ZERO || d_cls_i == `CLS_ZERO) ? '0 : a_above_i ? d_sig : a_sig;
      exp_o      <= a_above_i ? a_i[E+M-1:M] : d_i[E+M-1:M];
      subtract_q <= subtract;
      sign_o     <= both ? (a_above_i ? a_i[E+M] : ~d_i[E+M]) : a_i[E+M] & ~d_i[E+M];
      cls_o      <= (a_cls_i[1] & d_cls_i[1]) ? ((a_above_i ? a_cls_i : d_cls_i) | {2{subtract}})
                                              : (a_above_i ? a_cls_i : d_cls_i);
    end
  endtask
  // By fours. What is passed by counts as a sticky bit.
  task automatic coarse;
    logic [4*G-1:0] field;
    logic [G-1:0] lost;
    logic [CW-1:0] by;
    logic far;
    integer k;
    begin
      far   = (E + 1 >= $clog2(X + 1)) && distance_q > (E+1)'(X);
      by    = CW'(distance_q[E:2]);
      field = (4*G)'({smaller_q, 5'b0});
      for (k = 0; k < G; k = k + 1) lost[k] = (|field[4*k +: 4]) & by > CW'(k);
      x_q      <= far ? '0 : X'(field >> {by, 2'b00});
      sticky_q <= far ? smaller_q[S-1] : |lost;
      fine_q   <= distance_q[1:0];
    end
  endtask
  task automatic add;
    logic [X-1:0] x;
    logic [FW-1:0] lesser;
    logic [FW:0] sum; // a carry in, by way of one more bit below
    logic sticky;
    begin
      x        = x_q >> fine_q;
      sticky   = sticky_q | (|x[2:0]) | (|(x_q[2:0] & ~(3'b111 << fine_q)));
      lesser   = {1'b0, x[X-1:3]} ^ {FW{subtract_q}};
      sum      = {1'b0, larger_q, 3'b001} + {lesser, subtract_q & ~sticky};
      sum_o    <= FW'(sum >> 1);
      sticky_o <= sticky;
    end
  endtask
  always_ff @(posedge clk_i) `AWAKE(awake_i) begin
    if (valid_i) place();
    if (placed_q) coarse();
    if (moved_q) add();
  end
  always_ff @(posedge clk_i) `AWAKE(awake_i)
    if (!rst_ni) begin
      placed_q <= 1'b0;
      moved_q  <= 1'b0;
      valid_o  <= 1'b0;
      moving_o <= 1'b0;
    end else begin
      placed_q <= valid_i;
      moved_q  <= placed_q;
      valid_o  <= moved_q;
      moving_o <= valid_i | placed_q | moved_q;
    end
  wire unused_awake = &{1'b0, awake_i};
endmodule
`default_nettype wire
