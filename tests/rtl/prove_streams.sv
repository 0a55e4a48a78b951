// lock_step with a pipeline that may be anything: beats enter and leave it as they like, it is cleared and held when it
// likes, and sources and sinks pause at will. Whatever happens, an offered beat stays and nothing is taken that is not
// there, or let go of where there is no room, for ever. Shadow 1, for as many clocks as are tried: no beat after a
// tlast is accepted before the next pass. Broken 1 withdraws beats on a clear, and must be refuted.
`default_nettype none
module prove_streams #(
  parameter integer Ins = 3,
  parameter integer Outs = 2,
  parameter integer Shadow = 0,
  parameter integer Broken = 0
) (
  input wire            clk_i,
  input wire            run_i,
  input wire            clear_i,
  input wire [Ins-1:0]  unused_i,
  input wire [Ins-1:0]  in_tvalid_i,
  input wire [Ins-1:0]  in_tlast_i,
  input wire [Ins-1:0]  want_next_i,  // of the next beat on the way to the streams
  input wire [Outs-1:0] valid_next_i,
  input wire [Outs-1:0] last_next_i,
  input wire [Outs-1:0] out_tready_i
);
  reg rst_ni = 1'b0;
  always @(posedge clk_i) rst_ni <= 1'b1;

  // The pipeline's last stage, and the one before it.
  wire en, still;
  reg [Ins-1:0]  want_q, want_ahead_q;
  reg [Outs-1:0] valid_q, valid_ahead_q, last_q, last_ahead_q;
  always @(posedge clk_i)
    if (!rst_ni || clear_i) begin
      want_q        <= '0;
      want_ahead_q  <= '0;
      valid_q       <= '0;
      valid_ahead_q <= '0;
    end else if (en) begin
      want_q        <= want_ahead_q;
      want_ahead_q  <= want_next_i;
      valid_q       <= valid_ahead_q;
      valid_ahead_q <= valid_next_i;
      last_q        <= last_ahead_q;
      last_ahead_q  <= last_next_i;
    end

  wire [Ins-1:0]  in_tready, take, in_last, in_full;
  wire [Outs-1:0] out_tvalid, out_tlast, out_full;
  lock_step #(.Ins(Ins), .Outs(Outs)) i_streams (
    .clk_i, .rst_ni, .run_i, .clear_i, .unused_i, .in_tvalid_i, .in_tlast_i, .in_tready_o(in_tready), .want_i(want_q),
    .want_ahead_i(want_ahead_q), .take_o(take), .in_last_o(in_last), .in_full_o(in_full), .valid_i(valid_q),
    .valid_ahead_i(valid_ahead_q), .last_i(last_q), .out_tvalid_o(out_tvalid), .out_tlast_o(out_tlast), .out_tready_i,
    .out_full_o(out_full), .en_o(en), .still_o(still));

  wire [Outs-1:0] offered = (Broken != 0) ? out_tvalid & ~{Outs{clear_i}} : out_tvalid;
  genvar k;
  generate
    for (k = 0; k < Outs; k = k + 1) begin : g_out
      stream_rules #(.W(1)) i_rules (
        .clk_i, .rst_ni, .tvalid_i(offered[k]), .tready_i(out_tready_i[k]), .payload_i(out_tlast[k]));
    end
  endgenerate
  // A pass begins where clear_i falls, or reset.
  reg [Ins-1:0] open_q;
  always @(posedge clk_i)
    if (!rst_ni || clear_i) open_q <= ~unused_i;
    else open_q <= open_q & ~(in_tvalid_i & in_tready & in_tlast_i);
  always @(posedge clk_i)
    if (rst_ni) begin
      assert (en == !still);
      assert ((take & ~in_full) == '0);
      assert (({Outs{en}} & valid_q & out_full) == '0);
      if (Shadow != 0) assert (clear_i || (in_tvalid_i & in_tready & ~open_q) == '0);
      assert (!clear_i || in_tready == '0);
    end
endmodule
`default_nettype wire
