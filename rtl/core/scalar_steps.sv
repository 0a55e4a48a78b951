/// The scalar unit's divider and multiplier, and its comparison, on one pair of operands: D, held beforehand, and A.
///
///   divide   A / D, two quotient bits a clock
///   times    A D: hard blocks (Blocks 1), one for each 17 bits of a significand, each used as often as there are blocks;
///            else two bits a clock in logic
///   look     how A and D compare, and what is wanted of both exponents: in the clock after begin_i, for all of them
///
/// hold_i and load_i take word_i, the latter as A with what is to be done; begin_i, with load_i, begins it. Both may come
/// again and again until begin_i does, but not while d_busy_o and a_busy_o say that the operand is still worked on.
///
/// A quotient is given with its last step, `SCALAR_DIVIDE_STEPS clocks after begin_i, and a product one clock after
/// its `SCALAR_TIMES_STEPS: normalised, without the leading one.
`include "mantissa.svh"
`default_nettype none
module scalar_steps #(
  parameter integer E = 11,
  parameter integer M = 52,
  parameter integer Rne = 0,
  parameter integer Blocks = 0,
  localparam integer S = M + 1,
  localparam integer ExpW = E + 3
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,
  input  wire                    awake_i, ///< low: nothing is here, and nothing comes (for AWAKE)
  input  wire                    hold_i,
  input  wire                    load_i,
  input  wire                    begin_i,
  input  wire                    divide_i, ///< with load_i: what is to be done, if anything
  input  wire                    times_i,
  input  wire  [E+M:0]           word_i,   ///< the format's own bits
  output logic                   a_busy_o,
  output logic                   d_busy_o,
  output logic                   quotient_o, ///< one clock; these two with the result, below
  output logic                   product_o,
  output logic [M:0]             quotient_sig_o, ///< fraction, and the bit after it: no quotient ends in a half
  output logic [M:0]             product_sig_o,  ///< fraction, and the bit after it
  output logic                   product_rest_o, ///< something is below that
  output logic                   sign_o,
  output logic [1:0]             cls_o,
  output logic signed [ExpW-1:0] exp_o,    ///< biased
  output logic [E+M:0]           a_o,      ///< A, until a step changes it
  output logic [E+M:0]           d_o,      ///< D
  output logic [1:0]             a_cls_o,  ///< from two clocks after begin_i on, until the next one's first clock
  output logic [1:0]             d_cls_o,  ///< from two clocks after hold_i on
  output logic                   a_above_o, ///< as a_cls_o, and so the rest: |A| > |D|
  output logic signed [E:0]      apart_o   ///< exponent of A less that of D
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
  logic [S+1:0]  d3_q;      // 3 D, a clock after D
  logic [S+1:0]  a_q;       // A twice; then the rest, below 4 D, or the upper part of a product
  logic [QW-1:0] q_q;       // the quotient; or the multiplier, and the product's lower part after it
  logic [CntW-1:0] left_q;  // steps, less one
  logic          first_q;   // the clock after begin_i
  logic          busy_q, last_q, divide_q, times_q, held_q;
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
  wire stepping = busy_q & (divide_q | Tiles == 0);
  wire multiplying = (Tiles == 0) & times_q;
  logic [S+2:0] less1, less2, less3;
  logic high, low1, low3; // of two bits; low1 and low3 beside a high one of 0 and 1
  always_comb begin
    less1 = {(S+3){1'bx}};
    less2 = {(S+3){1'bx}};
    less3 = {(S+3){1'bx}};
    {high, low1, low3} = 3'bx;
    if (stepping) begin
      less1 = {1'b0, a_q} - {3'b000, d_q};
      less2 = {1'b0, a_q} - {2'b00, d_q, 1'b0};
      less3 = {1'b0, a_q} - {1'b0, d3_q};
      high  = multiplying ? q_q[1] : ~less2[S+2];
      low1  = multiplying ? q_q[0] : ~less1[S+2];
      low3  = multiplying ? q_q[0] : ~less3[S+2];
    end
  end
  task automatic step;
    logic [S+1:0] rest;
    begin
      rest = high ? (low3 ? less3[S+1:0] : less2[S+1:0]) : (low1 ? less1[S+1:0] : a_q);
      if (multiplying) begin
        a_q <= first_q ? '1 : {2'b11, rest[S+1:2]};
        q_q <= first_q ? QW'(a_q[S:1]) << (QM - S) : QW'({~rest[1:0], q_q[QM-1:2]});
      end else begin
        a_q <= {rest[S-1:0], 2'b00};
        q_q <= {q_q[QW-3:0], high, high ? low3 : low1};
      end
    end
  endtask

  // What a product leaves: its upper S bits, the next two, and whether anything is below.
  wire [S-1:0] product_high;
  wire [1:0]   product_next;
  wire         product_rest;
  genvar k;
  generate
    if (Tiles == 0) begin : g_serial
      assign product_high = ~a_q[S-1:0];
      assign product_next = q_q[QM-1 -: 2];
      assign product_rest = |(q_q[QM-1:0] << 2);
    end else if (Tiles == 1) begin : g_block
      wire [35:0] tile;
      sig_mul_tile i_tile (.clk_i, .en_i(first_q), .a_i(18'(a_q[S:1])), .b_i(18'(d_q)), .tile_o(tile));
      assign {product_high, product_next} = tile[2*S-1 -: S+2];
      assign product_rest = |(tile[2*S-1:0] << (S + 2));
      wire unused = &{1'b0, tile};
    end else begin : g_parts
      // Each part of A in its own block, by one part of D after the other, the lowest first.
      localparam integer K = (S + Tiles - 1) / Tiles;
      localparam integer Even = (Tiles + 1) / 2, Odd = Tiles / 2;
      wire [Tiles*K-1:0] a = (Tiles*K)'(a_q[S:1]);
      wire [Tiles*K-1:0] d = (Tiles*K)'(d_q) << (Tiles*K - S);
      logic [Tiles:1] clock_q; // of the clocks after the first one
      logic [S+K:0]   sum_q;
      logic           rest_q;  // something is below sum_q
      logic [K-1:0]   part_q;  // of D
      wire [2*K*Even-1:0] even;     // products of A's parts that do not overlap
      wire [2*K*Odd-1:0]  odd;      // those between
      wire enable = times_q & (first_q | (|clock_q[Tiles-1:1]));
      for (k = 0; k < Tiles; k = k + 1) begin : g_part
        wire [35:0] tile;
        sig_mul_tile i_tile (.clk_i, .en_i(enable), .a_i(18'(a[k*K +: K])), .b_i(18'(part_q)), .tile_o(tile));
        if (k % 2 == 0) begin : g_even
          assign even[k*K +: 2*K] = tile[2*K-1:0];
        end else begin : g_odd
          assign odd[(k-1)*K +: 2*K] = tile[2*K-1:0];
        end
        wire unused = &{1'b0, tile};
      end
      wire [Tiles-1:0] now = Tiles'({clock_q, first_q & times_q}); // bit k: part k is on its way, the next one is wanted
      task automatic next_part;
        logic [K-1:0] part;
        integer j;
        begin
          part = d[K-1:0];
          for (j = 1; j < Tiles; j = j + 1)
            if (now[j-1]) part = d[j*K +: K];
          part_q <= part;
        end
      endtask
      // Three terms as two: from the second product on the sum so far is one of them.
      task automatic add;
        logic [S+K:0] even_term, odd_term, sum_term, both;
        begin
          even_term = (S+K+1)'(even);
          odd_term  = (S+K+1)'(S'(odd)) << K;
          sum_term  = (S+K+1)'(sum_q[S+K:K]) & {(S+K+1){|clock_q[Tiles:2]}};
          both      = (even_term & odd_term) | (sum_term & (even_term | odd_term));
          sum_q     <= (even_term ^ odd_term ^ sum_term) + (S+K+1)'({both, 1'b0});
        end
      endtask
      always_ff @(posedge clk_i) `AWAKE(awake_i) begin
        if (load_i | first_q | (|now[Tiles-2:0])) next_part();
        clock_q <= {clock_q[Tiles-1:1], first_q & times_q};
        if (|clock_q) add();
        if (|clock_q[Tiles:2]) rest_q <= (rest_q & (|(clock_q >> 2))) | (|sum_q[K-1:0]);
      end
      // D stands at the top of its parts, A at the bottom.
      assign product_high = sum_q[S+K-1 -: S];
      assign product_next = sum_q[K-1 -: 2];
      assign product_rest = (|(sum_q[K-1:0] << 2)) | rest_q;
      wire unused = &{1'b0, even, odd, now[Tiles-1], sum_q[S+K]};
    end
  endgenerate

  // A's class, what becomes of both, and how they compare: in the first clock.
  task automatic look;
    logic [1:0] a_cls;
    logic [E+M:0] less; // D less A: its borrow is one carry chain, a comparison may be more
    begin
      less    = {1'b0, d_exp_q, d_q[M-1:0]} - {1'b0, a_exp_q, a_q[M:1]};
      a_cls   = class_of(a_exp_q, a_q[M:1]);
      a_cls_o <= a_cls;
      cls_o   <= divide_q ? quotient_class(a_cls, d_cls_o) : product_class(a_cls, d_cls_o);
      sign_q  <= a_sign_q ^ d_sign_q;
      exp_q   <= times_q ? $signed({2'b00, a_exp_q}) + $signed({2'b00, d_exp_q})
                         : $signed({2'b00, a_exp_q}) - $signed({2'b00, d_exp_q});
      a_above_o <= less[E+M];
    end
  endtask

  always_ff @(posedge clk_i) `AWAKE(awake_i) begin
    if (hold_i) begin
      {d_sign_q, d_exp_q} <= word_i[E+M:M];
      d_q <= {1'b1, word_i[M-1:0]};
    end
    if (held_q) begin
      d3_q    <= {2'b00, d_q} + {1'b0, d_q, 1'b0};
      d_cls_o <= class_of(d_exp_q, d_q[M-1:0]);
    end
    if (load_i) begin
      {a_sign_q, a_exp_q} <= word_i[E+M:M];
      a_q      <= {2'b01, word_i[M-1:0], 1'b0};
      divide_q <= divide_i;
      times_q  <= times_i;
      left_q   <= divide_i ? CntW'(DivSteps - 1) : CntW'(MulSteps - 1);
    end else if (busy_q) begin
      left_q <= left_q - CntW'(1);
      if (stepping) step();
    end
    if (first_q) look();
  end
  always_ff @(posedge clk_i) `AWAKE(awake_i)
    if (!rst_ni) begin
      busy_q    <= 1'b0;
      last_q    <= 1'b0;
      first_q   <= 1'b0;
      held_q    <= 1'b0;
      product_o <= 1'b0;
    end else begin
      first_q   <= begin_i;
      held_q    <= hold_i;
      product_o <= last_q & times_q;
      if (begin_i) begin
        busy_q <= divide_i | times_i;
        last_q <= times_i & (MulSteps == 1);
      end else begin
        busy_q <= busy_q & ~last_q;
        last_q <= busy_q & left_q == CntW'(1);
      end
    end
  // A rest and the divisor have served when the last digit is known; a product of bits stands in A.
  assign a_busy_o   = busy_q & ~(last_q & divide_q);
  assign d_busy_o   = busy_q & ~last_q;
  assign quotient_o = last_q & divide_q;

  // The results. A quotient is between 1/2 and 2, a product between 1 and 4: one bit is to be shifted away, or none.
  wire quotient_top = q_q[QB-3];
  wire product_top  = product_high[S-1];
  always_comb begin
    exp_o = {ExpW{1'bx}};
    quotient_sig_o = {(M+1){1'bx}};
    product_sig_o  = {(M+1){1'bx}};
    product_rest_o = 1'bx;
    if (quotient_o)
      quotient_sig_o = (M+1)'((quotient_top ? {q_q[QB-4:0], high, high ? low3 : low1, 1'b0}
                                            : {q_q[QB-5:0], high, high ? low3 : low1, 2'b00}) >> (QB - S));
    if (product_o) begin
      product_sig_o  = product_top ? {product_high[S-2:0], product_next[1]} : {product_high[S-3:0], product_next};
      product_rest_o = product_rest | (product_top & product_next[0]);
    end
    if (quotient_o | product_o)
      exp_o = $signed(ExpW'(exp_q)) + (product_o ? (product_top ? ExpW'(1 - `BIAS(E)) : ExpW'(-`BIAS(E)))
                                                 : (quotient_top ? ExpW'(`BIAS(E)) : ExpW'(`BIAS(E) - 1)));
                                                 // (yosys 0.23 loses the sign of -ExpW'(x).)
  end
  assign sign_o  = sign_q;
  assign a_o     = {a_sign_q, a_exp_q, a_q[M:1]};
  assign d_o     = {d_sign_q, d_exp_q, d_q[M-1:0]};
  assign apart_o = exp_q[E:0];
  wire unused = &{1'b0, exp_q[E+1]};
  wire unused_awake = &{1'b0, awake_i};
endmodule
`default_nettype wire
