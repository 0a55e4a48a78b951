/// Tokens of a pass on their way through an update: bit k of each is what was in the slot k + 1 moves of the pipeline ago.
`default_nettype none
module pass_tokens #(
  parameter integer Stages = 20 ///< the last place that anything asks about
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               en_i,
  input  wire               clear_i,
  input  wire               slot_i,
  input  wire               slot_real_i,
  input  wire               slot_last_i,
  input  wire               token_last_i,
  output logic [Stages:0]   slot_o,
  output logic [Stages:0]   real_o,      ///< of a token
  output logic [Stages:0]   slot_last_o,
  output logic [Stages:0]   last_o       ///< of the last token
);
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) begin
      real_o      <= '0;
      last_o      <= '0;
      slot_o      <= '0;
      slot_last_o <= '0;
    end else if (en_i) begin
      real_o      <= {real_o[Stages-1:0], slot_real_i};
      last_o      <= {last_o[Stages-1:0], token_last_i};
      slot_o      <= {slot_o[Stages-1:0], slot_i};
      slot_last_o <= {slot_last_o[Stages-1:0], slot_last_i};
    end
endmodule
`default_nettype wire
