/// The scalar unit: a program of small instructions on eight scalars of the format s<M>e<E>. scalar_program.svh has the
/// instructions and the program of FCCM'06 Eq. 5:
///
///     alpha = rho / pq;  sigma = alpha ((alpha qq) - pq), +0 in its place when negative;  beta = sigma / rho
///
/// One divider, one multiplier, one normaliser with the adder, one rounding; the scalars stand in a small memory, which the
/// bus reads and writes too. Its reads go before those of the program. The clocks from start_i to done_o do not depend on
/// the numbers: `SCALAR_CLOCKS, for a run that goes on.
///
/// end_o: END_PASSES goes on. With END_EXACT and above, alpha, sigma and beta become +0, with END_WINDOW_OVERFLOW rho, pq
/// and qq too. All scalars are +0 after a reset.
`include "mantissa.svh"
`include "scalar_program.svh"
`default_nettype none
module scalar_sequencer #(
  parameter integer E = 11,
  parameter integer M = 52,
  parameter integer Rne = 0,
  parameter integer OperandExpW = 8,
  parameter integer OperandFracW = 23,
  parameter integer OperandRne = 0,
  parameter integer Blocks = 0,   ///< 1: hard multipliers, one for each 17 bits of a significand
  parameter integer Integer = 0,  ///< totals: 0 {class, word} of s<SumFracW>e<SumExpW>; 1 two's complement of
  parameter integer W0 = 64,      ///< W0, W1, W2 bits
  parameter integer W1 = 64,
  parameter integer W2 = 64,
  parameter integer Lsb0 = -32,   ///< times 2^Lsb0, ...
  parameter integer Lsb1 = -32,
  parameter integer Lsb2 = -32,
  parameter integer SumExpW = 11,
  parameter integer SumFracW = 52,
  parameter integer Outside = 0,  ///< 1: totals have the scalar format, and who adds them up subtracts for this unit
  parameter integer TotalW = 66,  ///< bits of a total at the port: the longest one's
  parameter integer N = `SCALAR_PROGRAM_N,
  parameter [N*`SCALAR_INSTRUCTION_W-1:0] Program = `SCALAR_PROGRAM,
  parameter integer Window = `SCALAR_ENTRY_WINDOW,
  parameter integer Stop = `SCALAR_ENTRY_STOP,
  parameter integer Operands = `SCALAR_ENTRY_OPERANDS,
  parameter [2:0] SignedTotals = `SCALAR_SIGNED_TOTALS,
  parameter integer Checks = 0, ///< 1: checks_o
  localparam integer SW = E + M + 1,
  localparam integer OperandW = OperandExpW + OperandFracW + 1
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,
  input  wire                 abort_i,      ///< drop the work in hand
  input  wire                 start_i,
  input  wire  [$clog2(N+1)-1:0] entry_i,   ///< with start_i: the first instruction; 0 is there at once
  input  wire  [3*TotalW-1:0] totals_i,     ///< stand from start_i to done_o
  input  wire                 over_i,       ///< with start_i: a term left its window, or a word overflowed
  output logic                subtract_o,   ///< Outside: one clock
  output logic [SW+1:0]       minuend_o,    ///< {class, word}
  input  wire                 subtracted_i, ///< total 1 is the difference
  input  wire                 test_i,       ///< BELOW counts in this pass
  input  wire  [7:0]          set_i,        ///< bytes of scalar set_at_i that become those of {set_word_i, set_word_i};
  input  wire  [2:0]          set_at_i,     ///< only while the unit is at rest
  input  wire  [31:0]         set_word_i,
  input  wire                 read_i,
  input  wire  [2:0]          read_at_i,
  output logic [SW-1:0]       read_o,       ///< with read_i: scalar read_at_i
  output logic                done_o,       ///< one clock
  output logic [2:0]          end_o,
  output logic                guard_o,      ///< with done_o: sigma was negative
  output logic [1:0]          alpha_cls_o,  ///< alpha and beta as operands of the vector updates
  output logic [OperandW-1:0] alpha_op_o,
  output logic [1:0]          beta_cls_o,
  output logic [OperandW-1:0] beta_op_o,
  output logic                operands_o,   ///< one clock: they have been formed anew
  output logic [5:0]          checks_o      ///< with Checks: {RHO_STOP is not what it was; a total, as scalar_normalise's
                                            ///< checked_o}
);
  localparam integer FW   = M + 4; // as scalar_align's
  localparam integer Own  = (Outside != 0) ? 0 : 1;
  localparam integer IW   = `SCALAR_INSTRUCTION_W;
  localparam integer PcW  = $clog2(N + 1);

  // ---- The scalars -------------------------------------------------------------------------------------------------
  // Nothing is done between two passes: until a program begins, and two clocks after its end.
  wire  [5:0] rounded_tag; // of what is rounded
  logic       running_q;
  logic [1:0] awake_q;
  logic       clearing_q;
  wire        set   = |set_i;
  wire        begins = start_i | set | abort_i | ~rst_ni;
  wire        awake = begins | awake_q[0];
  always_ff @(posedge clk_i)
    if (begins | awake_q[0]) awake_q <= (begins | running_q | clearing_q) ? 2'b11 : {1'b0, awake_q[1]};
  wire unused_awake = &{1'b0, awake, rounded_tag};

  // Written by results, and by bytes from the bus. A reset clears alpha while it lasts, then the others that the bus
  // sees, first those that it can write.
  logic [2:0] clear_at_q;
  wire  [2:0] clear_next = (clear_at_q == `SCALAR_ALPHA) ? `SCALAR_BETA :
                           (clear_at_q == `SCALAR_BETA) ? `SCALAR_RHO_STOP : clear_at_q - 3'd1;
  always_ff @(posedge clk_i) `AWAKE(awake)
    if (!rst_ni) begin
      clearing_q <= 1'b1;
      clear_at_q <= `SCALAR_BETA;
    end else if (clearing_q & ~set) begin
      clear_at_q <= clear_next;
      if (clear_at_q == `SCALAR_RHO) clearing_q <= 1'b0;
    end

  wire          write, write_zero;
  wire [2:0]    write_at;
  wire [SW-1:0] written_word;
  wire [2:0]    ram_at = !rst_ni ? `SCALAR_ALPHA : set ? set_at_i : clearing_q ? clear_at_q : write_at;
  wire          ram_zero = !rst_ni | clearing_q | write_zero;
  wire [2:0]    fetch_at;
  wire [2:0]    ram_from = read_i ? read_at_i : fetch_at;
  wire [SW-1:0] fetched;
  wire unused_set = &{1'b0, set_word_i, set_i};
  genvar k;
  generate
    for (k = 0; 8 * k < SW; k = k + 1) begin : g_byte
      localparam integer BW = `MIN2(8, SW - 8 * k);
      logic [BW-1:0] mem [0:7];
      wire  [BW-1:0] data = set ? set_word_i[8*(k%4) +: BW] : written_word[8*k +: BW] & {BW{~ram_zero}};
      always_ff @(posedge clk_i) `AWAKE(awake)
        if (!rst_ni | set_i[k] | (~set & (clearing_q | write))) mem[ram_at] <= data;
      assign fetched[8*k +: BW] = mem[ram_from];
    end
  endgenerate
  // Not yet cleared: what stands after the one that is being cleared.
  wire stale = clearing_q & read_at_i != `SCALAR_ALPHA &
               (clear_at_q == `SCALAR_BETA ||
                (read_at_i != `SCALAR_BETA && (clear_at_q == `SCALAR_RHO_STOP || read_at_i <= clear_at_q)));
  assign read_o = fetched & {SW{~stale}};

  // ---- The program -------------------------------------------------------------------------------------------------
  logic [PcW-1:0] pc_q;    // of the instruction after ir_q
  logic [8:0]     ir_q;
  logic           ready_q; // ir_q holds one
  logic           silent_q;
  wire [2:0] a   = ir_q[8:6];
  wire [2:0] dst = ir_q[5:3];
  wire [5:0] tag = ir_q[5:0];
  assign fetch_at = a;

  // A result is pending until it is stored; in the clock before, in which it is rounded, it can be taken.
  logic [7:0]  pending_q;
  logic        again_q; // it was taken there, and what takes it has its place in turn
  logic        minus_q; // a difference is being formed,
  logic        apart_q; // and this is its first clock, which wants both A and D
  wire         a_busy, d_busy, moving, rounded;
  wire [SW-1:0] rounded_word;
  wire [5:0]   written_tag;
  wire         written;
  wire         here = rounded & rounded_tag[5:3] == a;
  wire [SW-1:0] word = here ? rounded_word : fetched;

  // What an instruction is and waits for is decoded as it is fetched.
  logic [9:0] is_q;     // one-hot, by its number
  logic [7:0] needs_q;  // scalars that must have been formed,
  logic       stored_q; // and stored
  logic       reads_q;  // it reads one
  logic       takes_q;  // it takes A
  logic       forms_q;  // it has a result
  logic       settled_q; // nothing is on its way, and nothing was begun a clock ago
  wire a_free = ~a_busy & ~apart_q;
  wire d_free = ~d_busy & ~apart_q;
  // While totals are on their way in the normaliser, only a division may begin: it takes longer than they do. Operands are
  // taken as soon as their registers are free, and again until the instruction goes.
  logic go, load, hold;
  always_comb begin
    go   = 1'b0;
    load = 1'b0;
    hold = 1'b0;
    if (running_q | (start_i & entry_i == '0)) begin
      go   = ready_q & ~(((|(needs_q & pending_q)) & (stored_q | ~here)) | (reads_q & read_i) | (takes_q & ~a_free) |
                         (is_q[`SCALAR_HOLD] & ~d_free) | (forms_q & minus_q) | (is_q[`SCALAR_TOTAL] & a_busy) |
                         ((is_q[`SCALAR_CLEAR] | is_q[`SCALAR_DONE]) & ~settled_q) |
                         ((is_q[`SCALAR_TIMES] | is_q[`SCALAR_MINUS]) & moving));
      load = takes_q & a_free;
      hold = is_q[`SCALAR_HOLD] & d_free;
    end
  end
  wire begun = go & forms_q;

  // What the end tests go by.
  logic over_q, not_finite_q, exact_q, indefinite_q, below_q, kill_q;
  wire  failed = over_q | not_finite_q | exact_q | indefinite_q;
  wire  leave  = go & is_q[`SCALAR_CHECK] & failed;
  wire  finish = go & (is_q[`SCALAR_DONE] | (is_q[`SCALAR_CHECK] & dst[0] & ~failed));

  logic look_below_q, below_ahead_q; // one and two clocks after BELOW
  wire [4:0] total_checked;
  generate
    if (Checks != 0) begin : g_checks
      // What the program reads it has formed itself, both times (fx_twice), but for RHO_STOP. Sign, exponent and the fraction's first
      // bit have a parity, of the word by which the bus wrote them all.
      localparam integer HighW = (SW > 32) ? SW - 32 : SW;
      localparam integer StopW = `MIN2(HighW, E + 2);
      localparam integer High = (SW - 1) / 8; // the first and the last byte of them
      localparam integer Low  = (SW - StopW) / 8;
      logic odd_q, stop_odd_q, known_q, other_q;
      wire set_stop = (|set_i[High:Low]) & set_at_i == `SCALAR_RHO_STOP;
      always_ff @(posedge clk_i) begin
        odd_q <= ^fetched[SW-1 -: StopW];
        if (!rst_ni) known_q <= 1'b0;
        else if (set_stop) known_q <= &set_i[High:Low];
        if (set_stop) stop_odd_q <= ^set_word_i[HighW-1 -: StopW];
        other_q <= rst_ni & look_below_q & known_q & (odd_q != stop_odd_q);
      end
      assign checks_o = {other_q, total_checked};
    end else begin : g_no_checks
      assign checks_o = '0;
      wire unused_checks = &{1'b0, total_checked};
    end
  endgenerate
  function automatic [IW-1:0] instruction(input [PcW-1:0] at);
    integer i;
    begin
      instruction = '0;
      for (i = 0; i < N; i = i + 1)
        instruction = instruction | (Program[(N-1-i)*IW +: IW] & {IW{at == PcW'(i)}}); // no resets of ir_q made of it
    end
  endfunction

  task automatic fetch;
    logic [IW-1:0] next;
    logic [9:0] is;
    logic takes;
    begin
      next  = instruction(pc_q);
      is    = 10'd1 << next[IW-1 -: 4];
      takes = is[`SCALAR_DIVIDE] | is[`SCALAR_TIMES] | is[`SCALAR_MINUS] | is[`SCALAR_BELOW];
      ir_q     <= next[8:0];
      is_q     <= is;
      takes_q  <= takes;
      needs_q  <= {7'd0, takes | is[`SCALAR_HOLD] | is[`SCALAR_CHECK]} << next[8:6];
      stored_q <= is[`SCALAR_CHECK];
      reads_q  <= takes | is[`SCALAR_HOLD];
      forms_q  <= is[`SCALAR_TOTAL] | is[`SCALAR_DIVIDE] | is[`SCALAR_TIMES] | is[`SCALAR_MINUS];
    end
  endtask

  wire unit_rst_n = rst_ni & ~abort_i & ~kill_q;
  always_ff @(posedge clk_i) `AWAKE(awake)
    if (!rst_ni || abort_i) begin
      pc_q      <= '0;
      ready_q   <= 1'b0;
      running_q <= 1'b0;
      silent_q  <= 1'b0;
      kill_q    <= 1'b0;
      done_o    <= 1'b0;
    end else begin
      kill_q <= leave;
      done_o <= finish & ~silent_q;
      if (go | ~ready_q) begin
        fetch();
        pc_q    <= pc_q + PcW'(1);
        ready_q <= 1'b1;
      end
      if (leave) begin
        pc_q    <= over_q ? PcW'(Window) : PcW'(Stop);
        ready_q <= 1'b0;
      end
      if (finish) begin
        pc_q      <= '0;
        ready_q   <= 1'b0;
        running_q <= 1'b0;
        silent_q  <= 1'b0;
      end
      if (set) begin
        pc_q      <= PcW'(Operands);
        ready_q   <= 1'b0;
        running_q <= 1'b1;
        silent_q  <= 1'b1;
      end
      if (start_i) running_q <= 1'b1;
      if (start_i && entry_i != '0) begin
        pc_q    <= entry_i;
        ready_q <= 1'b0;
      end
    end

  // ---- The units ---------------------------------------------------------------------------------------------------
  logic [5:0] tag_q; // of what the steps, or a difference, are at
  logic       second_q; // the second clock after a difference's instruction
  logic       float_q;  // a floating total leaves a clock after its instruction
  logic [1:0] float_at_q;
  logic [5:0] float_tag_q;
  wire quotient, product, product_rest, steps_sign, a_above;
  wire [M:0] quotient_sig, product_sig;
  wire [1:0] steps_cls, a_cls, d_cls;
  wire signed [E+2:0] steps_exp;
  wire signed [E:0] apart;
  wire [SW-1:0] a_word, d_word;
  scalar_steps #(.E(E), .M(M), .Rne(Rne), .Blocks(Blocks)) i_steps (
    .clk_i, .rst_ni(unit_rst_n), .awake_i(awake), .hold_i(hold), .load_i(load), .begin_i(go & takes_q), .divide_i(is_q[`SCALAR_DIVIDE]),
    .times_i(is_q[`SCALAR_TIMES]), .word_i(word), .a_busy_o(a_busy), .d_busy_o(d_busy), .quotient_o(quotient),
    .product_o(product), .quotient_sig_o(quotient_sig), .product_sig_o(product_sig), .product_rest_o(product_rest),
    .sign_o(steps_sign), .cls_o(steps_cls), .exp_o(steps_exp), .a_o(a_word), .d_o(d_word),
    .a_cls_o(a_cls), .d_cls_o(d_cls), .a_above_o(a_above), .apart_o(apart));

  // A difference is formed here, or outside, where it is asked for in its second clock.
  wire outside_done = (Outside != 0) & minus_q & subtracted_i;
  wire sum_valid;
  always_ff @(posedge clk_i) `AWAKE(awake)
    if (!unit_rst_n) begin
      minus_q  <= 1'b0;
      apart_q  <= 1'b0;
      second_q <= 1'b0;
      float_q  <= 1'b0;
    end else begin
      if (go & is_q[`SCALAR_MINUS]) minus_q <= 1'b1;
      else if (sum_valid | outside_done) minus_q <= 1'b0;
      apart_q  <= go & is_q[`SCALAR_MINUS];
      second_q <= apart_q;
      float_q  <= go & is_q[`SCALAR_TOTAL];
    end
  always_ff @(posedge clk_i) `AWAKE(awake) begin
    if (begun & ~is_q[`SCALAR_TOTAL]) tag_q <= tag;
    if (is_q[`SCALAR_TOTAL] | is_q[`SCALAR_MINUS]) begin
      float_at_q  <= is_q[`SCALAR_MINUS] ? 2'd1 : a[1:0]; // of a difference formed outside
      float_tag_q <= tag;
    end
  end
  assign subtract_o = (Outside != 0) & second_q;
  assign minuend_o  = second_q ? {a_cls, a_word} : {(SW+2){1'bx}};

  localparam integer MoveExpW = `MAX2(E, 10) + 3;
  wire                       moved, moved_rest, moved_fill, moved_sign;
  wire [M+1:0]               moved_sig;
  wire [1:0]                 moved_cls;
  wire signed [MoveExpW-1:0] moved_exp;
  wire [5:0]                 moved_tag;
  generate
    if (Own != 0) begin : g_own
      wire          sum_sticky, sum_sign, summing, normalising;
      wire [FW-1:0] sum;
      wire [1:0]    sum_cls;
      wire [E-1:0]  sum_exp;
      scalar_align #(.E(E), .M(M)) i_align (
        .clk_i, .rst_ni(unit_rst_n), .awake_i(awake), .valid_i(second_q), .a_i(a_word), .d_i(d_word), .a_cls_i(a_cls), .d_cls_i(d_cls),
        .a_above_i(a_above), .apart_i(apart), .moving_o(summing), .valid_o(sum_valid), .sum_o(sum),
        .sticky_o(sum_sticky), .sign_o(sum_sign), .cls_o(sum_cls), .exp_o(sum_exp));
      scalar_normalise #(.E(E), .M(M), .Integer(Integer), .TotalW(TotalW), .W0(W0), .W1(W1), .W2(W2), .Lsb0(Lsb0),
          .Lsb1(Lsb1), .Lsb2(Lsb2), .SignedTotals(SignedTotals), .TagW(6), .Checks(Checks)) i_normalise (
        .clk_i, .rst_ni(unit_rst_n), .awake_i(awake), .choose_i(is_q[`SCALAR_TOTAL] & (running_q | start_i)),
        .total_i(go & is_q[`SCALAR_TOTAL] & (Integer != 0)), .total_at_i(a[1:0]), .totals_i,
        .total_tag_i(tag), .sum_valid_i(sum_valid), .sum_i(sum), .sum_sticky_i(sum_sticky), .sum_sign_i(sum_sign),
        .sum_cls_i(sum_cls), .sum_exp_i(sum_exp), .sum_tag_i(tag_q), .moving_o(normalising), .valid_o(moved),
        .sig_o(moved_sig), .rest_o(moved_rest), .fill_o(moved_fill), .sign_o(moved_sign), .cls_o(moved_cls),
        .exp_o(moved_exp), .tag_o(moved_tag), .checked_o(total_checked));
      assign moving = summing | normalising;
    end else begin : g_outside
      assign {sum_valid, moved, moved_rest, moved_fill, moved_sign, moving} = '0;
      assign total_checked = '0;
      assign moved_sig = '0;
      assign moved_cls = '0;
      assign moved_exp = '0;
      assign moved_tag = '0;
      wire unused = &{1'b0, d_cls, a_above, apart};
    end
  endgenerate

  wire guarded;
  scalar_round #(.E(E), .M(M), .Rne(Rne), .Integer(Integer), .SumExpW(SumExpW), .SumFracW(SumFracW), .TotalW(TotalW),
      .TagW(6)) i_round (
    .clk_i, .rst_ni(unit_rst_n), .awake_i(awake), .quotient_i(quotient), .product_i(product), .quotient_sig_i(quotient_sig),
    .product_sig_i(product_sig), .product_rest_i(product_rest), .steps_sign_i(steps_sign), .steps_cls_i(steps_cls),
    .steps_exp_i(steps_exp), .steps_tag_i(tag_q), .moved_i(moved), .moved_sig_i(moved_sig), .moved_rest_i(moved_rest),
    .moved_fill_i(moved_fill), .moved_sign_i(moved_sign), .moved_cls_i(moved_cls), .moved_exp_i(moved_exp),
    .moved_tag_i(moved_tag), .float_i(float_q | outside_done), .float_at_i(float_at_q), .totals_i,
    .float_tag_i(float_tag_q), .valid_o(rounded), .word_o(rounded_word), .tag_o(rounded_tag), .written_o(written),
    .written_word_o(written_word), .written_tag_o(written_tag), .guarded_o(guarded));

  // ---- What is written ---------------------------------------------------------------------------------------------
  logic       clear_q; // a CLEAR stores its zero a clock later
  logic [2:0] clear_dst_q;
  always_ff @(posedge clk_i) `AWAKE(awake) begin
    clear_q <= rst_ni & go & is_q[`SCALAR_CLEAR];
    if (is_q[`SCALAR_CLEAR]) clear_dst_q <= dst;
  end
  assign write      = written | clear_q;
  assign write_zero = clear_q;
  assign write_at   = clear_q ? clear_dst_q : written_tag[5:3];
  always_ff @(posedge clk_i) `AWAKE(awake)
    if (!unit_rst_n) begin
      pending_q <= '0;
      again_q   <= 1'b0;
      settled_q <= 1'b1;
    end else begin
      settled_q <= ~begun & ~(|pending_q);
      again_q   <= begun & here & dst == a;
      if (written & ~again_q) pending_q[written_tag[5:3]] <= 1'b0;
      if (begun) pending_q[dst] <= 1'b1;
    end

  // ---- End tests ---------------------------------------------------------------------------------------------------
  wire [2:0] must = written_tag[2:0];
  wire nonzero = |written_word[SW-2:M];
  always_ff @(posedge clk_i) `AWAKE(awake)
    if (!rst_ni) begin
      end_o   <= `END_PASSES;
      guard_o <= 1'b0;
      {over_q, not_finite_q, exact_q, indefinite_q, below_q} <= '0;
      look_below_q  <= 1'b0;
      below_ahead_q <= 1'b0;
    end else if (start_i) begin
      end_o   <= `END_PASSES;
      guard_o <= 1'b0;
      {not_finite_q, exact_q, indefinite_q, below_q} <= '0;
      over_q  <= over_i;
      look_below_q  <= 1'b0;
      below_ahead_q <= 1'b0;
    end else begin
      if (written && must != `SCALAR_ANY) begin
        not_finite_q <= not_finite_q | (&written_word[SW-2:M]);
        exact_q      <= exact_q | (must == `SCALAR_MUST_NONZERO & ~nonzero);
        indefinite_q <= indefinite_q | (must == `SCALAR_MUST_POSITIVE & (~nonzero | written_word[SW-1]));
        guard_o      <= guard_o | guarded;
      end
      look_below_q  <= go & is_q[`SCALAR_BELOW];
      below_ahead_q <= look_below_q;
      if (below_ahead_q) below_q <= test_i & ~steps_sign & (a_cls == `CLS_INF || (a_cls == `CLS_FINITE && a_above));
      if (go && is_q[`SCALAR_CHECK]) begin
        if (below_q) end_o <= `END_RHO_REACHED;
        if (failed) begin
          end_o   <= over_q ? `END_WINDOW_OVERFLOW : not_finite_q ? `END_NOT_FINITE : exact_q ? `END_EXACT :
                                                                                       `END_INDEFINITE;
          guard_o <= 1'b0;
        end
      end
    end

  // ---- Operands of the vector updates; nothing is waited for ------------------------------------------------------------------------------
  scalar_operand #(.E(E), .M(M), .OperandExpW(OperandExpW), .OperandFracW(OperandFracW), .OperandRne(OperandRne)) i_operand (
    .clk_i, .rst_ni, .awake_i(awake), .valid_i(is_q[`SCALAR_OPERAND] & running_q & ready_q), .beta_i(dst[0]),
    .word_i(d_word), .alpha_cls_o, .alpha_op_o, .beta_cls_o, .beta_op_o, .operands_o);
endmodule
`default_nettype wire
