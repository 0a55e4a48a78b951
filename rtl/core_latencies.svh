// Latencies in clocks as functions of formats.
// Written by rtl/generate.py from rtl/core.toml; edit that and run it again.
`ifndef CORE_LATENCIES_SVH
`define CORE_LATENCIES_SVH

`define MAX2(a, b) ((a) > (b) ? (a) : (b))
`define MIN2(a, b) ((a) < (b) ? (a) : (b))
`define MAX3(a, b, c) `MAX2(`MAX2(a, b), c)

// fp_add. Six stages at every width: compare and swap; align; add; normalise in two; round.
`define ADD_LATENCY(a_frac, b_frac, out_frac) (6)

// 17-bit tiles across a fraction: the hidden bit, and one bit more, stay outside where that saves a tile.
`define MUL_TILES(frac) (((frac) + 15) / 17)

// fp_product. Two stages (tiles; sum), or one for each tile of the wider operand.
`define PRODUCT_LATENCY(a_frac, b_frac) (`MAX3(`MUL_TILES(a_frac), `MUL_TILES(b_frac), 2))

// fp_mul: one stage more, which rounds.
`define MUL_LATENCY(a_frac, b_frac) (`PRODUCT_LATENCY(a_frac, b_frac) + 1)

// fp_convert: nothing to do between equal formats.
`define CONVERT_LATENCY(in_exp, in_frac, out_exp, out_frac) ((in_exp) == (out_exp) && (in_frac) == (out_frac) ? \
    0 : 1)

// fp_to_fixed: exponent to distance; shift. Its over_o comes one clock later.
`define TO_FIXED_LATENCY (2)

// fp_div, from start_i to done_o.
`define DIV_LATENCY(out_frac) ((out_frac) + 6)

// fp_mul_serial, from start_i to done_o.
`define MUL_SERIAL_LATENCY(frac) (((frac) + 2) / 2 + 4)

// scalar_steps: clocks of a division at two quotient bits each; to nearest-even one bit more is wanted.
`define SCALAR_DIVIDE_STEPS(frac, rne) (((frac) + (rne) + 1) / 2 + 1)

// scalar_steps: parts of a significand, each with a hard multiplier; 0: logic multiplies.
`define SCALAR_TILES(frac, blocks) ((blocks) == 0 ? 0 : ((frac) + 17) / 17)

// scalar_steps: clocks of a multiplication: two bits each in logic; a block's register; all parts of A by one of
// D each, and the last sum.
`define SCALAR_TIMES_STEPS(frac, blocks) ((blocks) == 0 ? ((frac) + 2) / 2 + 1 : `SCALAR_TILES(frac, blocks) == \
    1 ? 1 : `SCALAR_TILES(frac, blocks) + 1)

// no latency: 1 where the scalar unit subtracts on an accumulator's adder, dot products being floating and of
// its format.
`define SCALAR_OUTSIDE(fixed, sum_exp, sum_frac, sum_rne, exp, frac, rne) ((fixed) == 0 && (sum_exp) == (exp) && \
    (sum_frac) == (frac) && (sum_rne) == (rne) ? 1 : 0)

// fp_accumulate: partial sums that keep it busy, at the least; Depth is the next power of two, or more.
`define ACCUMULATE_LEAST_DEPTH(term_frac, sum_frac) (`ADD_LATENCY(sum_frac, term_frac, sum_frac) + 2)

// fp_accumulate, from close_i to done_o.
`define ACCUMULATE_CLOSE_LATENCY(term_frac, sum_frac, depth) (2 * (depth) - 1 + $clog2(depth) * \
    (`ADD_LATENCY(sum_frac, term_frac, sum_frac) + 1))

// fp_accumulate, from fold_i to done_o.
`define ACCUMULATE_FOLD_LATENCY(term_frac, sum_frac) (`ADD_LATENCY(sum_frac, term_frac, sum_frac) + 2)

// scalar_sequencer, from start_i to done_o of a pass that is not the last: totals are integers or floating, and
// differences are formed outside or here.
`define SCALAR_CLOCKS(integers, outside, frac, rne, blocks, sum_frac) (2 * `SCALAR_DIVIDE_STEPS(frac, rne) + 2 * \
    `SCALAR_TIMES_STEPS(frac, blocks) + ((outside) != 0 ? 17 + `ACCUMULATE_FOLD_LATENCY(sum_frac, sum_frac) : \
    (integers) != 0 ? 23 : 22))

// vector_update, from the slot that consumes p and q to the clock that takes u.
`define U_IN(operand_frac, p_frac) (`MUL_LATENCY(operand_frac, p_frac))

// to u'.
`define U_OUT(operand_frac, p_frac, u_frac) (`U_IN(operand_frac, p_frac) + `ADD_LATENCY(u_frac, u_frac, u_frac))

// to the clock that takes r.
`define R_IN(operand_frac, q_frac) (`MUL_LATENCY(operand_frac, q_frac))

// to r'.
`define R_OUT(operand_frac, q_frac, r_frac) (`R_IN(operand_frac, q_frac) + `ADD_LATENCY(r_frac, r_frac, r_frac))

// to p'.
`define P_OUT(operand_frac, q_frac, r_frac, p_frac) (`R_OUT(operand_frac, q_frac, r_frac) + `ADD_LATENCY(r_frac, \
    p_frac, p_frac))

// row_sum, from the window to the clock that forms a band's product.
`define ROW_OFF(tree, row_frac, band) ((tree) != 0 ? ((band) == 8 ? 3 * `ADD_LATENCY(row_frac, row_frac, \
    row_frac) : 0) : (band) < 2 ? 0 : ((band) - 1) * `ADD_LATENCY(row_frac, row_frac, row_frac))

// row_sum, from the window to q'.
`define ROW_LATENCY(tree, coef_frac, p_frac, row_exp, row_frac, q_exp, q_frac) (`MUL_LATENCY(coef_frac, p_frac) \
    + ((tree) != 0 ? 4 : 8) * `ADD_LATENCY(row_frac, row_frac, row_frac) + `CONVERT_LATENCY(row_exp, row_frac, \
    q_exp, q_frac))

// fp_times.
`define TIMES_LATENCY(times, in_exp, in_frac, out_exp, out_frac) ((times) * (times) == 1 ? \
    `CONVERT_LATENCY(in_exp, in_frac, out_exp, out_frac) : 2)

// flux_rows, from the window to the clock that takes a weight (E, NW, N, NE) or, as the fifth, a row sum;
// stages: AddStages.
`define FLUX_OFF(coef_frac, p_frac, row_frac, weight, stages) ((weight) < 4 ? (stages) : 5 * (stages) + \
    `MUL_LATENCY(coef_frac, row_frac) - `MUL_LATENCY(coef_frac, p_frac))

// flux_rows, from the window to q'.
`define FLUX_LATENCY(coef_frac, row_exp, row_frac, q_exp, q_frac, row_sums, stages) (`MUL_LATENCY(coef_frac, \
    row_frac) + ((row_sums) != 0 ? 6 : 5) * (stages) + `CONVERT_LATENCY(row_exp, row_frac, q_exp, q_frac))

// second_rows, of gamma times a.
`define SECOND_GAMMA_LATENCY(coef_frac, row_exp, row_frac, times_gamma) ((times_gamma) != 0 ? \
    `TIMES_LATENCY(times_gamma, row_exp, row_frac, row_exp, row_frac) : `MUL_LATENCY(coef_frac, row_frac))

// second_rows, from the window to q'.
`define SECOND_LATENCY(coef_frac, row_exp, row_frac, q_exp, q_frac, row_sums, times_gamma, stages) \
    (`SECOND_GAMMA_LATENCY(coef_frac, row_exp, row_frac, times_gamma) + ((row_sums) != 0 ? 7 : 6) * (stages) + \
    `CONVERT_LATENCY(row_exp, row_frac, q_exp, q_frac))

// core_rows, from a window to its q', by Order.
`define ROWS_LATENCY(order, coef_frac, p_frac, row_exp, row_frac, q_exp, q_frac, row_sums, times_gamma, stages) \
    ((order) < 2 ? `ROW_LATENCY(order, coef_frac, p_frac, row_exp, row_frac, q_exp, q_frac) : (order) == 2 ? \
    `FLUX_LATENCY(coef_frac, row_exp, row_frac, q_exp, q_frac, row_sums, stages) : `SECOND_LATENCY(coef_frac, \
    row_exp, row_frac, q_exp, q_frac, row_sums, times_gamma, stages))

// core_control, from a pass's last slot to the close of the dot products: the pipeline, with a few clocks in
// hand.
`define DRAIN_CLOCKS(p_out_latency, u_out_latency, row_sum_latency) (`MAX2(p_out_latency, u_out_latency) + 3 + \
    (row_sum_latency) + 16)

// fx_operand: bits of alpha and beta in a multiplier.
`define FX_OPERAND_W(operand_frac) (`MAX2(18, (operand_frac) + 2))

// fx_operand: products move by multiples of this; shorter moves are the multiplier's spare bits.
`define FX_OPERAND_STEP(operand_frac) ((operand_frac) < 10 ? 8 : (operand_frac) < 14 ? 4 : (operand_frac) < 16 ? \
    2 : 1)

// fx_operand: steps to the left at position 0. `_most` are the longest of the words multiplied and of those
// added to.
`define FX_BASE(operand_frac, out_most) ((out_most) / `FX_OPERAND_STEP(operand_frac))

// fx_operand: bits of a position.
`define FX_POSITION_W(operand_frac, from_most, out_most) ($clog2(((from_most) + (operand_frac)) / \
    `FX_OPERAND_STEP(operand_frac) + 2 + `FX_BASE(operand_frac, out_most)))

// fx_scale: bits of a product but for its sign.
`define FX_PRODUCT_BITS(operand_frac, from_most) ((operand_frac) + `FX_OPERAND_STEP(operand_frac) + (from_most) \
    - 1)

// fx_scale: groups of a step's bits that hold a product, and a term.
`define FX_PRODUCT_GROUPS(operand_frac, from_most, out_most) ((`MAX2(`FX_PRODUCT_BITS(operand_frac, from_most), \
    (out_most) + 2) - 1) / `FX_OPERAND_STEP(operand_frac) + 1)

// fx_scale: groups that a term and its half lie in.
`define FX_TERM_GROUPS(operand_frac, out_w) ((out_w) / `FX_OPERAND_STEP(operand_frac) + 2)

// fx_scale: log2 of the groups in the ring that it turns, which holds a term, and half a product.
`define FX_TURN_W(operand_frac, from_most, out_most, out_w) ($clog2(`MAX2(`FX_TERM_GROUPS(operand_frac, out_w), \
    (`FX_PRODUCT_GROUPS(operand_frac, from_most, out_most) + 1) / 2)))

// fx_scale: groups of product bits that may lie beyond a term.
`define FX_BEYOND_N(operand_frac, from_most, out_w) ((`FX_PRODUCT_BITS(operand_frac, from_most) - 1 - ((out_w) - \
    (out_w) / `FX_OPERAND_STEP(operand_frac) * `FX_OPERAND_STEP(operand_frac))) / `FX_OPERAND_STEP(operand_frac) + \
    1)

// fx_move: what it says of a position to fx_scale.
`define FX_MOVE_W(operand_frac, from_most, out_most, out_w) (`FX_TURN_W(operand_frac, from_most, out_most, \
    out_w) + 1 + ((out_w) + 3) + `MAX2(0, `FX_PRODUCT_GROUPS(operand_frac, from_most, out_most) - (1 << \
    `FX_TURN_W(operand_frac, from_most, out_most, out_w))) + `FX_BEYOND_N(operand_frac, from_most, out_w))

// fx_lane: bits that hold p, and r' on p's grid.
`define FX_WIDE_P(r_w, r_f, p_w, p_f) (`MAX2(p_w, (r_w) + (p_f) - (r_f) + ((r_f) > (p_f) ? 1 : 0)))

// fx_mul. One clock where a hard block of 18 x 18 bits holds the product, else two (blocks; their sum).
`define FX_MUL_LATENCY(operand_frac, w) (`MAX2((operand_frac) + 2, w) > 18 ? 2 : 1)

// fx_update, from the slot that consumes q to the clock that takes p: such that beta p is there with r'.
`define FX_P_IN(operand_frac, q_w, p_w) (`FX_MUL_LATENCY(operand_frac, q_w) + 1 - `FX_MUL_LATENCY(operand_frac, \
    p_w))

// to the clock that takes r: multiply; shift.
`define FX_R_IN(operand_frac, q_w) (`FX_MUL_LATENCY(operand_frac, q_w) + 1)

// to r'.
`define FX_R_OUT(operand_frac, q_w) (`FX_R_IN(operand_frac, q_w) + 1)

// to the clock that takes u.
`define FX_U_IN(operand_frac, q_w) (`FX_R_IN(operand_frac, q_w) + 1)

// to u'.
`define FX_U_OUT(operand_frac, q_w) (`FX_U_IN(operand_frac, q_w) + 1)

// to p'.
`define FX_P_OUT(operand_frac, q_w) (`FX_R_OUT(operand_frac, q_w) + 1)

// fx_dot, from two words to a total that holds their product: multiply; add lanes, two levels a clock;
// accumulate.
`define FX_DOT_LATENCY(lanes, a_w, b_w) (`FX_MUL_LATENCY((a_w) - 2, b_w) + ($clog2(lanes) + 1) / 2 + 1)

// core_control of fx_core, from a pass's last slot to the close of the dot products.
`define FX_DRAIN_CLOCKS(p_out_latency, row_sum_latency, dot_latency) ((p_out_latency) + (row_sum_latency) + \
    (dot_latency))

`endif
