/// A beat on its way to a stream: what the pipeline lets go of, or while full_i what waits to be taken.
`default_nettype none
module kept_words #(
  parameter integer W = 32
) (
  input  wire          clk_i,
  input  wire          full_i,
  input  wire  [W-1:0] words_i,
  output logic [W-1:0] words_o
);
  logic [W-1:0] kept_q;
  assign words_o = full_i ? kept_q : words_i;
  always_ff @(posedge clk_i) if (!full_i) kept_q <= words_i;
endmodule
`default_nettype wire
