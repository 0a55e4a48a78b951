// The scalar unit's instructions, and the program of FCCM'06 Eq. 5. A solver with other scalars is another program: a
// parameter of scalar_sequencer, made of the same instructions.
`ifndef SCALAR_PROGRAM_SVH
`define SCALAR_PROGRAM_SVH

`include "core_registers.svh"

// Scalars, by bits [5:3] of their address on the bus, and one that no bus sees.
`define SCALAR_ALPHA    (3'(`REG_ALPHA >> 3))
`define SCALAR_BETA     (3'(`REG_BETA >> 3))
`define SCALAR_RHO      (3'(`REG_RHO >> 3))
`define SCALAR_PQ       (3'(`REG_PQ >> 3))
`define SCALAR_QQ       (3'(`REG_QQ >> 3))
`define SCALAR_SIGMA    (3'(`REG_SIGMA >> 3))
`define SCALAR_RHO_STOP (3'(`REG_RHO_STOP >> 3))
`define SCALAR_WORK     3'd7

// An instruction is {operation, a, result, what its result must be}. One is begun a clock, in order; each waits until
// the scalar that it reads has been written and the unit that it takes is free.
`define SCALAR_INSTRUCTION_W 13
`define SCALAR_TOTAL   4'd0 // result = total a of the dot products, rounded
`define SCALAR_HOLD    4'd1 // D = a
`define SCALAR_DIVIDE  4'd2 // result = a / D
`define SCALAR_TIMES   4'd3 // result = a D
`define SCALAR_MINUS   4'd4 // result = a - D
`define SCALAR_BELOW   4'd5 // D below a, a limit above zero, ends the run at the next CHECK but one clock away
`define SCALAR_CHECK   4'd6 // after a's storing: what came of the MUST_ marks so far; the run ends at the entry STOP, or
                            // goes on; with `result` 1 the program ends there, as with DONE
`define SCALAR_CLEAR   4'd7 // result = +0, to be read by the next but one
`define SCALAR_OPERAND 4'd8 // operand `result` of the vector updates (0 alpha, 1 beta) = D
`define SCALAR_DONE    4'd9

