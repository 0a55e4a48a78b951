/// Rows of fluxes: with f_d(i) = w_d(i) (p_i - p_(i+d)) towards E, NW, N and NE,
///     up(i) = (f_NW(i) + f_N(i)) + f_NE(i)       g(j) = (f_NE(j-1) + f_N(j)) + f_NW(j+1)
///     q_i = (f_E(i) - f_E(i-1)) + (up(i) - g(i-n)) [+ (c_i p_i)]
/// each step rounded to the format Row, the result converted to q's. One token per clock, latency `FLUX_LATENCY from
/// row_window's window.
///
/// Each flux is formed once. What the grid row above takes of them, g, is summed before it waits a row; so one memory
/// holds a row of p and a row of g. Elements in front of the vector give fluxes +0 (masked here, but for a constant
/// stencil's, whose edge core_rows makes +0), elements after it are +0 as the caller sends them.
///   p_i     tokens, one per slot
///   live_i  the fluxes that leave their multipliers in this clock are those of an element token
///   coef_*  coefficient-major: weights E, NW, N, NE at `FLUX_OFF after the window, row sums later
///   p_o     the centre element, in step with q_o
`include "mantissa.svh"
`default_nettype none
module flux_rows #(
`include "core_parameters.svh"
) (
  input  wire                   clk_i,
  input  wire                   en_i,
  input  wire                   clear_i,      ///< between passes
  input  wire  [6:0]            ptr_i,
  input  wire  [RowLenW-1:0]    row_length_i,
  input  wire  [Lanes*2-1:0]    p_cls_i,
  input  wire  [Lanes*PW-1:0]   p_i,
  input  wire                   live_i,
  input  wire  [Coefs*Lanes*2-1:0]     coef_cls_i,
  input  wire  [Coefs*Lanes*CoefW-1:0] coef_i,
  output logic [Lanes*2-1:0]    q_cls_o,
  output logic [Lanes*QW-1:0]   q_o,
  output logic [Lanes*2-1:0]    p_cls_o,
  output logic [Lanes*PW-1:0]   p_o
);
  localparam integer RowW = RowExpW + RowFracW + 1;
  localparam integer XW   = RowW + 2; // a number of the format Row with its class
  localparam integer EW   = PW + 2;   // an element with its class
  localparam integer A    = AddStages;
  localparam integer Small = (DelayRam != 0) ? DelayRam : 2;

  // The row to the north, rotated into the lanes of the centre's: the token after the window's, the window's, and the
  // one before.
  wire [Lanes*EW-1:0] p_new, p_north, p_raw;
  logic [Lanes*EW-1:0] north_next, north_here, north_last;
  always_ff @(posedge clk_i)
    if (en_i) begin
      north_next <= p_north;
      north_here <= north_next;
      north_last <= north_here;
    end

  // A grid row later. The memory is one token shorter than a row, or than the lane rotator needs: registers follow it.
  wire [Lanes*EW-1:0] p_row;
  wire [Lanes*XW-1:0] g, g_row, g_south;
  localparam integer Most = (Lanes == 1) ? MaxRow - 1 : MaxRow / Lanes;
  localparam integer AW = $clog2(Most + 1);
  wire [AW-1:0] tokens = AW'(row_length_i >> $clog2(Lanes)) - AW'(Lanes == 1);
  row_ram #(.W(Lanes * (XW + EW)), .Max(Most), .Least((Lanes == 1) ? 2 : 1)) i_row (
    .clk_i, .en_i, .clear_i, .length_i(tokens), .zero_i(1'b0), .d_i({p_raw, g}), .q_o({p_row, g_row}));
  logic [Lanes*XW-1:0] g_last;
  logic [Lanes*EW-1:0] here_q;
  wire  [Lanes*EW-1:0] next; // of the centre row
  always_ff @(posedge clk_i)
    if (en_i) begin
      g_last <= g_row;
      here_q <= next;
    end

  genvar l, k, w;
  generate
    if (Lanes == 1) begin : g_one
      assign p_north = p_new;
      assign p_raw   = north_here;
      assign next    = p_row;
      assign g_south = g_last;
      wire unused = &{1'b0, row_length_i};
    end else begin : g_rotate
      wire [$clog2(Lanes)-1:0] turn = row_length_i[$clog2(Lanes)-1:0];
      logic [Lanes*EW-1:0] p_q, next_q;
      always_ff @(posedge clk_i)
        if (en_i) begin
          p_q    <= p_new;
          next_q <= p_row;
        end
      assign p_raw = p_q;
      assign next  = next_q;
      // North: lanes turn .. turn + Lanes - 1 of {p_new, p_q}; south: lanes Lanes - turn .. of {g_row, g_last}.
      wire [2*Lanes*EW-1:0] north_pair = {p_new, p_q};
      wire [2*Lanes*XW-1:0] south_pair = {g_row, g_last};
      for (l = 0; l < Lanes; l = l + 1) begin : g_lane
        wire [Lanes*EW-1:0] north_choice;
        wire [Lanes*XW-1:0] south_choice;
        for (k = 0; k < Lanes; k = k + 1) begin : g_turn
          assign north_choice[k*EW +: EW] = north_pair[(l+k)*EW +: EW];
          assign south_choice[k*XW +: XW] = south_pair[(l+Lanes-k)*XW +: XW];
        end
        assign p_north[l*EW +: EW] = north_choice[turn*EW +: EW];
        assign g_south[l*XW +: XW] = south_choice[turn*XW +: XW];
      end
      wire unused = &{1'b0, north_pair[2*Lanes*EW-1 -: EW], south_pair[XW-1:0]};
    end
  endgenerate

  // p' beside q', by way of the product with c where there is one.
  localparam integer SumOff = (RowSums != 0) ? `FLUX_OFF(CoefFracW, PFracW, RowFracW, 4, AddStages) : 0;
  wire [Lanes*EW-1:0] p_late, p_beside;
  delay #(.W(Lanes*EW), .N(SumOff), .Ram(Small)) i_late (.clk_i, .en_i, .ptr_i, .d_i(here_q), .q_o(p_late));
  delay #(.W(Lanes*EW), .N(RowLatency - SumOff), .Ram(Small)) i_beside (
    .clk_i, .en_i, .ptr_i, .d_i(p_late), .q_o(p_beside));

  // Fluxes by weight, and the same of the tokens that a lane at either end needs.
  wire [4*Lanes*XW-1:0] f;
  wire [Lanes*XW-1:0] f_ne_late, f_nw_late, f_nw_next, side, side_late;
  logic [XW-1:0] f_e_last, f_ne_last;
  always_ff @(posedge clk_i)
    if (en_i) begin
      f_e_last  <= f[Lanes*XW-1 -: XW];
      f_ne_last <= f[4*Lanes*XW-1 -: XW];
    end
  delay #(.W(Lanes*XW), .N(A), .Ram(DelayRam)) i_ne (
    .clk_i, .en_i, .ptr_i, .d_i(f[3*Lanes*XW +: Lanes*XW]), .q_o(f_ne_late));
  delay #(.W(Lanes*XW), .N(A - 1), .Ram(DelayRam)) i_nw (
    .clk_i, .en_i, .ptr_i, .d_i(f[Lanes*XW +: Lanes*XW]), .q_o(f_nw_next));
  delay #(.W(Lanes*XW), .N(1)) i_nw_late (.clk_i, .en_i, .ptr_i, .d_i(f_nw_next), .q_o(f_nw_late));
  delay #(.W(Lanes*XW), .N(2 * A), .Ram(DelayRam)) i_side (.clk_i, .en_i, .ptr_i, .d_i(side), .q_o(side_late));

  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_element
      assign p_new[l*EW +: EW] = {p_cls_i[l*2 +: 2], p_i[l*PW +: PW]};
      assign {p_cls_o[l*2 +: 2], p_o[l*PW +: PW]} = p_beside[l*EW +: EW];

      wire [EW-1:0] here = here_q[l*EW +: EW];
      wire [4*EW-1:0] there; // by weight
      assign there[2*EW +: EW] = north_here[l*EW +: EW];
      if (l == Lanes - 1) begin : g_next_token
        assign there[0 +: EW]    = next[EW-1:0];
        assign there[3*EW +: EW] = north_next[EW-1:0];
      end else begin : g_same_token
        assign there[0 +: EW]    = here_q[(l+1)*EW +: EW];
        assign there[3*EW +: EW] = north_here[(l+1)*EW +: EW];
      end
      if (l == 0) begin : g_last_token
        assign there[EW +: EW] = north_last[Lanes*EW-1 -: EW];
      end else begin : g_this_token
        assign there[EW +: EW] = north_here[(l-1)*EW +: EW];
      end
      for (w = 0; w < 4; w = w + 1) begin : g_flux
        wire [XW-1:0] d, product;
        fp_add #(.EA(PExpW), .MA(PFracW), .EB(PExpW), .MB(PFracW), .EO(RowExpW), .MO(RowFracW),
            .Rne(RowRne), .Stages(AddStages), .Subtract(1)) i_d (
          .clk_i, .en_i, .a_cls_i(here[PW +: 2]), .a_i(here[PW-1:0]), .b_cls_i(there[w*EW + PW +: 2]),
          .b_i(there[w*EW +: PW]), .cls_o(d[RowW +: 2]), .word_o(d[RowW-1:0]));
        fp_mul #(.EA(CoefExpW), .MA(CoefFracW), .EB(RowExpW), .MB(RowFracW), .EO(RowExpW), .MO(RowFracW), .Rne(RowRne),
            .Style(Style)) i_mul (
          .clk_i, .en_i, .a_cls_i(coef_cls_i[(w*Lanes+l)*2 +: 2]), .a_i(coef_i[(w*Lanes+l)*CoefW +: CoefW]),
          .b_cls_i(d[RowW +: 2]), .b_i(d[RowW-1:0]), .cls_o(product[RowW +: 2]), .word_o(product[RowW-1:0]));
        wire live = live_i || CoefMode == 1;
        assign f[(w*Lanes+l)*XW +: XW] = {product[XW-1 -: 3] & {3{live}}, product[RowW-2:0]};
      end

      wire [XW-1:0] f_e = f[l*XW +: XW], f_nw = f[(Lanes+l)*XW +: XW], f_n = f[(2*Lanes+l)*XW +: XW];
      wire [XW-1:0] ne_late = f_ne_late[l*XW +: XW], south = g_south[l*XW +: XW], side_here = side_late[l*XW +: XW];
      wire [XW-1:0] f_e_west, f_ne_west, nw_east;
      if (l == 0) begin : g_west_last
        assign f_e_west  = f_e_last;
        assign f_ne_west = f_ne_last;
      end else begin : g_west
        assign f_e_west  = f[(l-1)*XW +: XW];
        assign f_ne_west = f[(3*Lanes+l-1)*XW +: XW];
      end
      if (l == Lanes - 1) begin : g_east_next
        assign nw_east = f_nw_next[XW-1:0];
      end else begin : g_east
        assign nw_east = f_nw_late[(l+1)*XW +: XW];
      end

      // Sums by number: 0 f_E - its west one, 1 f_NW + f_N, 2 up, 3 f_NE's west one + f_N, 4 g, 5 up - g of the row
      // below, 6 all.
      wire [7*XW-1:0] x, y, z;
      assign x = {side_here, z[2*XW +: XW], z[3*XW +: XW], f_ne_west, z[XW +: XW], f_nw, f_e};
      assign y = {z[5*XW +: XW], south, nw_east, f_n, ne_late, f_n, f_e_west};
      for (k = 0; k < 7; k = k + 1) begin : g_sum
        fp_add #(.EA(RowExpW), .MA(RowFracW), .EB(RowExpW), .MB(RowFracW), .EO(RowExpW), .MO(RowFracW),
            .Rne(RowRne), .Stages(AddStages), .Subtract((k == 0 || k == 5) ? 1 : 0)) i_add (
          .clk_i, .en_i, .a_cls_i(x[k*XW + RowW +: 2]), .a_i(x[k*XW +: RowW]), .b_cls_i(y[k*XW + RowW +: 2]),
          .b_i(y[k*XW +: RowW]), .cls_o(z[k*XW + RowW +: 2]), .word_o(z[k*XW +: RowW]));
      end
      assign side[l*XW +: XW] = z[0 +: XW];
      assign g[l*XW +: XW]    = z[4*XW +: XW];

      wire [XW-1:0] total;
      if (RowSums != 0) begin : g_row_sum
        wire [EW-1:0] p_c = p_late[l*EW +: EW];
        wire [XW-1:0] c_p;
        fp_mul #(.EA(CoefExpW), .MA(CoefFracW), .EB(PExpW), .MB(PFracW), .EO(RowExpW), .MO(RowFracW), .Rne(RowRne),
            .Style(Style)) i_mul (
          .clk_i, .en_i, .a_cls_i(coef_cls_i[((Coefs-1)*Lanes+l)*2 +: 2]),
          .a_i(coef_i[((Coefs-1)*Lanes+l)*CoefW +: CoefW]), .b_cls_i(p_c[PW +: 2]), .b_i(p_c[PW-1:0]),
          .cls_o(c_p[RowW +: 2]), .word_o(c_p[RowW-1:0]));
        fp_add #(.EA(RowExpW), .MA(RowFracW), .EB(RowExpW), .MB(RowFracW), .EO(RowExpW), .MO(RowFracW),
            .Rne(RowRne), .Stages(AddStages)) i_add (
          .clk_i, .en_i, .a_cls_i(z[6*XW + RowW +: 2]), .a_i(z[6*XW +: RowW]), .b_cls_i(c_p[RowW +: 2]),
          .b_i(c_p[RowW-1:0]), .cls_o(total[RowW +: 2]), .word_o(total[RowW-1:0]));
      end else begin : g_no_row_sum
        assign total = z[6*XW +: XW];
      end
      fp_convert #(.EI(RowExpW), .MI(RowFracW), .EO(QExpW), .MO(QFracW), .Rne(QRne)) i_convert (
        .clk_i, .en_i, .cls_i(total[RowW +: 2]), .word_i(total[RowW-1:0]), .cls_o(q_cls_o[l*2 +: 2]),
        .word_o(q_o[l*QW +: QW]));
    end
  endgenerate
endmodule
`default_nettype wire
