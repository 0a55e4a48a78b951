/// The second part of a pass of the integer core: q' = A p' from the stream of p', with a constant stencil (CoefMode 1) or with
/// streamed weights of fluxes (CoefMode 0); and when each coefficient stream is taken. Elements that a constant stencil
/// leaves out (the grid's edge) and lanes after the end give q' = 0.
///
/// Slots come one in each enabled clock from the first to the last of a pass; the slot that completes the window of token t
/// is number t + D (fx_window), and q' of token t is there PlanLatency clocks later (fx_row_plan.svh).
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module fx_rows #(
`include "fx_parameters.svh"
  , parameter integer Parity = 0       ///< 1: p' has a parity bit on its way, with one lane in the line buffers too
  , parameter integer Residues = 0     ///< 1: residue_o, with a constant stencil
) (
  input  wire                          clk_i,
  input  wire                          rst_ni,
  input  wire                          en_i,
  input  wire                          clear_i,
  input  wire  [6:0]                   ptr_i,
  input  wire  [LenW-1:0]              length_i,
  input  wire  [RowLenW-1:0]           row_length_i,
  input  wire  [Lanes-1:0]             live_last_i,       ///< lanes of the last token that hold an element
  input  wire  [LenW-1:0]              own_first_i,       ///< with Alone 0: the tokens that are written and summed, fx_slab's
  input  wire  [LenW-1:0]              own_last_i,
  input  wire  [RowLenW-1:0]           column_i,          ///< likewise: of the first element in its row
  input  wire                          slot_i,            ///< p_i is that of a slot
  input  wire                          slot_real_i,       ///< of a token, not of the flush
  input  wire                          slot_last_i,
  input  wire  [Lanes*PW-1:0]          p_i,               ///< 0 after the end
  input  wire  [Coefs*Lanes*CoefW-1:0] band_i,            ///< stream-major: w_E, w_NW, w_N, w_NE, c
  output logic [Coefs-1:0]             take_band_o,       ///< beats taken: see core_streams
  output logic [Coefs-1:0]             take_band_ahead_o,
  output logic [Coefs-1:0]             take_band_last_o,
  output core_vectors_t                give_o,            ///< beats of q' let go of
  output core_vectors_t                give_ahead_o,
  output core_vectors_t                give_last_o,
  output logic [Lanes*QW-1:0]          q_o,
  output logic [Lanes-1:0]             over_o,            ///< lanes whose word does not fit
  output logic [Lanes-1:0]             live_o,            ///< lanes that hold an element
  output logic [Lanes*PW-1:0]          p_o,               ///< p' of the same elements
  output logic                         bad_o,             ///< with Parity: a word was not what it had been; with Residues: an edge
  input  wire  [2*Lanes-1:0]           residue_i,         ///< with Residues, with p_i: its residues modulo 3
  output logic [2*2*Lanes-1:0]         residue_o          ///< and those that {p_o, q_o} must have
);
  `REQUIRE(g_lanes_bad, Lanes >= 1 && Lanes <= 64 && (Lanes & (Lanes - 1)) == 0, "fx_rows: Lanes must be 1, 2, 4 .. 64")
