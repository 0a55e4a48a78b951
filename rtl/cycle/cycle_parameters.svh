  // fx_cycle's parameters, for the head of a module: the words of a cycle (multilevel/cycle.hpp) and its grid. Parts of the
  // core read those of their subject.
  /* verilator lint_off UNUSEDPARAM */
  parameter integer Lanes = 1,     ///< nodes a clock, a power of two
  parameter integer BusWords = 1,  ///< words of D and U a beat of the streams, a power of two up to Lanes
  parameter integer W = 10,        ///< bits of a word of r as it enters a level,
  parameter integer F = 17,        ///< of a word of f,
  parameter integer E = 16,        ///< of a word of e as it goes up a level
  parameter integer Guard = 4,     ///< fraction bits of r inside a level
  parameter integer Phi = 9,       ///< point of f
  parameter integer Before = 2,    ///< smoothing steps on the way down,
  parameter integer After = 0,     ///< and up
  parameter integer M0 = 368,      ///< weights of the steps before, M 2^-S,
  parameter integer S0 = 12,
  parameter integer M1 = 298,
  parameter integer S1 = 11,
  parameter integer M2 = 1,
  parameter integer S2 = 0,
  parameter integer M3 = 1,
  parameter integer S3 = 0,
  parameter integer N0 = 1,        ///< and after, N 2^-T, in the order of their use
  parameter integer T0 = 0,
  parameter integer N1 = 1,
  parameter integer T1 = 0,
  parameter integer N2 = 1,
  parameter integer T2 = 0,
  parameter integer N3 = 1,
  parameter integer T3 = 0,
  parameter integer Centre = 8,    ///< the stencil in integers
  parameter integer East = -1,
  parameter integer North = -1,
  parameter integer Corner = -1,
  parameter integer Z = 32768,     ///< the inverse on the coarsest level, Z 2^-ZC
  parameter integer ZC = 18,
  parameter integer MaxLevel = 7,  ///< rows, counters and points for grids of up to 2^MaxLevel + 1 nodes a side
  parameter integer StoredLevel = 7, ///< and memory for those of up to 2^StoredLevel + 1: what LEVEL may be
  parameter integer DW = 64,       ///< bits of words of D,
  parameter integer UW = 64,       ///< of U
  parameter integer Cores = 1,     ///< cores that share a grid (fx_cycles),
  parameter integer Core = 0,      ///< and which of them this one is, from the south
  parameter integer Checks = 0     ///< 1: the core looks for its own upsets, which end a run: fault_detected (docs/upsets.md)
  /* verilator lint_on UNUSEDPARAM */
