/// Which tokens of a pass are a slab's own (fx_slab), where they come by in order: numbers begin_i to end_i.
`default_nettype none
module fx_own #(
  parameter integer LenW = 32
) (
  input  wire             clk_i,
  input  wire             en_i,
  input  wire             clear_i, ///< between passes
  input  wire             token_i, ///< one comes by
  input  wire [LenW-1:0]  begin_i, ///< stands while a pass runs, and a clock before
  input  wire [LenW-1:0]  end_i,
  output logic            own_o,
  output logic            last_o
);
  logic [LenW-1:0] number_q;
  logic own_q; // token number_q is
  wire [LenW-1:0] next = number_q + LenW'(1);
  wire ends = number_q == end_i;
  assign own_o  = token_i & own_q;
  assign last_o = own_o & ends;
  always_ff @(posedge clk_i)
    if (clear_i) begin
      number_q <= '0;
      own_q    <= begin_i == '0;
    end else if (en_i && token_i) begin
      number_q <= next;
      own_q    <= own_q ? ~ends : next == begin_i;
    end
endmodule
`default_nettype wire
