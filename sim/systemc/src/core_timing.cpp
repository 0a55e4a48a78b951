#include "core_timing.hpp"

#include "mantissa/sim/latencies.hpp"

namespace mantissa::sim {

namespace {

// The scalar unit, from start to done, where the totals end the run.
constexpr int kEndedIntegers = 20, kEndedFloating = 15;

} // namespace

CoreTiming::CoreTiming(const DatapathSpec& s) {
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
    const Format &sums = s.dot.accumulator, &scalar = s.scalar;
    const auto rne = [](const Format& f) { return f.truncates() ? 0 : 1; };
    const int integers = s.dot.fixed ? 1 : 0;
    const int outside =
        latency::scalar_outside(integers, sums.exponent_bits, sums.fraction_bits, rne(sums), scalar.exponent_bits,
                                scalar.fraction_bits, rne(scalar));
    formed_ = latency::scalar_clocks(integers, outside, scalar.fraction_bits, rne(scalar), 0, sums.fraction_bits);
    ended_ = integers != 0 ? kEndedIntegers : kEndedFloating;
    if (s.dot.fixed) {
        close = s.lanes + 2;
    } else {
        const int term = s.dot.exact_product ? s.dot.accumulator.fraction_bits : s.dot.product.fraction_bits;
        const int sum = s.dot.accumulator.fraction_bits;
        close = latency::accumulate_close_latency(term, sum, s.dot.depth) +
                latency::log2_up(s.lanes) * (latency::accumulate_fold_latency(term, sum) + 1) + 2;
    }
}

std::uint64_t CoreTiming::scalar(const mantissa_hls::ScalarResult& result) const {
    using mantissa_hls::PassEnd;
    // To done, and one to the next pass's command. A run that ends before alpha ends sooner.
    const bool formed = result.end == PassEnd::go_on || result.end == PassEnd::rho_reached;
    return static_cast<std::uint64_t>((formed ? formed_ : ended_) + 1);
}

} // namespace mantissa::sim
