/// The second part of a pass: q' = A p', from the stream of p', with the coefficients of the bands or of the constant
/// stencil; and when each band is taken. The rows are formed by row_sum after a line_buffer (products), flux_rows or
/// second_rows. Elements that a constant stencil leaves out (the grid's edge) and lanes after the end give q' = +0.
`include "mantissa.svh"
`include "core_streams.svh"
`default_nettype none
module core_rows #(
`include "core_parameters.svh"
) (
  input  wire                      clk_i,
  input  wire                      rst_ni,
  input  wire                      en_i,
  input  wire                      clear_i,
  input  wire                      busy_i,
  input  wire  [6:0]               ptr_i,
  input  wire                      stencil_i,         ///< constant coefficients: no bands are taken
  input  wire  [LenW-1:0]          length_i,
  input  wire  [RowLenW-1:0]       row_length_i,
  input  wire  [Lanes-1:0]         live_last_i,       ///< lanes of the last token that hold an element
  input  wire                      slot_i,            ///< p_i is that of a slot
  input  wire                      slot_real_i,       ///< of a slot of an element token, and not of the flush
  input  wire                      slot_last_i,
  input  wire  [Lanes*PW-1:0]      p_i,               ///< the format's own bits, for products
  input  wire  [Lanes*2-1:0]       p_cls_i,           ///< class and word, for differences
  input  wire  [Lanes*PW-1:0]      p_word_i,
  input  wire  [9*CoefW-1:0]       coef_i,            ///< of the constant stencil; the first Coefs count
  input  wire  [Coefs*Lanes*2-1:0] band_cls_i,
  input  wire  [Coefs*Lanes*CoefW-1:0] band_i,
  output logic [8:0]               take_band_o,       ///< bands taken: see core_streams
  output logic [8:0]               take_band_ahead_o,
  output logic [8:0]               take_band_last_o,
  output core_vectors_t            give_o,            ///< beats of q' let go of
  output core_vectors_t            give_ahead_o,
  output core_vectors_t            give_last_o,
  output logic [Lanes*QW-1:0]      q_o,               ///< the format's own bits
  output logic [Lanes-1:0]         live_o,            ///< lanes that hold an element
  output logic [Lanes*2-1:0]       q_cls_o,
  output logic [Lanes*QW-1:0]      q_word_o,
  output logic [Lanes*2-1:0]       p_cls_o,           ///< p' of the same elements
  output logic [Lanes*PW-1:0]      p_word_o
);
  `REQUIRE(g_bad_order, Order < 3 || CoefMode == 1, "core_rows: second differences are a constant stencil's")
  wire window, window_last, window_ahead;

  // Element tokens on their way through the row sum, by the clocks after their window.
  logic [RowLatency:1] window_q, window_last_q;
  wire [RowLatency:0] window_at = {window_q, window};
  wire [RowLatency:0] window_last_at = {window_last_q, window_last};
  always_ff @(posedge clk_i)
    if (!rst_ni || clear_i) begin
      window_q      <= '0;
      window_last_q <= '0;
    end else if (en_i) begin
      window_q      <= window_at[RowLatency-1:0];
      window_last_q <= window_last_at[RowLatency-1:0];
    end

  wire [Coefs*Lanes*2-1:0]     coef_cls;
  wire [Coefs*Lanes*CoefW-1:0] coef;
  genvar l, b;
  generate
    for (b = 0; b < Coefs; b = b + 1) begin : g_coef
      for (l = 0; l < Lanes; l = l + 1) begin : g_lane
        localparam integer At = b * Lanes + l;
        wire [1:0] new_cls;
        fp_unpack #(.E(CoefExpW), .M(CoefFracW)) i_unpack (.word_i(coef_i[b*CoefW +: CoefW]), .cls_o(new_cls));
        logic [1:0] stencil_cls; // coefficients stand while busy
        always_ff @(posedge clk_i) if (!busy_i) stencil_cls <= new_cls;
        if (CoefMode == 1) begin : g_stencil
          assign coef[At*CoefW +: CoefW] = coef_i[b*CoefW +: CoefW];
          assign coef_cls[At*2 +: 2]     = stencil_cls;
        end else begin : g_choice
          assign coef[At*CoefW +: CoefW] = stencil_i ? coef_i[b*CoefW +: CoefW] : band_i[At*CoefW +: CoefW];
          assign coef_cls[At*2 +: 2]     = stencil_i ? stencil_cls : band_cls_i[At*2 +: 2];
        end
      end
      localparam integer Off = (Order < 2) ? `ROW_OFF(Order, RowFracW, b) :
                               `FLUX_OFF(CoefFracW, PFracW, RowFracW, b, AddStages);
      if (CoefMode == 1) begin : g_unwanted
        assign take_band_o[b]       = 1'b0;
        assign take_band_last_o[b]  = 1'b0;
        assign take_band_ahead_o[b] = 1'b0;
      end else begin : g_wanted
        assign take_band_o[b]      = ~stencil_i & window_at[Off];
        assign take_band_last_o[b] = window_last_at[Off];
        if (Off == 0) begin : g_ahead
          assign take_band_ahead_o[b] = ~stencil_i & window_ahead;
        end else begin : g_behind
          assign take_band_ahead_o[b] = ~stencil_i & window_at[Off-1];
        end
      end
    end
    for (b = Coefs; b < 9; b = b + 1) begin : g_no_coef
      assign take_band_o[b]       = 1'b0;
      assign take_band_last_o[b]  = 1'b0;
      assign take_band_ahead_o[b] = 1'b0;
    end
    if (Coefs < 9) begin : g_few_coefs
      wire unused = &{1'b0, coef_i[9*CoefW-1:Coefs*CoefW], window_ahead};
    end
    if (CoefMode == 1) begin : g_stencil_only
      wire unused = &{1'b0, band_i, band_cls_i, window_ahead};
    end
  endgenerate

  wire [Lanes*2-1:0]  q_cls;
  wire [Lanes*QW-1:0] q_new;
  generate
    if (Order < 2) begin : g_products
      wire [Lanes*PW-1:0] south, centre, north;
      wire unused = &{1'b0, p_cls_i, p_word_i};
      line_buffer #(.PW(PW), .Lanes(Lanes), .MaxRow(MaxRow)) i_lines (
        .clk_i, .rst_ni, .en_i, .clear_i, .row_length_i, .slot_i, .last_i(slot_last_i), .p_i, .south_o(south),
        .centre_o(centre), .north_o(north), .valid_o(window), .last_o(window_last), .valid_ahead_o(window_ahead));
      row_sum #(
`include "core_parameters_passed.svh"
      ) i_sum (
        .clk_i, .en_i, .ptr_i, .south_i(south), .centre_i(centre), .north_i(north), .coef_cls_i(coef_cls),
        .coef_i(coef), .q_cls_o(q_cls), .q_o(q_new), .p_cls_o, .p_o(p_word_o));
    end else begin : g_differences
      wire unused_bits = &{1'b0, p_i};
      row_window #(.Lanes(Lanes), .RowLenW(RowLenW)) i_window (
        .clk_i, .rst_ni, .en_i, .clear_i, .row_length_i, .slot_i, .last_i(slot_last_i), .valid_o(window),
        .last_o(window_last), .valid_ahead_o(window_ahead));
      if (Order == 2) begin : g_fluxes
        localparam integer LiveAt = `FLUX_OFF(CoefFracW, PFracW, RowFracW, 0, AddStages) +
                                    `MUL_LATENCY(CoefFracW, RowFracW);
        flux_rows #(
