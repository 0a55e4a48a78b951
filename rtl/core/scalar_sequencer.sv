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
/// and qq too. All scalars are +0 behind a reset.
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
  parameter integer Blocks = 0,   ///< 1: one hard multiplier, for significands up to 34 bits
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
  output logic                operands_o    ///< one clock: they have been formed anew
);
  localparam integer FW   = M + 4;
  localparam integer ExpW = (Integer != 0) ? `MAX2(E, 10) + 3 : `MAX2(E, SumExpW) + 3; // as scalar_normalise's
  localparam integer Own  = (Outside != 0) ? 0 : 1;
  localparam integer IW   = `SCALAR_INSTRUCTION_W;
  localparam integer PcW  = $clog2(N + 1);

  // ---- The scalars -------------------------------------------------------------------------------------------------
  // Written by results, and by bytes from the bus. A reset clears alpha while it lasts, then the others that the bus
  // sees, first those that it can write.
  logic       clearing_q;
  logic [2:0] clear_at_q;
  wire  [2:0] clear_next = (clear_at_q == `SCALAR_ALPHA) ? `SCALAR_BETA :
                           (clear_at_q == `SCALAR_BETA) ? `SCALAR_RHO_STOP : clear_at_q - 3'd1;
  wire        set = |set_i;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      clearing_q <= 1'b1;
      clear_at_q <= `SCALAR_BETA;
    end else if (clearing_q & ~set) begin
      clear_at_q <= clear_next;
      if (clear_at_q == `SCALAR_RHO) clearing_q <= 1'b0;
    end

  wire          write, write_zero;
  wire [2:0]    write_at;
  wire [SW-1:0] write_word;
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
      wire  [BW-1:0] data = set ? set_word_i[8*(k%4) +: BW] : write_word[8*k +: BW] & {BW{~ram_zero}};
      always_ff @(posedge clk_i)
        if (!rst_ni | set_i[k] | (~set & (clearing_q | write))) mem[ram_at] <= data;
      assign fetched[8*k +: BW] = mem[ram_from];
    end
  endgenerate
  // Not yet cleared: what stands behind the one that is being cleared.
  wire stale = clearing_q & read_at_i != `SCALAR_ALPHA &
               (clear_at_q == `SCALAR_BETA ||
                (read_at_i != `SCALAR_BETA && (clear_at_q == `SCALAR_RHO_STOP || read_at_i <= clear_at_q)));
  assign read_o = fetched & {SW{~stale}};

  // ---- The program -------------------------------------------------------------------------------------------------
  logic [PcW-1:0] pc_q;    // of the instruction behind ir_q
  logic [8:0]     ir_q;
  logic           ready_q; // ir_q holds one
  logic           running_q, silent_q;
  wire [2:0] a   = ir_q[8:6];
  wire [2:0] dst = ir_q[5:3];
  wire [5:0] tag = ir_q[5:0];
  assign fetch_at = a;

  logic [7:0] pending_q;   // scalars that are to be written
  logic       second_q;    // of the two clocks of an integer total
  logic       minus_q;     // a difference is being formed
  wire steps_busy, steps_done, first, added, negative, moving;

  // What an instruction is and waits for is decoded as it is fetched.
  logic [9:0] is_q;     // one-hot, by its number
  logic [7:0] needs_q;  // scalars that must have been written
  logic       reads_q;
  logic       settled_q; // nothing is on its way, and nothing was begun a clock ago
  // While integer totals are on their way in the normaliser, only a division may begin: it takes longer than they do.
  wire stands = ((is_q[`SCALAR_TOTAL] | reads_q) & (steps_busy | minus_q)) |
                (|(needs_q & pending_q)) | (reads_q & read_i) |
                ((is_q[`SCALAR_CLEAR] | is_q[`SCALAR_DONE]) & ~settled_q) |
                ((is_q[`SCALAR_TIMES] | is_q[`SCALAR_MINUS]) & moving) | (is_q[`SCALAR_TOTAL] & negative);
  wire go    = running_q & ready_q & ~stands;
  wire next  = go & ~(is_q[`SCALAR_TOTAL] & (Integer != 0) & ~second_q);
  wire load  = go & reads_q & ~is_q[`SCALAR_HOLD];
  wire begun = next & (is_q[`SCALAR_TOTAL] | is_q[`SCALAR_DIVIDE] | is_q[`SCALAR_TIMES] | is_q[`SCALAR_MINUS]);

  // What the end tests go by.
  logic over_q, not_finite_q, exact_q, indefinite_q, below_q, kill_q;
  wire  failed = over_q | not_finite_q | exact_q | indefinite_q;
  wire  leave  = go & is_q[`SCALAR_CHECK] & failed;
  wire  finish = go & is_q[`SCALAR_DONE];

  function automatic [IW-1:0] instruction(input [PcW-1:0] at);
    integer i;
    begin
      instruction = '0;
      for (i = 0; i < N; i = i + 1)
        instruction = instruction | (Program[(N-1-i)*IW +: IW] & {IW{at == PcW'(i)}}); // no resets of ir_q made of it
    end
  endfunction

  task automatic fetch;
    logic [IW-1:0] word;
    logic [9:0] is;
    logic reads;
    begin
      word  = instruction(pc_q);
      is    = 10'd1 << word[IW-1 -: 4];
      reads = is[`SCALAR_HOLD] | is[`SCALAR_DIVIDE] | is[`SCALAR_TIMES] | is[`SCALAR_MINUS] | is[`SCALAR_BELOW] |
              is[`SCALAR_OPERAND];
      ir_q    <= word[8:0];
      is_q    <= is;
      reads_q <= reads;
      needs_q <= {7'd0, reads | is[`SCALAR_CHECK]} << word[8:6];
    end
  endtask

  wire unit_rst_n = rst_ni & ~abort_i & ~kill_q;
  always_ff @(posedge clk_i)
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
      if (next | ~ready_q) begin
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
  logic [5:0] tag_q; // of what the steps are at
  // A total leaves a clock behind its instruction.
  logic       total_q, total_second_q;
  logic [1:0] total_at_q;
  logic [5:0] total_tag_q;
  wire [FW-1:0] steps_sig;
  wire steps_sticky, steps_sign, subtract, minus_sign, a_above;
  wire [1:0] steps_cls, minus_cls, a_cls;
  wire signed [E+2:0] steps_exp;
  wire [SW-1:0] a_word;
  wire [M:0] larger, smaller;
  wire [E-1:0] larger_exp;
  wire [E:0] distance;
  scalar_steps #(.E(E), .M(M), .Rne(Rne), .Blocks(Blocks)) i_steps (
    .clk_i, .rst_ni(unit_rst_n), .hold_i(go & is_q[`SCALAR_HOLD]), .load_i(load), .divide_i(is_q[`SCALAR_DIVIDE]), .times_i(is_q[`SCALAR_TIMES]),
    .word_i(fetched), .busy_o(steps_busy), .done_o(steps_done), .sig_o(steps_sig), .sticky_o(steps_sticky),
    .sign_o(steps_sign), .cls_o(steps_cls), .exp_o(steps_exp), .first_o(first), .a_o(a_word), .a_cls_o(a_cls),
    .a_above_o(a_above), .larger_o(larger), .smaller_o(smaller), .larger_exp_o(larger_exp), .distance_o(distance),
    .subtract_o(subtract), .minus_sign_o(minus_sign), .minus_cls_o(minus_cls));

  // A difference is formed here three clocks behind its instruction, or outside, where it is asked for in two.
  logic second_clock_q, third_clock_q;
  wire  outside_done = (Outside != 0) & minus_q & subtracted_i;
  always_ff @(posedge clk_i)
    if (!unit_rst_n) begin
      minus_q        <= 1'b0;
      second_clock_q <= 1'b0;
      third_clock_q  <= 1'b0;
      second_q       <= 1'b0;
      total_q        <= 1'b0;
      total_second_q <= 1'b0;
    end else begin
      if (go & is_q[`SCALAR_MINUS]) minus_q <= 1'b1;
      else if (added | outside_done) minus_q <= 1'b0;
      second_clock_q <= first & minus_q;
      third_clock_q  <= second_clock_q;
      second_q       <= go & is_q[`SCALAR_TOTAL] & ~second_q & (Integer != 0);
      total_q        <= go & is_q[`SCALAR_TOTAL];
      total_second_q <= second_q;
    end
  always_ff @(posedge clk_i) begin
    if (begun & ~is_q[`SCALAR_TOTAL]) tag_q <= tag;
    if (go & (is_q[`SCALAR_TOTAL] | is_q[`SCALAR_MINUS])) begin
      total_at_q  <= is_q[`SCALAR_MINUS] ? 2'd1 : a[1:0]; // of a difference formed outside
      total_tag_q <= tag;
    end
  end
  assign subtract_o = (Outside != 0) & second_clock_q;
  assign minuend_o  = second_clock_q ? {a_cls, a_word} : {(SW+2){1'bx}};

  wire rounded_valid, rounded_sticky, rounded_sign;
  wire [FW-1:0] rounded_sig;
  wire [1:0] rounded_cls;
  wire signed [ExpW-1:0] rounded_exp;
  wire [5:0] rounded_tag;
  scalar_normalise #(.E(E), .M(M), .Integer(Integer), .Own(Own), .SumExpW(SumExpW), .SumFracW(SumFracW),
      .TotalW(TotalW), .W0(W0), .W1(W1), .W2(W2), .Lsb0(Lsb0), .Lsb1(Lsb1), .Lsb2(Lsb2), .SignedTotals(SignedTotals),
      .TagW(6)) i_normalise (
    .clk_i, .rst_ni(unit_rst_n), .look_i(start_i), .choose_i(running_q & is_q[`SCALAR_TOTAL]), .choose_at_i(a[1:0]),
    .choose_second_i(second_q), .total_valid_i(total_q | outside_done), .total_second_i(total_second_q),
    .total_at_i(total_at_q), .totals_i, .minus_i(third_clock_q & (Own != 0)), .larger_i(larger),
    .smaller_i(smaller), .larger_exp_i(larger_exp), .distance_i(distance), .subtract_i(subtract),
    .minus_sign_i(minus_sign), .minus_cls_i(minus_cls), .steps_valid_i(steps_done), .steps_sig_i(steps_sig),
    .steps_sticky_i(steps_sticky), .steps_sign_i(steps_sign), .steps_cls_i(steps_cls), .steps_exp_i(steps_exp),
    .tag_i(total_tag_q), .steps_tag_i(tag_q), .negative_o(negative), .moving_o(moving), .added_o(added),
    .valid_o(rounded_valid), .sig_o(rounded_sig), .sticky_o(rounded_sticky), .sign_o(rounded_sign),
    .cls_o(rounded_cls), .exp_o(rounded_exp), .tag_o(rounded_tag));

  // ---- Rounding, and what is written -------------------------------------------------------------------------------
  localparam integer FracW = FW; // and the sticky bit
  localparam integer EO = E;
  localparam integer MO = M;
`include "fp_round.svh"
  logic [1:0]    result_cls;
  logic [SW-1:0] result_word;
  wire           result_sign;
  always_comb begin : p_round
    logic [1:0] cls;
    logic sign;
    result_cls  = 2'bx;
    result_word = {SW{1'bx}};
    cls  = rounded_cls;
    sign = rounded_sign;
    if (rounded_valid) begin
      if (cls == `CLS_FINITE && !rounded_sig[FW-1]) begin
        cls  = `CLS_ZERO;
        sign = 1'b0;
      end
      round(cls, sign, rounded_exp, {rounded_sig[FW-2:0], rounded_sticky}, result_cls, result_word);
      // As fp_pack.
      if (result_cls != `CLS_FINITE)
        result_word = {sign & ~(&result_cls), {E{result_cls[1]}}, &result_cls, {(M-1){1'b0}}};
    end
  end
  assign result_sign = result_word[SW-1];
  wire [2:0] must    = rounded_tag[2:0];
  wire       guarded = rounded_valid & must == `SCALAR_GUARDED & result_sign;
  assign write      = rounded_valid | (go & is_q[`SCALAR_CLEAR]);
  assign write_zero = guarded | (go & is_q[`SCALAR_CLEAR]);
  assign write_at   = rounded_valid ? rounded_tag[5:3] : dst;
  assign write_word = result_word;

  always_ff @(posedge clk_i)
    if (!unit_rst_n) begin
      pending_q <= '0;
      settled_q <= 1'b1;
    end else begin
      settled_q <= ~begun & ~(|pending_q);
      if (rounded_valid) pending_q[rounded_tag[5:3]] <= 1'b0;
      if (begun) pending_q[dst] <= 1'b1;
    end

  // ---- End tests ---------------------------------------------------------------------------------------------------
  logic below_ahead_q; // the limit's class and sign are known a clock before the comparison is
  logic look_below_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      end_o   <= `END_PASSES;
      guard_o <= 1'b0;
      {over_q, not_finite_q, exact_q, indefinite_q, below_q} <= '0;
      look_below_q <= 1'b0;
    end else if (start_i) begin
      end_o   <= `END_PASSES;
      guard_o <= 1'b0;
      {not_finite_q, exact_q, indefinite_q, below_q} <= '0;
      over_q  <= over_i;
      look_below_q <= 1'b0;
    end else begin
      if (rounded_valid && must != `SCALAR_ANY) begin
        not_finite_q <= not_finite_q | (result_cls[1] & ~guarded);
        exact_q      <= exact_q | (must == `SCALAR_MUST_NONZERO && result_cls == `CLS_ZERO);
        indefinite_q <= indefinite_q | (must == `SCALAR_MUST_POSITIVE && (result_cls == `CLS_ZERO || result_sign));
        guard_o      <= guard_o | guarded;
      end
      look_below_q <= go & is_q[`SCALAR_BELOW];
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
  always_ff @(posedge clk_i) below_ahead_q <= look_below_q;

  // ---- Operands of the vector updates ------------------------------------------------------------------------------
  localparam integer ConvertLatency = `CONVERT_LATENCY(E, M, OperandExpW, OperandFracW);
  logic [1:0] operand_q, which_q; // an OPERAND, one and two clocks ago, and its operand
  wire  [1:0] operand_cls;
  wire  [OperandW-1:0] operand;
  wire  [1:0] now_cls = {&a_word[SW-2:M], (&a_word[SW-2:M]) ? |a_word[M-1:0] : |a_word[SW-2:M]};
  fp_convert #(.EI(E), .MI(M), .EO(OperandExpW), .MO(OperandFracW), .Rne(OperandRne)) i_operand (
    .clk_i, .en_i(operand_q[0]), .cls_i(now_cls), .word_i(a_word), .cls_o(operand_cls), .word_o(operand));
  always_ff @(posedge clk_i)
    if (!rst_ni) begin
      operand_q  <= '0;
      operands_o <= 1'b0;
      {alpha_cls_o, beta_cls_o} <= '0;
      {alpha_op_o, beta_op_o}   <= '0;
    end else begin
      operand_q  <= {operand_q[0], go & is_q[`SCALAR_OPERAND] & ~abort_i};
      operands_o <= operand_q[ConvertLatency] & which_q[ConvertLatency];
      if (operand_q[ConvertLatency]) begin
        if (which_q[ConvertLatency]) begin
          beta_cls_o <= operand_cls;
          beta_op_o  <= operand;
        end else begin
          alpha_cls_o <= operand_cls;
          alpha_op_o  <= operand;
        end
      end
    end
  always_ff @(posedge clk_i) which_q <= {which_q[0], dst[0]};
endmodule
`default_nettype wire
