/// Integer totals and sums of the scalar unit are normalised here, one a clock: zeros in front are shifted out by 16s, by
/// 4s, by 1s. What leaves has its leading one at the top, or is zero, and goes to scalar_round.
///
///   totals (Integer 1)   chosen; the 16s counted; by 16s; by 4s: valid_o four clocks after total_i
///   sums                 by 16s; by 4s: valid_o two clocks after sum_valid_i
///
/// A negative total comes as its complement, one less than its magnitude, with ones after it without end: fill_o says
/// so, and the rounding makes up for it.
`include "mantissa.svh"
`default_nettype none
module scalar_normalise #(
  parameter integer E = 11,
  parameter integer M = 52,
  parameter integer Integer = 0, ///< totals: two's complement of W0, W1, W2 bits, times 2^Lsb0 ...
  parameter integer TotalW = 66, ///< bits of a total at the port
  parameter integer W0 = 64,
  parameter integer W1 = 64,
  parameter integer W2 = 64,
  parameter integer Lsb0 = -32,
  parameter integer Lsb1 = -32,
  parameter integer Lsb2 = -32,
  parameter [2:0] SignedTotals = 3'b010,
  parameter integer TagW = 6,
  parameter integer Checks = 0,  ///< 1: checked_o
  localparam integer S = M + 1,
  localparam integer FW = S + 3,
  localparam integer ExpW = `MAX2(E, 10) + 3
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,
  input  wire                    awake_i, ///< low: nothing is here, and nothing comes (for AWAKE)
  input  wire                    choose_i,    ///< total_i may come in this clock
  input  wire                    total_i,
  input  wire  [1:0]             total_at_i,
  input  wire  [3*TotalW-1:0]    totals_i,
  input  wire  [TagW-1:0]        total_tag_i,
  input  wire                    sum_valid_i,
  input  wire  [FW-1:0]          sum_i,       ///< a carry above the significand, two bits below it
  input  wire                    sum_sticky_i,
  input  wire                    sum_sign_i,
  input  wire  [1:0]             sum_cls_i,
  input  wire  [E-1:0]           sum_exp_i,   ///< biased, of the place below the carry
  input  wire  [TagW-1:0]        sum_tag_i,
  output logic                   moving_o,    ///< something is here, the clock of valid_o among them
  output logic                   valid_o,
  output logic [M+1:0]           sig_o,       ///< with the leading one, and the bit after the fraction
  output logic                   rest_o,      ///< something is below that, unlike fill_o
  output logic                   fill_o,
  output logic                   sign_o,
  output logic [1:0]             cls_o,       ///< finite also where sig_o is zero
  output logic signed [ExpW-1:0] exp_o,
  output logic [TagW-1:0]        tag_o,
  output logic [4:0]             checked_o    ///< with Checks, three clocks after total_i: {valid, number, residue modulo 3} of a total
);
  localparam integer YW = M + 2 + 15; // after the shift by 16s: what can still reach sig_o
  localparam integer ZW = M + 2 + 3;  // after the shift by 4s

  // ---- Totals: the one that is chosen, and by how many 16s it can go to the left --------------------------------------
  wire                    by_valid, by_fill, by_sticky;
  wire [YW-1:0]           by_total;
  wire signed [ExpW-1:0]  by_exp;
  wire [TagW-1:0]         by_tag;
  wire                    total_moving;
  generate
    if (Integer != 0) begin : g_totals
      localparam integer W    = `MAX3(W0, W1, W2);
      localparam integer N    = W / 16;               // 16s at most
      localparam integer NW   = $clog2(N + 2);
      localparam integer XW   = `MAX2(W, YW);
      localparam integer TopE = `BIAS(E) + W - 1;     // exponent of the top bit, without the total's own power of two
      logic          x_valid_q, c_valid_q;
      logic [W-1:0]  x_q, c_q;
      logic          x_fill_q, c_fill_q;
      logic [1:0]    x_at_q, c_at_q;
      logic [NW-1:0] n_q;
      logic [TagW-1:0] x_tag_q, c_tag_q;
      task automatic choose;
        logic [W-1:0] first, second, third, most;
        logic [2:0] minus;
        begin
          minus  = SignedTotals & {totals_i[2*TotalW+W2-1], totals_i[TotalW+W1-1], totals_i[W0-1]};
          first  = W'(totals_i[0 +: W0]);
          second = W'(totals_i[TotalW +: W1]);
          third  = W'(totals_i[2*TotalW +: W2]);
          if (SignedTotals[0]) first  = first ^ ({W{minus[0]}} & ~({W{1'b1}} << W0));
          if (SignedTotals[1]) second = second ^ ({W{minus[1]}} & W'(~({(W+1){1'b1}} << W1)));
          if (SignedTotals[2]) third  = third ^ ({W{minus[2]}} & W'(~({(W+1){1'b1}} << W2)));
          most     = (first & {W{total_at_i == 2'd0}}) | (third & {W{total_at_i == 2'd2}});
          x_q      <= most | (second & {W{total_at_i == 2'd1}});
          x_fill_q <= (total_at_i == 2'd0) ? minus[0] : (total_at_i == 2'd1) ? minus[1] : minus[2];
          x_at_q   <= total_at_i;
          x_tag_q  <= total_tag_i;
        end
      endtask
      task automatic count;
        logic [N:0] clear; // so many 16s are zeros
        logic [NW-1:0] n;
        integer k;
        begin
          n = '0;
          clear[0] = 1'b1;
          for (k = 1; k <= N; k = k + 1) begin
            clear[k] = clear[k-1] & ~(|(x_q[W-16*k +: 16]));
            if (clear[k]) n = NW'(k);
          end
          n_q      <= n;
          c_q      <= x_q;
          c_fill_q <= x_fill_q;
          c_at_q   <= x_at_q;
          c_tag_q  <= x_tag_q;
        end
      endtask
      always_ff @(posedge clk_i) `AWAKE(awake_i) begin
        if (choose_i) choose();
        if (x_valid_q) count();
      end
      always_ff @(posedge clk_i) `AWAKE(awake_i)
        if (!rst_ni) begin
          x_valid_q <= 1'b0;
          c_valid_q <= 1'b0;
        end else begin
          x_valid_q <= total_i;
          c_valid_q <= x_valid_q;
        end
      // Bits that fall off below are those of the value itself: a complement's are turned round.
      logic [XW-1:0] moved;
      logic          sticky;
      always_comb begin
        moved  = {XW{1'bx}};
        sticky = 1'bx;
        if (c_valid_q) begin
          moved  = XW'(({c_q, {(XW-W+16*N){c_fill_q}}} << {n_q, 4'd0}) >> (16 * N));
          sticky = |((moved ^ {XW{c_fill_q}}) & ~({XW{1'b1}} << (XW - YW)));
        end
      end
      assign by_valid  = c_valid_q;
      assign by_total  = moved[XW-1 -: YW];
      assign by_sticky = sticky;
      assign by_fill   = c_fill_q;
      assign by_tag    = c_tag_q;
      assign by_exp    = $signed((c_at_q == 2'd0) ? ExpW'(TopE + Lsb0) :
                                 (c_at_q == 2'd1) ? ExpW'(TopE + Lsb1) : ExpW'(TopE + Lsb2)) -
                         $signed(ExpW'({n_q, 4'd0}));
      assign total_moving = total_i | x_valid_q | c_valid_q;
      if (Checks != 0) begin : g_checks
        wire [1:0] residue;
        wire [1:0] less; // a complement is one less
        mod3_residue #(.W(W), .Signed(0), .Piped(1)) i_residue (.clk_i, .en_i(1'b1), .word_i(x_q), .residue_o(residue));
        assign less = (residue == 2'd2) ? 2'd0 : (residue == 2'd1) ? 2'd1 : 2'd2; // -(x + 1)
        always_ff @(posedge clk_i) checked_o <= {rst_ni & c_valid_q, c_at_q, c_fill_q ? less : residue};
      end else begin : g_no_checks
        assign checked_o = '0;
      end
    end else begin : g_floating
      assign by_valid  = 1'b0;
      assign by_total  = '0;
      assign by_sticky = 1'b0;
      assign by_fill   = 1'b0;
      assign by_tag    = '0;
      assign by_exp    = '0;
      assign total_moving = 1'b0;
      assign checked_o    = '0;
      wire unused = &{1'b0, choose_i, total_i, total_at_i, totals_i, total_tag_i};
    end
  endgenerate

  // ---- By 16s, by 4s, by 1s ----------------------------------------------------------------------------------------
  localparam integer Sums = (S + 2) / 16; // 16s of a sum, at most
  logic [YW-1:0]          y_q;
  logic [ZW-1:0]          z_q;
  logic                   y_valid_q, y_fill_q, y_sticky_q, y_sign_q;
  logic                   z_sticky_q;
  logic [1:0]             y_cls_q;
  logic signed [ExpW-1:0] y_exp_q, z_exp_q;
  logic [TagW-1:0]        y_tag_q;
  task automatic by_16;
    logic [2:0] n;
    integer k;
    begin
      n = 3'd0;
      for (k = 1; k <= Sums; k = k + 1)
        if (~(|(sum_i >> (FW - 16 * k)))) n = 3'(k);
      if (sum_valid_i) begin
        y_q        <= {sum_i, {(YW-FW){1'b0}}} << {n, 4'd0};
        y_fill_q   <= 1'b0;
        y_sticky_q <= sum_sticky_i;
        y_sign_q   <= sum_sign_i;
        y_cls_q    <= sum_cls_i;
        y_exp_q    <= $signed(ExpW'(sum_exp_i)) + $signed(ExpW'(1)) - $signed(ExpW'({n, 4'd0}));
        y_tag_q    <= sum_tag_i;
      end else begin
        y_q        <= by_total;
        y_fill_q   <= by_fill;
        y_sticky_q <= by_sticky;
        y_sign_q   <= by_fill;
        y_cls_q    <= `CLS_FINITE;
        y_exp_q    <= by_exp;
        y_tag_q    <= by_tag;
      end
    end
  endtask
  task automatic by_4;
    logic [1:0] n;
    logic [YW-1:0] y;
    begin
      n[1] = ~(|y_q[YW-1 -: 8]);
      n[0] = n[1] ? ~(|y_q[YW-1 -: 12]) : ~(|y_q[YW-1 -: 4]);
      y = YW'(({y_q, {12{y_fill_q}}} << {n, 2'd0}) >> 12);
      z_q        <= y[YW-1 -: ZW];
      z_sticky_q <= y_sticky_q | (|((y ^ {YW{y_fill_q}}) & ~({YW{1'b1}} << (YW - ZW))));
      z_exp_q    <= y_exp_q - $signed(ExpW'({n, 2'd0}));
      fill_o     <= y_fill_q;
      sign_o     <= y_sign_q;
      cls_o      <= y_cls_q;
      tag_o      <= y_tag_q;
    end
  endtask
  always_ff @(posedge clk_i) `AWAKE(awake_i) begin
    if (by_valid | sum_valid_i) by_16();
    if (y_valid_q) by_4();
  end
  always_ff @(posedge clk_i) `AWAKE(awake_i)
    if (!rst_ni) begin
      y_valid_q <= 1'b0;
      valid_o   <= 1'b0;
      moving_o  <= 1'b0;
    end else begin
      y_valid_q <= by_valid | sum_valid_i;
      valid_o   <= y_valid_q;
      moving_o  <= total_moving | sum_valid_i | y_valid_q;
    end
  always_comb begin : p_by_1
    logic [1:0] n;
    logic [ZW-1:0] z;
    n      = 2'bx;
    z      = {ZW{1'bx}};
    sig_o  = {(M+2){1'bx}};
    rest_o = 1'bx;
    exp_o  = {ExpW{1'bx}};
    if (valid_o) begin
      n[1] = ~(|z_q[ZW-1 -: 2]);
      n[0] = n[1] ? ~(|z_q[ZW-1 -: 3]) : ~z_q[ZW-1];
      z = ZW'(({z_q, {3{fill_o}}} << n) >> 3);
      sig_o  = z[ZW-1 -: M+2];
      // What n leaves there and what it takes away are zeros, or ones.
      rest_o = z_sticky_q | (|((z ^ {ZW{fill_o}}) & ~({ZW{1'b1}} << (ZW - M - 2))));
      exp_o  = z_exp_q - $signed(ExpW'(n));
    end
  end
  wire unused_awake = &{1'b0, awake_i};
endmodule
`default_nettype wire
