/// The rules of an AXI4-Stream's sender, as assertions: what is offered stays offered, with the same payload, until it
/// is taken; only reset withdraws it. For simulation (Verilator with --assert, Icarus) and for proofs (yosys).
`default_nettype none
module stream_rules #(
  parameter integer W = 1
) (
  input wire         clk_i,
  input wire         rst_ni,
  input wire         tvalid_i,
  input wire         tready_i,
  input wire [W-1:0] payload_i ///< tdata, tlast and what else goes with a beat
);
  logic         waiting_q;
  logic [W-1:0] payload_q;
  always_ff @(posedge clk_i) begin
    waiting_q <= rst_ni & tvalid_i & ~tready_i;
    payload_q <= payload_i;
  end
  always @(posedge clk_i)
    if (rst_ni && waiting_q) begin
      assert (tvalid_i);
      assert (payload_i == payload_q);
    end
endmodule
`default_nettype wire