`include "fx_row_plan.svh"
  localparam integer Latency = PlanLatency;
  localparam integer Stencil = (CoefMode == 1) ? 1 : 0;

  // Element tokens, by the clocks after the slot that completes their window.
  wire window, second, ends;
  fx_window #(.Lanes(Lanes), .MaxRow(MaxRow)) i_window (
    .clk_i, .en_i, .clear_i, .row_length_i, .slot_i, .window_o(window), .second_o(second), .ends_o(ends));
  logic [Latency:1] window_q, last_q, second_q;
  wire [Latency:0] window_at = {window_q, window};
  wire [Latency:0] last_at = {last_q, slot_i & slot_last_i};
  wire [Latency:0] second_at = {second_q, second};
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) begin
      window_q <= '0;
      last_q   <= '0;
    end else if (en_i) begin
      window_q <= window_at[Latency-1:0];
      last_q   <= last_at[Latency-1:0];
    end
  always_ff @(posedge clk_i) if (en_i) second_q <= second_at[Latency-1:0]; // first windows come later than its old bits

  // Those of them whose words leave.
  logic [Latency:0] own_at, own_last_at;
  generate
    if (Alone != 0) begin : g_all
      assign own_at      = window_at;
      assign own_last_at = last_at;
      wire unused = &{1'b0, own_first_i, own_last_i};
    end else begin : g_own
      logic [Latency:1] own_q, own_last_q;
      fx_own #(.LenW(LenW)) i_own (
        .clk_i, .en_i, .clear_i, .token_i(window), .begin_i(own_first_i), .end_i(own_last_i), .own_o(own_at[0]),
        .last_o(own_last_at[0]));
      assign own_at[Latency:1]      = own_q;
      assign own_last_at[Latency:1] = own_last_q;
      always_ff @(posedge clk_i)
        if (!rst_ni || clear_i) begin
          own_q      <= '0;
          own_last_q <= '0;
        end else if (en_i) begin
          own_q      <= own_at[Latency-1:0];
          own_last_q <= own_last_at[Latency-1:0];
        end
    end
  endgenerate

  wire [Lanes*PW-1:0] south, centre;
  wire [(Lanes+Stencil)*PW-1:0] north;
  wire north_next, centre_odd, lines_bad, mark;
  fx_lines #(.PW(PW), .Lanes(Lanes), .MaxRow(MaxRow), .Rows((Stencil != 0) ? 3 : 2), .Open(Stencil), .Parity(Parity)
`ifdef LEAN_LANES
    , .Half(PlanHalf)
`endif
  ) i_lines (
    .clk_i, .en_i, .clear_i, .row_length_i, .p_i, .south_o(south), .centre_o(centre), .north_o(north),
    .north_next_o(north_next), .mark_i(mark), .centre_odd_o(centre_odd), .bad_o(lines_bad));
  localparam integer KeptW = Lanes * PW + Parity;
  wire [KeptW-1:0] kept;
  delay #(.W(KeptW), .N(Latency - PlanLines + 1), .Ram(DelayRam)) i_p (
    .clk_i, .en_i, .ptr_i, .d_i(KeptW'({centre_odd, centre})), .q_o(kept));
  assign p_o = kept[Lanes*PW-1:0];
  wire word_bad, edge_bad;
  assign bad_o = word_bad | edge_bad;
  generate
    if (Parity != 0) begin : g_parity
      // No reset: a pass after one must not have the mark of the pass that it ended.
      logic clear_q, mark_q, word_bad_q;
`ifndef SYNTHESIS
      initial mark_q = 1'b0;
`endif
      always @(posedge clk_i) if (clear_i & ~clear_q) mark_q <= ~mark_q; // not always_ff: see fx_memory
      always_ff @(posedge clk_i) begin
        clear_q <= clear_i;
        word_bad_q <= rst_ni & (lines_bad | (own_at[Latency] & ^kept));
      end
      assign word_bad = word_bad_q;
      assign mark = mark_q;
    end else begin : g_bare
      assign mark  = 1'b0;
      assign word_bad = 1'b0;
      wire unused_parity = &{1'b0, centre_odd, lines_bad};
    end
  endgenerate

  // The lanes that become 0 a clock later: those after the end, and the edge. Fluxes of places without a token are
  // formed with whatever weights are there, and dot products add every word: they are 0 too.
  logic [Lanes-1:0] dead_q;
  wire [Lanes-1:0] edge_node;
  always_ff @(posedge clk_i)
    if (en_i) dead_q <= last_at[Latency-2] ? ~live_last_i : {Lanes{1'(Stencil == 0) & ~window_at[Latency-2]}};
  wire [Lanes-1:0] zero = dead_q | edge_node;
  generate
    if (Stencil != 0) begin : g_stencil
      wire flush_then, ends_then;
      wire [Lanes*`MAX2(1, RowShift)-1:0] below;
      wire [2*Lanes-1:0] above;
      delay #(.W(2), .N(Latency - 2)) i_edges_wait (
        .clk_i, .en_i, .ptr_i(7'd0), .d_i({slot_i & ~slot_real_i, ends}), .q_o({flush_then, ends_then}));
      fx_edges #(.Lanes(Lanes), .MaxRow(MaxRow), .LenW(LenW)) i_edges (
        .clk_i, .en_i, .clear_i, .length_i, .row_length_i, .column_i, .token_i(window_at[Latency-2]), .second_i(second_at[Latency-2]),
        .ends_i(ends_then),
        .flush_i(flush_then), .edge_o(edge_node));
      fx_row_stencil #(