`define SCALAR_ANY          3'd0
`define SCALAR_MUST_FINITE  3'd1 // else CHECK ends the run with not_finite
`define SCALAR_MUST_NONZERO 3'd2 // ... and with exact where it is zero
`define SCALAR_MUST_POSITIVE 3'd3 // ... and with indefinite where it is not above zero
`define SCALAR_GUARDED      3'd4 // finite; and +0 in place of what is negative, which counts as a guard

// pq, rho and qq; alpha = rho / pq; sigma = alpha ((alpha qq) - pq); beta = sigma / rho. While the divider works on alpha
// qq is still on its way; a result is taken by the next instruction in the clock in which it is rounded, and what is
// held for that one is held before.
// generated: program
`define SCALAR_PROGRAM { \
  {`SCALAR_TOTAL,   3'd1,             `SCALAR_PQ,    `SCALAR_MUST_POSITIVE}, \
  {`SCALAR_TOTAL,   3'd0,             `SCALAR_RHO,   `SCALAR_MUST_NONZERO}, \
  {`SCALAR_TOTAL,   3'd2,             `SCALAR_QQ,    `SCALAR_MUST_FINITE}, \
  {`SCALAR_HOLD,    `SCALAR_PQ,       3'd0,          `SCALAR_ANY}, \
  {`SCALAR_DIVIDE,  `SCALAR_RHO,      `SCALAR_ALPHA, `SCALAR_MUST_FINITE}, \
  {`SCALAR_CHECK,   `SCALAR_QQ,       3'd0,          `SCALAR_ANY}, \
  {`SCALAR_HOLD,    `SCALAR_QQ,       3'd0,          `SCALAR_ANY}, \
  {`SCALAR_TIMES,   `SCALAR_ALPHA,    `SCALAR_WORK,  `SCALAR_ANY}, \
  {`SCALAR_HOLD,    `SCALAR_PQ,       3'd0,          `SCALAR_ANY}, \
  {`SCALAR_MINUS,   `SCALAR_WORK,     `SCALAR_WORK,  `SCALAR_ANY}, \
  {`SCALAR_HOLD,    `SCALAR_ALPHA,    3'd0,          `SCALAR_ANY}, \
  {`SCALAR_OPERAND, 3'd0,             3'd0,          `SCALAR_ANY}, \
  {`SCALAR_TIMES,   `SCALAR_WORK,     `SCALAR_SIGMA, `SCALAR_GUARDED}, \
  {`SCALAR_HOLD,    `SCALAR_RHO,      3'd0,          `SCALAR_ANY}, \
  {`SCALAR_BELOW,   `SCALAR_RHO_STOP, 3'd0,          `SCALAR_ANY}, \
  {`SCALAR_DIVIDE,  `SCALAR_SIGMA,    `SCALAR_BETA,  `SCALAR_MUST_FINITE}, \
  {`SCALAR_HOLD,    `SCALAR_BETA,     3'd0,          `SCALAR_ANY}, \
  {`SCALAR_OPERAND, 3'd0,             3'd1,          `SCALAR_ANY}, \
  {`SCALAR_CHECK,   `SCALAR_BETA,     3'd1,          `SCALAR_ANY}, \
  {`SCALAR_CLEAR,   3'd0,             `SCALAR_RHO,   `SCALAR_ANY}, \
  {`SCALAR_CLEAR,   3'd0,             `SCALAR_PQ,    `SCALAR_ANY}, \
  {`SCALAR_CLEAR,   3'd0,             `SCALAR_QQ,    `SCALAR_ANY}, \
  {`SCALAR_CLEAR,   3'd0,             `SCALAR_ALPHA, `SCALAR_ANY}, \
  {`SCALAR_CLEAR,   3'd0,             `SCALAR_BETA,  `SCALAR_ANY}, \
  {`SCALAR_CLEAR,   3'd0,             `SCALAR_SIGMA, `SCALAR_ANY}, \
  {`SCALAR_HOLD,    `SCALAR_ALPHA,    3'd0,          `SCALAR_ANY}, \
  {`SCALAR_OPERAND, 3'd0,             3'd0,          `SCALAR_ANY}, \
  {`SCALAR_HOLD,    `SCALAR_BETA,     3'd0,          `SCALAR_ANY}, \
  {`SCALAR_OPERAND, 3'd0,             3'd1,          `SCALAR_ANY}, \
  {`SCALAR_DONE,    3'd0,             3'd0,          `SCALAR_ANY}}
`define SCALAR_PROGRAM_N       30
`define SCALAR_ENTRY_WINDOW    19 // a total left its window
`define SCALAR_ENTRY_STOP      22 // the run ends with alpha, sigma and beta +0
`define SCALAR_ENTRY_OPERANDS  25 // the bus wrote alpha or beta
`define SCALAR_SIGNED_TOTALS   3'b010 // totals that can be negative
// end of generated

// The resident solver's (fx_resident): the program above, and two more after it. The totals of its outer unit, r.r as QQ
// and r.p as PQ; then, once its exponent is settled, the end test, and in BETA and ALPHA their quotients by the last rho.
`define SCALAR_RESIDENT_PROGRAM { `SCALAR_PROGRAM, \
  {`SCALAR_TOTAL,   3'd0,             `SCALAR_QQ,    `SCALAR_ANY}, \
  {`SCALAR_TOTAL,   3'd1,             `SCALAR_PQ,    `SCALAR_ANY}, \
  {`SCALAR_DONE,    3'd0,             3'd0,          `SCALAR_ANY}, \
  {`SCALAR_HOLD,    `SCALAR_QQ,       3'd0,          `SCALAR_ANY}, \
  {`SCALAR_BELOW,   `SCALAR_RHO_STOP, 3'd0,          `SCALAR_ANY}, \
  {`SCALAR_HOLD,    `SCALAR_RHO,      3'd0,          `SCALAR_ANY}, \
  {`SCALAR_DIVIDE,  `SCALAR_QQ,       `SCALAR_BETA,  `SCALAR_ANY}, \
  {`SCALAR_DIVIDE,  `SCALAR_PQ,       `SCALAR_ALPHA, `SCALAR_ANY}, \
  {`SCALAR_CHECK,   `SCALAR_ALPHA,    3'd0,          `SCALAR_ANY}, \
  {`SCALAR_DONE,    3'd0,             3'd0,          `SCALAR_ANY}}
`define SCALAR_RESIDENT_PROGRAM_N 40
`define SCALAR_ENTRY_FORM      30 // the outer unit's totals
`define SCALAR_ENTRY_BETAS     33 // end test and quotients

`endif
