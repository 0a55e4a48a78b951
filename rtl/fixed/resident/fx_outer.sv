/// The outer unit of the resident solver: one pass over c (in u's memory), V, D and p, OuterLanes elements a clock:
///
///     V += rnd(c 2^e),  D -= rnd(A c 2^e),  r = rnd(D 2^-e'),  q = r,  and the exact totals r.r and r.p
///
/// With correct_i low V and D stay, and r, q and the totals are formed anew. The row A c is the core's own (fx_rows), its
/// words those of u, its sum exact. u is read first; V, D and p when the row to the north has come in. The shifts are
/// counted on the words' grids: CutV = UF - VF and so on, less e.
///
/// With Checks words of V and D are kept with their residue modulo 3, which goes along with c, its row and the lane's sums.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module fx_outer #(
`include "fx_parameters.svh"
  , parameter integer OuterLanes = 1,
  parameter integer VW = 64,
  parameter integer VF = 54,
  parameter integer DW = 64,
  parameter integer DF = 60,
  parameter integer ExponentW = 16,
  parameter integer Depth = 1024,      ///< words of a lane of u, r, p and q
  parameter integer OuterDepth = 1024, ///< of V and D
  localparam integer VKeptW = VW + 2 * Checks, ///< words as they are kept: {residue, word}
  localparam integer DKeptW = DW + 2 * Checks,
  localparam integer AW  = (Depth > 1) ? $clog2(Depth) : 1,
  localparam integer OuterAW = (OuterDepth > 1) ? $clog2(OuterDepth) : 1
) (
  input  wire                        clk_i,
  input  wire                        rst_ni,
  input  wire                        start_i,      ///< one clock; what is below stands until done_o
  input  wire                        correct_i,    ///< V and D are updated
  input  wire signed [ExponentW-1:0] exponent_i,   ///< e, of c
  input  wire signed [ExponentW-1:0] next_i,       ///< e', of r
  input  wire  [LenW-1:0]            length_i,
  input  wire  [RowLenW-1:0]         row_length_i,
  input  wire  [LenW-1:0]            own_first_i,  ///< with Alone 0: tokens of OuterLanes elements that are the core's own,
  input  wire  [LenW-1:0]            own_last_i,
  input  wire  [RowLenW-1:0]         column_i,     ///< and the column of the first element
  output logic                       done_o,       ///< one clock: all is written, and the totals stand
  output logic                       v_over_o,
  output logic                       d_over_o,
  output logic                       r_over_o,
  output logic                       d_any_o,      ///< a word of D is not 0
  output logic                       rounded_o,    ///< words of V or D are shifted to the right: bits can be lost
  output logic [DotRrW-1:0]          rr_o,
  output logic [DotPqW-1:0]          rp_o,
  output logic                       u_read_o,     ///< the words at u_read_at_o are taken,
  output logic                       p_read_o,     ///< at p_read_at_o,
  output logic                       v_read_o,     ///< at v_read_at_o
  output logic                       bad_o,        ///< one clock, with Checks: a word, a count or a shift is not what it must be

  output logic [AW-1:0]              u_read_at_o,
  input  wire  [Lanes*UW-1:0]        u_early_i,    ///< a clock after the address
  output logic [AW-1:0]              p_read_at_o,
  input  wire  [Lanes*PW-1:0]        p_early_i,
  output logic [Lanes-1:0]           r_write_o,    ///< and of q
  output logic [AW-1:0]              r_write_at_o,
  output logic [Lanes*RW-1:0]        r_o,
  output logic [OuterAW-1:0]         v_read_at_o,  ///< of V and D
  input  wire  [OuterLanes*VKeptW-1:0] v_i,        ///< two clocks after it
  input  wire  [OuterLanes*DKeptW-1:0] d_i,
  output logic                       v_write_o,    ///< of V and D
  output logic [OuterAW-1:0]         v_write_at_o,
  output logic [OuterLanes*VKeptW-1:0] v_o,
  output logic [OuterLanes*DKeptW-1:0] d_o
);
`include "fx_digits.svh"
  localparam integer OL = OuterLanes;
  localparam integer Log = $clog2(OL);
  localparam integer Parts = Lanes / OL;       // of a token of the core
  localparam integer PartW = $clog2(Parts);
  localparam integer CountW = PartW + AW;      // of a token of the outer unit: {word, part}
  `REQUIRE(g_bad_outer, OL >= 1 && OL <= Lanes && (1 << Log) == OL, "fx_outer: OuterLanes must be a power of two up to Lanes")
  `REQUIRE(g_bad_rows, CoefMode == 1, "fx_outer: the resident solver takes constant stencils, CoefMode 1")
  `REQUIRE(g_bad_words, RW == QW && RF == QF, "fx_outer: the words of q must be those of r")
  // Bits of an exact row sum.
  localparam integer Magnitudes = fx_abs(S0) | fx_abs(S1) | fx_abs(S2) | fx_abs(S3) | fx_abs(S4) | fx_abs(S5) | fx_abs(S6) |
                                  fx_abs(S7) | fx_abs(S8);
  localparam integer RowW = UW + ((Magnitudes >= (1 << 27)) ? 34 :
                                  fx_log2(fx_abs(S0) + fx_abs(S1) + fx_abs(S2) + fx_abs(S3) + fx_abs(S4) + fx_abs(S5) +
                                          fx_abs(S6) + fx_abs(S7) + fx_abs(S8) + 1));
  localparam integer NW = ExponentW + 4;
  localparam integer CutV = UF - VF;
  localparam integer CutD = RowShift + QF - PF + UF - DF;
  localparam integer CutR = DF - RF;

  // ---- Shifts ------------------------------------------------------------------------------------------------------
  // They stand long before the first word comes.
  logic signed [NW-1:0] v_n, d_n, r_n;
  always_ff @(posedge clk_i) begin
    v_n <= NW'(CutV) - NW'(exponent_i);
    d_n <= NW'(CutD) - NW'(exponent_i);
    r_n <= NW'(CutR) + NW'(next_i);
  end
  wire [$clog2(VW+UW+2)-1:0]   v_left;
  wire [$clog2(DW+RowW+2)-1:0] d_left;
  wire [$clog2(RW+DW+1)-1:0]   r_left;
  fx_place #(.InW(UW), .OutW(VW + 1), .NW(NW)) i_v_place (.clk_i, .n_i(v_n), .left_o(v_left));
  fx_place #(.InW(RowW), .OutW(DW + 1), .NW(NW)) i_d_place (.clk_i, .n_i(d_n), .left_o(d_left));
  fx_place #(.InW(DW), .OutW(RW), .NW(NW)) i_r_place (.clk_i, .n_i(r_n), .left_o(r_left));

  // ---- Slots -------------------------------------------------------------------------------------------------------
  // As core_control's: tokens, then those that flush the last row; then what is on its way.
  localparam integer DrainN = 12 + `FX_DOT_LATENCY(OL, `MAX2(RW, PW), RW);
  typedef enum logic [2:0] {Idle, Begin, Stream, Flush, Wait, Drain} state_t;
  state_t state_q;
  logic [LenW-1:0] left_q;
  wire last_left = left_q == LenW'(1);
  logic clear_q, slot_q, real_q, slot_last_q, token_last_q, last_out;
  logic was_last_q; // a slab's own rows are all there before its last token
  always_ff @(posedge clk_i) was_last_q <= ~clear_q & (was_last_q | last_out);
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      state_q <= Idle;
      done_o  <= 1'b0;
      clear_q <= 1'b1;
      left_q  <= '0;
    end else begin
      done_o  <= state_q == Drain && last_left;
      clear_q <= state_q == Idle;
      left_q  <= left_q - LenW'(1);
      case (state_q)
        Idle: begin
          left_q <= LenW'(4);
          if (start_i) state_q <= Begin;
        end
        Begin:
          if (last_left) begin
            state_q <= Stream;
            left_q  <= (length_i + LenW'(OL - 1)) >> Log;
          end
        Stream:
          if (last_left) begin
            state_q <= Flush;
            left_q  <= (LenW'(row_length_i) >> Log) + ((OL == 1) ? LenW'(1) : LenW'(2));
          end
        Flush: if (last_left) state_q <= Wait;
        Wait:
          if (last_out || (Alone == 0 && was_last_q)) begin
            state_q <= Drain;
            left_q  <= LenW'(DrainN);
          end
        default: if (last_left) state_q <= Idle;
      endcase
    end

  // ---- The correction and its rows ---------------------------------------------------------------------------------
  wire [OL-1:0] live_last;
  genvar l;
  generate
    for (l = 0; l < OL; l = l + 1) begin : g_live
      assign live_last[l] = (length_i & LenW'(OL - 1)) == '0 || (length_i & LenW'(OL - 1)) > LenW'(l);
    end
  endgenerate

  // After the address of u: the memory's register, then the part that is wanted and a register.
  logic [CountW-1:0] u_count_q;
  logic [1:0] slot_early_q, real_early_q, slot_last_early_q, token_last_early_q;
  always_ff @(posedge clk_i)
    if (clear_q) begin
      u_count_q <= '0;
      {slot_early_q, real_early_q, slot_last_early_q, token_last_early_q} <= '0;
    end else begin
      if (state_q == Stream) u_count_q <= u_count_q + CountW'(1);
      slot_early_q <= {slot_early_q[0], state_q == Stream || state_q == Flush};
      real_early_q <= {real_early_q[0], state_q == Stream};
      slot_last_early_q <= {slot_last_early_q[0], state_q == Flush && last_left};
      token_last_early_q <= {token_last_early_q[0], state_q == Stream && last_left};
    end
  assign u_read_at_o = u_count_q[CountW-1 -: AW];
  assign slot_q       = slot_early_q[1];
  assign real_q       = real_early_q[1];
  assign slot_last_q  = slot_last_early_q[1];
  assign token_last_q = token_last_early_q[1];
  wire [OL*UW-1:0] u_part;
  wire [OL*PW-1:0] p_part;
  logic [OL*UW-1:0] c_q;
  logic [OL*PW-1:0] p_q;
  logic [CountW-1:0] p_count_q;
  assign p_read_at_o = p_count_q[CountW-1 -: AW];
  generate
    if (Parts == 1) begin : g_whole
      assign u_part = u_early_i;
      assign p_part = p_early_i;
    end else begin : g_part
      logic [PartW-1:0] u_part_q, p_part_q;
      always_ff @(posedge clk_i) begin
        u_part_q <= u_count_q[PartW-1:0];
        p_part_q <= p_count_q[PartW-1:0];
      end
      assign u_part = u_early_i[u_part_q*(OL*UW) +: OL*UW];
      assign p_part = p_early_i[p_part_q*(OL*PW) +: OL*PW];
    end
    for (l = 0; l < OL; l = l + 1) begin : g_c
      wire live = correct_i & real_early_q[0] & (~token_last_early_q[0] | live_last[l]);
      always_ff @(posedge clk_i) c_q[l*UW +: UW] <= live ? u_part[l*UW +: UW] : '0;
    end
  endgenerate
  always_ff @(posedge clk_i) p_q <= p_part;

  wire [LenW-1:0] own_first = (Alone != 0) ? '0 : own_first_i;
  wire [LenW-1:0] own_last  = (Alone != 0) ? '1 : own_last_i;
  wire [RowLenW-1:0] column = (Alone != 0) ? '0 : column_i;
  logic [6:0] ptr_q; // of the delay lines
  always_ff @(posedge clk_i)
    if (!rst_ni) ptr_q <= '0;
    else ptr_q <= ptr_q + 7'd1;
  wire [OL*RowW-1:0] row;
  wire [OL*UW-1:0]   c;
  wire [OL-1:0] unused_over, unused_live;
  wire rows_bad;
  wire [2*OL-1:0] c_residue;
  wire [4*OL-1:0] residues; // that {c, its row} must have
  generate
    if (Checks != 0) begin : g_residues
      mod3_residue #(.Lanes(OL), .W(UW)) i_c (.clk_i, .en_i(1'b1), .word_i(c_q), .residue_o(c_residue));
    end else begin : g_no_residues
      assign c_residue = '0;
    end
  endgenerate
  core_vectors_t give, unused_ahead, give_last;
  wire unused_take, unused_take_ahead, unused_take_last;
  fx_rows #(
    .PW(UW), .PF(UF), .QW(RowW), .QF(UF), .QDown(1), .CoefW(2), .Lanes(OL), .CoefMode(1), .RowSums(0), .RowShift(0),
    .S0(S0), .S1(S1), .S2(S2), .S3(S3), .S4(S4), .S5(S5), .S6(S6), .S7(S7), .S8(S8), .MaxRow(MaxRow), .LenW(LenW),
    .Style(Style), .DelayRam(DelayRam), .Alone(Alone), .Parity(Checks), .Residues(Checks)) i_rows (
    .clk_i, .rst_ni, .en_i(1'b1), .clear_i(clear_q), .ptr_i(ptr_q), .length_i, .row_length_i, .live_last_i(live_last),
    .own_first_i(own_first), .own_last_i(own_last), .column_i(column), .slot_i(slot_q), .slot_real_i(real_q), .slot_last_i(slot_last_q), .p_i(c_q), .band_i({(OL*2){1'b0}}),
    .take_band_o(unused_take), .take_band_ahead_o(unused_take_ahead), .take_band_last_o(unused_take_last),
    .give_o(give), .give_ahead_o(unused_ahead), .give_last_o(give_last), .q_o(row), .over_o(unused_over),
    .live_o(unused_live), .p_o(c), .bad_o(rows_bad), .residue_i(c_residue), .residue_o(residues));
  assign last_out = give_last.q;

  // ---- V, D and r --------------------------------------------------------------------------------------------------
  // Clocks after c and its row sum: V and D are read from the first on, written in the fourth; p is read from the sixth
  // on; r is written in the eighth.
  localparam integer AtV = 1;
  localparam integer AtVWrite = 4;
  localparam integer AtP = 6;
  localparam integer AtR = 8;
  logic [AtR:1] valid_q, last_q;
  always_ff @(posedge clk_i)
    if (clear_q) begin
      valid_q <= '0;
      last_q  <= '0;
    end else begin
      valid_q <= {valid_q[AtR-1:1], give.q};
      last_q  <= {last_q[AtR-1:1], give_last.q};
    end
  logic [CountW-1:0] r_count_q;
  always_ff @(posedge clk_i)
    if (clear_q) begin
      v_read_at_o  <= '0;
      v_write_at_o <= '0;
      p_count_q    <= CountW'(own_first);
      r_count_q    <= CountW'(own_first);
    end else begin
      if (valid_q[AtV]) v_read_at_o <= v_read_at_o + OuterAW'(1);
      if (valid_q[AtVWrite]) v_write_at_o <= v_write_at_o + OuterAW'(1);
      if (valid_q[AtP]) p_count_q <= p_count_q + CountW'(1);
      if (valid_q[AtR]) r_count_q <= r_count_q + CountW'(1);
    end
  assign v_write_o = valid_q[AtVWrite];
  assign r_write_at_o = r_count_q[CountW-1 -: AW];

  wire [OL*RW-1:0] r;
  wire [OL-1:0] v_over, d_over, r_over, lane_bad;
  wire [OL-1:0] d_live = last_q[AtVWrite] ? live_last : {OL{1'b1}};
  wire [OL-1:0] r_live = last_q[AtR-1] ? live_last : {OL{1'b1}};
  generate
    for (l = 0; l < OL; l = l + 1) begin : g_lane
      fx_outer_lane #(.CW(UW), .SW(RowW), .VW(VW), .DW(DW), .RW(RW), .Residues(Checks)) i_lane (
        .clk_i, .v_left_i(v_left), .d_left_i(d_left), .r_left_i(r_left), .c_i(c[l*UW +: UW]), .sum_i(row[l*RowW +: RowW]),
        .residue_i({residues[2*(OL+l) +: 2], residues[2*l +: 2]}), .v_i(v_i[l*VKeptW +: VKeptW]),
        .d_i(d_i[l*DKeptW +: DKeptW]), .r_live_i(r_live[l]), .v_o(v_o[l*VKeptW +: VKeptW]),
        .d_o(d_o[l*DKeptW +: DKeptW]), .v_over_o(v_over[l]), .d_over_o(d_over[l]), .r_o(r[l*RW +: RW]),
        .r_over_o(r_over[l]), .bad_o(lane_bad[l]));
    end
    for (l = 0; l < Parts; l = l + 1) begin : g_write
      if (Parts == 1) begin : g_all
        assign r_write_o = {Lanes{valid_q[AtR]}};
      end else begin : g_some
        assign r_write_o[l*OL +: OL] = {OL{valid_q[AtR] & r_count_q[PartW-1:0] == PartW'(l)}};
      end
      assign r_o[l*OL*RW +: OL*RW] = r;
    end
  endgenerate
  logic [OL-1:0] d_any; // of the words that are written
  always_comb
    for (int k = 0; k < OL; k = k + 1) d_any[k] = |d_o[k*DKeptW +: DW];
  always_ff @(posedge clk_i) rounded_o <= (~v_n[NW-1] & |v_n) | (~d_n[NW-1] & |d_n);
  always_ff @(posedge clk_i)
    if (!rst_ni || start_i) begin
      {v_over_o, d_over_o, r_over_o, d_any_o} <= '0;
    end else begin
      d_any_o  <= d_any_o | (valid_q[AtVWrite] & |(d_any & d_live));
      v_over_o <= v_over_o | (valid_q[AtVWrite] & |(v_over & d_live));
      d_over_o <= d_over_o | (valid_q[AtVWrite] & |(d_over & d_live));
      r_over_o <= r_over_o | (valid_q[AtR] & |r_over);
    end

  assign u_read_o = state_q == Stream && correct_i;
  assign p_read_o = valid_q[AtP];
  assign v_read_o = valid_q[AtV];
  generate
    if (Checks != 0) begin : g_checks
      logic [CountW-1:0] tokens_q; // it stands long before a pass ends
      logic [$bits({v_left, d_left})-1:0] shifts_q;
      logic [OL-1:0] live_q, live_q2; // lanes whose word of V and D is an element
      logic [1:0] unreal_q; // real_early_q once more: which rows are the grid's last hangs on it
      logic shifts_bad_q; // they change in a pass: a part of the words is moved another way
      always_ff @(posedge clk_i) begin
        tokens_q <= CountW'((length_i + LenW'(OL - 1)) >> Log);
        shifts_q <= {v_left, d_left};
        shifts_bad_q <= state_q != Idle & shifts_q != {v_left, d_left};
        unreal_q <= clear_q ? '1 : {unreal_q[0], state_q != Stream};
        live_q   <= d_live & {OL{valid_q[AtVWrite]}};
        live_q2  <= live_q;
        bad_o    <= rst_ni & (rows_bad | shifts_bad_q | (~clear_q & unreal_q[1] == real_q) | (|(lane_bad & live_q2)) | done_o & (u_count_q != tokens_q || p_count_q != tokens_q || r_count_q != tokens_q ||
                                       v_read_at_o != OuterAW'(tokens_q) || v_write_at_o != OuterAW'(tokens_q)));
      end
    end else begin : g_no_checks
      assign bad_o = 1'b0;
      wire unused_bad = &{1'b0, rows_bad, lane_bad, residues};
    end
  endgenerate

  // The totals stand until the next pass begins.
  fx_dot #(.Lanes(OL), .AW(RW), .BW(RW), .TotalW(DotRrW), .Square(1), .Style(Style)) i_rr (
    .clk_i, .en_i(1'b1), .clear_i(state_q == Begin), .valid_i(valid_q[AtR]), .a_i(r), .b_i(r), .total_o(rr_o));
  fx_dot #(.Lanes(OL), .AW(PW), .BW(RW), .TotalW(DotPqW), .Style(Style)) i_rp (
    .clk_i, .en_i(1'b1), .clear_i(state_q == Begin), .valid_i(valid_q[AtR]), .a_i(p_q), .b_i(r), .total_o(rp_o));
  wire unused = &{1'b0, token_last_q, unused_take, unused_take_ahead, unused_take_last, unused_over, unused_live,
                  unused_ahead, own_first_i, own_last_i, column_i, was_last_q, give.u, give.r, give.p, give_last.u, give_last.r, give_last.p};
endmodule
`default_nettype wire
