#include "core_timing.hpp"

#include <algorithm>

#include "integer_rows.hpp"
#include "mantissa/sim/latencies.hpp"
#include "mantissa/symmetric_bands.hpp"

namespace mantissa::sim {

namespace {

// The scalar unit, from start to done, where the totals end the run.
constexpr int kEndedIntegers = 19, kEndedFloating = 16;
// In its place a table of alpha and beta (step_pairs): from close to start, and to done.
constexpr int kPairStands = 2, kPairTaken = 1;
// From the last q' to the close of a core without sums (core.toml, DotLatency).
constexpr int kUnsummed = 2;

int rne(const Format& f) {
    return f.truncates() ? 0 : 1;
}

/// Rows of differences as the RTL core forms them, with alpha, beta and gamma of second differences in registers.
RowClocks difference_row(const DatapathSpec& s, int row_sums) {
    const int w = s.row.fraction_bits, p = s.p.fraction_bits, c = s.coefficient.fraction_bits, e = s.row.exponent_bits,
              qe = s.q.exponent_bits, q = s.q.fraction_bits, stages = latency::add_latency(w, w, w);
    RowClocks row;
    if (s.order == RowOrder::flux) {
        row.latency = latency::flux_latency(c, e, w, qe, q, row_sums, stages);
        for (int k = 0; k < 5; ++k) row.taken[static_cast<std::size_t>(k)] = latency::flux_off(c, p, w, k, stages);
    } else {
        row.latency = latency::second_latency(c, e, w, qe, q, row_sums, 0, stages);
    }
    return row;
}

} // namespace

CoreTiming::CoreTiming(const DatapathSpec& s) {
    const bool integers = s.dot.fixed || s.dot.exact;
    const Format &sums = s.dot.accumulator, &scalar = s.scalar;
    const int outside = latency::scalar_outside(integers ? 1 : 0, sums.exponent_bits, sums.fraction_bits, rne(sums),
                                                scalar.exponent_bits, scalar.fraction_bits, rne(scalar));
    // The integer core's has a hard multiplier.
    formed_ = latency::scalar_clocks(integers ? 1 : 0, outside, scalar.fraction_bits, rne(scalar),
                                     s.fixed_vectors() ? 1 : 0, sums.fraction_bits) +
              1; // control's start
    ended_ = integers ? kEndedIntegers : kEndedFloating;
}

CoreTiming::CoreTiming(const DatapathSpec& s, const hls::LoadedMatrix& matrix, Recurrence recurrence) : CoreTiming(s) {
    given_ = recurrence == Recurrence::chebyshev;
    if (s.fixed_vectors()) take_words(s, matrix);
    else take_floating(s, matrix.shape);
    if (!given_) return;
    // A table's next pair stands two clocks after the close, and is done a clock later.
    close = kPairStands;
    formed_ = ended_ = kPairTaken;
}

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
        const RowClocks differences = difference_row(s, shape.row_sums != 0 ? 1 : 0);
        row = differences.latency;
        band = differences.taken;
    }
    // The last term comes p_out + 1 + row clocks after the last slot.
    drain = latency::drain_clocks(p_out, u_out, row) - (p_out + 1 + row);
    if (s.dot.fixed) {
        close = s.lanes + 2;
    } else {
        const int term = s.dot.exact_product ? s.dot.accumulator.fraction_bits : s.dot.product.fraction_bits;
        const int sum = s.dot.accumulator.fraction_bits;
        close = latency::accumulate_close_latency(term, sum, s.dot.depth) +
                latency::log2_up(s.lanes) * (latency::accumulate_fold_latency(term, sum) + 1) + 2;
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
    const int dot = given_ ? kUnsummed
                           : std::max({latency::fx_dot_latency(s.lanes, r, r), latency::fx_dot_latency(s.lanes, p, q),
                                       latency::fx_dot_latency(s.lanes, q, q)});
    drain = latency::fx_drain_clocks(p_out, row, dot) - (p_out + 1 + row);
    close = 2;
}

std::uint64_t CoreTiming::scalar(const mantissa_hls::ScalarResult& result) const {
    using mantissa_hls::PassEnd;
    // To done, and one to the next pass's command. A run that ends before alpha ends sooner.
    const bool formed = result.end == PassEnd::go_on || result.end == PassEnd::rho_reached;
    return static_cast<std::uint64_t>((formed ? formed_ : ended_) + 1);
}

} // namespace mantissa::sim
