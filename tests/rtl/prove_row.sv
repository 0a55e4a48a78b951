// The row of the stencil (8, -1) with one lane against the same sums in words that are long enough for anything, at full
// width: no sum is cut short, the word is rounded as defined, and overflow is flagged exactly. (Sums of nine in another order
// are beyond the solver; rows_test.cpp compares with those.) same is 1 once the registers' first contents have left.
`include "mantissa.svh"
`default_nettype none
module prove_row #(
  parameter integer Broken = 0, ///< 1: the reference's centre is one bit too short, for a proof that must fail
`include "fx_parameters.svh"
) (
  input  wire          clk_i,
  input  wire [PW-1:0] south_i,
  input  wire [PW-1:0] centre_i,
  input  wire [PW-1:0] north_i,
  input  wire          zero_i,
  output logic         same
);
`include "fx_row_plan.svh"
  wire [QW-1:0] q;
  wire over;
  fx_row_stencil #(
`include "fx_parameters_passed.svh"
  ) i_row (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .south_i, .centre_i,
    .north_i({{PW{1'b0}}, north_i}), .north_next_i(1'b0), .zero_i, .q_o(q), .over_o(over), .above_o(), .below_o());

  // Of the column t + 1, whose rows are on the inputs: what it gives as a row's side, and as its middle.
  localparam integer W = PW + 10 + ((RowShift < 0) ? -RowShift : 0);
  wire signed [W-1:0] outer = W'($signed(south_i)) + W'($signed(north_i));
  wire signed [W-1:0] centre = W'($signed(centre_i));
  wire signed [W-1:0] side = outer + centre;
  wire signed [W-1:0] middle = ((Broken != 0) ? W'($signed(centre_i[PW-2:0])) <<< 3 : centre <<< 3) - outer;
  logic signed [W-1:0] side_q, two_q;
  always_ff @(posedge clk_i) begin
    side_q <= side;
    two_q  <= middle - side_q;
  end
  wire signed [W-1:0] sum = two_q - side;
  localparam integer Right = (RowShift > 0) ? RowShift : 0;
  localparam integer Left = (RowShift < 0) ? -RowShift : 0;
  localparam signed [W-1:0] Half = (RowShift > 0 && QDown == 0) ? W'(1) <<< ((RowShift > 0) ? RowShift - 1 : 0) : '0;
  wire signed [W-1:0] exact = ((sum + Half) >>> Right) <<< Left;
  wire signed [QW-1:0] word = exact[QW-1:0];
  wire [QW:0] now = {W'(word) != exact, word};
  // In step with q: its last register knows of zero_i.
  wire [QW:0] before_last;
  delay #(.W(QW + 1), .N(PlanStencil - 1)) i_wait (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(now), .q_o(before_last));
  logic [QW:0] want_q;
  always_ff @(posedge clk_i) want_q <= zero_i ? '0 : before_last;
  assign same = want_q == {over, q};
endmodule
`default_nettype wire
