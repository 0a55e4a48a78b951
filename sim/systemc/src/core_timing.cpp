#include "core_timing.hpp"

#include "mantissa/sim/latencies.hpp"

namespace mantissa::sim {

namespace {

bool alike(const Format& a, const Format& b) {
    return a.exponent_bits == b.exponent_bits && a.fraction_bits == b.fraction_bits && a.rounding == b.rounding;
}

} // namespace

CoreTiming::CoreTiming(const DatapathSpec& s)
    : fixed_(s.dot.fixed), shared_(!s.dot.fixed && alike(s.dot.accumulator, s.scalar)),
      scalar_bits_(s.scalar.fraction_bits), sum_bits_(s.dot.window.width() + 32) {
    const int o = s.operand.fraction_bits, u = s.u.fraction_bits, r = s.r.fraction_bits, p = s.p.fraction_bits,
              q = s.q.fraction_bits, w = s.row.fraction_bits;
    u_in = latency::u_in(o, p);
    r_in = latency::r_in(o, q);
    u_out = latency::u_out(o, p, u);
    r_out = latency::r_out(o, q, r);
    p_out = latency::p_out(o, q, r, p);
    const int tree = s.order == RowOrder::tree ? 1 : 0;
    row = latency::row_latency(tree, s.coefficient.fraction_bits, p, s.row.exponent_bits, w, s.q.exponent_bits, q);
    for (int b = 0; b < 9; ++b) band[static_cast<std::size_t>(b)] = latency::row_off(tree, w, b);
    // The last term comes p_out + 1 + row clocks behind the last slot.
    drain = latency::drain_clocks(p_out, u_out, row) - (p_out + 1 + row);
    if (fixed_) {
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

std::uint64_t CoreTiming::scalar(const mantissa_hls::ScalarResult& result) const {
    using mantissa_hls::PassEnd;
    std::uint64_t clocks = 1; // into Load
    for (const int zeros : result.leading_zeros) {
        clocks += static_cast<std::uint64_t>(load_);
        // An integer is shifted by eight while it can be, then by one; a zero not at all.
        const bool zero = zeros == sum_bits_;
        if (fixed_ && !zero) clocks += static_cast<std::uint64_t>(zeros / 8 + zeros % 8);
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
