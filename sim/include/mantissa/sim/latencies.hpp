// Latencies of the RTL in clocks, as functions of the formats' fraction and exponent bits.
// Written by rtl/generate.py from rtl/core.toml; edit that and run it again.
#pragma once

// clang-format off

#include <algorithm>

namespace mantissa::sim::latency {

/// The exponent of the next power of two, from 1 up.
constexpr int log2_up(int x) {
    int n = 0;
    while ((1 << n) < x) ++n;
    return n;
}

/// fp_add. Six stages at every width: compare and swap; align; add; normalise in two; round.
constexpr int add_latency([[maybe_unused]] int a_frac, [[maybe_unused]] int b_frac, [[maybe_unused]] int out_frac) {
    return 6;
}

/// 17-bit tiles across a fraction: the hidden bit, and one bit more, stay outside where that saves a tile.
constexpr int mul_tiles(int frac) {
    return (frac + 15) / 17;
}

/// fp_product. Two stages (tiles; sum), or one for each tile of the wider operand.
constexpr int product_latency(int a_frac, int b_frac) {
    return std::max({mul_tiles(a_frac), mul_tiles(b_frac), 2});
}

/// fp_mul: one stage more, which rounds.
constexpr int mul_latency(int a_frac, int b_frac) {
    return product_latency(a_frac, b_frac) + 1;
}

/// fp_convert: nothing to do between equal formats.
constexpr int convert_latency(int in_exp, int in_frac, int out_exp, int out_frac) {
    return in_exp == out_exp && in_frac == out_frac ? 0 : 1;
}

/// fp_to_fixed: exponent to distance; shift. Its over_o comes one clock later.
[[maybe_unused]] constexpr int to_fixed_latency() {
    return 2;
}

/// fp_div, from start_i to done_o.
constexpr int div_latency(int out_frac) {
    return out_frac + 6;
}

/// fp_mul_serial, from start_i to done_o.
constexpr int mul_serial_latency(int frac) {
    return (frac + 2) / 2 + 4;
}

/// scalar_steps: clocks of a division at two quotient bits each; to nearest-even one bit more is wanted.
constexpr int scalar_divide_steps(int frac, int rne) {
    return (frac + rne + 1) / 2 + 1;
}

/// scalar_steps: parts of a significand, each with a hard multiplier; 0: logic multiplies.
constexpr int scalar_tiles(int frac, int blocks) {
    return blocks == 0 ? 0 : (frac + 17) / 17;
}

/// scalar_steps: clocks of a multiplication: two bits each in logic; a block's register; all parts of A by one of
/// D each, and the last sum.
constexpr int scalar_times_steps(int frac, int blocks) {
    return blocks == 0 ? (frac + 2) / 2 + 1 : scalar_tiles(frac, blocks) == 1 ? 1 : scalar_tiles(frac,
           blocks) + 1;
}

/// no latency: 1 where the scalar unit subtracts on an accumulator's adder, dot products being floating and of
/// its format.
constexpr int scalar_outside(int fixed, int sum_exp, int sum_frac, int sum_rne, int exp, int frac, int rne) {
    return fixed == 0 && sum_exp == exp && sum_frac == frac && sum_rne == rne ? 1 : 0;
}

/// fp_accumulate: partial sums that keep it busy, at the least; Depth is the next power of two, or more.
constexpr int accumulate_least_depth(int term_frac, int sum_frac) {
    return add_latency(sum_frac, term_frac, sum_frac) + 2;
}

/// fp_accumulate, from close_i to done_o.
constexpr int accumulate_close_latency(int term_frac, int sum_frac, int depth) {
    return 2 * depth - 1 + log2_up(depth) * (add_latency(sum_frac, term_frac, sum_frac) + 1);
}

/// fp_accumulate, from fold_i to done_o.
constexpr int accumulate_fold_latency(int term_frac, int sum_frac) {
    return add_latency(sum_frac, term_frac, sum_frac) + 2;
}

/// scalar_sequencer, from start_i to done_o of a pass that is not the last: totals are integers or floating, and
/// differences are formed outside or here.
constexpr int scalar_clocks(int integers, int outside, int frac, int rne, int blocks, int sum_frac) {
    return 2 * scalar_divide_steps(frac, rne) + 2 * scalar_times_steps(frac, blocks) + (outside != 0 ? 17 +
           accumulate_fold_latency(sum_frac, sum_frac) : integers != 0 ? 23 : 22);
}

/// vector_update, from the slot that consumes p and q to the clock that takes u.
constexpr int u_in(int operand_frac, int p_frac) {
    return mul_latency(operand_frac, p_frac);
}

/// to u'.
constexpr int u_out(int operand_frac, int p_frac, int u_frac) {
    return u_in(operand_frac, p_frac) + add_latency(u_frac, u_frac, u_frac);
}

/// to the clock that takes r.
constexpr int r_in(int operand_frac, int q_frac) {
    return mul_latency(operand_frac, q_frac);
}

/// to r'.
constexpr int r_out(int operand_frac, int q_frac, int r_frac) {
    return r_in(operand_frac, q_frac) + add_latency(r_frac, r_frac, r_frac);
}

/// to p'.
constexpr int p_out(int operand_frac, int q_frac, int r_frac, int p_frac) {
    return r_out(operand_frac, q_frac, r_frac) + add_latency(r_frac, p_frac, p_frac);
}

/// row_sum, from the window to the clock that forms a band's product.
constexpr int row_off(int tree, int row_frac, int band) {
    return tree != 0 ? (band == 8 ? 3 * add_latency(row_frac, row_frac, row_frac) : 0) : band < 2 ? 0 :
           (band - 1) * add_latency(row_frac, row_frac, row_frac);
}

/// row_sum, from the window to q'.
constexpr int row_latency(int tree, int coef_frac, int p_frac, int row_exp, int row_frac, int q_exp, int q_frac) {
    return mul_latency(coef_frac, p_frac) + (tree != 0 ? 4 : 8) * add_latency(row_frac, row_frac, row_frac)
           + convert_latency(row_exp, row_frac, q_exp, q_frac);
}

/// fp_times.
constexpr int times_latency(int times, int in_exp, int in_frac, int out_exp, int out_frac) {
    return times * times == 1 ? convert_latency(in_exp, in_frac, out_exp, out_frac) : 2;
}

/// flux_rows, from the window to the clock that takes a weight (E, NW, N, NE) or, as the fifth, a row sum;
/// stages: AddStages.
constexpr int flux_off(int coef_frac, int p_frac, int row_frac, int weight, int stages) {
    return weight < 4 ? stages : 5 * stages + mul_latency(coef_frac, row_frac) - mul_latency(coef_frac,
           p_frac);
}

/// flux_rows, from the window to q'.
constexpr int flux_latency(int coef_frac, int row_exp, int row_frac, int q_exp, int q_frac, int row_sums, int stages) {
    return mul_latency(coef_frac, row_frac) + (row_sums != 0 ? 6 : 5) * stages + convert_latency(row_exp,
           row_frac, q_exp, q_frac);
}

/// second_rows, of gamma times a.
constexpr int second_gamma_latency(int coef_frac, int row_exp, int row_frac, int times_gamma) {
    return times_gamma != 0 ? times_latency(times_gamma, row_exp, row_frac, row_exp, row_frac) :
           mul_latency(coef_frac, row_frac);
}

/// second_rows, from the window to q'.
constexpr int second_latency(int coef_frac, int row_exp, int row_frac, int q_exp, int q_frac, int row_sums, int times_gamma, int stages) {
    return second_gamma_latency(coef_frac, row_exp, row_frac, times_gamma) + (row_sums != 0 ? 7 : 6) *
           stages + convert_latency(row_exp, row_frac, q_exp, q_frac);
}

/// core_rows, from a window to its q', by Order.
constexpr int rows_latency(int order, int coef_frac, int p_frac, int row_exp, int row_frac, int q_exp, int q_frac, int row_sums, int times_gamma, int stages) {
    return order < 2 ? row_latency(order, coef_frac, p_frac, row_exp, row_frac, q_exp, q_frac) : order == 2
           ? flux_latency(coef_frac, row_exp, row_frac, q_exp, q_frac, row_sums, stages) : second_latency(coef_frac,
           row_exp, row_frac, q_exp, q_frac, row_sums, times_gamma, stages);
}

/// core_control, from a pass's last slot to the close of the dot products: the pipeline, with a few clocks in
/// hand.
constexpr int drain_clocks(int p_out_latency, int u_out_latency, int row_sum_latency) {
    return std::max({p_out_latency, u_out_latency}) + 3 + row_sum_latency + 16;
}

/// fx_operand: bits of alpha and beta in a multiplier.
constexpr int fx_operand_w(int operand_frac) {
    return std::max({18, operand_frac + 2});
}

/// fx_operand: products move by multiples of this; shorter moves are the multiplier's spare bits.
constexpr int fx_operand_step(int operand_frac) {
    return operand_frac < 10 ? 8 : operand_frac < 14 ? 4 : operand_frac < 16 ? 2 : 1;
}

/// fx_operand: steps to the left at position 0. `_most` are the longest of the words multiplied and of those
/// added to.
constexpr int fx_base(int operand_frac, int out_most) {
    return out_most / fx_operand_step(operand_frac);
}

/// fx_operand: bits of a position.
constexpr int fx_position_w(int operand_frac, int from_most, int out_most) {
    return log2_up((from_most + operand_frac) / fx_operand_step(operand_frac) + 2 + fx_base(operand_frac,
           out_most));
}

/// fx_scale: bits of a product but for its sign.
constexpr int fx_product_bits(int operand_frac, int from_most) {
    return operand_frac + fx_operand_step(operand_frac) + from_most - 1;
}

/// fx_scale: groups of a step's bits that hold a product, and a term.
constexpr int fx_product_groups(int operand_frac, int from_most, int out_most) {
    return (std::max({fx_product_bits(operand_frac, from_most), out_most + 2}) - 1) /
           fx_operand_step(operand_frac) + 1;
}

/// fx_scale: groups that a term and its half lie in.
constexpr int fx_term_groups(int operand_frac, int out_w) {
    return out_w / fx_operand_step(operand_frac) + 2;
}

/// fx_scale: log2 of the groups in the ring that it turns, which holds a term, and half a product.
constexpr int fx_turn_w(int operand_frac, int from_most, int out_most, int out_w) {
    return log2_up(std::max({fx_term_groups(operand_frac, out_w), (fx_product_groups(operand_frac,
           from_most, out_most) + 1) / 2}));
}

/// fx_scale: groups of product bits that may lie beyond a term.
constexpr int fx_beyond_n(int operand_frac, int from_most, int out_w) {
    return (fx_product_bits(operand_frac, from_most) - 1 - (out_w - out_w / fx_operand_step(operand_frac) *
           fx_operand_step(operand_frac))) / fx_operand_step(operand_frac) + 1;
}

/// fx_move: what it says of a position to fx_scale.
constexpr int fx_move_w(int operand_frac, int from_most, int out_most, int out_w) {
    return fx_turn_w(operand_frac, from_most, out_most, out_w) + 1 + (out_w + 3) + std::max({0,
           fx_product_groups(operand_frac, from_most, out_most) - (1 << fx_turn_w(operand_frac, from_most, out_most,
           out_w))}) + fx_beyond_n(operand_frac, from_most, out_w);
}

/// fx_lane: bits that hold p, and r' on p's grid.
constexpr int fx_wide_p(int r_w, int r_f, int p_w, int p_f) {
    return std::max({p_w, r_w + p_f - r_f + (r_f > p_f ? 1 : 0)});
}

/// fx_mul. One clock where a hard block of 18 x 18 bits holds the product, else two (blocks; their sum).
constexpr int fx_mul_latency(int operand_frac, int w) {
    return std::max({operand_frac + 2, w}) > 18 ? 2 : 1;
}

/// fx_update, from the slot that consumes q to the clock that takes p: such that beta p is there with r'.
constexpr int fx_p_in(int operand_frac, int q_w, int p_w) {
    return fx_mul_latency(operand_frac, q_w) + 1 - fx_mul_latency(operand_frac, p_w);
}

/// to the clock that takes r: multiply; shift.
constexpr int fx_r_in(int operand_frac, int q_w) {
    return fx_mul_latency(operand_frac, q_w) + 1;
}

/// to r'.
constexpr int fx_r_out(int operand_frac, int q_w) {
    return fx_r_in(operand_frac, q_w) + 1;
}

/// to the clock that takes u.
constexpr int fx_u_in(int operand_frac, int q_w) {
    return fx_r_in(operand_frac, q_w) + 1;
}

/// to u'.
constexpr int fx_u_out(int operand_frac, int q_w) {
    return fx_u_in(operand_frac, q_w) + 1;
}

/// to p'.
constexpr int fx_p_out(int operand_frac, int q_w) {
    return fx_r_out(operand_frac, q_w) + 1;
}

/// fx_dot, from two words to a total that holds their product: multiply; add lanes, two levels a clock;
/// accumulate.
constexpr int fx_dot_latency(int lanes, int a_w, int b_w) {
    return fx_mul_latency(a_w - 2, b_w) + (log2_up(lanes) + 1) / 2 + 1;
}

/// core_control of fx_core, from a pass's last slot to the close of the dot products.
constexpr int fx_drain_clocks(int p_out_latency, int row_sum_latency, int dot_latency) {
    return p_out_latency + row_sum_latency + dot_latency;
}

} // namespace mantissa::sim::latency
