/// The host's way: words of D come in and words of U go out, all nodes of the grid by rows, one at a time. Memory has those that are
/// in neither the north nor the east edge, one after the other; its first word is the south-west corner's, zero, and stands for
/// every edge node on the way out.
`default_nettype none
module cy_seam #(
`include "cycle_parameters.svh"
  , localparam integer IndexW = 2 * MaxLevel
) (
  input  wire               clk_i,
  input  wire               rst_ni,      ///< of what comes in
  input  wire               send_rst_ni, ///< of what is on its way out: nothing but a reset ends it
  input  wire  [MaxLevel:0] side_i,      ///< 2^LEVEL; stands
  input  wire               forget_i,    ///< D is no longer what was loaded
  input  wire               open_i,      ///< words may come
  input  wire               d_valid_i,
  input  wire               d_last_i,
  output logic              load_o,      ///< a word for memory,
  output logic              load_live_o, ///< and it is no edge node's
  output logic              load_first_o, ///< the first one of a packet
  output logic              loaded_o,

  input  wire               send_i,      ///< one clock, while none is sent
  input  wire               zero_i,      ///< all words are zero; stands while words are sent
  output logic              sending_o,
  output logic              moves_o,     ///< the read's registers move
  output logic [IndexW-1:0] at_o,        ///< of the beat whose word comes in, or is read,
  output logic [Lanes-1:0]  lane_o,      ///< and the lane of what comes in,
  output logic [((Lanes > 1) ? $clog2(Lanes) : 1)-1:0] u_lane_o, ///< and of what is beside u_valid_o
  output logic              u_valid_o,   ///< two such clocks behind its address
  output logic              u_last_o,
  input  wire               u_ready_i
);
`include "cycle_bounds.svh"
  localparam integer LaneW = (Lanes > 1) ? LaneLog : 1;
  logic [MaxLevel:0] column_q, row_q;
  logic [IndexW-1:0] at_q;
  logic beyond_q;                        // of what comes in there is too much
  logic reads_q;                         // words are still to be read
  logic read_q, last_q;                  // of the word whose address was given a clock before
  wire east  = |(column_q & side_i);
  wire north = |(row_q & side_i);
  wire edge_node = east | north;
  wire part  = column_q != '0 | row_q != '0;
  wire take  = d_valid_i & open_i;
  assign load_o       = take & ~edge_node & ~beyond_q;
  assign load_live_o  = load_o & column_q != '0 & row_q != '0;
  assign load_first_o = take & ~part;
  wire               zero  = sending_o & (edge_node | zero_i);
  wire [IndexW-1:0]  beat;
  wire [LaneW-1:0]   lane; // of the word
  logic [LaneW-1:0]  lane_q;
  genvar l;
  generate
    if (Lanes == 1) begin : g_one
      assign beat = at_q;
      assign lane = '0;
    end else begin : g_lanes
      // Rows of fewer beats than there must be begin where those are counted.
      wire few = |side_i[((LaneLog+LeastLog-1 > MaxLevel) ? MaxLevel : LaneLog+LeastLog-1):0];
      assign beat = few ? (IndexW'(row_q) << LeastLog) | (IndexW'(column_q) >> LaneLog) : at_q >> LaneLog;
      assign lane = column_q[LaneW-1:0];
    end
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      assign lane_o[l] = lane == LaneW'(l);
    end
  endgenerate
  assign at_o         = zero ? '0 : beat;
  assign moves_o      = ~u_valid_o | u_ready_i;
  wire step = take | (reads_q & moves_o);
  wire done = (take & d_last_i) | (reads_q & moves_o & east & north);
  always_ff @(posedge clk_i) begin
    if (!send_rst_ni || send_i || done || (!sending_o && (!rst_ni || forget_i))) begin
      {column_q, row_q, at_q} <= '0;
    end else if (step) begin
      column_q <= east ? '0 : column_q + 1'b1;
      if (east) row_q <= row_q + 1'b1;
      if (!edge_node) at_q <= at_q + 1'b1;
    end
    if (!rst_ni || forget_i) begin
      {beyond_q, loaded_o} <= '0;
    end else if (take) begin
      beyond_q <= ~d_last_i & (beyond_q | (east & north));
      loaded_o <= d_last_i & east & north & ~beyond_q;
    end else if (send_i & part) begin
      beyond_q <= 1'b1; // what had come is not continued
    end
    if (!send_rst_ni) begin
      {sending_o, reads_q, read_q, u_valid_o, u_last_o} <= '0;
    end else if (send_i) begin
      sending_o <= 1'b1;
      reads_q   <= 1'b1;
    end else if (moves_o) begin
      if (east & north) reads_q <= 1'b0;
      lane_q   <= zero ? '0 : lane;
      u_lane_o <= lane_q;
      {read_q, last_q}      <= {reads_q, reads_q & east & north};
      {u_valid_o, u_last_o} <= {read_q, read_q & last_q};
      if (u_valid_o & u_last_o) sending_o <= 1'b0;
    end
  end
endmodule
`default_nettype wire
