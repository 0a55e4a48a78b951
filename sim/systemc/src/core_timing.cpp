#include "core_timing.hpp"

#include <algorithm>

#include "integer_rows.hpp"
#include "mantissa/sim/latencies.hpp"
#include "mantissa/symmetric_bands.hpp"

namespace mantissa::sim {

namespace {

bool alike(const Format& a, const Format& b) {
    return a.exponent_bits == b.exponent_bits && a.fraction_bits == b.fraction_bits && a.rounding == b.rounding;
}

/// Of the integer core's LENGTH register: sums of dot products are as much longer than their terms.
int length_bits(std::uint64_t size) {
    int bits = 20;
    while (bits < 32 && size >> bits != 0) bits += 4;
    return bits;
}

} // namespace

CoreTiming::CoreTiming(const DatapathSpec& s, const hls::LoadedMatrix& matrix)
    : integer_sums_(s.dot.fixed || s.dot.exact), shared_(!integer_sums_ && alike(s.dot.accumulator, s.scalar)),
      scalar_bits_(s.scalar.fraction_bits) {
    if (s.fixed_vectors()) take_words(s, matrix);
    else take_floating(s, matrix.shape);
}

namespace {

/// Rows of differences as the kernel forms them, each operation on the RTL core's operators.
RowClocks difference_row(const DatapathSpec& s, bool row_sums) {
    const int w = s.row.fraction_bits, p = s.p.fraction_bits, c = s.coefficient.fraction_bits;
    const int add = latency::add_latency(w, w, w), first = latency::add_latency(p, p, w),
              convert = latency::convert_latency(s.row.exponent_bits, w, s.q.exponent_bits, s.q.fraction_bits);
    RowClocks row;
    if (s.order == RowOrder::flux) {
        // difference; product; two sums to up; up - down; the sum along the row
        row.latency = first + latency::mul_latency(c, w) + 4 * add;
        row.taken.fill(first);
    } else {
        // a; gamma a; s; two differences of s; the sum with alpha a
        row.latency = first + add + latency::mul_latency(c, w) + 4 * add;
    }
    if (row_sums) {
        row.taken[kWeights] = row.latency - latency::mul_latency(c, p);
        row.latency += add;
    }
    row.latency += convert;
    return row;
}

} // namespace

void CoreTiming::take_floating(const DatapathSpec& s, const mantissa_hls::Shape& shape) {
    const int o = s.operand.fraction_bits, u = s.u.fraction_bits, r = s.r.fraction_bits, p = s.p.fraction_bits,
              q = s.q.fraction_bits, w = s.row.fraction_bits;
    u_in = latency::u_in(o, p);
    r_in = latency::r_in(o, q);
    u_out = latency::u_out(o, p, u);
    r_out = latency::r_out(o, q, r);
    p_out = latency::p_out(o, q, r, p);
    if (adds_products(s.order)) {
        const int tree = s.order == RowOrder::tree ? 1 : 0;
        row = latency::row_latency(tree, s.coefficient.fraction_bits, p, s.row.exponent_bits, w, s.q.exponent_bits, q);
        for (int b = 0; b < 9; ++b) band[static_cast<std::size_t>(b)] = latency::row_off(tree, w, b);
    } else {
        const RowClocks differences = difference_row(s, shape.row_sums != 0);
        row = differences.latency;
        band = differences.taken;
    }
    // The last term comes p_out + 1 + row clocks behind the last slot.
    drain = latency::drain_clocks(p_out, u_out, row) - (p_out + 1 + row);
    if (integer_sums_) {
        sum_bits_ = s.dot.window.width() + 32;
        close = s.lanes + 2;
        load_ = 5;
    } else {
        const int term = s.dot.exact_product ? s.dot.accumulator.fraction_bits : s.dot.product.fraction_bits;
        const int sum = s.dot.accumulator.fraction_bits;
        close = latency::accumulate_close_latency(term, sum, s.dot.depth) +
                latency::log2_up(s.lanes) * (latency::accumulate_fold_latency(term, sum) + 1) + 2;
        load_ = 3;
    }
}

void CoreTiming::take_words(const DatapathSpec& s, const hls::LoadedMatrix& matrix) {
    const int o = s.operand.fraction_bits, r = s.r.word_bits, p = s.p.word_bits, q = s.q.word_bits;
    p_in = latency::fx_p_in(o, q, p);
    u_in = latency::fx_u_in(o, q);
    r_in = latency::fx_r_in(o, q);
    u_out = latency::fx_u_out(o, q);
    r_out = latency::fx_r_out(o, q);
    p_out = latency::fx_p_out(o, q);
    const RowClocks rows = integer_rows(s, matrix);
    row = rows.latency;
    band = rows.taken;
    const int dot = std::max({latency::fx_dot_latency(s.lanes, r, r), latency::fx_dot_latency(s.lanes, p, q),
                              latency::fx_dot_latency(s.lanes, q, q)});
    drain = latency::fx_drain_clocks(p_out, row, dot) - (p_out + 1 + row);
    close = 2;
    load_ = 5;
    // The three totals on one grid.
    const int length = length_bits(matrix.shape.size), rf = s.r.fraction_bits, pf = s.p.fraction_bits,
              qf = s.q.fraction_bits;
    const std::array<int, 3> fraction{2 * rf, pf + qf, 2 * qf}, width{2 * r - 1, p + q - 1, 2 * q - 1};
    const int finest = std::max({fraction[0], fraction[1], fraction[2]});
    for (std::size_t k = 0; k < 3; ++k) {
        sum_shift_[k] = finest - fraction[k];
        sum_bits_ = std::max(sum_bits_, width[k] + length + sum_shift_[k]);
    }
}

std::uint64_t CoreTiming::scalar(const mantissa_hls::ScalarResult& result) const {
    using mantissa_hls::PassEnd;
    std::uint64_t clocks = 1; // into Load
    for (std::size_t k = 0; k < 3; ++k) {
        clocks += static_cast<std::uint64_t>(load_);
        // An integer is shifted by eight while it can be, then by one; a zero not at all.
        const int zeros = sum_bits_ - sum_shift_[k] - result.total_bits[k];
        if (integer_sums_ && result.total_bits[k] != 0) clocks += static_cast<std::uint64_t>(zeros / 8 + zeros % 8);
    }
    clocks += 1; // tests
    const bool formed = result.end == PassEnd::go_on || result.end == PassEnd::rho_reached;
    if (formed) {
        const int divide = latency::div_latency(scalar_bits_) + 1,
                  multiply = latency::mul_serial_latency(scalar_bits_) + 1;
        clocks += static_cast<std::uint64_t>(2 * divide + 2 * multiply +
                                             latency::add_latency(scalar_bits_, scalar_bits_, scalar_bits_) +
                                             (shared_ ? 5 : 1));
    }
    return clocks + 5; // finish in two, operands, done, next
}

} // namespace mantissa::sim
