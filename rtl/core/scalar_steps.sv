/// The scalar unit's divider, multiplier and comparison, on one pair of operands: D, held beforehand, and A.
///
///   divide   A / D, two quotient bits a clock
///   times    A D: one hard block, used once (Blocks 1, significands up to 17 bits) or four times (up to 34 bits), else
///            two bits a clock in logic
///   minus    what scalar_normalise needs to align and add: the larger and the smaller operand of A - D
///
/// hold_i and load_i take word_i. divide and times: done_o comes with a significand whose leading one is at the top,
/// `SCALAR_DIVIDE_STEPS or `SCALAR_TIMES_STEPS clocks and one behind load_i. What is said of both operands
/// (compared_o, a_above_o) stands two clocks behind load_i, and until the next one's first clock.
`include "mantissa.svh"
`default_nettype none
module scalar_steps #(
  parameter integer E = 11,
  parameter integer M = 52,
  parameter integer Rne = 0,
  parameter integer Blocks = 0,
  localparam integer S = M + 1,
  localparam integer FW = S + 3, ///< significand, two guard bits and one more
  localparam integer ExpW = E + 3
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,
  input  wire                    hold_i,
  input  wire                    load_i,
  input  wire                    divide_i, ///< with load_i: what is to be done, if anything
  input  wire                    times_i,
  input  wire  [E+M:0]           word_i,   ///< the format's own bits
  output logic                   busy_o,
  output logic                   done_o,   ///< one clock, of divide and times
  output logic [FW-1:0]          sig_o,
  output logic                   sticky_o,
  output logic                   sign_o,
  output logic [1:0]             cls_o,
  output logic signed [ExpW-1:0] exp_o,    ///< biased
  output logic                   first_o,  ///< the clock behind load_i
  output logic [E+M:0]           a_o,      ///< A, until a step changes it
  output logic [1:0]             a_cls_o,  ///< from two clocks behind load_i on
  output logic                   a_above_o, ///< |A| > |D|
  output logic [S-1:0]           larger_o, ///< of A - D: significands
  output logic [S-1:0]           smaller_o, ///< 0 where an operand is zero
  output logic [E-1:0]           larger_exp_o,
  output logic [E:0]             distance_o, ///< of the exponents; a clock later than the rest
  output logic                   subtract_o, ///< magnitudes are subtracted
  output logic                   minus_sign_o,
  output logic [1:0]             minus_cls_o
);
  localparam integer DivSteps = `SCALAR_DIVIDE_STEPS(M, Rne);
  localparam integer Tiles    = `SCALAR_TILES(M, Blocks);
  localparam integer MulSteps = `SCALAR_TIMES_STEPS(M, Blocks);
  localparam integer QB       = 2 * DivSteps;
  localparam integer QM       = 2 * ((S + 1) / 2); // bits of the multiplier, a zero below where S is odd
  localparam integer QW       = `MAX2(QB, QM);
  localparam integer CntW     = $clog2(`MAX2(DivSteps, MulSteps) + 1);

  logic [E-1:0]  a_exp_q, d_exp_q;
  logic          a_sign_q, d_sign_q;
  logic [S-1:0]  d_q;
  logic [S+1:0]  d3_q;      // 3 D, a clock behind D
  logic [S+1:0]  a_q;       // A twice; then the rest, below 4 D, or the upper part of a product
  logic [QW-1:0] q_q;       // the quotient; or the multiplier, and the product's lower part behind it
  logic [CntW-1:0] left_q;
  logic          divide_q, times_q, first_q, held_q;
  logic [1:0]    d_cls_q, a_cls_q, cls_q;
  logic          sign_q;
  logic signed [E+1:0] exp_q; // sum or difference of the exponents

  // As fp_unpack.
  function automatic [1:0] class_of(input [E-1:0] exp, input [M-1:0] frac);
    class_of = {&exp, (&exp) ? |frac : |exp};
  endfunction
  function automatic [1:0] quotient_class(input [1:0] a, input [1:0] b);
    logic nan, infinite, zero;
    begin
      nan      = (a == `CLS_NAN) | (b == `CLS_NAN) | (a == b && a != `CLS_FINITE);
      infinite = (a == `CLS_INF) | (b == `CLS_ZERO);
      zero     = (a == `CLS_ZERO) | (b == `CLS_INF);
      quotient_class = nan ? `CLS_NAN : infinite ? `CLS_INF : zero ? `CLS_ZERO : `CLS_FINITE;
    end
  endfunction
  function automatic [1:0] product_class(input [1:0] a, input [1:0] b);
    logic nan, infinite, zero;
    begin
      zero     = (a == `CLS_ZERO) | (b == `CLS_ZERO);
      infinite = (a == `CLS_INF) | (b == `CLS_INF);
      nan      = (a == `CLS_NAN) | (b == `CLS_NAN) | (zero & infinite);
      product_class = nan ? `CLS_NAN : infinite ? `CLS_INF : zero ? `CLS_ZERO : `CLS_FINITE;
    end
  endfunction

  // Two bits: A less none to three times D. A quotient takes what the signs say. In a product A is the complement of the
  // sum so far, two bits of the multiplier say how much is added, and its first clock puts things in their places.
  task automatic step;
    logic [S+2:0] less1, less2, less3;
    logic [S+1:0] rest;
    logic [1:0] digit;
    logic times;
    begin
      times = (Tiles == 0) & times_q;
      less1 = {1'b0, a_q} - {3'b000, d_q};
      less2 = {1'b0, a_q} - {2'b00, d_q, 1'b0};
      less3 = {1'b0, a_q} - {1'b0, d3_q};
      digit = times ? q_q[1:0] : {~less2[S+2], less2[S+2] ? ~less1[S+2] : ~less3[S+2]};
      case (digit)
        2'd0: rest = a_q;
        2'd1: rest = less1[S+1:0];
        2'd2: rest = less2[S+1:0];
        default: rest = less3[S+1:0];
      endcase
      if (times) begin
        a_q <= first_q ? '1 : {2'b11, rest[S+1:2]};
        q_q <= first_q ? QW'(a_q[S:1]) << (QM - S) : QW'({~rest[1:0], q_q[QM-1:2]});
      end else begin
        a_q <= {rest[S-1:0], 2'b00};
        q_q <= {q_q[QW-3:0], digit};
      end
    end
  endtask

  // What a product leaves: its upper S bits, the next three, and whether anything is below.
  wire [S-1:0] product_high;
  wire [2:0]   product_next;
  wire         product_rest;
  generate
    if (Tiles == 0) begin : g_serial
      assign product_high = ~a_q[S-1:0];
      assign product_next = q_q[QM-1 -: 3];
      assign product_rest = |(q_q[QM-1:0] << 3);
    end else if (Tiles == 1) begin : g_block
      wire [35:0] tile;
      sig_mul_tile i_tile (.clk_i, .en_i(first_q), .a_i(18'(a_q[S:1])), .b_i(18'(d_q)), .tile_o(tile));
      assign {product_high, product_next} = tile[2*S-1 -: S+3];
      assign product_rest = |(tile[2*S-1:0] << (S + 3));
      wire unused = &{1'b0, tile};
    end else begin : g_four
      // Four products of halves, the lowest first: ll, then lh and hl at 2^K, then hh.
      localparam integer K = (S + 1) / 2;
      wire [2*K-1:0] a = (2*K)'(a_q[S:1]);
      wire [2*K-1:0] d = (2*K)'(d_q) << (2*K - S);
      logic [3:0]    at_q;   // one-hot: which product is behind the block's register
      logic [S+K:0]  sum_q;
      logic [K-1:0]  low_q;
      logic          rest_q;
      wire [35:0]    tile;
      wire           upper_a = at_q[1] | at_q[2];
      wire           upper_d = at_q[0] | at_q[2];
      wire [K-1:0]   a_part = upper_a ? a[2*K-1:K] : a[K-1:0];
      wire [K-1:0]   d_part = upper_d ? d[2*K-1:K] : d[K-1:0];
      sig_mul_tile i_tile (.clk_i, .en_i(times_q), .a_i(18'(a_part)), .b_i(18'(d_part)), .tile_o(tile));
      always_ff @(posedge clk_i)
        if (times_q) begin
          at_q <= {at_q[2:0], first_q};
          if (at_q[0]) sum_q <= (S+K+1)'(tile[2*K-1:0]);
          if (at_q[1] | at_q[3]) sum_q <= (sum_q >> K) + (S+K+1)'(tile[2*K-1:0]);
          if (at_q[2]) sum_q <= sum_q + (S+K+1)'(tile[2*K-1:0]);
          if (at_q[1]) rest_q <= |sum_q[K-1:0];
          if (at_q[3]) low_q <= sum_q[K-1:0];
        end else at_q <= '0;
      assign product_high = sum_q[S-1:0];
      assign product_next = low_q[K-1 -: 3];
      assign product_rest = rest_q | (|(low_q << 3));
      wire unused = &{1'b0, tile, at_q, sum_q};
    end
  endgenerate

  // A's class, what becomes of both, and how they compare: in the first clock.
  task automatic look;
    logic [1:0] a_cls;
    begin
      a_cls   = class_of(a_exp_q, a_q[M:1]);
      a_cls_q <= a_cls;
      cls_q   <= divide_q ? quotient_class(a_cls, d_cls_q) : product_class(a_cls, d_cls_q);
      sign_q  <= a_sign_q ^ d_sign_q;
      exp_q   <= times_q ? $signed({2'b00, a_exp_q}) + $signed({2'b00, d_exp_q})
                         : $signed({2'b00, a_exp_q}) - $signed({2'b00, d_exp_q});
      a_above_o <= {a_exp_q, a_q[M:1]} > {d_exp_q, d_q[M-1:0]};
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (hold_i) begin
      {d_sign_q, d_exp_q} <= word_i[E+M:M];
      d_q <= {1'b1, word_i[M-1:0]};
    end
    if (held_q) begin
      d3_q    <= {2'b00, d_q} + {1'b0, d_q, 1'b0};
      d_cls_q <= class_of(d_exp_q, d_q[M-1:0]);
    end
    if (load_i) begin
      {a_sign_q, a_exp_q} <= word_i[E+M:M];
      a_q    <= {2'b01, word_i[M-1:0], 1'b0};
      left_q <= divide_i ? CntW'(DivSteps) : CntW'(MulSteps);
    end else if (busy_o) begin
      left_q <= left_q - CntW'(1);
      if (divide_q || Tiles == 0) step();
    end
    if (first_q) look();
  end
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      busy_o   <= 1'b0;
      first_q  <= 1'b0;
      held_q   <= 1'b0;
      done_o   <= 1'b0;
      divide_q <= 1'b0;
      times_q  <= 1'b0;
    end else begin
      first_q <= load_i;
      held_q  <= hold_i;
      done_o  <= busy_o && left_q == CntW'(1);
      if (load_i) begin
        busy_o   <= divide_i | times_i;
        divide_q <= divide_i;
        times_q  <= times_i;
      end else if (left_q == CntW'(1)) begin
        busy_o <= 1'b0;
      end
    end
  assign first_o = first_q;

  // The result. A quotient is between 1/2 and 2, a product between 1 and 4: one bit is to be shifted away, or none.
  logic [FW-1:0] raw;
  always_comb begin
    raw      = {FW{1'bx}};
    sticky_o = 1'bx;
    sig_o    = {FW{1'bx}};
    exp_o    = {ExpW{1'bx}};
    if (done_o) begin
      raw      = divide_q ? FW'(q_q[QB-1:0]) << (FW - QB) : {product_high, product_next};
      sticky_o = divide_q ? |a_q : product_rest;
      sig_o    = raw[FW-1] ? raw : raw << 1;
      exp_o    = $signed(ExpW'(exp_q)) + (divide_q ? (raw[FW-1] ? ExpW'(`BIAS(E)) : ExpW'(`BIAS(E) - 1))
                                                   : (raw[FW-1] ? ExpW'(1 - `BIAS(E)) : ExpW'(-`BIAS(E))));
                                                   // (yosys 0.23 loses the sign of -ExpW'(x).)
    end
  end
  assign sign_o = sign_q;
  assign cls_o  = cls_q;

  // A - D.
  wire [S-1:0] a_sig = a_q[S:1];
  wire both = (a_cls_q | d_cls_q) != `CLS_ZERO;
  assign a_o          = {a_sign_q, a_exp_q, a_q[M:1]};
  assign a_cls_o      = a_cls_q;
  assign larger_o     = a_above_o ? a_sig : d_q;
  assign smaller_o    = (a_cls_q == `CLS_ZERO || d_cls_q == `CLS_ZERO) ? '0 : a_above_o ? d_q : a_sig;
  assign larger_exp_o = a_above_o ? a_exp_q : d_exp_q;
  logic second_q; // of the clocks behind load_i
  always_ff @(posedge clk_i) begin
    second_q <= first_q;
    if (second_q) distance_o <= exp_q[E+1] ? (E+1)'(-exp_q) : (E+1)'(exp_q);
  end
  assign subtract_o   = ~sign_q;
  assign minus_sign_o = both ? (a_above_o ? a_sign_q : ~d_sign_q) : a_sign_q & ~d_sign_q;
  assign minus_cls_o  = (a_cls_q[1] & d_cls_q[1]) ? ((a_above_o ? a_cls_q : d_cls_q) | {2{subtract_o}})
                                                  : (a_above_o ? a_cls_q : d_cls_q);
endmodule
`default_nettype wire
