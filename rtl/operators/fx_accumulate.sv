/// Sum of fixed-point terms in a window with guard bits; one term per clock, latency one. Exact, so order does not
/// matter. GuardW guard bits hold 2^GuardW terms. over_o: some term was outside the window; over_i comes one clock
/// after its term, as from fp_to_fixed.
`default_nettype none
module fx_accumulate #(
  parameter integer W      = 64,
  parameter integer GuardW = 32
) (
  input  wire                         clk_i,
  input  wire                         en_i,
  input  wire                         clear_i, ///< to zero; wins over a term
  input  wire                         valid_i,
  input  wire  [W-1:0]                mag_i,
  input  wire                         neg_i,
  input  wire                         over_i,
  output logic signed [W+GuardW-1:0]  sum_o,
  output logic                        over_o
);
  // -mag = ~mag + 1: the one is a carry in, by way of one more bit below.
  wire [W+GuardW-1:0] next;
  wire unused_below;
  assign {next, unused_below} = {sum_o, 1'b1} + {{{GuardW{1'b0}}, mag_i} ^ {(W+GuardW){neg_i}}, neg_i};
  logic valid_q;
  always_ff @(posedge clk_i)
    if (en_i) begin
      valid_q <= valid_i & ~clear_i;
      if (clear_i) begin
        sum_o  <= '0;
        over_o <= 1'b0;
      end else begin
        if (valid_i) sum_o <= next;
        over_o <= over_o | (over_i & valid_q);
      end
    end
endmodule
`default_nettype wire
