  // fx_core's parameters, for the head of a module. Parts of the core read those of their subject.
  // Written by rtl/generate.py from rtl/core.toml; edit that and run it again.
  /* verilator lint_off UNUSEDPARAM */
  parameter integer UW = 31,             ///< bits of words of u,
  parameter integer UF = 21,             ///< of which fraction,
  parameter integer UDown = 0,           ///< rounded 0 to nearest, half up, 1 down
  parameter integer RW = 18,             ///< bits of words of r,
  parameter integer RF = 16,             ///< of which fraction,
  parameter integer RDown = 0,           ///< rounded 0 to nearest, half up, 1 down
  parameter integer PW = 18,             ///< bits of words of p,
  parameter integer PF = 16,             ///< of which fraction,
  parameter integer PDown = 0,           ///< rounded 0 to nearest, half up, 1 down
  parameter integer QW = 18,             ///< bits of words of q,
  parameter integer QF = 16,             ///< of which fraction,
  parameter integer QDown = 0,           ///< rounded 0 to nearest, half up, 1 down
  parameter integer CoefW = 18,          ///< bits of words of streamed weights and row sums,
  parameter integer CoefF = 16,          ///< of which fraction
  parameter integer OperandExpW = 8,     ///< exponent bits of alpha and beta as operands,
  parameter integer OperandFracW = 13,   ///< and fraction bits,
  parameter integer OperandRne = 0,      ///< 0 toward zero, 1 to nearest-even
  parameter integer ScalarExpW = 8,      ///< exponent bits of the scalar unit,
  parameter integer ScalarFracW = 23,    ///< and fraction bits,
  parameter integer ScalarRne = 0,       ///< 0 toward zero, 1 to nearest-even
  parameter integer Lanes = 1,           ///< elements per beat: 1, 2, 4 and so on to 64
  parameter integer CoefMode = 1,        ///< 0 streamed weights, 1 constant stencil
  parameter integer RowSums = 0,         ///< streamed weights: 1 a stream of row sums beside them
  parameter integer RowShift = 3,        ///< fraction bits of a row's sum less those of q; may be negative
  parameter integer S0 = -1,             ///< constant stencil as integers: south-west,
  parameter integer S1 = -1,             ///< south,
  parameter integer S2 = -1,             ///< south-east,
  parameter integer S3 = -1,             ///< west,
  parameter integer S4 = 8,              ///< centre,
  parameter integer S5 = -1,             ///< east,
  parameter integer S6 = -1,             ///< north-west,
  parameter integer S7 = -1,             ///< north,
  parameter integer S8 = -1,             ///< north-east
  parameter integer MaxRow = 1025,       ///< longest ROW_LENGTH; sets the line buffer's size
  parameter integer LenW = 32,           ///< bits of LENGTH, up to 32
  parameter integer Style = 0,           ///< multipliers: 0 left to the tool, 1 logic, 2 hard blocks
  parameter integer DelayRam = 0,        ///< delay lines: 0 shift registers, 1 small memories
  parameter integer Alone = 1,           ///< 0: one core of several (fx_cores), with a slab of the vectors; dot products are summed outside
  parameter integer Chebyshev = 0,       ///< 0: pipelined CG; else the Chebyshev recurrence without sums, with a table of so many pairs of alpha and beta: a power of two in 8..4096
  parameter integer Checks = 0,          ///< 1: the core looks for its own upsets, which end a run or a solve: fault_detected (docs/upsets.md)
  // What follows from them.
  // coefficient streams; with a constant stencil one that is not used
  localparam integer Coefs = (CoefMode == 1) ? 1 : 4 + RowSums,
  // bits of alpha and beta as operands
  localparam integer OperandW = OperandExpW + OperandFracW + 1,
  // bits of a scalar
  localparam integer ScalarW = ScalarExpW + ScalarFracW + 1,
  // bits of a total of r.r: fewer than 2^LenW products of at most 2^(2W-2) each
  localparam integer DotRrW = 2 * RW - 1 + LenW,
  // of p.q
  localparam integer DotPqW = PW + QW - 1 + LenW,
  // of q.q
  localparam integer DotQqW = 2 * QW - 1 + LenW,
  // bits of a beat of sums: {over, rr, pq, qq}
  localparam integer SumW = DotRrW + DotPqW + DotQqW + 1,
  // bits of ROW_LENGTH
  localparam integer RowLenW = $clog2(MaxRow + 1),
  // when p is taken, in clocks after the slot that takes q
  localparam integer UpdatePIn = `FX_P_IN(OperandFracW, QW, PW),
  // when r is taken
  localparam integer UpdateRIn = `FX_R_IN(OperandFracW, QW),
  // when r' leaves
  localparam integer UpdateROut = `FX_R_OUT(OperandFracW, QW),
  // when u is taken
  localparam integer UpdateUIn = `FX_U_IN(OperandFracW, QW),
  // when u' leaves
  localparam integer UpdateUOut = `FX_U_OUT(OperandFracW, QW),
  // when p' leaves
  localparam integer UpdatePOut = `FX_P_OUT(OperandFracW, QW),
  // clocks from p' and q' to a total that holds their product; without sums, to the words' lengths
  localparam integer DotLatency = (Chebyshev != 0) ? 2 : `FX_DOT_LATENCY(Lanes, PW, QW)
  /* verilator lint_on UNUSEDPARAM */
