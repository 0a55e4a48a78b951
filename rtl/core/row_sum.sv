/// q' of one token: nine products of a band coefficient and a neighbour's p', added in the format Row in band order
/// (chain) or by adjacent pairs (tree), the result converted to q's format. One token per clock, latency `ROW_LATENCY from the
/// clock in which window element t is the middle one.
///
/// In a chain, product b is needed `ROW_OFF(b) clocks after the window, so the neighbours are delayed before the
/// multipliers, along one line per row, and coefficients are taken from coef_i at that clock.
///   rows      line_buffer's outputs: tokens t + 1
///   coef_i    band-major: lane l of band b at word b * Lanes + l
///   p_o       the centre element, in step with q_o: classes and packed words
`include "mantissa.svh"
`default_nettype none
module row_sum #(
`include "core_parameters.svh"
) (
  input  wire                          clk_i,
  input  wire                          en_i,
  input  wire  [6:0]                   ptr_i,
  input  wire  [Lanes*PW-1:0]   south_i,
  input  wire  [Lanes*PW-1:0]   centre_i,
  input  wire  [Lanes*PW-1:0]   north_i,
  input  wire  [9*Lanes*2-1:0]         coef_cls_i,
  input  wire  [9*Lanes*CoefW-1:0] coef_i,
  output logic [Lanes*2-1:0]           q_cls_o,
  output logic [Lanes*QW-1:0]   q_o,
  output logic [Lanes*2-1:0]           p_cls_o,
  output logic [Lanes*PW-1:0]   p_o
);
  localparam integer WW = RowExpW + RowFracW + 1;
  localparam integer EW = PW + 2; // an element with its class
  localparam integer TW = Lanes * EW;

  // Classes are read off once a row and travel with their words.
  wire [3*Lanes*PW-1:0] words = {north_i, centre_i, south_i};
  wire [3*TW-1:0] rows;
  wire [9*TW-1:0] taps; // band-major, each at its own clock
  wire [TW-1:0]   middle;

  genvar row, l, b;
  generate
    for (l = 0; l < 3 * Lanes; l = l + 1) begin : g_class
      assign rows[l*EW +: PW] = words[l*PW +: PW];
      fp_unpack #(.E(PExpW), .M(PFracW), .Canonical(1)) i_unpack (
        .word_i(words[l*PW +: PW]), .cls_o(rows[l*EW + PW +: 2]));
    end
    for (row = 0; row < 3; row = row + 1) begin : g_row
      localparam integer OffW = `ROW_OFF(Order, RowFracW, 3 * row);
      localparam integer OffC = `ROW_OFF(Order, RowFracW, 3 * row + 1);
      localparam integer OffE = `ROW_OFF(Order, RowFracW, 3 * row + 2);
      wire [TW-1:0] next = rows[row*TW +: TW];
      logic [TW-1:0] here_q;
      always_ff @(posedge clk_i) if (en_i) here_q <= next;

      // One line through the row: the token OffW clocks old, one older, OffC old, OffE - 1 old, OffE old.
      wire [TW-1:0] at_w, behind_w, at_c, before_e, at_e;
      delay #(.W(TW), .N(OffW), .Ram(DelayRam)) i_w (.clk_i, .en_i, .ptr_i, .d_i(here_q), .q_o(at_w));
      delay #(.W(TW), .N(1)) i_behind_w (.clk_i, .en_i, .ptr_i, .d_i(at_w), .q_o(behind_w));
      if (OffC == OffW) begin : g_c_same
        assign at_c = at_w;
      end else begin : g_c
        delay #(.W(TW), .N(OffC - OffW - 1), .Ram(DelayRam)) i_c (.clk_i, .en_i, .ptr_i, .d_i(behind_w), .q_o(at_c));
      end
      if (OffE == 0) begin : g_e_now
        assign before_e = next;
        assign at_e = here_q;
      end else begin : g_e
        delay #(.W(TW), .N(OffE - OffC - 1), .Ram(DelayRam)) i_before (
          .clk_i, .en_i, .ptr_i, .d_i(at_c), .q_o(before_e));
        delay #(.W(TW), .N(1)) i_e (.clk_i, .en_i, .ptr_i, .d_i(before_e), .q_o(at_e));
      end
      if (Lanes == 1) begin : g_one
        assign taps[(3*row)*TW +: TW]   = behind_w;
        assign taps[(3*row+1)*TW +: TW] = at_c;
        assign taps[(3*row+2)*TW +: TW] = before_e;
        wire unused = &{1'b0, at_e};
      end else begin : g_lanes
        assign taps[(3*row)*TW +: TW]   = {at_w[TW-EW-1:0], behind_w[TW-1 -: EW]};
        assign taps[(3*row+1)*TW +: TW] = at_c;
        assign taps[(3*row+2)*TW +: TW] = {before_e[EW-1:0], at_e[TW-1:EW]};
      end
      if (row == 1) begin : g_middle
        delay #(.W(TW), .N(RowLatency - OffC), .Ram(DelayRam)) i_middle (
          .clk_i, .en_i, .ptr_i, .d_i(at_c), .q_o(middle));
      end
    end
  endgenerate

  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_lane
      assign p_o[l*PW +: PW]    = middle[l*EW +: PW];
      assign p_cls_o[l*2 +: 2] = middle[l*EW + PW +: 2];
      wire [9*2-1:0]  product_cls;
      wire [9*WW-1:0] product;
      for (b = 0; b < 9; b = b + 1) begin : g_band
        wire [PW-1:0] p = taps[b*TW + l*EW +: PW];
        wire [1:0] p_cls = taps[b*TW + l*EW + PW +: 2];
        fp_mul #(.EA(CoefExpW), .MA(CoefFracW), .EB(PExpW), .MB(PFracW), .EO(RowExpW), .MO(RowFracW), .Rne(RowRne),
            .Style(Style)) i_mul (
          .clk_i, .en_i, .a_cls_i(coef_cls_i[(b*Lanes+l)*2 +: 2]), .a_i(coef_i[(b*Lanes+l)*CoefW +: CoefW]),
              .b_cls_i(p_cls),
          .b_i(p), .cls_o(product_cls[b*2 +: 2]), .word_o(product[b*WW +: WW]));
      end

      // Sums: in a chain, 0 is products 0 + 1, k is sum k - 1 + product k + 1. In a tree, 0..3 are pairs of products,
      // 4 and 5 pairs of those, 6 their sum, 7 adds product 8.
      wire [8*2-1:0]  sum_cls;
      wire [8*WW-1:0] sum;
      for (b = 0; b < 8; b = b + 1) begin : g_sum
        wire [1:0] x_cls, y_cls;
        wire [WW-1:0] x, y;
        if (Order == 0 && b == 0 || Order != 0 && b < 4) begin : g_products
          localparam integer First = (Order == 0) ? 0 : 2 * b;
          assign x_cls = product_cls[First*2 +: 2];
          assign x = product[First*WW +: WW];
          assign y_cls = product_cls[(First+1)*2 +: 2];
          assign y = product[(First+1)*WW +: WW];
        end else if (Order == 0 || b == 7) begin : g_chain
          assign x_cls = sum_cls[(b-1)*2 +: 2];
          assign x = sum[(b-1)*WW +: WW];
          assign y_cls = product_cls[(b+1)*2 +: 2];
          assign y = product[(b+1)*WW +: WW];
        end else begin : g_sums
          localparam integer First = 2 * (b - 4);
          assign x_cls = sum_cls[First*2 +: 2];
          assign x = sum[First*WW +: WW];
          assign y_cls = sum_cls[(First+1)*2 +: 2];
          assign y = sum[(First+1)*WW +: WW];
        end
        fp_add #(.EA(RowExpW), .MA(RowFracW), .EB(RowExpW), .MB(RowFracW), .EO(RowExpW), .MO(RowFracW),
            .Rne(RowRne)) i_add (
          .clk_i, .en_i, .a_cls_i(x_cls), .a_i(x), .b_cls_i(y_cls), .b_i(y), .cls_o(sum_cls[b*2 +: 2]),
          .word_o(sum[b*WW +: WW]));
      end
      fp_convert #(.EI(RowExpW), .MI(RowFracW), .EO(QExpW), .MO(QFracW), .Rne(QRne)) i_convert (
        .clk_i, .en_i, .cls_i(sum_cls[7*2 +: 2]), .word_i(sum[7*WW +: WW]), .cls_o(q_cls_o[l*2 +: 2]),
        .word_o(q_o[l*QW +: QW]));
    end
  endgenerate
endmodule
`default_nettype wire
