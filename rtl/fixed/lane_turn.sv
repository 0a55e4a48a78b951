/// Lanes of a stream of tokens realigned, by an amount that stands while a pass runs: lane l of turned_o is lane l + turn_i
/// (Back 0) or lane l + Lanes - turn_i (Back 1) of the pair {newer_i, older_i}, `LANE_TURN_LATENCY(Lanes) clocks later. Moves
/// by 32, 16, ... 1 lanes one behind the other.
`include "mantissa.svh"
`default_nettype none
module lane_turn #(
  parameter integer W     = 18,
  parameter integer Lanes = 4,
  parameter integer Back  = 0,
  localparam integer Log  = $clog2(Lanes)
) (
  input  wire                clk_i,
  input  wire                en_i,
  input  wire  [Log-1:0]     turn_i,
  input  wire  [Lanes*W-1:0] older_i,
  input  wire  [Lanes*W-1:0] newer_i,
  output logic [Lanes*W-1:0] turned_o
);
  localparam integer Stages = `LANE_TURN_LATENCY(Lanes);
  localparam integer Later  = (Stages == 2) ? Log / 2 : 0; // moves behind the first register of two
  localparam integer PairW  = 2 * Lanes * W;
  // Lanes - turn = 1 + ~turn.
  wire [Log-1:0] amount = (Back != 0) ? ~turn_i : turn_i;
  logic [PairW-1:0] moved;
  always_comb begin
    moved = {newer_i, older_i} >> ((Back != 0) ? W : 0);
    for (int k = Log - 1; k >= Later; k = k - 1) if (amount[k]) moved = moved >> (W << k);
  end
  generate
    if (Stages == 0) begin : g_none
      assign turned_o = moved[Lanes*W-1:0];
      wire unused = &{1'b0, clk_i, en_i, moved};
    end else if (Stages == 1) begin : g_one
      always_ff @(posedge clk_i) if (en_i) turned_o <= moved[Lanes*W-1:0];
      wire unused = &{1'b0, moved};
    end else begin : g_two
      localparam integer BetweenW = (Lanes + (1 << Later) - 1) * W;
      logic [BetweenW-1:0] between_q, last;
      always_ff @(posedge clk_i) if (en_i) between_q <= moved[BetweenW-1:0];
      always_comb begin
        last = between_q;
        for (int k = Later - 1; k >= 0; k = k - 1) if (amount[k]) last = last >> (W << k);
      end
      always_ff @(posedge clk_i) if (en_i) turned_o <= last[Lanes*W-1:0];
      wire unused = &{1'b0, moved, last};
    end
  endgenerate
endmodule
`default_nettype wire
