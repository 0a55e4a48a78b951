/// What the integer core with Checks knows of its own upsets. bad_o, one clock: something was not as it must be.
///
///   words     each word that comes in has its residue modulo 3 beside it from the stream on; those that words going out must
///             have are formed from them (fx_lane_residue, fx_row_residue) and compared at the stream, each word by itself
///   totals    the sums of the residues' products against the totals' residues, as the scalar unit takes them
///   scalars   the program runs once more while the next pass begins (fx_scalars)
///   counts    beats that leave, whether even or odd, passes modulo 256, the bank; and how long a pass goes on after its last token
///   registers what is programmed: its parity, from the start on
///
/// A word that overflows is as exact as another; after a product that does not fit no residue is compared: that ends the run by
/// itself. Residues of factors that 3 divides hide a word's error, so words in front of a multiplier have a parity bit too, and
/// p' is compared in front of p.q.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module fx_core_checks #(
`include "fx_parameters.svh"
  , parameter integer ConfigW = 32,
  localparam integer PassesW = 8
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,
  input  wire                   en_i,
  input  wire                   start_i,
  input  wire                   busy_i,
  input  wire                   clear_i,
  input  wire                   close_i,
  input  wire  [ConfigW-1:0]    config_i,    ///< what is programmed
  input  wire  [LenW-1:0]       length_i,
  input  wire                   bank_reg_i,
  input  wire                   bank_i,
  input  wire  [PassesW-1:0]    pass_count_i, ///< its low bits; higher ones show to who asked for so many passes
  input  wire                   pass_done_i, ///< one clock: the count is one more after it

  input  core_vectors_t         in_ready_i,
  input  wire  [Lanes*UW-1:0]   u_in_i,      ///< the streams' words
  input  wire  [Lanes*RW-1:0]   r_in_i,
  input  wire  [Lanes*PW-1:0]   p_in_i,
  input  wire  [Lanes*QW-1:0]   q_in_i,
  input  core_vectors_t         out_valid_i,
  input  core_vectors_t         out_ready_i,
  input  core_vectors_t         out_full_i,  ///< a beat is kept
  input  wire  [Lanes*UW-1:0]   u_out_i,
  input  wire  [Lanes*RW-1:0]   r_out_i,
  input  wire  [Lanes*PW-1:0]   p_out_i,
  input  wire  [Lanes*QW-1:0]   q_out_i,

  output logic [4*2*Lanes-1:0]  words_o,     ///< residues of {q, p, r, u}, with the words that the updates take
  input  wire  [3*2*Lanes-1:0]  updated_i,   ///< those of {p', r', u'}, with the words
  input  wire  [2*2*Lanes-1:0]  rows_i,      ///< those of {p', q'} with q'
  input  wire                   r_give_i,
  input  wire                   q_give_i,
  input  wire  [Lanes*PW-1:0]   p_word_i,    ///< the words that the updates take
  input  wire  [Lanes*QW-1:0]   q_word_i,
  input  wire  [Lanes*PW-1:0]   p_middle_i,  ///< p' with q'
  input  wire                   token_i,     ///< a token of a pass is at the updates
  input  wire                   beyond_i,    ///< a product's term does not fit
  input  wire                   over_i,      ///< a word overflows
  input  wire                   over_bad_i,  ///< fx_update's, and fx_rows' bad_o
  input  wire  [3:0]            overs_i,     ///< one has, say the registers WORDS
  input  wire                   lost_i,      ///< the sequence has lost its state
  input  wire  [4:0]            total_i,     ///< {valid, number, residue}: scalar_sequencer's
  input  wire                   checking_i,  ///< the scalars are formed once more
  output logic                  late_o,      ///< they have had their time
  input  wire                   scalars_bad_i,
  output logic                  bad_o
);
`include "mod3.svh"
  localparam integer RL = 2 * Lanes;
  localparam integer Log = $clog2(Lanes);

  // ---- Words that come in ------------------------------------------------------------------------------------------
  wire [4*RL-1:0] taken;
  mod3_residue #(.Lanes(Lanes), .W(UW)) i_u_in (.clk_i, .en_i(1'b1), .word_i(u_in_i), .residue_o(taken[0 +: RL]));
  mod3_residue #(.Lanes(Lanes), .W(RW)) i_r_in (.clk_i, .en_i(1'b1), .word_i(r_in_i), .residue_o(taken[RL +: RL]));
  mod3_residue #(.Lanes(Lanes), .W(PW)) i_p_in (.clk_i, .en_i(1'b1), .word_i(p_in_i), .residue_o(taken[2*RL +: RL]));
  mod3_residue #(.Lanes(Lanes), .W(QW)) i_q_in (.clk_i, .en_i(1'b1), .word_i(q_in_i), .residue_o(taken[3*RL +: RL]));
  wire [3:0] ready = in_ready_i;
  genvar k, l;
  generate
    for (k = 0; k < 4; k = k + 1) begin : g_in
      always_ff @(posedge clk_i) if (ready[k]) words_o[k*RL +: RL] <= taken[k*RL +: RL];
    end
  endgenerate

  // Words in front of a multiplier.
  logic [Lanes-1:0] p_odd_q, q_odd_q;
  logic factor_bad_q, q_give_q;
  logic [RL-1:0] middle_q;
  wire [Lanes-1:0] p_odd_in, q_odd_in, p_odd, q_odd;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_odd
      assign p_odd_in[l] = ^p_in_i[l*PW +: PW];
      assign q_odd_in[l] = ^q_in_i[l*QW +: QW];
      assign p_odd[l]    = ^p_word_i[l*PW +: PW];
      assign q_odd[l]    = ^q_word_i[l*QW +: QW];
    end
  endgenerate
  wire [RL-1:0] middle;
  mod3_residue #(.Lanes(Lanes), .W(PW), .Piped(1)) i_middle (.clk_i, .en_i(1'b1), .word_i(p_middle_i), .residue_o(middle));
  always_ff @(posedge clk_i) begin
    if (ready[2]) p_odd_q <= p_odd_in;
    if (ready[3]) q_odd_q <= q_odd_in;
    q_give_q <= q_give_i;
    middle_q <= rows_i[RL +: RL];
    factor_bad_q <= rst_ni & busy_i & ~clear_i & ((p_odd ^ p_odd_q) != (q_odd ^ q_odd_q) | (q_give_q & middle != middle_q));
  end

  // ---- Words that go out -------------------------------------------------------------------------------------------
  // u' and q' at the streams, where a beat that waits is kept (fx_streams), and so its residues. p' has been looked at in front of
  // p.q, and r', where p' takes all of it, with p': of these it is left to see that a beat that waits stands.
  localparam integer Whole = (RF <= PF) ? 1 : 0;
  localparam [3:0] Looked = {1'b1, 1'b0, 1'(1 - Whole), 1'b1};
  wire [4*RL-1:0] must = {rows_i[RL-1:0], updated_i};
  wire [4*RL-1:0] are;
  wire [3:0] odd = {1'b0, ^p_out_i, ^r_out_i, 1'b0};
  wire [3:0] full = out_full_i, valid = out_valid_i, moves = out_valid_i & out_ready_i;
  mod3_residue #(.Lanes(Lanes), .W(UW), .Piped(1)) i_u_out (.clk_i, .en_i(1'b1), .word_i(u_out_i), .residue_o(are[0 +: RL]));
  mod3_residue #(.Lanes(Lanes), .W(QW), .Piped(1)) i_q_out (.clk_i, .en_i(1'b1), .word_i(q_out_i), .residue_o(are[3*RL +: RL]));
  assign are[2*RL +: RL] = '0;
  // Whether a beat waits, once more: else an old one would go out in a new one's place.
  logic waits_odd_q, full_bad_q;
  always_ff @(posedge clk_i) begin
    waits_odd_q <= rst_ni & ^(out_valid_i & ~out_ready_i);
    full_bad_q  <= rst_ni & ^full != waits_odd_q;
  end
  logic [3:0] other_q; // a word is not what it must be
  generate
    if (Whole != 0) begin : g_whole
      assign are[RL +: RL] = '0;
    end else begin : g_cut
      mod3_residue #(.Lanes(Lanes), .W(RW), .Piped(1)) i_r_out (.clk_i, .en_i(1'b1), .word_i(r_out_i), .residue_o(are[RL +: RL]));
    end
    for (k = 0; k < 4; k = k + 1) begin : g_out
      if (Looked[k]) begin : g_looked
        logic [RL-1:0] shown_q; // stands as long as its beat
        logic valid_q;
        always_ff @(posedge clk_i) begin
          if (!full[k]) shown_q <= must[k*RL +: RL];
          valid_q    <= valid[k];
          other_q[k] <= rst_ni & valid_q & are[k*RL +: RL] != shown_q;
        end
      end else begin : g_stands
        logic odd_q;
        always_ff @(posedge clk_i) begin
          odd_q      <= odd[k];
          other_q[k] <= rst_ni & full[k] & odd[k] != odd_q;
        end
        wire unused = &{1'b0, are[k*RL +: RL], must[k*RL +: RL], valid[k]};
      end
    end
  endgenerate
  wire unused_odd = &{1'b0, odd};

  // ---- Totals ------------------------------------------------------------------------------------------------------
  wire [3*RL-1:0] products; // {qq, pq, rr}
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_product
      wire [1:0] r = updated_i[RL+2*l +: 2], p = rows_i[RL+2*l +: 2], q = rows_i[2*l +: 2];
      assign products[2*l +: 2]        = mod3_times(r, r);
      assign products[RL+2*l +: 2]     = mod3_times(p, q);
      assign products[2*RL+2*l +: 2]   = mod3_times(q, q);
    end
  endgenerate
  logic [5:0] total_q;
  wire [5:0] total_next;
  wire [2:0] gives = {q_give_i, q_give_i, r_give_i};
  generate
    for (k = 0; k < 3; k = k + 1) begin : g_total
      mod3_sum #(.N(Lanes + 1)) i_sum (.digits_i({total_q[2*k +: 2], products[k*RL +: RL]}), .sum_o(total_next[2*k +: 2]));
      always_ff @(posedge clk_i)
        if (clear_i) total_q[2*k +: 2] <= '0;
        else if (en_i && gives[k]) total_q[2*k +: 2] <= total_next[2*k +: 2];
    end
  endgenerate
  wire [1:0] total = (total_i[3:2] == 2'd0) ? total_q[1:0] : (total_i[3:2] == 2'd1) ? total_q[3:2] : total_q[5:4];
  logic total_bad_q;
  always_ff @(posedge clk_i) total_bad_q <= rst_ni & total_i[4] & ~checking_i & total != total_i[1:0]; // of the first run

  // ---- Counts ------------------------------------------------------------------------------------------------------
  logic [1:0] beats_q; // of q; of p, r and u together, which have as many each
  logic token_odd;
  logic [PassesW-1:0] passes_q; // to go to all ones
  logic count_bad_q, bank_q;
  generate
    if (Lanes == 1) begin : g_one
      assign token_odd = length_i[0];
      wire unused = &{1'b0, length_i};
    end else begin : g_lanes
      always_ff @(posedge clk_i) token_odd <= 1'((length_i + LenW'(Lanes - 1)) >> Log);
    end
  endgenerate
  always_ff @(posedge clk_i)
    if (clear_i) beats_q <= '0;
    else beats_q <= beats_q ^ {moves[3], ^moves[2:0]};
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      passes_q <= '1;
      bank_q   <= bank_reg_i;
    end else if (pass_done_i) begin
      passes_q <= passes_q - 1'b1;
      bank_q   <= ~bank_q;
    end
    count_bad_q <= rst_ni & busy_i & ~start_i & ((close_i & beats_q != {2{token_odd}}) | pass_count_i != ~passes_q | bank_i != bank_q);
  end

  // ---- What is programmed ------------------------------------------------------------------------------------------
  logic config_q, config_bad_q;
  always_ff @(posedge clk_i) begin
    if (start_i) config_q <= ^config_i;
    config_bad_q <= rst_ni & busy_i & ~start_i & (^config_i) != config_q;
  end

  // The longest row after the last token, and what the scalar unit may take; from the close on what both its runs may, while the
  // second one is on.
  localparam integer MostBehind = `MAX2(2048, 2 * MaxRow + 1024);
  localparam integer MostLog = 9; // of the runs' clocks, and the bus that holds them up
  localparam integer BehindW = $clog2(MostBehind);
  logic [BehindW:0] behind_q;
  logic late_q;
  logic beyond_q, over_q; // since the start
  always_ff @(posedge clk_i)
    if (start_i) {beyond_q, over_q} <= 2'b00;
    else {beyond_q, over_q} <= {beyond_q | beyond_i, over_q | over_i};
  always_ff @(posedge clk_i) begin
    if (close_i || (~checking_i && (clear_i || token_i || !busy_i))) behind_q <= '0;
    else if (en_i || checking_i) behind_q <= behind_q + 1'b1;
    late_q <= checking_i & behind_q[MostLog];
    bad_o <= rst_ni & ((((|other_q) | total_bad_q | factor_bad_q) & ~beyond_q) | count_bad_q | full_bad_q | config_bad_q | scalars_bad_i | over_bad_i |
                       lost_i | behind_q[BehindW] | (close_i & (|overs_i) & ~over_q));
  end
  assign late_o = late_q;
endmodule
`default_nettype wire
