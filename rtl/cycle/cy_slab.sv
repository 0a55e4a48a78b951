/// One core's part of a grid that several cores have (cycle_slabs.svh): where the words of its slab are, which of them are its own, and
/// how it shares them. In a round of sharing all cores send words to their neighbours to the north, or all to the south: Halo rows of
/// their own, or on the largest level that is whole in every core (gather_i) all that they have, so that Cores - 1 rounds each way bring every
/// row to every core.
`include "mantissa.svh"
`default_nettype none
module cy_slab #(
`include "cycle_parameters.svh"
  , localparam integer IndexW = 2 * MaxLevel
  , localparam integer AllW = IndexW + 1
) (
  input  wire               clk_i,
  input  wire               rst_ni,
  input  wire  [3:0]        level_i,     ///< LEVEL; these stand through a sweep: the level,
  input  wire  [3:0]        k_i,
  input  wire  [MaxLevel:0] row_i,       ///< beats of a row,
  input  wire               down_i,
  input  wire               up_i,
  input  wire               finest_i,
  output logic [IndexW:0]   beats_o,     ///< beats of the slab,
  output logic [IndexW:0]   below_o,     ///< of the next level's,
  output logic [IndexW-1:0] coarse_from_o, ///< and the one of those that stands at this slab's first
  // Words of t and e: addresses of what is read and written, from numbers in the level's slab
  input  wire               sweep_i,
  input  wire  [IndexW-1:0] index_i,
  input  wire  [IndexW-1:0] coarse_i,
  input  wire  [IndexW-1:0] word_at_i,
  input  wire  [IndexW-1:0] t_at_i,      ///< of t, from coarse_from_o on
  input  wire               risen_i,     ///< a beat of e leaves
  output logic [IndexW-1:0] word_from_o,
  output logic [IndexW-1:0] word_to_o,
  output logic [AllW-1:0]   all_base_o,  ///< of vectors that all levels have
  // Of words that leave a sweep, and of D as it enters one: whether they are this core's own
  input  wire  [IndexW-1:0] u_at_i,
  input  wire  [IndexW-1:0] d_at_i,
  output logic              own_word_o,
  output logic              own_u_o,
  output logic              own_d_o,
  output logic              own_leading_o, ///< six clocks after index_i
  // The host's way: a beat of the grid
  input  wire  [IndexW-1:0] seam_at_i,
  output logic [IndexW-1:0] seam_to_o,
  output logic              seam_in_o,    ///< it is in the slab,
  output logic              seam_own_o,   ///< and this core sends it
  // Sharing
  input  wire               share_i,      ///< one clock: a round begins,
  input  wire               north_i,      ///< in which words go north; these stand in it
  input  wire               gather_i,
  output logic              shares_o,
  output logic [IndexW-1:0] share_from_o, ///< in the slab
  output logic [IndexW-1:0] share_to_o,
  output logic              link_valid_o, ///< two clocks after share_from_o
  input  wire               link_valid_i, ///< of the neighbour that words come from
  output logic              takes_o       ///< a clock after that: a word is written to share_to_o
);
`include "cycle_bounds.svh"
`include "cycle_slabs.svh"
  localparam integer Levels = StoredLevel + 1;
  localparam integer ShapeW = IndexW + 1;
  localparam integer Nodes  = cy_finest(Core);
  // By level: beats of a slab, those before its own and to their end, where its words begin; the grid's beat that is its first one, and the
  // next level's, whose rows are half as many from there on. None of levels that are not there.
  wire [16*ShapeW-1:0] beats, firsts, lasts, bases, lows, coarse;
  genvar k;
  generate
    for (k = 0; k < 16; k = k + 1) begin : g_level
      if (k < Levels) begin : g_there
        assign beats[k*ShapeW +: ShapeW]  = ShapeW'(cy_slab(Core, k));
        assign firsts[k*ShapeW +: ShapeW] = ShapeW'(cy_own(Core, k, 0));
        assign lasts[k*ShapeW +: ShapeW]  = ShapeW'(cy_own(Core, k, 1));
        assign bases[k*ShapeW +: ShapeW]  = ShapeW'(cy_slab_base(Core, k));
        assign lows[k*ShapeW +: ShapeW]   = ShapeW'(cy_low(Core, k) << cy_row_log(k));
        assign coarse[k*ShapeW +: ShapeW] = (k == 0) ? '0 : ShapeW'((cy_low(Core, k) / 2 - cy_low(Core, k - 1)) << cy_row_log(k - 1));
      end else begin : g_none
        assign beats[k*ShapeW +: ShapeW]  = '0;
        assign firsts[k*ShapeW +: ShapeW] = '0;
        assign lasts[k*ShapeW +: ShapeW]  = '0;
        assign bases[k*ShapeW +: ShapeW]  = '0;
        assign lows[k*ShapeW +: ShapeW]   = '0;
        assign coarse[k*ShapeW +: ShapeW] = '0;
      end
    end
  endgenerate
  wire [3:0] below = k_i - 4'd1;
  wire split = k_i >= 4'(SplitLevel);
  logic [ShapeW-1:0] base_q, next_q, first_q, last_q, t_first_q, t_last_q; // last: past the last one
  always_ff @(posedge clk_i) begin
    beats_o       <= beats[k_i*ShapeW +: ShapeW];
    below_o       <= beats[below*ShapeW +: ShapeW];
    coarse_from_o <= IndexW'(coarse[k_i*ShapeW +: ShapeW]);
    base_q        <= bases[k_i*ShapeW +: ShapeW];
    next_q        <= bases[below*ShapeW +: ShapeW];
    first_q       <= firsts[k_i*ShapeW +: ShapeW];
    last_q        <= lasts[k_i*ShapeW +: ShapeW];
    t_first_q     <= split ? firsts[below*ShapeW +: ShapeW] : '0;
    t_last_q      <= split ? lasts[below*ShapeW +: ShapeW] : '1;
    all_base_o    <= finest_i ? '0 : AllW'(bases[k_i*ShapeW +: ShapeW]) + AllW'(Nodes);
  end

  // ---- Sharing -----------------------------------------------------------------------------------------------------------
  wire [ShapeW-1:0] halo = ShapeW'(row_i) << HaloLog;
  logic [ShapeW-1:0] from_q, ends_q, to_q;
  logic       reads_q;
  logic [4:0] way_q; // of the last word, to its place
  assign shares_o     = reads_q | (|way_q);
  assign share_from_o = IndexW'(from_q);
  assign share_to_o   = IndexW'(to_q);
  assign link_valid_o = way_q[1];
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      {reads_q, way_q, takes_o} <= '0;
    end else begin
      way_q   <= {way_q[3:0], reads_q};
      takes_o <= link_valid_i;
      if (takes_o) to_q <= to_q + 1'b1;
      if (share_i) begin
        reads_q <= 1'b1;
        from_q  <= !north_i ? first_q : gather_i ? '0 : last_q - halo;
        ends_q  <= north_i ? last_q : gather_i ? beats_o : first_q + halo;
        to_q    <= north_i ? '0 : last_q;
      end else if (reads_q) begin
        from_q  <= from_q + 1'b1;
        reads_q <= from_q + 1'b1 != ends_q;
      end
    end

  // ---- Addresses ---------------------------------------------------------------------------------------------------------
  wire [ShapeW-1:0] t_at = ShapeW'(coarse_from_o) + ShapeW'(t_at_i);
  assign word_from_o = shares_o ? IndexW'(base_q + from_q) : up_i ? IndexW'(next_q) + coarse_i : IndexW'(base_q) + index_i;
  assign word_to_o   = takes_o ? IndexW'(base_q + to_q) : down_i ? IndexW'(next_q + t_at) : IndexW'(base_q) + word_at_i;

  // ---- What is the core's own --------------------------------------------------------------------------------------------
  function automatic logic between(input [ShapeW-1:0] at, input [ShapeW-1:0] first, input [ShapeW-1:0] last);
    between = at >= first && at < last;
  endfunction
  logic [IndexW-1:0] risen_q; // the number of the beat of e that leaves
  always_ff @(posedge clk_i) risen_q <= sweep_i ? '0 : risen_q + IndexW'(risen_i);
  wire any = ~split;
  assign own_word_o = up_i ? any | between({1'b0, risen_q}, first_q, last_q) : ~down_i | between(t_at, t_first_q, t_last_q);
  assign own_u_o    = any | between({1'b0, u_at_i}, first_q, last_q);
  assign own_d_o    = any | between({1'b0, d_at_i}, first_q, last_q);
  // (Squares are added over all cores: of a level that all have whole, one core's count.)
  wire own_index = split ? between({1'b0, index_i}, first_q, last_q) : Core == 0;
  delay #(.W(1), .N(6)) i_own (.clk_i, .en_i(1'b1), .ptr_i(7'd0), .d_i(own_index), .q_o(own_leading_o));

  // The grid's beats, of LEVEL: the slab's first one is before the own ones.
  wire [ShapeW-1:0] top_first = firsts[level_i*ShapeW +: ShapeW];
  logic [ShapeW-1:0] low_q, top_beats_q, top_first_q, top_last_q;
  wire whole = level_i < 4'(SplitLevel);
  always_ff @(posedge clk_i) begin
    low_q       <= lows[level_i*ShapeW +: ShapeW];
    top_beats_q <= beats[level_i*ShapeW +: ShapeW];
    top_first_q <= whole ? '0 : top_first;
    top_last_q  <= whole ? ((Core == 0) ? '1 : '0) : lasts[level_i*ShapeW +: ShapeW];
  end
  wire [ShapeW-1:0] seam = {1'b0, seam_at_i} - low_q;
  assign seam_to_o  = IndexW'(seam);
  assign seam_in_o  = ~seam[IndexW] & seam < top_beats_q;
  assign seam_own_o = seam_in_o & between(seam, top_first_q, top_last_q);
endmodule
`default_nettype wire
