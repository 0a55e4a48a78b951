#include "core_timing.hpp"

#include <algorithm>
#include <bit>

namespace mantissa::sim {

namespace {

int adder(int a, int b, int out) {
    return std::max({a, b, out}) > 28 ? 8 : 6;
}
int tiles(int m) {
    return (m + 15) / 17;
}
int multiplier(int a, int b) {
    return std::max({tiles(a), tiles(b), 2}) + 1;
}
int conversion(const Format& in, const Format& out) {
    return in.exponent_bits == out.exponent_bits && in.fraction_bits == out.fraction_bits ? 0 : 1;
}
bool alike(const Format& a, const Format& b) {
    return a.exponent_bits == b.exponent_bits && a.fraction_bits == b.fraction_bits && a.rounding == b.rounding;
}
int log2(int x) {
    return std::bit_width(static_cast<unsigned>(x)) - 1;
}

} // namespace

CoreTiming::CoreTiming(const DatapathSpec& s)
    : fixed_(s.dot.fixed), shared_(!s.dot.fixed && alike(s.dot.accumulator, s.scalar)),
      scalar_bits_(s.scalar.fraction_bits), sum_bits_(s.dot.window.width() + 32) {
    const int o = s.operand.fraction_bits, u = s.u.fraction_bits, r = s.r.fraction_bits, p = s.p.fraction_bits,
              q = s.q.fraction_bits, w = s.row.fraction_bits;
    u_in = multiplier(o, p);
    r_in = multiplier(o, q);
    u_out = multiplier(o, p) + adder(u, u, u);
    r_out = multiplier(o, q) + adder(r, r, r);
    p_out = r_out + adder(r, p, p);
    row = multiplier(s.coefficient.fraction_bits, p) + (s.order == RowOrder::tree ? 4 : 8) * adder(w, w, w) +
          conversion(s.row, s.q);
    for (int b = 0; b < 9; ++b)
        band[static_cast<std::size_t>(b)] = s.order == RowOrder::tree ? (b == 8 ? 3 * adder(w, w, w) : 0)
                                            : b < 2                   ? 0
                                                                      : (b - 1) * adder(w, w, w);
    // The control counts max(p_out, u_out) + 2 + row + 16 clocks behind the last slot; the last term comes p_out + 1 +
    // row behind it.
    drain = std::max(p_out, u_out) - p_out + 18;
    if (fixed_) {
        close = s.lanes + 2;
        load_ = 5;
    } else {
        const int term = s.dot.exact_product ? s.dot.accumulator.fraction_bits : s.dot.product.fraction_bits;
        const int a = s.dot.accumulator.fraction_bits, latency = adder(a, term, a);
        close = 2 * s.dot.depth - 1 + log2(s.dot.depth) * (latency + 1) + log2(s.lanes) * (latency + 3) + 2;
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
        const int divide = scalar_bits_ + 7, multiply = (scalar_bits_ + 2) / 2 + 5;
        clocks += static_cast<std::uint64_t>(2 * divide + 2 * multiply +
                                             adder(scalar_bits_, scalar_bits_, scalar_bits_) + (shared_ ? 5 : 1));
    }
    return clocks + 5; // finish in two, operands, done, next
}

} // namespace mantissa::sim
