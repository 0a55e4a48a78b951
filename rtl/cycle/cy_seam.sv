/// The host's way: words of D come in and words of U go out, the nodes of rows and columns 0 to 2^LEVEL - 1 by rows, BusWords of them a
/// beat of the stream; a row begins with a beat, and words after its end are dead. Where nodes are in memory: a beat of Lanes words
/// has Lanes / BusWords beats of the stream.
`include "mantissa.svh"
`default_nettype none
module cy_seam #(
`include "cycle_parameters.svh"
  , localparam integer IndexW = 2 * MaxLevel
) (
  input  wire               clk_i,
  input  wire               rst_ni,      ///< of what comes in
  input  wire               send_rst_ni, ///< of what is on its way out: nothing but a reset ends it
  input  wire  [MaxLevel:0] side_i,      ///< 2^LEVEL,
  input  wire  [MaxLevel:0] row_i,       ///< beats of memory a row, and
  input  wire  [IndexW:0]   beats_i,     ///< in all; these stand
  input  wire               forget_i,    ///< D is no longer what was loaded
  input  wire               open_i,      ///< words may come
  input  wire               d_valid_i,
  input  wire               d_last_i,
  output logic              load_o,      ///< a beat for memory,
  output logic              load_edge_o, ///< its words are of the edge to the south,
  output logic              load_west_o, ///< its first word is of the edge to the west,
  output logic              load_first_o, ///< the first one of a packet
  output logic              loaded_o,

  input  wire               send_i,      ///< one clock, while none is sent
  output logic              sending_o,
  output logic              moves_o,     ///< the read's registers move
  output logic [IndexW-1:0] at_o,        ///< of the beat in memory that words come for, or that is read,
  output logic [Lanes/BusWords-1:0] part_o, ///< which of its parts comes in,
  output logic [((Lanes > BusWords) ? $clog2(Lanes / BusWords) : 1)-1:0] u_part_o, ///< and which is beside u_valid_o
  output logic              u_valid_o,   ///< two such clocks after its address
  output logic              u_last_o,
  input  wire               u_ready_i
);
`include "cycle_bounds.svh"
  localparam integer BusLog  = fx_log2(BusWords);
  localparam integer PartLog = LaneLog - BusLog;
  localparam integer PartW   = (PartLog > 0) ? PartLog : 1;
  localparam integer AtW     = IndexW + PartLog; // a beat in memory, and which part of it
  logic [AtW-1:0] at_q;
  logic south_q, west_q;                 // of the beat at at_q: its row is the south edge; it begins a row
  logic beyond_q;                        // of what comes in there is too much
  logic reads_q;                         // beats are still to be read
  logic read_q, last_q;                  // of the beat whose address was given a clock before
  genvar l;
  wire [AtW-1:0] row_end; // at_q where a row ends
  wire           ends_row;
  // 2^LEVEL - 1, and beats_i - 1, of a power of two too, without carries. (LEVEL's change forgets what was loaded.)
  logic [MaxLevel-1:0] mask;
  logic [IndexW-1:0]   grid_mask;
  wire unused_mask = &{1'b0, mask, side_i[0], beats_i[0]};
  generate
    for (l = 0; l < MaxLevel; l = l + 1) begin : g_mask
      always_ff @(posedge clk_i) mask[l] <= |side_i[MaxLevel:l+1];
    end
    for (l = 0; l < IndexW; l = l + 1) begin : g_grid_mask
      always_ff @(posedge clk_i) grid_mask[l] <= |beats_i[IndexW:l+1];
    end
    if (Lanes == 1) begin : g_one
      assign ends_row = &(at_q[MaxLevel-1:0] | ~mask);
      assign row_end = at_q;
      wire unused = &{1'b0, row_i};
    end else begin : g_lanes
      // A row's beats in memory may be more than its words fill.
      localparam integer RowW = MaxLevel + PartLog + 1;
      wire [RowW-1:0] words  = RowW'(side_i) >> BusLog;
      wire [RowW-1:0] filled = words - RowW'(|words);
      wire [RowW-1:0] wide   = (RowW'(row_i) << PartLog) - RowW'(1);
      assign ends_row = &(RowW'(at_q) | ~filled);
      assign row_end = at_q | (ends_row ? AtW'(wide) : '0);
    end
  endgenerate
  wire [AtW-1:0] next = row_end + AtW'(1);
  wire ends  = ends_row & (&(row_end[AtW-1:PartLog] | ~grid_mask)); // the last beat
  wire take  = d_valid_i & open_i;
  wire begun = ~(south_q & west_q);
  assign load_o       = take & ~beyond_q;
  assign load_edge_o  = south_q;
  assign load_west_o  = west_q;
  assign load_first_o = take & ~begun;
  assign at_o         = IndexW'(at_q >> PartLog);
  assign moves_o      = ~u_valid_o | u_ready_i;
  wire [PartW-1:0]  part = PartW'((PartLog > 0) ? at_q & AtW'((1 << PartLog) - 1) : '0);
  logic [PartW-1:0] part_q;
  generate
    for (l = 0; l < Lanes / BusWords; l = l + 1) begin : g_part
      assign part_o[l] = part == PartW'(l);
    end
  endgenerate
  wire step = (take & ~beyond_q) | (reads_q & moves_o);
  wire done = (take & d_last_i) | (sending_o & ~reads_q);
  always_ff @(posedge clk_i) begin
    if (!send_rst_ni || send_i || done || (!sending_o && (!rst_ni || forget_i))) begin
      at_q <= '0;
      {south_q, west_q} <= 2'b11;
    end else if (step) begin
      at_q    <= next;
      west_q  <= ends_row;
      south_q <= south_q & ~ends_row;
    end
    if (!rst_ni || forget_i) begin
      {beyond_q, loaded_o} <= '0;
    end else if (take) begin
      beyond_q <= ~d_last_i & (beyond_q | ends);
      loaded_o <= d_last_i & ends & ~beyond_q;
    end else if (send_i & begun) begin
      beyond_q <= 1'b1; // what had come is not continued
    end
    if (!send_rst_ni) begin
      {sending_o, reads_q, read_q, u_valid_o, u_last_o} <= '0;
    end else if (send_i) begin
      sending_o <= 1'b1;
      reads_q   <= 1'b1;
    end else if (moves_o) begin
      if (ends) reads_q <= 1'b0;
      part_q   <= part;
      u_part_o <= part_q;
      {read_q, last_q}      <= {reads_q, reads_q & ends};
      {u_valid_o, u_last_o} <= {read_q, read_q & last_q};
      if (u_valid_o & u_last_o) sending_o <= 1'b0;
    end
  end
endmodule
`default_nettype wire
