#include "mantissa/multilevel/word_rows.hpp"

#include <cstdlib>
#include <utility>

#include "../blocked_sums.hpp"

namespace mantissa::multilevel {

namespace {

constexpr int kInverseBits = 17;

/// x, which is near one in magnitude or below, as a word; `unit` is 2^point.
int nearest(double x, double unit) {
    return static_cast<int>(std::floor(x * unit + 0.5));
}

/// Takes the pattern away from `a`, whose values stay.
WordRows shape_of(RealRows& a, int point) {
    WordRows words;
    words.rows = a.rows;
    words.begin = std::move(a.begin);
    words.column = std::move(a.column);
    words.word.resize(a.value.size());
    words.point = point;
    return words;
}

/// Ones on the diagonal are words of 2^point.
WordRows matrix_words(Level& level, int bits, int threads) {
    RealRows& a = level.a;
    WordRows words = shape_of(a, bits - 1);
    const double unit = std::ldexp(1.0, words.point), ulp = std::ldexp(1.0, -words.point);
    detail::for_each_row(a.rows, threads, [&](std::size_t i) {
        double taken = 0;
        std::uint32_t diagonal = words.begin[i];
        for (std::uint32_t k = words.begin[i]; k < words.begin[i + 1]; ++k) {
            words.word[k] = static_cast<std::int32_t>(cut(nearest(a.value[k], unit), bits));
            if (words.column[k] == i) diagonal = k;
            else taken += (a.value[k] - words.word[k] * ulp) * level.kernel[words.column[k]];
        }
        taken /= level.kernel[i];
        words.word[diagonal] = nearest(std::abs(taken) <= kMostTaken ? 1 + taken : 1, unit);
    });
    return words;
}

/// Words of P or R, which have the same entries and so one point.
WordRows interpolation_words(RealRows& p, int bits, int threads) {
    double largest = 0;
    for (const double x : p.value) largest = std::max(largest, std::abs(x));
    WordRows words = shape_of(p, bits - 1 - exponent_of(largest));
    const double unit = std::ldexp(1.0, words.point);
    detail::for_each_row(p.value.size(), threads, [&](std::size_t k) {
        words.word[k] = static_cast<std::int32_t>(cut(nearest(p.value[k], unit), bits));
    });
    return words;
}

} // namespace

bool short_words(const WordRows& a) {
    return std::all_of(a.word.begin(), a.word.end(), [](std::int32_t w) { return w == static_cast<std::int16_t>(w); });
}

bool fits_short_words(const WordLevel& level) {
    const LevelWords& b = level.words;
    bool good = short_words(level.a) && short_words(level.prolongation) && b.phi + b.ac > b.guard;
    for (const Weight& weight : b.after) good = good && b.phi <= weight.shift + b.guard;
    return good;
}

WordHierarchy word_hierarchy(const System& system, const CycleSpec& spec, int threads) {
    if (const auto grid = grid_words(system)) return word_hierarchy(*grid, spec);
    return word_hierarchy(hierarchy_of(system, threads), spec, threads);
}

WordHierarchy word_hierarchy(Hierarchy&& hierarchy, const CycleSpec& spec, int threads) {
    WordHierarchy h;
    h.scale = std::move(hierarchy.scale);
    for (std::size_t l = 0; l < hierarchy.level.size(); ++l) {
        Level& from = hierarchy.level[l];
        WordLevel& level = h.level.emplace_back();
        const int bits = CycleSpec::of(spec.c, l);
        level.a = matrix_words(from, bits, threads);
        level.words = level_words(spec, l, least_smoothed(from.largest), from.largest,
                                  ceil_log2(static_cast<double>(level.a.largest_row_sum())), spec.sums);
        level.words.ac = level.a.point;
        if (l + 1 == hierarchy.level.size()) break;
        level.prolongation = interpolation_words(from.prolongation, spec.interpolation(l), threads);
        level.restriction = interpolation_words(from.restriction, spec.interpolation(l), threads);
        from = {};
        level.words.pc = level.prolongation.point;
        level.words.pl = ceil_log2(static_cast<double>(std::max(level.prolongation.largest_row_sum(), Wide{1})));
    }
    h.coarsest = inverse_words(hierarchy.coarsest, h.coarsest_point);
    return h;
}

Wide WordRows::largest_row_sum() const {
    Wide largest = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        Wide sum = 0;
        for (std::uint32_t k = begin[i]; k < begin[i + 1]; ++k) sum += std::abs(Wide{word[k]});
        largest = std::max(largest, sum);
    }
    return largest;
}

WordRows transposed(const WordRows& a, std::size_t columns) {
    WordRows t;
    t.rows = columns;
    t.point = a.point;
    t.begin.assign(columns + 1, 0);
    for (const std::uint32_t c : a.column) ++t.begin[c + 1];
    for (std::size_t c = 0; c < columns; ++c) t.begin[c + 1] += t.begin[c];
    t.column.resize(a.column.size());
    t.word.resize(a.word.size());
    std::vector<std::uint32_t> at(t.begin.begin(), t.begin.end() - 1);
    for (std::size_t i = 0; i < a.rows; ++i)
        for (std::uint32_t k = a.begin[i]; k < a.begin[i + 1]; ++k) {
            const std::uint32_t to = at[a.column[k]]++;
            t.column[to] = static_cast<std::uint32_t>(i);
            t.word[to] = a.word[k];
        }
    return t;
}

std::vector<std::int32_t> inverse_words(const std::vector<double>& inverse, int& point) {
    double largest = 0;
    for (const double z : inverse) largest = std::max(largest, std::abs(z));
    point = kInverseBits - 1 - exponent_of(largest);
    std::vector<std::int32_t> words(inverse.size());
    for (std::size_t k = 0; k < inverse.size(); ++k)
        words[k] = static_cast<std::int32_t>(
            cut(static_cast<Wide>(std::floor(std::ldexp(inverse[k], point) + 0.5)), kInverseBits));
    return words;
}

} // namespace mantissa::multilevel
