/// Rows of second differences of a constant stencil: q_i = ((s_N - s_i) - (s_i - s_S)) + (alpha a_i) [+ (c p_i)] with
/// a_i = (p_E - p_i) - (p_i - p_W) and s_i = (beta p_i) + (gamma a_i), each step rounded to the format Row, the result
/// converted to q's. One token per clock, latency `SECOND_LATENCY from row_window's window.
///
/// Each difference is formed once: p_i - p_W is the east difference of the element before, s_i - s_S the north
/// difference of the row below. One memory delays what is needed a grid row later: s, that north difference t, a and
/// p.
/// Elements on the grid's edge come out as nonsense; core_rows makes +0 of them, and all others need only elements
/// inside, so nothing is masked here.
///   p_i    tokens, one per slot
///   coef_* alpha, beta, gamma [, c]; not used where a Times parameter stands for one
///   p_o    the centre element, in step with q_o
`include "mantissa.svh"
`default_nettype none
module second_rows #(
`include "core_parameters.svh"
) (
  input  wire                   clk_i,
  input  wire                   en_i,
  input  wire                   clear_i,      ///< between passes
  input  wire  [6:0]            ptr_i,
  input  wire  [RowLenW-1:0]    row_length_i,
  input  wire  [Lanes*2-1:0]    p_cls_i,
  input  wire  [Lanes*PW-1:0]   p_i,
  input  wire  [Coefs*2-1:0]    coef_cls_i,
  input  wire  [Coefs*CoefW-1:0] coef_i,
  output logic [Lanes*2-1:0]    q_cls_o,
  output logic [Lanes*QW-1:0]   q_o,
  output logic [Lanes*2-1:0]    p_cls_o,
  output logic [Lanes*PW-1:0]   p_o
);
  localparam integer RowW = RowExpW + RowFracW + 1;
  localparam integer XW   = RowW + 2; // a number of the format Row with its class
  localparam integer EW   = PW + 2;   // an element with its class
  localparam integer A    = AddStages;
  localparam integer LG   = `SECOND_GAMMA_LATENCY(CoefFracW, RowExpW, RowFracW, TimesGamma);
  localparam integer LB   = (TimesBeta != 0) ? `TIMES_LATENCY(TimesBeta, PExpW, PFracW, RowExpW, RowFracW) :
                            `MUL_LATENCY(CoefFracW, PFracW);
  localparam integer LA   = (TimesAlpha != 0) ? `TIMES_LATENCY(TimesAlpha, RowExpW, RowFracW, RowExpW, RowFracW) :
                            `MUL_LATENCY(CoefFracW, RowFracW);
  localparam integer LC   = `MUL_LATENCY(CoefFracW, PFracW);
  localparam integer Small = (DelayRam != 0) ? DelayRam : 2;

  // Tokens of p: the one whose differences are formed, and the next.
  wire  [Lanes*EW-1:0] p_new;
  logic [Lanes*EW-1:0] next_q, here_q;
  always_ff @(posedge clk_i)
    if (en_i) begin
      next_q <= p_new;
      here_q <= next_q;
    end

  // A grid row later. The memory is one token shorter than a row, or than the lane rotator needs: registers follow it.
  wire [Lanes*XW-1:0] s, t, a, s_row, t_row, a_row;
  wire [Lanes*EW-1:0] p_row;
  localparam integer Most = (Lanes == 1) ? MaxRow - 1 : MaxRow / Lanes;
  localparam integer AW = $clog2(Most + 1);
  wire [AW-1:0] tokens = AW'(row_length_i >> $clog2(Lanes)) - AW'(Lanes == 1);
  row_ram #(.W(Lanes * (3 * XW + EW)), .Max(Most), .Least((Lanes == 1) ? 2 : 1)) i_row (
    .clk_i, .en_i, .clear_i, .zero_i(1'b0), .length_i(tokens), .d_i({here_q, a, t, s}),
    .q_o({p_row, a_row, t_row, s_row}));
  logic [Lanes*XW-1:0] s_centre, t_last; // t_last: the token before t_row's, a row of elements old with one lane
  always_ff @(posedge clk_i)
    if (en_i) begin
      s_centre <= s_row;
      t_last   <= t_row;
    end
  wire [Lanes*XW-1:0] s_north, t_south;
  wire [Lanes*XW-1:0] a_late;
  delay #(.W(Lanes*XW), .N(1 + 3 * A + LG - LA), .Ram(Small)) i_a (
    .clk_i, .en_i, .ptr_i, .d_i(a_row), .q_o(a_late));
  wire [Lanes*EW-1:0] p_late, p_times;
  delay #(.W(Lanes*EW), .N(2 * A + LG - LB), .Ram(DelayRam)) i_p (
    .clk_i, .en_i, .ptr_i, .d_i(here_q), .q_o(p_times));

  genvar l, k;
  generate
    if (Lanes == 1) begin : g_one
      assign s_north = s;
      assign t_south = t_last;
      wire unused = &{1'b0, row_length_i};
    end else begin : g_rotate
      wire [$clog2(Lanes)-1:0] turn = row_length_i[$clog2(Lanes)-1:0];
      logic [Lanes*XW-1:0] s_last;
      always_ff @(posedge clk_i) if (en_i) s_last <= s;
      // North: lanes turn .. turn + Lanes - 1 of {s, s_last}; south: lanes Lanes - turn .. of {t_row, t_last}.
      wire [2*Lanes*XW-1:0] north_pair = {s, s_last};
      wire [2*Lanes*XW-1:0] south_pair = {t_row, t_last};
      for (l = 0; l < Lanes; l = l + 1) begin : g_lane
        wire [Lanes*XW-1:0] north_choice, south_choice;
        for (k = 0; k < Lanes; k = k + 1) begin : g_turn
          assign north_choice[k*XW +: XW] = north_pair[(l+k)*XW +: XW];
          assign south_choice[k*XW +: XW] = south_pair[(l+Lanes-k)*XW +: XW];
        end
        assign s_north[l*XW +: XW] = north_choice[turn*XW +: XW];
        assign t_south[l*XW +: XW] = south_choice[turn*XW +: XW];
      end
      wire unused = &{1'b0, north_pair[2*Lanes*XW-1 -: XW], south_pair[XW-1:0]};
    end

    // p' beside q', by way of the product with c where there is one.
    if (RowSums != 0) begin : g_p_twice
      delay #(.W(Lanes*EW), .N(1 + 6 * A + LG - LC), .Ram(Small)) i_late (
        .clk_i, .en_i, .ptr_i, .d_i(p_row), .q_o(p_late));
    end else begin : g_p_once
      assign p_late = p_row;
    end
  endgenerate
  localparam integer Beside = (RowSums != 0) ? RowLatency - (6 * A + LG - LC) : 1 + RowLatency;
  wire [Lanes*EW-1:0] p_beside;
  delay #(.W(Lanes*EW), .N(Beside), .Ram(Small)) i_beside (.clk_i, .en_i, .ptr_i, .d_i(p_late), .q_o(p_beside));

  // The difference to the element before that of lane 0.
  wire [Lanes*XW-1:0] d;
  logic [XW-1:0] d_last;
  always_ff @(posedge clk_i) if (en_i) d_last <= d[Lanes*XW-1 -: XW];

  generate
    for (l = 0; l < Lanes; l = l + 1) begin : g_element
      assign p_new[l*EW +: EW] = {p_cls_i[l*2 +: 2], p_i[l*PW +: PW]};
      assign {p_cls_o[l*2 +: 2], p_o[l*PW +: PW]} = p_beside[l*EW +: EW];

      wire [EW-1:0] east, here;
      assign here = here_q[l*EW +: EW];
      if (l == Lanes - 1) begin : g_next_token
        assign east = next_q[EW-1:0];
      end else begin : g_same_token
        assign east = here_q[(l+1)*EW +: EW];
      end
      fp_add #(.EA(PExpW), .MA(PFracW), .EB(PExpW), .MB(PFracW), .EO(RowExpW), .MO(RowFracW),
          .Rne(RowRne), .Stages(AddStages), .Subtract(1)) i_d (
        .clk_i, .en_i, .a_cls_i(east[PW +: 2]), .a_i(east[PW-1:0]), .b_cls_i(here[PW +: 2]), .b_i(here[PW-1:0]),
        .cls_o(d[l*XW + RowW +: 2]), .word_o(d[l*XW +: RowW]));
      wire [XW-1:0] d_here, d_west, a_here;
      assign d_here = d[l*XW +: XW];
      if (l == 0) begin : g_last_token
        assign d_west = d_last;
      end else begin : g_this_token
        assign d_west = d[(l-1)*XW +: XW];
      end
      fp_add #(.EA(RowExpW), .MA(RowFracW), .EB(RowExpW), .MB(RowFracW), .EO(RowExpW), .MO(RowFracW),
          .Rne(RowRne), .Stages(AddStages), .Subtract(1)) i_a (
        .clk_i, .en_i, .a_cls_i(d_here[RowW +: 2]), .a_i(d_here[RowW-1:0]), .b_cls_i(d_west[RowW +: 2]),
        .b_i(d_west[RowW-1:0]), .cls_o(a[l*XW + RowW +: 2]), .word_o(a[l*XW +: RowW]));
      assign a_here = a[l*XW +: XW];

      wire [XW-1:0] beta_p, gamma_a, alpha_a, w, sum;
      wire [EW-1:0] p_here = p_times[l*EW +: EW];
      wire [XW-1:0] a_then = a_late[l*XW +: XW];
      if (TimesBeta != 0) begin : g_times_beta
        fp_times #(.Times(TimesBeta), .EI(PExpW), .MI(PFracW), .EO(RowExpW), .MO(RowFracW), .Rne(RowRne)) i_beta (
          .clk_i, .en_i, .cls_i(p_here[PW +: 2]), .word_i(p_here[PW-1:0]), .cls_o(beta_p[RowW +: 2]),
          .word_o(beta_p[RowW-1:0]));
      end else begin : g_mul_beta
        fp_mul #(.EA(CoefExpW), .MA(CoefFracW), .EB(PExpW), .MB(PFracW), .EO(RowExpW), .MO(RowFracW), .Rne(RowRne),
            .Style(Style)) i_beta (
          .clk_i, .en_i, .a_cls_i(coef_cls_i[3:2]), .a_i(coef_i[CoefW +: CoefW]), .b_cls_i(p_here[PW +: 2]),
          .b_i(p_here[PW-1:0]), .cls_o(beta_p[RowW +: 2]), .word_o(beta_p[RowW-1:0]));
      end
      if (TimesGamma != 0) begin : g_times_gamma
        fp_times #(.Times(TimesGamma), .EI(RowExpW), .MI(RowFracW), .EO(RowExpW), .MO(RowFracW), .Rne(RowRne)) i_gamma (
          .clk_i, .en_i, .cls_i(a_here[RowW +: 2]), .word_i(a_here[RowW-1:0]), .cls_o(gamma_a[RowW +: 2]),
          .word_o(gamma_a[RowW-1:0]));
      end else begin : g_mul_gamma
        fp_mul #(.EA(CoefExpW), .MA(CoefFracW), .EB(RowExpW), .MB(RowFracW), .EO(RowExpW), .MO(RowFracW), .Rne(RowRne),
            .Style(Style)) i_gamma (
          .clk_i, .en_i, .a_cls_i(coef_cls_i[5:4]), .a_i(coef_i[2*CoefW +: CoefW]), .b_cls_i(a_here[RowW +: 2]),
          .b_i(a_here[RowW-1:0]), .cls_o(gamma_a[RowW +: 2]), .word_o(gamma_a[RowW-1:0]));
      end
      if (TimesAlpha != 0) begin : g_times_alpha
        fp_times #(.Times(TimesAlpha), .EI(RowExpW), .MI(RowFracW), .EO(RowExpW), .MO(RowFracW), .Rne(RowRne)) i_alpha (
          .clk_i, .en_i, .cls_i(a_then[RowW +: 2]), .word_i(a_then[RowW-1:0]), .cls_o(alpha_a[RowW +: 2]),
          .word_o(alpha_a[RowW-1:0]));
      end else begin : g_mul_alpha
        fp_mul #(.EA(CoefExpW), .MA(CoefFracW), .EB(RowExpW), .MB(RowFracW), .EO(RowExpW), .MO(RowFracW), .Rne(RowRne),
            .Style(Style)) i_alpha (
          .clk_i, .en_i, .a_cls_i(coef_cls_i[1:0]), .a_i(coef_i[CoefW-1:0]), .b_cls_i(a_then[RowW +: 2]),
          .b_i(a_then[RowW-1:0]), .cls_o(alpha_a[RowW +: 2]), .word_o(alpha_a[RowW-1:0]));
      end

      fp_add #(.EA(RowExpW), .MA(RowFracW), .EB(RowExpW), .MB(RowFracW), .EO(RowExpW), .MO(RowFracW),
          .Rne(RowRne), .Stages(AddStages)) i_s (
        .clk_i, .en_i, .a_cls_i(beta_p[RowW +: 2]), .a_i(beta_p[RowW-1:0]), .b_cls_i(gamma_a[RowW +: 2]),
        .b_i(gamma_a[RowW-1:0]), .cls_o(s[l*XW + RowW +: 2]), .word_o(s[l*XW +: RowW]));
      wire [XW-1:0] north = s_north[l*XW +: XW], centre = s_centre[l*XW +: XW];
      wire [XW-1:0] t_here = t[l*XW +: XW], south = t_south[l*XW +: XW];
      fp_add #(.EA(RowExpW), .MA(RowFracW), .EB(RowExpW), .MB(RowFracW), .EO(RowExpW), .MO(RowFracW),
          .Rne(RowRne), .Stages(AddStages), .Subtract(1)) i_t (
        .clk_i, .en_i, .a_cls_i(north[RowW +: 2]), .a_i(north[RowW-1:0]), .b_cls_i(centre[RowW +: 2]),
        .b_i(centre[RowW-1:0]), .cls_o(t[l*XW + RowW +: 2]), .word_o(t[l*XW +: RowW]));
      fp_add #(.EA(RowExpW), .MA(RowFracW), .EB(RowExpW), .MB(RowFracW), .EO(RowExpW), .MO(RowFracW),
          .Rne(RowRne), .Stages(AddStages), .Subtract(1)) i_w (
        .clk_i, .en_i, .a_cls_i(t_here[RowW +: 2]), .a_i(t_here[RowW-1:0]), .b_cls_i(south[RowW +: 2]),
        .b_i(south[RowW-1:0]), .cls_o(w[RowW +: 2]), .word_o(w[RowW-1:0]));
      fp_add #(.EA(RowExpW), .MA(RowFracW), .EB(RowExpW), .MB(RowFracW), .EO(RowExpW), .MO(RowFracW),
          .Rne(RowRne), .Stages(AddStages)) i_sum (
        .clk_i, .en_i, .a_cls_i(w[RowW +: 2]), .a_i(w[RowW-1:0]), .b_cls_i(alpha_a[RowW +: 2]),
        .b_i(alpha_a[RowW-1:0]), .cls_o(sum[RowW +: 2]), .word_o(sum[RowW-1:0]));

      wire [XW-1:0] total;
      if (RowSums != 0) begin : g_row_sum
        wire [EW-1:0] p_c = p_late[l*EW +: EW];
        wire [XW-1:0] c_p;
        fp_mul #(.EA(CoefExpW), .MA(CoefFracW), .EB(PExpW), .MB(PFracW), .EO(RowExpW), .MO(RowFracW), .Rne(RowRne),
            .Style(Style)) i_mul (
          .clk_i, .en_i, .a_cls_i(coef_cls_i[Coefs*2-1 -: 2]), .a_i(coef_i[Coefs*CoefW-1 -: CoefW]),
          .b_cls_i(p_c[PW +: 2]), .b_i(p_c[PW-1:0]), .cls_o(c_p[RowW +: 2]), .word_o(c_p[RowW-1:0]));
        fp_add #(.EA(RowExpW), .MA(RowFracW), .EB(RowExpW), .MB(RowFracW), .EO(RowExpW), .MO(RowFracW),
            .Rne(RowRne), .Stages(AddStages)) i_add (
          .clk_i, .en_i, .a_cls_i(sum[RowW +: 2]), .a_i(sum[RowW-1:0]), .b_cls_i(c_p[RowW +: 2]),
          .b_i(c_p[RowW-1:0]), .cls_o(total[RowW +: 2]), .word_o(total[RowW-1:0]));
      end else begin : g_no_row_sum
        assign total = sum;
      end
      fp_convert #(.EI(RowExpW), .MI(RowFracW), .EO(QExpW), .MO(QFracW), .Rne(QRne)) i_convert (
        .clk_i, .en_i, .cls_i(total[RowW +: 2]), .word_i(total[RowW-1:0]), .cls_o(q_cls_o[l*2 +: 2]),
        .word_o(q_o[l*QW +: QW]));
    end
  endgenerate
endmodule
`default_nettype wire