`include "fx_parameters_passed.svh"
      ) i_row (
        .clk_i, .en_i, .ptr_i, .south_i(south), .centre_i(centre), .north_i(north),
        .north_next_i(north_next),
`ifdef LEAN_LANES
        .half_i(row_length_i[(Lanes > 1) ? $clog2(Lanes) - 1 : 0]),
`endif
        .zero_i(zero), .q_o, .over_o, .above_o(above), .below_o(below));
      if (Residues != 0) begin : g_residues
        wire [RowLenW-1:0] column_again;
        if (Lanes == 1) begin : g_twin
          wire edge_again;
          fx_edge_twin #(.MaxRow(MaxRow), .Wait(Latency - 2)) i_twin (
            .clk_i, .en_i, .clear_i, .row_length_i, .slot_i, .slot_real_i, .column_o(column_again), .edge_o(edge_again));
          assign edge_bad   = window_at[Latency-1] & edge_node[0] != edge_again; // where q' is 0 modulo 3 no residue shows it
        end else begin : g_same
          assign column_again = '0;
          assign edge_bad     = 1'b0;
        end
        fx_row_residue #(
`include "fx_parameters_passed.svh"
        ) i_residues (
          .clk_i, .en_i, .clear_i, .row_length_i, .column_i(column_again), .p_i(residue_i), .zero_i(zero), .above_i(above), .below_i(below),
          .q_o(residue_o[2*Lanes-1:0]), .p_o(residue_o[4*Lanes-1:2*Lanes]));
      end else begin : g_no_residues
        assign residue_o = '0;
        assign edge_bad  = 1'b0;
        wire unused_residue = &{1'b0, residue_i, above, below};
      end
      assign take_band_o       = '0;
      assign take_band_ahead_o = '0;
      assign take_band_last_o  = '0;
      wire unused = &{1'b0, band_i, second_at};
    end else begin : g_fluxes
      localparam integer Products = PlanLines + PlanProducts;
      // The clock in which what the row to the south sent is read: see fx_row_fluxes.
      localparam integer ReadAt = (Lanes == 1) ? Latency - PlanRounds - 2 :
                                                 Latency - PlanRounds - 2 - `LANE_TURN_LATENCY(Lanes);
      assign edge_node = '0;
      assign edge_bad  = 1'b0;
      assign residue_o = '0;
      wire unused_residue = &{1'b0, residue_i};
      fx_row_fluxes #(
`include "fx_parameters_passed.svh"
      ) i_row (
        .clk_i, .en_i, .clear_i, .ptr_i, .row_length_i, .centre_i(centre), .north_i(north), .coef_i(band_i),
        .token_i(window_at[Products]), .second_i(second_at[ReadAt]), .zero_i(zero), .q_o, .over_o);
      genvar c;
      for (c = 0; c < Coefs; c = c + 1) begin : g_take
        localparam integer At = (c == 4) ? PlanRowSumAt : PlanWeightAt;
        assign take_band_o[c]       = window_at[At];
        assign take_band_ahead_o[c] = window_at[At-1];
        assign take_band_last_o[c]  = last_at[At];
      end
      wire unused = &{1'b0, south, north_next, slot_real_i, length_i, column_i, second_at, ends};
    end
  endgenerate

  assign live_o = last_at[Latency] ? live_last_i : {Lanes{1'b1}};
  assign give_o.q = own_at[Latency];
  assign {give_o.p, give_o.r, give_o.u} = 3'b000;
  assign give_ahead_o.q = own_at[Latency-1];
  assign {give_ahead_o.p, give_ahead_o.r, give_ahead_o.u} = 3'b000;
  assign give_last_o.q = own_last_at[Latency];
  assign {give_last_o.p, give_last_o.r, give_last_o.u} = 3'b000;
endmodule
`default_nettype wire
