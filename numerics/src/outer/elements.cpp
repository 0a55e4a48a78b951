#include "mantissa/outer/elements.hpp"

#include <algorithm>
#include <cstdint>

#include "mantissa/fixed_kernels.hpp"

namespace mantissa::outer {

namespace {

/// c += rnd(alpha p) on u's grid: the next pass's u. Word: an integer that holds u's words.
template <class Word> void step_along(const Format& u, double alpha, std::span<const double> p, std::span<double> c) {
    const FixedUnit<Word> unit(u);
    Word words[1024];
    double steps[1024];
    for (std::size_t at = 0; at < c.size(); at += std::size(words)) {
        const std::size_t n = std::min(std::size(words), c.size() - at);
        // (alpha p is exact: a short significand and a short word. One that does not fit is a step that is not useful.)
        for (std::size_t i = 0; i < n; ++i) steps[i] = alpha * p[at + i];
        static_cast<void>(unit.convert(std::span<const double>(steps, n), std::span<Word>(words, n)));
        unit.to_doubles(std::span<const Word>(words, n), std::span<double>(steps, n));
        for (std::size_t i = 0; i < n; ++i) c[at + i] += steps[i];
    }
}

} // namespace

void Elements::direction(double scale, std::span<const double> d, std::span<double> r) const {
    if (fixed_) { // by a power of two: exact as a product, and faster
        const double reciprocal = 1 / scale;
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = d[i] * reciprocal;
        return;
    }
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = d[i] / scale;
}

void Elements::step(double alpha, std::span<const double> p, std::span<double> c) const {
    if (u_.is_fixed() && u_.word_bits <= 32) step_along<std::int32_t>(u_, alpha, p, c);
    else if (u_.is_fixed()) step_along<std::int64_t>(u_, alpha, p, c);
    else
        for (std::size_t i = 0; i < c.size(); ++i) c[i] += alpha * p[i];
}

} // namespace mantissa::outer
