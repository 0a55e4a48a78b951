/// One resident core's slab of a system that several share (fx_residents): SHARE elements each, the last core what is left, and in front
/// of and after them those of its neighbours that rows of its own reach, Halo tokens. And how it shares them: all cores send the first or
/// the last Halo tokens of their own to the neighbours, north (to the next core) in one round and south in another.
`include "mantissa.svh"
`default_nettype none
module fx_resident_slab #(
  parameter integer Lanes = 1,
  parameter integer OuterLanes = 1,
  parameter integer LenW = 32,
  parameter integer RowLenW = 11,
  parameter integer Cores = 2,
  parameter integer Core = 0,
  parameter integer AW = 10,     ///< bits of a token's place in the memories,
  parameter integer OuterAW = 10 ///< and of an outer token's in V's and D's
) (
  input  wire                clk_i,
  input  wire                rst_ni,
  input  wire                start_i,       ///< one clock; what is programmed stands from then on
  input  wire  [LenW-1:0]    length_i,      ///< of the whole system,
  input  wire  [RowLenW-1:0] row_length_i,
  input  wire  [LenW-1:0]    share_i,       ///< SHARE
  output logic               started_o,     ///< one clock: what follows stands
  output logic               bad_o,         ///< beside it: SHARE is none
  output logic [LenW-1:0]    length_o,      ///< elements of the slab,
  output logic [LenW-1:0]    last_halo_o,   ///< of which so many at its end are a neighbour's
  output logic [RowLenW-1:0] column_o,      ///< of its first element in a row of the grid
  output logic [LenW-1:0]    own_first_o,   ///< tokens of the slab that are the core's own,
  output logic [LenW-1:0]    own_last_o,
  output logic [LenW-1:0]    outer_first_o, ///< and of OuterLanes elements
  output logic [LenW-1:0]    outer_last_o,
  // The host's way, by elements of the whole system
  input  wire  [LenW-1:0]    load_at_i,
  output logic               load_own_o,
  output logic [LenW-1:0]    load_to_o,     ///< among the core's own
  input  wire  [LenW-1:0]    send_at_i,
  output logic               send_own_o,
  output logic [LenW-1:0]    send_from_o,
  // Sharing
  input  wire                share_start_i, ///< one clock
  output logic               shared_o,      ///< at the end, and before the first
  output logic               north_o,       ///< stands in a round
  output logic [AW-1:0]      read_at_o,
  output logic               link_valid_o,  ///< two clocks after read_at_o
  input  wire                link_valid_i,  ///< of the neighbour that words come from
  output logic               takes_o,       ///< a clock later: they are written
  output logic [AW-1:0]      write_at_o
);
  localparam integer Log = $clog2(Lanes);
  localparam integer OuterLog = $clog2(OuterLanes);
  localparam integer First = (Core == 0) ? 1 : 0;
  localparam integer Last = (Core == Cores - 1) ? 1 : 0;

  // ---- The slab: a few clocks after another, while a remainder is formed ----------------------------------------------------
  localparam integer Settle = 8;
  localparam integer Ends   = Settle + LenW;     // the remainder is there,
  localparam integer Begins = Ends + 4;          // and what follows from it
  localparam integer CountW = $clog2(Begins + 1);
  logic [CountW-1:0] count_q;
  logic runs_q;
  logic [LenW-1:0] halo_q, tokens_q, begin_q, end_q, low_q, high_q, first_q;
  logic [LenW-1:0] bits_q;
  logic [RowLenW-1:0] rest_q;
  logic ragged_q, short_q, bad_q;
  wire slab_bad, unused_outer_bad;
  wire [RowLenW:0] more = {rest_q, bits_q[LenW-1]};
  wire fits = more >= {1'b0, row_length_i};
  wire [LenW-1:0] whole = high_q - low_q;
  always_ff @(posedge clk_i) begin
    started_o <= 1'b0;
    if (!rst_ni) runs_q <= 1'b0;
    else if (start_i) begin
      runs_q  <= 1'b1;
      count_q <= '0;
    end else if (runs_q) begin
      count_q <= count_q + CountW'(1);
      if (count_q == CountW'(Begins)) begin
        runs_q    <= 1'b0;
        started_o <= 1'b1;
      end
    end
    halo_q   <= (Lanes == 1) ? LenW'(row_length_i) : (LenW'(row_length_i) >> Log) + LenW'(2);
    tokens_q <= (length_i + LenW'(Lanes - 1)) >> Log;
    begin_q  <= LenW'(Core) * (share_i >> Log);
    end_q    <= (Last != 0) ? tokens_q : begin_q + (share_i >> Log);
    low_q    <= (First != 0) ? '0 : begin_q - halo_q;
    high_q   <= (Last != 0) ? tokens_q : end_q + halo_q;
    length_o <= (Last != 0) ? length_i - (low_q << Log) : whole << Log;
    first_q  <= (begin_q - low_q) << Log;
    last_halo_o <= length_o - ((end_q - low_q) << Log) & {LenW{Last == 0}};
    ragged_q <= |(share_i & LenW'(Lanes - 1));
    short_q  <= (share_i >> Log) < halo_q || (Last != 0 && (begin_q >= tokens_q || tokens_q - begin_q < halo_q));
    bad_q    <= ragged_q | short_q | whole > LenW'(1 << AW) | (end_q - begin_q) > LenW'(1 << OuterAW) >> (Log - OuterLog);
    // The remainder of the first element's number by ROW_LENGTH, a bit a clock, after the settling.
    bits_q   <= (count_q < CountW'(Settle)) ? low_q << Log : bits_q << 1;
    rest_q   <= (count_q < CountW'(Settle)) ? '0 : RowLenW'(more - ({1'b0, row_length_i} & {(RowLenW+1){fits}}));
    if (count_q == CountW'(Ends)) column_o <= rest_q;
  end
  assign bad_o = bad_q | slab_bad;
  fx_slab #(.Lanes(Lanes), .LenW(LenW), .RowLenW(RowLenW), .CoefMode(1)) i_slab (
    .clk_i, .length_i(length_o), .row_length_i, .first_i(first_q), .last_i(last_halo_o), .column_i(column_o),
    .begin_o(own_first_o), .end_o(own_last_o), .bad_o(slab_bad));
  // (A halo of the core's lanes is longer than the outer unit's would be.)
  fx_slab #(.Lanes(OuterLanes), .LenW(LenW), .RowLenW(RowLenW), .CoefMode(0)) i_outer (
    .clk_i, .length_i(length_o), .row_length_i, .first_i(first_q), .last_i(last_halo_o), .column_i(column_o),
    .begin_o(outer_first_o), .end_o(outer_last_o), .bad_o(unused_outer_bad));

  // ---- The host's way --------------------------------------------------------------------------------------------------------
  wire [LenW:0] own_begin = {1'b0, begin_q} << Log;
  wire [LenW:0] own_end   = (Last != 0) ? {1'b0, length_i} : {1'b0, end_q} << Log;
  assign load_own_o  = {1'b0, load_at_i} >= own_begin && {1'b0, load_at_i} < own_end;
  assign load_to_o   = load_at_i - own_begin[LenW-1:0];
  assign send_own_o  = {1'b0, send_at_i} >= own_begin && {1'b0, send_at_i} < own_end;
  assign send_from_o = send_at_i - own_begin[LenW-1:0];

  // ---- Sharing ---------------------------------------------------------------------------------------------------------------
  logic reads_q, again_q;
  logic [4:0] way_q; // of the last words, to their place
  logic [LenW-1:0] left_q;
  wire round_ends = ~reads_q & ~(|way_q);
  assign shared_o = round_ends & ~again_q;
  assign link_valid_o = way_q[1];
  // (The first token of the last Halo ones.)
  wire [LenW-1:0] tail = own_last_o + LenW'(1) - halo_q;
  wire [LenW-1:0] beyond = own_last_o + LenW'(1);
  wire unused_high = &{1'b0, tail, beyond};
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      {reads_q, again_q, way_q, takes_o, north_o} <= '0;
    end else begin
      way_q   <= {way_q[3:0], reads_q};
      takes_o <= link_valid_i;
      if (takes_o) write_at_o <= write_at_o + AW'(1);
      if (share_start_i) begin
        reads_q    <= 1'b1;
        again_q    <= 1'b1;
        north_o    <= 1'b1;
        read_at_o  <= AW'(tail);
        write_at_o <= '0;
        left_q     <= halo_q;
      end else if (reads_q) begin
        read_at_o <= read_at_o + AW'(1);
        left_q    <= left_q - LenW'(1);
        reads_q   <= left_q != LenW'(1);
      end else if (round_ends & again_q) begin
        reads_q    <= 1'b1;
        again_q    <= 1'b0;
        north_o    <= 1'b0;
        read_at_o  <= AW'(own_first_o);
        write_at_o <= AW'(beyond);
        left_q     <= halo_q;
      end
    end
endmodule
`default_nettype wire
