/// V on its way out: LENGTH words of a memory, which is read while moves_o is high and has a word two such clocks after its
/// address. What is offered stays offered until it is taken; nothing but a reset ends the packet before its last word.
`default_nettype none
module fx_send #(
  parameter integer LenW   = 32,
  parameter integer IndexW = 11
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire               send_i,    ///< one clock, while none is sent
  input  wire  [LenW-1:0]   length_i,  ///< stands while words are sent; from 1
  output logic              sending_o,
  output logic [IndexW-1:0] at_o,      ///< the word that is read
  output logic              moves_o,
  output logic              tvalid_o,
  output logic              tlast_o,
  input  wire               tready_i
);
  logic waits_q, shows_q, shows_last_q;
  wire [LenW-1:0] last = length_i - LenW'(1);
  wire at_last = LenW'(at_o) == last;
  assign moves_o = ~tvalid_o | tready_i;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      {sending_o, waits_q, shows_q, shows_last_q, tlast_o} <= '0;
      at_o <= '0;
    end else if (send_i) begin
      sending_o <= 1'b1;
      at_o      <= '0;
      waits_q   <= 1'b1; // words are on their way
    end else if (sending_o & moves_o) begin
      // The word at at_o is read; the one read before is shown next.
      at_o         <= at_o + IndexW'(1);
      waits_q      <= waits_q & ~at_last;
      shows_q      <= waits_q;
      shows_last_q <= waits_q & at_last;
      tlast_o      <= shows_last_q;
      sending_o    <= ~(tvalid_o & tlast_o);
    end
  always_ff @(posedge clk_i)
    if (!rst_ni) tvalid_o <= 1'b0;
    else if (moves_o) tvalid_o <= sending_o & shows_q;
endmodule
`default_nettype wire
