#include "integer_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>

#include "mantissa/sim/latencies.hpp"

namespace mantissa::sim {

namespace {

/// Words that change places between lanes (rtl/mantissa.svh).
int lane_turn(int lanes) {
    return lanes == 1 ? 0 : lanes <= 8 ? 1 : 2;
}

/// Clocks of a sum of words times constants, in canonical signed digits: a tree for each sign, and their difference
/// (rtl/fx_digits.svh).
int weighted(std::initializer_list<std::int64_t> constants) {
    int added = 0, taken = 0;
    for (const std::int64_t c : constants) {
        const auto a = static_cast<std::uint64_t>(std::abs(c)), t = 3 * a;
        const int ones = std::popcount(t & ~a), minus_ones = std::popcount(a & ~t);
        added += c < 0 ? minus_ones : ones;
        taken += c < 0 ? ones : minus_ones;
    }
    const auto levels = [](int n) {
        return n > 1 ? static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1))) : 0;
    };
    return std::max(levels(added), levels(taken)) + (taken > 0 ? 1 : 0);
}

/// Eight equal neighbours: the sum over the box times their constant, and what the centre has beyond that.
int box_clocks(std::int64_t s0, std::int64_t s4) {
    const bool common = weighted({std::abs(s0)}) > 0 && (s4 - s0) % (s0 == 0 ? 1 : s0) == 0;
    const std::int64_t of_box = !common  ? s0
                                : s0 < 0 ? -1
                                         : 1,
                       of_centre = !common ? s4 - s0 : (s4 - s0) / std::abs(s0);
    const int centre = weighted({of_centre < 0 && of_box >= 0 ? -of_centre : of_centre});
    return 4 + std::max(weighted({std::abs(of_box)}), centre - 3) + (common ? 1 + weighted({std::abs(s0)}) : 0);
}

int stencil_clocks(const std::array<std::int64_t, 9>& s) {
    bool box = true;
    for (std::size_t b = 0; b < 9; ++b) box &= b == 4 || s[b] == s[0];
    if (box && std::abs(s[4] - s[0]) < std::int64_t{1} << 30) return box_clocks(s[0], s[4]);
    const bool mirror = s[0] == s[6] && s[1] == s[7] && s[2] == s[8]; // rows to the south and north are added first
    const auto column = [&](std::size_t b) { return weighted({s[b], s[b + 3], mirror ? 0 : s[b + 6]}); };
    return (mirror ? 1 : 0) + std::max({column(0), column(1), column(2)}) + 2;
}

} // namespace

RowClocks integer_rows(const DatapathSpec& spec, const hls::LoadedMatrix& matrix) {
    const mantissa_hls::Shape& shape = matrix.shape;
    const int lanes = spec.lanes, p = spec.p.word_bits;
    const int rounds = shape.row_shift > 0 && spec.q.rounding == Rounding::nearest_up ? 1 : 0;
    RowClocks clocks;
    if (shape.stencil != 0) {
        std::array<std::int64_t, 9> s{};
        std::ranges::transform(shape.coefficient, s.begin(),
                               [](std::uint64_t c) { return static_cast<std::int64_t>(c); });
        clocks.latency = (lanes == 1 ? 0 : lane_turn(lanes) + 3) + stencil_clocks(s) + rounds;
        return clocks;
    }
    const int coefficient = std::max(spec.coefficient.word_bits, matrix.longest);
    const int lines = lane_turn(lanes), products = 1 + latency::fx_mul_latency(p - 1, coefficient),
              wait = lanes == 1 ? 0 : 1 + lane_turn(lanes); // for what comes from the row to the south
    clocks.latency = lines + products + 4 + wait + rounds;
    clocks.taken.fill(lines + 1);
    clocks.taken[kWeights] = lines + 1 + products - latency::fx_mul_latency(p - 2, coefficient);
    return clocks;
}

} // namespace mantissa::sim
