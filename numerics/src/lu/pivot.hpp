// What eliminations share: the search for a pivot, and the faults that end them.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "mantissa/kernels.hpp"
#include "mantissa/lu/factor.hpp"
#include "mantissa/lu/spec.hpp"

namespace mantissa::lu {

/// What went wrong in the first column in which anything did; there a zero pivot counts before an overflow, and that
/// before a number that is not finite. So it depends neither on panels nor on threads.
struct Fault {
    LuEnd end = LuEnd::factored;
    std::size_t at = 0;
    static int rank(LuEnd e) { return e == LuEnd::singular ? 0 : e == LuEnd::overflow ? 1 : 2; }
    void note(LuEnd what, std::size_t column) {
        if (end == LuEnd::factored || column < at || (column == at && rank(what) < rank(end))) {
            end = what;
            at = column;
        }
    }
};

/// Values rounded into a format, each once.
inline std::vector<double> rounded_into(const Format& format, std::span<const double> values) {
    std::vector<double> out(values.size());
    VectorUnit<double>(format).convert(values, std::span<double>(out));
    return out;
}

/// The pivot's row and column in step k of n. A tournament's pivots lie in their places already.
template <class Sums>
std::pair<std::size_t, std::size_t> find_pivot(const LuSpec& spec, const Sums& sums, std::size_t n, std::size_t k) {
    std::size_t row = k, column = k;
    if (spec.pivot == LuPivot::none || spec.pivot == LuPivot::tournament) return {row, column};
    const std::size_t last = spec.pivot == LuPivot::full ? n : k + 1;
    auto best = sums.magnitude(k, k);
    for (std::size_t i = k; i < n; ++i)
        for (std::size_t j = k; j < last; ++j) {
            const auto here = sums.magnitude(i, j);
            const bool tie = here == best && (j < column || (j == column && i < row));
            if (here > best || tie) {
                best = here;
                row = i;
                column = j;
            }
        }
    if (spec.pivot == LuPivot::threshold &&
        static_cast<double>(sums.magnitude(k, k)) >= spec.tau * static_cast<double>(best))
        return {k, k};
    return {row, column};
}

} // namespace mantissa::lu
