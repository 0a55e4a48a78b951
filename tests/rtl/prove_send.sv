// fx_send, whose words may be taken at any time: what is offered stays, with its payload, whatever is asked for meanwhile. Shadow 1, for
// as many clocks as are tried: the words come in order, as many as LENGTH said, tlast with the last one. Broken 1 withdraws what is
// offered when a solve is aborted, and must be refuted.
`default_nettype none
module prove_send #(
  parameter integer Shadow = 0,
  parameter integer Broken = 0
) (
  input wire       clk_i,
  input wire       ask_i,
  input wire       abort_i,
  input wire [2:0] length_i,
  input wire       tready_i
);
  reg rst_ni = 1'b0;
  always @(posedge clk_i) rst_ni <= 1'b1;

  wire sending, moves, tvalid, tlast;
  wire [2:0] at;
  reg  [2:0] length_q;
  wire send = ask_i & ~sending & length_q != 3'd0;
  always @(posedge clk_i) if (!sending && !send) length_q <= length_i;
  fx_send #(.LenW(3), .IndexW(3)) i_send (
    .clk_i, .rst_ni, .send_i(send), .length_i(length_q), .sending_o(sending), .at_o(at), .moves_o(moves), .tvalid_o(tvalid),
    .tlast_o(tlast), .tready_i);
  // A memory whose word k is k.
  reg [2:0] early_q, word_q;
  always @(posedge clk_i)
    if (moves) begin
      early_q <= at;
      word_q  <= early_q;
    end
  stream_rules #(.W(4)) i_rules (
    .clk_i, .rst_ni, .tvalid_i((Broken != 0) ? tvalid & ~abort_i : tvalid), .tready_i, .payload_i({tlast, word_q}));

  reg [2:0] next_q;
  always @(posedge clk_i)
    if (!rst_ni) next_q <= '0;
    else if (tvalid & tready_i) next_q <= tlast ? '0 : next_q + 3'd1;
  always @(posedge clk_i)
    if (rst_ni && Shadow != 0 && tvalid) begin
      assert (sending);
      assert (word_q == next_q);
      assert (tlast == (next_q == length_q - 3'd1));
    end
endmodule
`default_nettype wire
