/// Sum of fixed-point terms in a window with guard bits; one term per clock, latency one. Exact, so order does not
/// matter. GuardW guard bits hold 2^GuardW terms. over_o: some term was outside the window.
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
  always_ff @(posedge clk_i)
    if (en_i) begin
      if (clear_i) begin
        sum_o  <= '0;
        over_o <= 1'b0;
      end else if (valid_i) begin
        // -mag = ~mag + 1: the one is the adder's carry in.
        sum_o  <= sum_o + $signed({{GuardW{1'b0}}, mag_i} ^ {(W+GuardW){neg_i}}) +
                  $signed({{(W+GuardW-1){1'b0}}, neg_i});
        over_o <= over_o | over_i;
      end
    end
endmodule
`default_nettype wire
