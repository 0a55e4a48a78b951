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
    return lanes <= 2 ? 0 : lanes <= 8 ? 1 : 2;
}

/// Constants in canonical signed digits: those that are 1 and those that are -1 (rtl/fx_digits.svh).
struct Digits {
    int added = 0, taken = 0;
};
Digits digits(std::initializer_list<std::int64_t> constants) {
    Digits all;
    for (const std::int64_t c : constants) {
        const auto a = static_cast<std::uint64_t>(std::abs(c)), t = 3 * a;
        const int ones = std::popcount(t & ~a), minus_ones = std::popcount(a & ~t);
        all.added += c < 0 ? minus_ones : ones;
        all.taken += c < 0 ? ones : minus_ones;
    }
    return all;
}

/// Clocks of a sum of words times constants: a tree for each sign, and their difference.
int weighted(std::initializer_list<std::int64_t> constants) {
    const auto levels = [](int n) {
        return n > 1 ? static_cast<int>(std::bit_width(static_cast<unsigned>(n - 1))) : 0;
    };
    const Digits d = digits(constants);
    return std::max(levels(d.added), levels(d.taken)) + (d.taken > 0 ? 1 : 0);
}

using Nine = std::array<std::int64_t, 9>;

/// Eight equal neighbours: the sum over the box times their constant, and what the centre has beyond that.
int box_clocks(const Nine& t) {
    const std::int64_t of_centre = t[4] - t[0];
    const int centre = weighted({of_centre < 0 && t[0] >= 0 ? -of_centre : of_centre});
    return 4 + std::max(weighted({std::abs(t[0])}), centre - 3);
}

/// A sum for each column; rows to the south and to the north are added first where their constants are the same.
int column_clocks(const Nine& t) {
    const bool mirror = t[0] == t[6] && t[1] == t[7] && t[2] == t[8];
    const auto column = [&](std::size_t b) {
        // One at a side without a positive digit is formed with the other sign.
        const std::int64_t sign = b != 1 && digits({t[b], t[b + 3], t[b + 6]}).added == 0 ? -1 : 1;
        return weighted({sign * t[b], sign * t[b + 3], mirror ? 0 : sign * t[b + 6]});
    };
    return (mirror ? 1 : 0) + std::max({column(0), column(1), column(2)}) + 1;
}

int stencil_clocks(Nine t) {
    // What all have in common comes last, where it takes several digits.
    std::int64_t common = weighted({std::abs(t[0])}) > 0 ? std::abs(t[0]) : 1;
    for (const std::int64_t c : t)
        if (c % common != 0) common = 1;
    for (std::int64_t& c : t) c /= common;
    bool box = weighted({std::abs(t[0])}) > 0 && std::abs(t[4] - t[0]) < std::int64_t{1} << 30;
    for (std::size_t b = 0; b < 9; ++b) box &= b == 4 || t[b] == t[0];
    return (box ? box_clocks(t) : column_clocks(t)) + (common != 1 ? 1 + weighted({common}) : 0);
}

} // namespace

RowClocks integer_rows(const DatapathSpec& spec, const hls::LoadedMatrix& matrix) {
    const mantissa_hls::Shape& shape = matrix.shape;
    const int lanes = spec.lanes, p = spec.p.word_bits;
    const int rounds = shape.row_shift > 0 && spec.q.rounding == Rounding::nearest_up ? 1 : 0;
    const int lines = lanes == 2 ? 1 : lane_turn(lanes);
    RowClocks clocks;
    if (shape.stencil != 0) {
        Nine s{};
        std::ranges::transform(shape.coefficient, s.begin(),
                               [](std::uint64_t c) { return static_cast<std::int64_t>(c); });
        clocks.latency = lines + stencil_clocks(s) + rounds;
        return clocks;
    }
    const int coefficient = std::max(spec.coefficient.word_bits, matrix.longest);
    const int products = 1 + latency::fx_mul_latency(p - 1, coefficient),
              wait = lanes == 1 ? 0 : 1 + lane_turn(lanes); // for what comes from the row to the south
    clocks.latency = lines + products + 4 + wait + rounds;
    clocks.taken.fill(lines + 1);
    clocks.taken[kWeights] = lines + 1 + products - latency::fx_mul_latency(p - 2, coefficient);
    return clocks;
}

} // namespace mantissa::sim
