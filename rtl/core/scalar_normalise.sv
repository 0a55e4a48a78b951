/// What the scalar unit's results pass on their way to be rounded: totals of the dot products, which are integers or
/// floating, differences, quotients and products. Leaves a significand with its leading one at the top, a sticky bit, and
/// a biased exponent.
///
/// Own 1: three stages shift by 16s, by 4s, by 1s. They find the leading one; or put the smaller operand of a difference
/// where it is added to the larger one, and the sum comes round once more. An integer total comes in two clocks: the
/// significand's length that holds its leading bit, and the next one; what is below is known to be zero or not. A negative
/// one comes as its complement, and comes round to have the missing one added.
/// Own 0: totals are floating, in the scalar format, and a difference comes as one (an adder outside formed it).
///
///   quotients, products, floating totals   valid_o a clock behind
///   integer totals                         five clocks behind total_valid_i with total_second_i
///   differences                            eight clocks behind minus_i; negative totals four clocks more
`include "mantissa.svh"
`default_nettype none
module scalar_normalise #(
  parameter integer E = 11,
  parameter integer M = 52,
  parameter integer Integer = 0,  ///< totals: 0 floating, 1 two's complement of W0, W1, W2 bits, times 2^Lsb0 ...
  parameter integer Own = 1,
  parameter integer SumExpW = 11,
  parameter integer SumFracW = 52,
  parameter integer TotalW = 66,  ///< bits of a total at the port
  parameter integer W0 = 64,
  parameter integer W1 = 64,
  parameter integer W2 = 64,
  parameter integer Lsb0 = -32,
  parameter integer Lsb1 = -32,
  parameter integer Lsb2 = -32,
  parameter [2:0] SignedTotals = 3'b010,
  parameter integer TagW = 6,
  localparam integer S = M + 1,
  localparam integer FW = S + 3,
  localparam integer ExpW = (Integer != 0) ? `MAX2(E, 10) + 3 : `MAX2(E, SumExpW) + 3
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,
  input  wire                    look_i,         ///< the totals are there: look at them
  input  wire                    choose_i,       ///< integers, a clock ahead of total_valid_i: which total and part
  input  wire  [1:0]             choose_at_i,
  input  wire                    choose_second_i,
  input  wire                    total_valid_i,
  input  wire                    total_second_i, ///< integers: the second clock of two
  input  wire  [1:0]             total_at_i,     ///< floating: which total
  input  wire  [3*TotalW-1:0]    totals_i,
  input  wire                    minus_i,        ///< the operands of a difference are there, and stay
  input  wire  [S-1:0]           larger_i,
  input  wire  [S-1:0]           smaller_i,
  input  wire  [E-1:0]           larger_exp_i,
  input  wire  [E:0]             distance_i,
  input  wire                    subtract_i,
  input  wire                    minus_sign_i,
  input  wire  [1:0]             minus_cls_i,
  input  wire                    steps_valid_i,
  input  wire  [FW-1:0]          steps_sig_i,
  input  wire                    steps_sticky_i,
  input  wire                    steps_sign_i,
  input  wire  [1:0]             steps_cls_i,
  input  wire  signed [E+2:0]    steps_exp_i,
  input  wire  [TagW-1:0]        tag_i,          ///< goes with what comes in, but for
  input  wire  [TagW-1:0]        steps_tag_i,    ///< steps and differences
  output logic                   negative_o,     ///< a negative total is on its way: no other one, please
  output logic                   moving_o,       ///< something is in the three stages
  output logic                   added_o,        ///< the operands of a difference have been taken
  output logic                   valid_o,
  output logic [FW-1:0]          sig_o,
  output logic                   sticky_o,
  output logic                   sign_o,
  output logic [1:0]             cls_o,          ///< finite also where sig_o is zero
  output logic signed [ExpW-1:0] exp_o,
  output logic [TagW-1:0]        tag_o
);
  // A floating total: one that is longer than FW bits leaves the sticky bit.
  wire [SumExpW+SumFracW+2:0] float_total;
  wire [FW-1:0]               float_sig;
  wire                        float_sticky;
  generate
    if (Integer == 0) begin : g_float
      assign float_total = (total_at_i == 2'd0) ? totals_i[0 +: SumExpW+SumFracW+3] :
                           (total_at_i == 2'd1) ? totals_i[TotalW +: SumExpW+SumFracW+3] :
                                                  totals_i[2*TotalW +: SumExpW+SumFracW+3];
      if (SumFracW + 1 > FW) begin : g_cut
        assign float_sig    = {1'b1, float_total[SumFracW-1 -: FW-1]};
        assign float_sticky = |(float_total[SumFracW-1:0] << (FW - 1));
      end else begin : g_pad
        assign float_sig    = {1'b1, float_total[SumFracW-1:0], {(FW-SumFracW-1){1'b0}}};
        assign float_sticky = 1'b0;
      end
    end else begin : g_integer
      assign float_total  = '0;
      assign float_sig    = '0;
      assign float_sticky = 1'b0;
    end
  endgenerate
  wire float_valid = total_valid_i & (Integer == 0);
  localparam integer Rebias = `BIAS(E) - `BIAS(SumExpW);

  // What comes out of the three stages.
  wire                   shifted_valid, shifted_sticky, shifted_sign, shifted_again, shifted_minus;
  wire [FW-1:0]          shifted_sig;
  wire [1:0]             shifted_cls;
  wire signed [ExpW-1:0] shifted_exp;
  wire [TagW-1:0]        shifted_tag;
  logic again_q, minus_q; // to be added to, of a difference

  // The one register in front of the rounding.
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      valid_o <= 1'b0;
      again_q <= 1'b0;
    end else begin
      valid_o <= steps_valid_i | float_valid | (shifted_valid & ~shifted_again);
      again_q <= shifted_valid & shifted_again;
    end
  always_ff @(posedge clk_i)
    if (steps_valid_i) begin
      sig_o    <= steps_sig_i;
      sticky_o <= steps_sticky_i;
      sign_o   <= steps_sign_i;
      cls_o    <= steps_cls_i;
      exp_o    <= ExpW'(steps_exp_i);
      tag_o    <= steps_tag_i;
    end else if (float_valid) begin
      sig_o    <= float_sig;
      sticky_o <= float_sticky;
      sign_o   <= float_total[SumExpW+SumFracW];
      cls_o    <= float_total[SumExpW+SumFracW+2 -: 2];
      exp_o    <= $signed(ExpW'(float_total[SumExpW+SumFracW-1 -: SumExpW])) + $signed(ExpW'(Rebias));
      tag_o    <= tag_i;
    end else if (shifted_valid) begin
      sig_o    <= shifted_sig;
      sticky_o <= shifted_sticky;
      sign_o   <= shifted_sign;
      cls_o    <= shifted_cls;
      exp_o    <= shifted_exp;
      tag_o    <= shifted_tag;
      minus_q  <= shifted_minus;
    end

  generate
    if (Own == 0) begin : g_none
      assign {shifted_valid, shifted_sticky, shifted_sign, shifted_again, shifted_minus} = '0;
      assign shifted_sig = '0;
      assign shifted_cls = '0;
      assign shifted_exp = '0;
      assign shifted_tag = '0;
      assign negative_o  = 1'b0;
      assign moving_o    = 1'b0;
      assign added_o     = 1'b0;
      wire unused = &{1'b0, look_i, choose_i, choose_at_i, choose_second_i, total_second_i, minus_i, larger_i, smaller_i, larger_exp_i, distance_i, subtract_i,
                      minus_sign_i, minus_cls_i, again_q, minus_q, tag_i};
    end else begin : g_own
      localparam integer XW  = `MAX2(2 * S + 2, 32);  // what comes in, at the top
      localparam integer Pad = XW - (2 * S + 2);
      localparam integer YW  = `MIN2(XW, FW + 15);    // behind the shift by 16s: what can still reach the top
      localparam integer ZW  = `MIN2(YW, FW + 3);     // behind the shift by 4s
      localparam integer Most = `MAX2((S + 3) / 16, 1); // shifts by 16, at most
      localparam integer ByW = 6;

      // ---- What comes in -------------------------------------------------------------------------------------------
      logic [XW-1:0]          x_q;
      logic                   x_valid_q, x_align_q, x_fill_q, x_sticky_q, x_sign_q, x_minus_q;
      logic [ByW-1:0]         x_by_q;
      logic [1:0]             x_cls_q;
      logic signed [ExpW-1:0] x_exp_q;
      logic [TagW-1:0]        x_tag_q;

      // Integer totals, in parts of S bits.
      wire [S-1:0]            part;
      wire                    total_sign, total_rest;
      wire signed [ExpW-1:0]  total_exp;
      if (Integer != 0) begin : g_parts
        scalar_total_parts #(.S(S), .TotalW(TotalW), .W0(W0), .W1(W1), .W2(W2), .Lsb0(Lsb0), .Lsb1(Lsb1), .Lsb2(Lsb2),
            .Signed(SignedTotals), .ExpW(ExpW), .Bias(`BIAS(E))) i_parts (
          .clk_i, .look_i, .choose_i, .at_i(choose_at_i), .second_i(choose_second_i), .totals_i, .part_o(part), .sign_o(total_sign),
          .rest_o(total_rest), .exp_o(total_exp));
        wire unused = &{1'b0, total_at_i};
      end else begin : g_no_parts
        assign part       = '0;
        assign total_sign = 1'b0;
        assign total_rest = 1'b0;
        assign total_exp  = '0;
        wire unused = &{1'b0, look_i, total_second_i, choose_i, choose_at_i, choose_second_i};
      end

      // The larger operand, or nothing, and what was put in its place.
      function automatic [FW:0] added();
        logic [FW:0] lesser, larger;
        logic [FW+1:0] sum; // a carry in, by way of one more bit below
        logic flip;
        begin
          flip   = minus_q & subtract_i;
          lesser = {1'b0, sig_o} ^ {(FW+1){flip}};
          larger = {2'b00, larger_i & {S{minus_q}}, 2'b00};
          sum    = {larger, 1'b1} + {lesser, (flip | ~minus_q) & ~sticky_o};
          added  = (FW+1)'(sum >> 1);
        end
      endfunction
      localparam integer Align = S + 1; // the shift of a smaller operand with the larger one's exponent
      wire near = distance_i <= (E+1)'(Align) || (E + 1 < $clog2(Align + 1));
      always_ff @(posedge clk_i)
        if (!rst_ni) x_valid_q <= 1'b0;
        else x_valid_q <= (total_valid_i & total_second_i & (Integer != 0)) | minus_i | again_q;
      always_ff @(posedge clk_i)
        if (again_q) begin
          x_q        <= {added(), {(XW-FW-1){1'b0}}};
          x_align_q  <= 1'b0;
          x_fill_q   <= 1'b0;
          x_minus_q  <= 1'b0;
          x_sticky_q <= sticky_o;
          x_sign_q   <= sign_o;
          x_cls_q    <= cls_o;
          x_exp_q    <= exp_o + $signed(ExpW'(1));
          x_tag_q    <= tag_o;
        end else if (minus_i) begin
          x_q        <= near ? XW'(smaller_i) << Pad : '0;
          x_by_q     <= ByW'(Align) - ByW'(distance_i);
          x_align_q  <= 1'b1;
          x_fill_q   <= 1'b0;
          x_minus_q  <= 1'b1;
          x_sticky_q <= ~near & smaller_i[S-1];
          x_sign_q   <= minus_sign_i;
          x_cls_q    <= minus_cls_i;
          x_exp_q    <= $signed(ExpW'(larger_exp_i)) + $signed(ExpW'(1));
          x_tag_q    <= steps_tag_i;
        end else if (total_valid_i) begin
          x_q        <= (XW'(total_second_i ? {x_q[XW-1 -: S+2], part} : {2'b00, part, {S{1'b0}}}) << Pad) |
                        ({XW{total_sign}} & ~({XW{1'b1}} << Pad));
          x_align_q  <= 1'b0;
          x_fill_q   <= total_sign;
          x_minus_q  <= 1'b0;
          x_sticky_q <= total_rest;
          x_sign_q   <= total_sign;
          x_cls_q    <= `CLS_FINITE;
          x_exp_q    <= total_exp;
          x_tag_q    <= tag_i;
        end

      // ---- By 16s, by 4s, by 1s ------------------------------------------------------------------------------------
      logic [YW-1:0]          y_q;
      logic [ZW-1:0]          z_q;
      logic                   y_valid_q, y_align_q, y_fill_q, y_sticky_q, y_sign_q, y_minus_q;
      logic                   z_valid_q, z_align_q, z_fill_q, z_sticky_q, z_sign_q, z_minus_q;
      logic [3:0]             y_by_q, z_n_q; // shifts so far, in 16s, and in 4s
      logic [1:0]             y_n_q;
      logic [1:0]             z_by_q;
      logic [1:0]             y_cls_q, z_cls_q;
      logic signed [ExpW-1:0] y_exp_q, z_exp_q;
      logic [TagW-1:0]        y_tag_q, z_tag_q;
      always_ff @(posedge clk_i)
        if (!rst_ni) begin
          y_valid_q <= 1'b0;
          z_valid_q <= 1'b0;
        end else begin
          y_valid_q <= x_valid_q;
          z_valid_q <= y_valid_q;
        end
      // Bits that fall off below are those of the value itself: a complement's are turned round.
      task automatic by_16;
        logic [1:0] n;
        logic [XW-1:0] x;
        begin
          n = 2'd0;
          if (Most >= 1 && ~(|(x_q >> (XW - 16)))) n = 2'd1;
          if (Most >= 2 && ~(|(x_q >> `MAX2(XW - 32, 0)))) n = 2'd2;
          if (Most >= 3 && ~(|(x_q >> `MAX2(XW - 48, 0)))) n = 2'd3;
          if (x_align_q) n = x_by_q[5:4];
          if (Most < 2) n[1] = 1'b0;
          x = XW'(({x_q, {(16*Most){x_fill_q}}} << {n, 4'd0}) >> (16 * Most));
          y_q        <= x[XW-1 -: YW];
          y_sticky_q <= x_sticky_q | (|((x ^ {XW{x_fill_q}}) & ~({XW{1'b1}} << (XW - YW))));
          y_exp_q    <= x_exp_q;
          y_n_q      <= n;
        end
      endtask
      task automatic by_4;
        logic [1:0] n;
        logic [YW-1:0] y;
        begin
          n[1] = ~(|y_q[YW-1 -: 8]);
          n[0] = n[1] ? ~(|y_q[YW-1 -: 12]) : ~(|y_q[YW-1 -: 4]);
          if (y_align_q) n = y_by_q[3:2];
          y = YW'(({y_q, {12{y_fill_q}}} << {n, 2'd0}) >> 12);
          z_q        <= y[YW-1 -: ZW];
          z_sticky_q <= y_sticky_q | (|((y ^ {YW{y_fill_q}}) & ~({YW{1'b1}} << (YW - ZW))));
          z_exp_q    <= y_exp_q;
          z_n_q      <= {y_n_q, n};
        end
      endtask
      logic [1:0]    n;
      logic [ZW-1:0] z;
      always_comb begin
        n[1] = ~(|z_q[ZW-1 -: 2]);
        n[0] = n[1] ? ~(|z_q[ZW-1 -: 3]) : ~z_q[ZW-1];
        if (z_align_q) n = z_by_q;
        z = ZW'(({z_q, {3{z_fill_q}}} << n) >> 3);
      end
      assign shifted_sig    = z[ZW-1 -: FW];
      assign shifted_sticky = z_sticky_q | (|((z ^ {ZW{z_fill_q}}) & ~({ZW{1'b1}} << (ZW - FW))));
      wire [5:0] leading = {z_n_q, n} & {6{~z_align_q}}; // zeros that were found
      assign shifted_exp    = z_exp_q - $signed(ExpW'(leading));
      assign shifted_valid  = z_valid_q;
      assign shifted_again  = z_align_q | z_fill_q;
      assign shifted_minus  = z_minus_q;
      assign shifted_sign   = z_sign_q;
      assign shifted_cls    = z_cls_q;
      assign shifted_tag    = z_tag_q;
      always_ff @(posedge clk_i) begin
        if (x_valid_q) begin
          by_16();
          {y_by_q, y_align_q, y_fill_q, y_sign_q, y_minus_q, y_cls_q, y_tag_q} <=
            {x_by_q[3:0], x_align_q, x_fill_q, x_sign_q, x_minus_q, x_cls_q, x_tag_q};
        end
        if (y_valid_q) begin
          by_4();
          {z_by_q, z_align_q, z_fill_q, z_sign_q, z_minus_q, z_cls_q, z_tag_q} <=
            {y_by_q[1:0], y_align_q, y_fill_q, y_sign_q, y_minus_q, y_cls_q, y_tag_q};
        end
      end
      always_ff @(posedge clk_i)
        if (!rst_ni) negative_o <= 1'b0;
        else negative_o <= (negative_o & ~again_q) | (total_valid_i & ~total_second_i & total_sign);
      always_ff @(posedge clk_i)
        moving_o <= rst_ni & (total_valid_i | minus_i | again_q | x_valid_q | y_valid_q);
      assign added_o    = again_q & minus_q;
    end
  endgenerate
endmodule
`default_nettype wire
