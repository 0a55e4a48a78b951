/// The resident solver: a core that keeps its whole system in memory on the chip. It loads b, runs outer and inner passes
/// by itself until the residual is as small as asked for, and hands back u. docs/integration.md ("The resident core") has
/// the arithmetic; fx_outer_control the sequence.
///
///   s_axis_d    in, LENGTH words of D, one a beat, while no solve is on: b 2^-e0 on the grid of DF fraction bits. tlast
///               with the last one. V becomes 0 with each word.
///   m_axis_v    out, LENGTH words of V, one a beat, after CONTROL.send: the solution is V 2^-VF 2^e0 times the factor by
///               which the matrix was scaled.
///   accepted_o  one clock: another right-hand side r was formed; passes, steps, e and r.r as they were then, for who looks on
///
///   link_*, peer_*, all_*, sums  of several cores on one system, which are in step (fx_residents); with Alone 1 nothing looks at them
///
/// Parameters are fx_core's, CoefMode 1, r, p and q of one format, and those below.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module fx_resident #(
`include "fx_parameters.svh"
`include "resident_parameters.svh"
  , localparam integer LinkW = Lanes * ((UW > RW + PW + QW) ? UW : RW + PW + QW) // a token of u, or of the others
  , localparam integer PeersW = 8 + UW + RW + PW + QW
  , localparam integer FormW = DotRrW + DotPqW
) (
  input  wire              clk_i,
  input  wire              rst_ni,

  `AXIL_PORTS(8)

  `AXIS_IN_PORTS(d, DW)
  `AXIS_OUT_PORTS(v, VW)

  output logic             accepted_o,
  output logic [31:0]      passes_o,
  output logic [31:0]      steps_o,
  output logic signed [15:0] exponent_o,
  output logic [ScalarW-1:0] rr_o,
  output logic             busy_o,      ///< a solve is on; its end can serve as an interrupt

  output logic             link_valid_o, ///< a token for both neighbours
  output logic [LinkW-1:0] link_o,
  input  wire  [1:0]       link_valid_i, ///< of the neighbours to the south and to the north
  input  wire  [2*LinkW-1:0] link_i,
  output logic [PeersW-1:0] peer_o,      ///< the words' masks, {c, r, D, V overflowed, D has a word, SHARE is none; shared, a FORM is done}
  input  wire  [PeersW-1:0] all_i,       ///< of the last two what all cores say, else what one does
  output logic [FormW-1:0] form_o,       ///< r.r and r.p of this core's own elements,
  input  wire  [FormW-1:0] all_form_i,   ///< and of all cores together
  output logic [SumW-1:0]  m_axis_sum_tdata, ///< as fx_core's
  output logic             m_axis_sum_tvalid,
  input  wire              m_axis_sum_tready,
  input  wire  [SumW-1:0]  s_axis_sum_tdata,
  input  wire              s_axis_sum_tvalid,
  output logic             s_axis_sum_tready
);
`include "fx_checks.svh"
`include "fx_grid_checks.svh"
  `REQUIRE_OF_TOP(g_no_chebyshev, Chebyshev == 0, "the resident core runs pipelined CG: Chebyshev must be 0")
  `REQUIRE_OF_TOP(g_form, PW == RW && QW == RW && PF == RF && QF == RF && PDown == RDown && QDown == RDown,
           "r, p and q must be of one format: RW, PW and QW, RF, PF and QF, RDown, PDown and QDown")
  `REQUIRE_OF_TOP(g_constant, CoefMode == 1, "the resident core takes constant stencils: CoefMode 1")
  `REQUIRE_OF_TOP(g_cores, Cores >= 1 && Cores <= 16 && Core >= 0 && Core < Cores && Alone == ((Cores == 1) ? 1 : 0),
           "Cores must be in 1..16, Core below it, and Alone 1 with one core and 0 with several")
  `REQUIRE_OF_TOP(g_cores_lanes, Cores == 1 || Lanes == 1 || OuterLanes > 1,
           "OuterLanes must be 2 or more where several cores of several Lanes share a system: rows of one lane begin with a whole row")
  `REQUIRE_OF_TOP(g_cores_checks, Checks == 0 || Cores == 1, "Checks must be 0 where several cores share a system")
  `REQUIRE_OF_TOP(g_outer_lanes, OuterLanes >= 1 && OuterLanes <= Lanes && (OuterLanes & (OuterLanes - 1)) == 0,
           "OuterLanes must be a power of two up to Lanes")
  `REQUIRE_OF_TOP(g_outer, VW >= 8 && VW <= 64 && DW >= 8 && DW <= 64, "VW and DW must be in 8..64")
  `REQUIRE_OF_TOP(g_outer_point, VF >= 0 && VF < VW && DF >= 0 && DF < DW, "VF must be in 0..VW - 1, and DF in 0..DW - 1")
  `REQUIRE_OF_TOP(g_elements, MaxLength >= 9 && MaxLength <= (1 << 24), "MaxLength must be in 9..2^24")
  localparam integer ExponentW = 16;
  // (A slab is at most a share, rounded up to whole rows, and a row and some lanes of its neighbours at either end.)
  localparam integer Own    = (Cores == 1) ? MaxLength : (MaxLength + Cores - 1) / Cores + MaxRow + Lanes;
  localparam integer Stored = (Cores == 1) ? MaxLength : Own + 2 * (MaxRow + 2 * Lanes);
  localparam integer Depth = (Stored + Lanes - 1) / Lanes;
  localparam integer OuterDepth = (Own + OuterLanes - 1) / OuterLanes;
  localparam integer AW = (Depth > 1) ? $clog2(Depth) : 1;
  localparam integer OuterAW = (OuterDepth > 1) ? $clog2(OuterDepth) : 1;
  localparam integer OuterLog = $clog2(OuterLanes);
  localparam integer PlaceW = OuterLog + OuterAW; // of an element's place in V and D,
  localparam integer IndexW = (Cores == 1) ? PlaceW : LenW; // and of its number
  `REQUIRE_OF_TOP(g_elements_fit, LenW >= PlaceW && (Cores == 1 || LenW >= $clog2(MaxLength + 1)), "LenW bits must hold MaxLength")

  // ---- Registers and control ---------------------------------------------------------------------------------------
  wire start, abort, asked, resized, stalled, send;
  wire [31:0] length_all, row_all, inner_passes, passes, stall_limit;
  wire [ScalarW-1:0] tolerance;
  wire signed [ExponentW-1:0] tolerance_exp, headroom, headroom_now;
  wire [2:0] relax;
  wire asked_start; // by the host; with several cores the slabs come first
  wire solving, done, v_over, d_over, d_any, rounded;
  wire [3:0] how;
  wire [31:0] formed_again, overflows, sigma_guards;
  wire [47:0] cycles;
  wire [UW-1:0] words_u, all_words_u;
  wire [RW-1:0] words_r, all_words_r;
  wire [PW-1:0] words_p, all_words_p;
  wire [QW-1:0] words_q, all_words_q;
  wire [31:0] share_all;
  wire waits; // a start, for the slabs
  wire sending;
  logic loaded_q;
  wire fault; // a check has failed since the start
  wire control_bad;
  fx_resident_regs #(.ScalarW(ScalarW), .ExponentW(ExponentW),
                     .Slab(1 - Alone), .Config($clog2(Lanes) + 16 * OuterLog + ((Checks != 0) ? 128 : 0) + 256 * VF + 65536 * DF)) i_regs (
    .clk_i, .rst_ni, `AXIL_PASSED,
    .start_o(asked_start), .abort_o(abort), .send_o(asked), .share_o(share_all),
    .length_o(length_all), .row_length_o(row_all), .inner_o(inner_passes), .passes_o(passes), .tolerance_o(tolerance),
    .tolerance_exp_o(tolerance_exp), .headroom_o(headroom), .relax_o(relax), .stall_limit_o(stall_limit),
    .resized_o(resized), .headroom_now_i(headroom_now), .busy_i(solving | asked_start | waits | start | sending | send), .done_i(done),
    .sending_i(sending), .loaded_i(loaded_q), .end_i(fault ? `RESIDENT_END_FAULT : how), .v_over_i(v_over), .d_over_i(d_over),
    .fault_i(fault), .pass_count_i(passes_o), .steps_i(steps_o),
    .formed_again_i(formed_again), .overflows_i(overflows), .sigma_guards_i(sigma_guards), .exponent_i(exponent_o),
    .rr_i(rr_o), .cycles_i(cycles), .words_u_i(64'(all_words_u)), .words_r_i(64'(all_words_r)), .words_p_i(64'(all_words_p)),
    .words_q_i(64'(all_words_q)));
  assign busy_o = solving | waits;
  wire [LenW-1:0] length = length_all[LenW-1:0];
  wire [RowLenW-1:0] row_length = row_all[RowLenW-1:0];

  // An abort resets all but the registers, the memories and the words of V that are on their way out; a stall what did not
  // come to its end.
  logic run_n;
  wire  parts_n = run_n & ~stalled;
  always_ff @(posedge clk_i) run_n <= rst_ni & ~abort;
  // What was programmed stands for long before it is looked at.
  logic [6:0] bad_q;
  always_ff @(posedge clk_i)
    bad_q <= {length_all == '0, length_all > 32'(MaxLength), row_all < 32'd3, row_all < 32'(Lanes), row_all > 32'(MaxRow),
              row_all > length_all, inner_passes == '0};


  assign send = asked & ~(|bad_q[6:5]); // without a length there is nothing to send

  // LENGTH is no multiple of ROW_LENGTH: known after the start, and long before anything is written.
  wire odd;
`ifndef UNWATCHED
  row_remainder #(.LenW(LenW), .RowLenW(RowLenW)) i_remainder (
    .clk_i, .rst_ni(run_n), .start_i(start), .length_i(length), .row_length_i(row_length), .bad_o(odd));
`else
  assign odd = 1'b0;
`endif

  wire inner_start, inner_close, inner_done, inner_busy, close_over, form, betas, scalar_read, scalar_done;
  wire [31:0] inner_count, inner_guards, run_passes;
  wire [2:0] inner_end, set_at, scalar_at, scalar_end;
  wire [7:0] set;
  wire [31:0] set_word;
  wire [ScalarW-1:0] scalar;
  wire outer_asks, outer_start, correct, zero, outer_done, formed, r_over, slabs_bad;
  wire signed [ExponentW-1:0] correct_exponent;
  fx_outer_control #(.ScalarExpW(ScalarExpW), .ScalarFracW(ScalarFracW), .ScalarRne(ScalarRne),
                     .ExponentW(ExponentW), .Checks(Checks)) i_control (
    .clk_i, .rst_ni(run_n), .start_i(start), .refuse_i((|bad_q) | ~loaded_q | slabs_bad), .refuse_late_i((odd | fault) & solving), .inner_i(inner_passes), .passes_i(passes),
    .tolerance_i(tolerance), .tolerance_exp_i(tolerance_exp), .headroom_i(headroom), .relax_i(relax), .stall_limit_i(stall_limit), .headroom_o(headroom_now), .busy_o(solving), .done_o(done),
    .end_o(how), .passes_o, .steps_o, .formed_again_o(formed_again), .overflows_o(overflows),
    .sigma_guards_o(sigma_guards), .rr_o, .exponent_o, .cycles_o(cycles), .stalled_o(stalled), .accepted_o, .inner_start_o(inner_start),
    .inner_close_o(inner_close), .inner_passes_o(run_passes), .inner_done_i(inner_done), .inner_end_i(inner_end),
    .inner_count_i(inner_count), .inner_guards_i(inner_guards), .close_over_i(close_over), .form_o(form),
    .betas_o(betas), .set_o(set), .set_at_o(set_at), .set_word_o(set_word), .scalar_read_o(scalar_read),
    .scalar_at_o(scalar_at), .scalar_i(scalar), .scalar_done_i(scalar_done), .scalar_end_i(scalar_end),
    .outer_start_o(outer_asks), .correct_o(correct), .zero_o(zero), .correct_exponent_o(correct_exponent), .outer_done_i(outer_done),
    .v_over_i(v_over), .d_over_i(d_over), .r_over_i(r_over), .d_any_i(d_any), .rounded_i(rounded), .bad_o(control_bad));

  // ---- The passes --------------------------------------------------------------------------------------------------
  core_vectors_t inner_read, inner_write;
  wire inner_bad, outer_bad, outer_u_read, outer_p_read, outer_v_read;
  wire [AW-1:0] inner_u_at, inner_r_at, inner_p_at, inner_q_at, u_to, r_to, p_to, q_to;
  wire [Lanes*UW-1:0] u_word, u_early, u_new;
  wire [Lanes*RW-1:0] r_word, r_early, r_new;
  wire [Lanes*PW-1:0] p_word, p_early, p_new;
  wire [Lanes*QW-1:0] q_word, q_early, q_new;
  wire [DotRrW-1:0] rr, all_rr;
  wire [DotPqW-1:0] rp, all_rp;
  wire inner_ready, own_close_over, own_v_over, own_d_over, own_r_over, own_d_any;
  wire [LenW-1:0] slab, own_first, own_last, last_halo, outer_first, outer_last;
  wire [RowLenW-1:0] column;
  fx_inner #(
`include "fx_parameters_passed.svh"
    , .Depth(Depth)) i_inner (
    .clk_i, .rst_ni(parts_n), .start_i(inner_start), .close_i(inner_close), .clear_words_i(start | ~rst_ni), .length_i(slab),
    .own_first_i(own_first), .own_last_i(own_last), .last_halo_i(last_halo), .column_i(column), .ready_i(inner_ready),
    .m_axis_sum_tdata, .m_axis_sum_tvalid, .m_axis_sum_tready, .s_axis_sum_tdata, .s_axis_sum_tvalid, .s_axis_sum_tready,
    .row_length_i(row_length), .passes_i(run_passes), .busy_o(inner_busy), .done_o(inner_done), .end_o(inner_end),
    .pass_count_o(inner_count), .sigma_guards_o(inner_guards), .close_over_o(own_close_over), .words_u_o(words_u),
    .words_r_o(words_r), .words_p_o(words_p), .words_q_o(words_q), .bad_o(inner_bad), .form_i(form), .betas_i(betas), .rr_i(all_rr),
    .rp_i(all_rp), .set_i(set), .set_at_i(set_at), .set_word_i(set_word), .scalar_read_i(scalar_read),
    .scalar_at_i(scalar_at), .scalar_o(scalar), .scalar_done_o(scalar_done), .scalar_end_o(scalar_end),
    .read_o(inner_read), .u_read_at_o(inner_u_at), .r_read_at_o(inner_r_at), .p_read_at_o(inner_p_at),
    .q_read_at_o(inner_q_at), .u_i(u_word), .r_i(r_word), .p_i(p_word), .q_i(q_word), .write_o(inner_write),
    .u_write_at_o(u_to), .r_write_at_o(r_to), .p_write_at_o(p_to), .q_write_at_o(q_to), .u_o(u_new), .r_o(r_new),
    .p_o(p_new), .q_o(q_new));

  wire [AW-1:0] outer_u_at, outer_p_at, outer_r_to;
  wire [Lanes-1:0] outer_r_write;
  wire [Lanes*RW-1:0] outer_r;
  wire [OuterAW-1:0] outer_v_at, outer_v_to;
  wire outer_v_write;
  localparam integer VKeptW = VW + 2 * Checks; // with Checks words of V and D are kept with their residue modulo 3
  localparam integer DKeptW = DW + 2 * Checks;
  wire [OuterLanes*VKeptW-1:0] v_word, outer_v, v_early;
  wire [OuterLanes*DKeptW-1:0] d_word, outer_d, d_early;
  wire [DKeptW-1:0] d_loaded;
  fx_outer #(
`include "fx_parameters_passed.svh"
    , .OuterLanes(OuterLanes), .VW(VW), .VF(VF), .DW(DW), .DF(DF), .ExponentW(ExponentW), .Depth(Depth),
    .OuterDepth(OuterDepth)) i_outer (
    .clk_i, .rst_ni(parts_n), .start_i(outer_start), .correct_i(correct), .exponent_i(correct_exponent),
    .next_i(exponent_o), .length_i(slab), .row_length_i(row_length), .own_first_i(outer_first), .own_last_i(outer_last), .column_i(column),
    .done_o(formed), .v_over_o(own_v_over), .d_over_o(own_d_over), .r_over_o(own_r_over), .d_any_o(own_d_any), .rounded_o(rounded), .rr_o(rr), .rp_o(rp),
    .u_read_o(outer_u_read), .p_read_o(outer_p_read), .v_read_o(outer_v_read), .bad_o(outer_bad), .u_read_at_o(outer_u_at), .u_early_i(u_early),
    .p_read_at_o(outer_p_at), .p_early_i(p_early), .r_write_o(outer_r_write), .r_write_at_o(outer_r_to),
    .r_o(outer_r), .v_read_at_o(outer_v_at), .v_i(v_word), .d_i(d_word), .v_write_o(outer_v_write),
    .v_write_at_o(outer_v_to), .v_o(outer_v), .d_o(outer_d));

  // ---- The host: D comes in, V goes out ------------------------------------------------------------------------------
  wire [PlaceW-1:0] load_to, send_from;
  wire load_own, sent_own, shares, takes, takes_u, takes_others;
  logic [IndexW-1:0] load_q;
  logic beyond_q; // more words came than there are places
  wire [IndexW-1:0] send_at;
  wire moves;
  wire [OuterLanes-1:0] load_lane;
  wire load = s_axis_d_tvalid & s_axis_d_tready;
  assign s_axis_d_tready = ~solving & ~asked_start & ~waits & ~start & ~sending & ~send;
  wire [LenW-1:0] last = length - LenW'(1);
  always_ff @(posedge clk_i)
    if (!run_n || start) begin
      load_q   <= '0;
      beyond_q <= 1'b0;
      loaded_q <= 1'b0;
    end else if (load) begin
      load_q   <= s_axis_d_tlast ? '0 : load_q + IndexW'(1);
      beyond_q <= ~s_axis_d_tlast & (beyond_q | (&load_q));
      loaded_q <= s_axis_d_tlast & ~beyond_q & LenW'(load_q) == last;
    end else if (resized) begin
      loaded_q <= 1'b0;
    end
  fx_send #(.LenW(LenW), .IndexW(IndexW)) i_send (
    .clk_i, .rst_ni, .send_i(send), .length_i(length), .sending_o(sending), .at_o(send_at), .moves_o(moves),
    .tvalid_o(m_axis_v_tvalid), .tlast_o(m_axis_v_tlast), .tready_i(m_axis_v_tready));
  generate
    if (OuterLanes == 1) begin : g_one
      assign load_lane = load & load_own;
      assign m_axis_v_tdata = v_word[VW-1:0] & {VW{sent_own}};
    end else begin : g_some
      logic [OuterLog-1:0] part_q, part_q2;
      always_ff @(posedge clk_i)
        if (moves) begin
          part_q  <= send_from[OuterLog-1:0];
          part_q2 <= part_q;
        end
      assign load_lane = {{(OuterLanes-1){1'b0}}, load & load_own} << load_to[OuterLog-1:0];
      assign m_axis_v_tdata = v_word[part_q2*VKeptW +: VW] & {VW{sent_own}};
    end
  endgenerate

  // ---- Several cores: what they share, and where their slabs are -------------------------------------------------------
  wire [AW-1:0] share_from, share_to;
  wire [Lanes*UW-1:0] u_link;
  wire [Lanes*RW-1:0] r_link;
  wire [Lanes*PW-1:0] p_link;
  wire [Lanes*QW-1:0] q_link;
  generate
    if (Alone != 0) begin : g_one_core
      assign {start, waits, slabs_bad} = {asked_start, 2'b00};
      assign {outer_start, outer_done, inner_ready} = {outer_asks, formed, 1'b1};
      assign {v_over, d_over, r_over, d_any, close_over} = {own_v_over, own_d_over, own_r_over, own_d_any, own_close_over};
      assign {all_rr, all_rp} = {rr, rp};
      assign {all_words_u, all_words_r, all_words_p, all_words_q} = {words_u, words_r, words_p, words_q};
      assign {slab, own_first, own_last, last_halo, outer_first, outer_last, column} = {length, {(5*LenW+RowLenW){1'b0}}};
      assign {load_to, send_from, load_own, sent_own} = {load_q, send_at, 2'b11};
      assign {shares, takes, takes_u, takes_others, share_from, share_to, u_link, r_link, p_link, q_link} = '0;
      assign {link_valid_o, link_o, peer_o, form_o} = '0;
      wire unused_peers = &{1'b0, link_valid_i, link_i, all_i, all_form_i, share_all, share_from, share_to, u_link, r_link, p_link, q_link};
    end else begin : g_slab
      wire slab_started, slab_bad, shared, north;
      logic waits_q, formed_q, were_formed_q, share_u_q, share_start_q, outer_waits_q, outer_start_q;
      wire all_bad, all_shared, all_formed;
      // When all have come to the end of a pass, or of a FORM, neighbours share what it made while the scalars are formed: u of a pass that
      // closes a run, else r, p and q. What reads them next waits for that.
      wire share_begins = s_axis_sum_tvalid | (all_formed & ~were_formed_q);
      wire standing = all_shared & ~share_begins & ~share_start_q;
      assign shares = ~shared | share_start_q;
      always_ff @(posedge clk_i)
        if (!run_n || stalled) begin
          {waits_q, formed_q, were_formed_q, outer_waits_q, share_start_q, outer_start_q} <= '0;
        end else begin
          waits_q       <= (waits_q | asked_start) & ~slab_started;
          formed_q      <= ~outer_asks & (formed_q | formed);
          were_formed_q <= all_formed;
          share_start_q <= share_begins;
          outer_waits_q <= outer_asks | (outer_waits_q & ~standing);
          outer_start_q <= outer_waits_q & standing;
        end
      always_ff @(posedge clk_i) if (share_begins) share_u_q <= s_axis_sum_tvalid & inner_close;
      assign waits       = waits_q;
      assign start       = slab_started;
      assign slabs_bad   = all_bad;
      assign inner_ready = standing;
      assign outer_start = outer_start_q;
      assign outer_done  = all_formed & ~outer_asks;
      assign peer_o = {words_u, words_r, words_p, words_q, own_close_over, own_r_over, own_d_over, own_v_over, own_d_any, slab_bad, shared, formed_q};
      assign {all_words_u, all_words_r, all_words_p, all_words_q, close_over, r_over, d_over, v_over, d_any, all_bad, all_shared, all_formed} = all_i;
      assign form_o = {rr, rp};
      assign {all_rr, all_rp} = all_form_i;

      wire [LenW-1:0] load_place, send_place;
      wire send_own;
      logic own_q, own_q2;
      always_ff @(posedge clk_i) if (moves) {own_q, own_q2} <= {send_own, own_q};
      assign sent_own  = own_q2;
      assign load_to   = PlaceW'(load_place);
      assign send_from = PlaceW'(send_place);
      wire unused_places = &{1'b0, load_place, send_place};
      fx_resident_slab #(.Lanes(Lanes), .OuterLanes(OuterLanes), .LenW(LenW), .RowLenW(RowLenW), .Cores(Cores), .Core(Core), .AW(AW),
                         .OuterAW(OuterAW)) i_slab (
        .clk_i, .rst_ni(parts_n), .start_i(asked_start), .length_i(length), .row_length_i(row_length), .share_i(share_all[LenW-1:0]),
        .started_o(slab_started), .bad_o(slab_bad), .length_o(slab), .last_halo_o(last_halo), .column_o(column), .own_first_o(own_first),
        .own_last_o(own_last), .outer_first_o(outer_first), .outer_last_o(outer_last), .load_at_i(load_q), .load_own_o(load_own),
        .load_to_o(load_place), .send_at_i(send_at), .send_own_o(send_own), .send_from_o(send_place), .share_start_i(share_start_q),
        .shared_o(shared), .north_o(north), .read_at_o(share_from), .link_valid_o, .link_valid_i(north ? link_valid_i[0] : link_valid_i[1]),
        .takes_o(takes), .write_at_o(share_to));
      assign link_o = share_u_q ? LinkW'(u_word) : LinkW'({r_word, p_word, q_word});
      logic [LinkW-1:0] link_q;
      always_ff @(posedge clk_i) link_q <= north ? link_i[LinkW-1:0] : link_i[2*LinkW-1:LinkW];
      assign u_link = link_q[Lanes*UW-1:0];
      assign {r_link, p_link, q_link} = link_q[Lanes*(RW+PW+QW)-1:0];
      assign takes_u = takes & share_u_q;
      assign takes_others = takes & ~share_u_q;
      wire unused_links = &{1'b0, link_q, share_all, correct};
    end
  endgenerate

  // ---- Memories ----------------------------------------------------------------------------------------------------
  // A memory's words are checked where they count: in a run's first pass u's do not, nor p's while it counts as 0, nor r's and
  // q's in the pass that closes a run.
  wire first = inner_count == '0 & ~inner_close;
  wire u_bad, r_bad, p_bad, q_bad, v_bad, d_bad;
  fx_memory #(.Lanes(Lanes), .W(UW), .Depth(Depth), .Parity(Checks)) i_u (
    .clk_i, .read_i(1'b1), .read_at_i(shares ? share_from : inner_busy ? inner_u_at : outer_u_at), .early_o(u_early), .word_o(u_word),
    .write_i({Lanes{inner_write.u | takes_u}}), .write_at_i(takes ? share_to : u_to), .word_i(takes ? u_link : u_new),
    .check_i(inner_busy ? inner_read.u & ~first : outer_u_read), .bad_o(u_bad));
  fx_memory #(.Lanes(Lanes), .W(RW), .Depth(Depth), .Parity(Checks)) i_r (
    .clk_i, .read_i(1'b1), .read_at_i(shares ? share_from : inner_r_at), .early_o(r_early), .word_o(r_word),
    .write_i({Lanes{inner_write.r | takes_others}} | outer_r_write), .write_at_i(takes ? share_to : inner_busy ? r_to : outer_r_to),
    .word_i(takes ? r_link : inner_busy ? r_new : outer_r),
    .check_i(inner_read.r & ~inner_close), .bad_o(r_bad));
  fx_memory #(.Lanes(Lanes), .W(PW), .Depth(Depth), .Parity(Checks)) i_p (
    .clk_i, .read_i(1'b1), .read_at_i(shares ? share_from : inner_busy ? inner_p_at : outer_p_at), .early_o(p_early), .word_o(p_word),
    .write_i({Lanes{inner_write.p | takes_others}}), .write_at_i(takes ? share_to : p_to), .word_i(takes ? p_link : p_new),
    .check_i(inner_busy ? inner_read.p & ~(first & zero) : outer_p_read & ~zero), .bad_o(p_bad));
  fx_memory #(.Lanes(Lanes), .W(QW), .Depth(Depth), .Parity(Checks)) i_q (
    .clk_i, .read_i(1'b1), .read_at_i(shares ? share_from : inner_q_at), .early_o(q_early), .word_o(q_word),
    .write_i({Lanes{inner_write.q | takes_others}} | outer_r_write), .write_at_i(takes ? share_to : inner_busy ? q_to : outer_r_to),
    .word_i(takes ? q_link : inner_busy ? q_new : outer_r),
    .check_i(inner_read.q & ~inner_close), .bad_o(q_bad));
  fx_memory #(.Lanes(OuterLanes), .W(VKeptW), .Depth(OuterDepth), .Parity(Checks)) i_v (
    .clk_i, .read_i(moves), .read_at_i(solving ? outer_v_at : send_from[PlaceW-1 -: OuterAW]), .early_o(v_early),
    .word_o(v_word), .write_i({OuterLanes{outer_v_write}} | load_lane),
    .write_at_i(solving ? outer_v_to : load_to[PlaceW-1 -: OuterAW]), .word_i(outer_v & {(OuterLanes*VKeptW){solving}}),
    .check_i(solving ? outer_v_read : sending), .bad_o(v_bad));
  fx_memory #(.Lanes(OuterLanes), .W(DKeptW), .Depth(OuterDepth)) i_d (
    .clk_i, .read_i(1'b1), .read_at_i(outer_v_at), .early_o(d_early), .word_o(d_word),
    .write_i({OuterLanes{outer_v_write}} | load_lane),
    .write_at_i(solving ? outer_v_to : load_to[PlaceW-1 -: OuterAW]),
    .word_i(solving ? outer_d : {OuterLanes{d_loaded}}),
    .check_i(outer_v_read), .bad_o(d_bad));
  generate
    if (Checks != 0) begin : g_checks
      wire [1:0] d_residue;
      mod3_residue #(.W(DW)) i_d_in (.clk_i, .en_i(1'b1), .word_i(s_axis_d_tdata), .residue_o(d_residue));
      assign d_loaded = {d_residue, s_axis_d_tdata};
      // What is programmed does not change while a solve is on, no run is longer than it may be, and nobody asks for V.
      wire config_odd = ^{length, row_length, inner_passes, passes, tolerance, tolerance_exp};
      logic config_q, config_bad_q;
      logic fault_q;
      always_ff @(posedge clk_i) begin
        if (start) config_q <= config_odd;
        config_bad_q <= run_n & solving & (config_odd != config_q | inner_count > inner_passes | asked);
      end
      always_ff @(posedge clk_i)
        if (!run_n || start) fault_q <= 1'b0;
        else fault_q <= fault_q | u_bad | r_bad | p_bad | q_bad | v_bad | d_bad | inner_bad | outer_bad | control_bad |
                        config_bad_q;
      assign fault = fault_q;
    end else begin : g_no_checks
      assign fault = 1'b0;
      assign d_loaded = s_axis_d_tdata;
      wire unused_checks = &{1'b0, u_bad, r_bad, p_bad, q_bad, v_bad, d_bad, inner_bad, outer_bad, control_bad};
    end
  endgenerate
  wire unused = &{1'b0, r_early, q_early, v_early, d_early};
endmodule
`default_nettype wire
