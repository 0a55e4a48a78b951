  // pcg_core's parameters, for the head of a module. Parts of the core read those of their subject.
  // Written by rtl/generate.py from rtl/core.toml; edit that and run it again.
  /* verilator lint_off UNUSEDPARAM */
  parameter integer UExpW = 8,           ///< exponent bits of u,
  parameter integer UFracW = 23,         ///< and fraction bits,
  parameter integer URne = 0,            ///< 0 toward zero, 1 to nearest-even
  parameter integer RExpW = 8,           ///< exponent bits of r,
  parameter integer RFracW = 23,         ///< and fraction bits,
  parameter integer RRne = 0,            ///< 0 toward zero, 1 to nearest-even
  parameter integer PExpW = 8,           ///< exponent bits of p,
  parameter integer PFracW = 23,         ///< and fraction bits,
  parameter integer PRne = 0,            ///< 0 toward zero, 1 to nearest-even
  parameter integer QExpW = 8,           ///< exponent bits of q,
  parameter integer QFracW = 23,         ///< and fraction bits,
  parameter integer QRne = 0,            ///< 0 toward zero, 1 to nearest-even
  parameter integer CoefExpW = 8,        ///< exponent bits of band coefficients,
  parameter integer CoefFracW = 23,      ///< and fraction bits
  parameter integer OperandExpW = 8,     ///< exponent bits of alpha and beta as operands,
  parameter integer OperandFracW = 23,   ///< and fraction bits,
  parameter integer OperandRne = 0,      ///< 0 toward zero, 1 to nearest-even
  parameter integer RowExpW = 8,         ///< exponent bits of products and sums of a row,
  parameter integer RowFracW = 23,       ///< and fraction bits,
  parameter integer RowRne = 0,          ///< 0 toward zero, 1 to nearest-even
  parameter integer Order = 0,           ///< rows: products added in a 0 chain or 1 tree; 2 fluxes; 3 second differences (CoefMode 1 only)
  parameter integer RowSums = 0,         ///< Order 2 and 3: 1 where the rows have sums c
  parameter integer TimesAlpha = 0,      ///< Order 3: alpha as hardware, 1, -1, 3 or -3; 0: the register COEFFICIENT 0
  parameter integer TimesBeta = 0,       ///< Order 3: beta likewise; 0: COEFFICIENT 1
  parameter integer TimesGamma = 0,      ///< Order 3: gamma likewise; 0: COEFFICIENT 2
  parameter integer Fixed = 0,           ///< dot products: 0 floating, 1 in a window
  parameter integer Exact = 0,           ///< terms of dot products: 0 rounded to the format Term, 1 exact
  parameter integer TermExpW = 8,        ///< exponent bits of rounded terms of dot products,
  parameter integer TermFracW = 23,      ///< and fraction bits,
  parameter integer TermRne = 0,         ///< 0 toward zero, 1 to nearest-even
  parameter integer SumExpW = 11,        ///< exponent bits of accumulators of dot products, Fixed 0,
  parameter integer SumFracW = 52,       ///< and fraction bits,
  parameter integer SumRne = 0,          ///< 0 toward zero, 1 to nearest-even
  parameter integer Depth = 16,          ///< partial sums of a lane, Fixed 0
  parameter integer Msb = 13,            ///< highest (sign) bit of the window, Fixed 1
  parameter integer Lsb = -50,           ///< lowest bit of the window, Fixed 1
  parameter integer GuardW = 32,         ///< bits above the window while terms are added
  parameter integer ScalarExpW = 11,     ///< exponent bits of the scalar unit,
  parameter integer ScalarFracW = 52,    ///< and fraction bits,
  parameter integer ScalarRne = 0,       ///< 0 toward zero, 1 to nearest-even
  parameter integer Lanes = 1,           ///< elements per beat: 1, 2 or 4
  parameter integer CoefMode = 2,        ///< 0 streamed bands, 1 constant stencil, 2 both
  parameter integer MaxRow = 1025,       ///< longest ROW_LENGTH; sets the line buffer's size
  parameter integer LenW = 32,           ///< bits of LENGTH, up to 32
  parameter integer Style = 0,           ///< multipliers: 0 left to the tool, 1 logic, 2 hard blocks
  parameter integer AddStages = 6,       ///< stages of the adders of vectors and of rows of differences: 6, or 4, smaller and slower
  parameter integer DelayRam = 0,        ///< delay lines: 0 shift registers, 1 small memories
  parameter integer Chebyshev = 0,       ///< 0: pipelined CG; else the Chebyshev recurrence without sums, with a table of so many pairs of alpha and beta: a power of two in 8..4096
  // What follows from them.
  // bits of an element of u
  localparam integer UW = UExpW + UFracW + 1,
  // bits of an element of r
  localparam integer RW = RExpW + RFracW + 1,
  // bits of an element of p
  localparam integer PW = PExpW + PFracW + 1,
  // bits of an element of q
  localparam integer QW = QExpW + QFracW + 1,
  // bits of a coefficient
  localparam integer CoefW = CoefExpW + CoefFracW + 1,
  // coefficients of a row, and streams of them
  localparam integer Coefs = (Order < 2) ? 9 : (Order == 2) ? 4 + RowSums : 3 + RowSums,
  // bits of alpha and beta as operands
  localparam integer OperandW = OperandExpW + OperandFracW + 1,
  // bits of a scalar
  localparam integer ScalarW = ScalarExpW + ScalarFracW + 1,
  // bits of a dot product's total
  localparam integer DotW = (Fixed != 0) ? Msb - Lsb + 1 + GuardW : SumExpW + SumFracW + 3,
  // bits of ROW_LENGTH
  localparam integer RowLenW = $clog2(MaxRow + 1),
  // when u is taken, in clocks after the slot that takes p and q
  localparam integer UpdateUIn = `U_IN(OperandFracW, PFracW),
  // when u' leaves
  localparam integer UpdateUOut = `U_OUT(OperandFracW, PFracW, UFracW) - (6 - AddStages),
  // when r is taken
  localparam integer UpdateRIn = `R_IN(OperandFracW, QFracW),
  // when r' leaves
  localparam integer UpdateROut = `R_OUT(OperandFracW, QFracW, RFracW) - (6 - AddStages),
  // when p' leaves
  localparam integer UpdatePOut = `P_OUT(OperandFracW, QFracW, RFracW, PFracW) - 2 * (6 - AddStages),
  // clocks from a window to its q'
  localparam integer RowLatency = `ROWS_LATENCY(Order, CoefFracW, PFracW, RowExpW, RowFracW, QExpW, QFracW, RowSums, TimesGamma, AddStages)
  /* verilator lint_on UNUSEDPARAM */