`include "core_parameters_passed.svh"
        ) i_fluxes (
          .clk_i, .en_i, .clear_i, .ptr_i, .row_length_i, .p_cls_i, .p_i(p_word_i), .live_i(window_at[LiveAt]),
          .coef_cls_i(coef_cls), .coef_i(coef), .q_cls_o(q_cls), .q_o(q_new), .p_cls_o, .p_o(p_word_o));
      end else begin : g_second
        wire [Coefs*2-1:0]     one_cls; // one lane's: they are the same in all
        wire [Coefs*CoefW-1:0] one;
        for (b = 0; b < Coefs; b = b + 1) begin : g_one
          assign one_cls[b*2 +: 2]      = coef_cls[b*Lanes*2 +: 2];
          assign one[b*CoefW +: CoefW] = coef[b*Lanes*CoefW +: CoefW];
        end
        second_rows #(
`include "core_parameters_passed.svh"
        ) i_second (
          .clk_i, .en_i, .clear_i, .ptr_i, .row_length_i, .p_cls_i, .p_i(p_word_i),
          .coef_cls_i(one_cls), .coef_i(one), .q_cls_o(q_cls),
          .q_o(q_new), .p_cls_o, .p_o(p_word_o));
        wire unused = &{1'b0, coef_cls, coef};
      end
    end
  endgenerate

  wire [Lanes-1:0] q_zero;
  generate
    if (CoefMode == 0) begin : g_no_edge
      assign q_zero = '0;
      wire unused = &{1'b0, length_i, slot_real_i};
    end else begin : g_edge
      wire [Lanes-1:0] edge_node;
      if (Lanes == 1) begin : g_columns
        // After the last token of the vector, and one, come the windows of the last row.
        logic past_q, last_row_q;
        always_ff @(posedge clk_i)
          if (en_i) begin
            past_q     <= slot_i & ~slot_real_i;
            last_row_q <= slot_i & ~slot_real_i & past_q;
          end
        edge_columns #(.RowLenW(RowLenW), .Latency(RowLatency)) i_edge (
          .clk_i, .rst_ni, .en_i, .clear_i, .window_i(window), .last_row_i(last_row_q), .row_length_i,
          .edge_o(edge_node));
        wire unused = &{1'b0, length_i};
      end else begin : g_nodes
        edge_nodes #(.Lanes(Lanes), .RowLenW(RowLenW), .LenW(LenW), .Latency(RowLatency)) i_edge (
          .clk_i, .rst_ni, .en_i, .clear_i, .window_i(window), .length_i, .row_length_i, .edge_o(edge_node));
        wire unused = slot_real_i;
      end
      assign q_zero = edge_node & {Lanes{stencil_i}};
    end
  endgenerate
  assign live_o = window_last_at[RowLatency] ? live_last_i : {Lanes{1'b1}};
  wire [Lanes-1:0] q_live = live_o & ~q_zero;
  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_q
      assign q_cls_o[l*2 +: 2] = q_cls[l*2 +: 2] & {2{q_live[l]}};
      assign q_word_o[l*QW +: QW] = {q_new[l*QW+QW-1] & q_live[l], q_new[l*QW +: QW-1]};
      fp_pack #(.E(QExpW), .M(QFracW)) i_pack (
        .cls_i(q_cls_o[l*2 +: 2]), .word_i(q_word_o[l*QW +: QW]), .word_o(q_o[l*QW +: QW]));
    end
  endgenerate

  assign give_o.q = window_at[RowLatency];
  assign {give_o.p, give_o.r, give_o.u} = 3'b000;
  assign give_ahead_o.q = window_at[RowLatency-1];
  assign {give_ahead_o.p, give_ahead_o.r, give_ahead_o.u} = 3'b000;
  assign give_last_o.q = window_last_at[RowLatency];
  assign {give_last_o.p, give_last_o.r, give_last_o.u} = 3'b000;
endmodule
`default_nettype wire
