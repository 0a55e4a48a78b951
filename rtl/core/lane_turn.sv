/// Lanes of a stream of tokens realigned, by an amount that stands while a pass runs: lane l of turned_o is lane l + turn_i
/// (Back 0) or lane l + Lanes - turn_i (Back 1) of the pair {newer_i, older_i}, Stages clocks later. Moves
/// by 32, 16, ... 1 lanes one after the other. With Open the last of these is the caller's, after the last register: turned_o
/// has a lane more, and lane l is its lane l + last_o.
///
/// With Half the move by half the lanes is the caller's, after what it makes of the lanes: where turn_i's highest bit is high,
/// lane l of the result is lane l + Lanes / 2 of this turned_o and the next. Back is then by turn_i % (Lanes / 2) lanes from
/// newer_i, and the caller is to send a token newer where that bit is low. So the move left over is the same for both.
`include "mantissa.svh"
`default_nettype none
module lane_turn #(
  parameter integer W     = 18,
  parameter integer Lanes = 4,
  parameter integer Back  = 0,
  parameter integer Stages = `LANE_TURN_LATENCY(Lanes), ///< 0 to 2
`ifdef LEAN_LANES
  parameter integer Half   = 0,
`endif
  parameter integer Open  = 0,
  localparam integer Log  = $clog2(Lanes),
  localparam integer TurnedW = (Lanes + Open) * W
) (
  input  wire                clk_i,
  input  wire                en_i,
  input  wire  [Log-1:0]     turn_i,
  input  wire  [Lanes*W-1:0] older_i,
  input  wire  [Lanes*W-1:0] newer_i,
  output logic [TurnedW-1:0] turned_o,
  output logic               last_o ///< stands, as turn_i does
);
  localparam integer Cut    = (Stages == 2) ? Log / 2 : 0; // the moves after the first register of two
  // Lanes - turn = 1 + ~turn.
  wire [Log-1:0] amount = (Back != 0) ? ~turn_i : turn_i;
`ifdef LEAN_LANES
  wire [2*Lanes*W-1:0] pair = {newer_i, older_i} >> ((Back == 0) ? 0 : (Half != 0) ? (Lanes / 2 + 1) * W : W);
`else
  wire [2*Lanes*W-1:0] pair = {newer_i, older_i} >> ((Back != 0) ? W : 0);
`endif
  genvar k;
  generate
    // Move k leaves the lanes that the smaller ones still reach.
`ifdef LEAN_LANES
    for (k = Log - 1 - Half; k >= 0; k = k - 1) begin : g_move
`else
    for (k = Log - 1; k >= 0; k = k - 1) begin : g_move
`endif
      localparam integer InW  = (Lanes + (2 << k) - 1) * W;
      localparam integer OutW = (Lanes + (1 << k) - 1) * W;
      wire [InW-1:0] in;
      wire [OutW-1:0] out = amount[k] ? in[(W << k) +: OutW] : in[OutW-1:0];
`ifdef LEAN_LANES
      if (k == Log - 1 - Half) begin : g_first
        assign in = pair[InW-1:0];
        wire unused = &{1'b0, pair, amount};
`else
      if (k == Log - 1) begin : g_first
        assign in = pair[InW-1:0];
        wire unused = &{1'b0, pair};
`endif
      end else if (k + 1 == Cut) begin : g_register
        logic [InW-1:0] in_q;
        always_ff @(posedge clk_i) if (en_i) in_q <= g_move[k+1].out;
        assign in = in_q;
      end else begin : g_next
        assign in = g_move[k+1].out;
      end
    end
    wire [TurnedW-1:0] turned;
    if (Open != 0) begin : g_open
      assign turned = g_move[0].in;
      wire unused = &{1'b0, g_move[0].out};
    end else begin : g_all
      assign turned = g_move[0].out;
    end
    assign last_o = amount[0];
    if (Stages == 0) begin : g_wire
      assign turned_o = turned;
      wire unused = &{1'b0, clk_i, en_i};
    end else begin : g_last
      always_ff @(posedge clk_i) if (en_i) turned_o <= turned;
    end
  endgenerate
endmodule
`default_nettype wire
