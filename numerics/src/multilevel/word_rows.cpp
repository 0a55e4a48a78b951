#include "word_rows.hpp"

#include <cstdlib>

namespace mantissa::multilevel {

namespace {

constexpr int kInverseBits = 17;

/// The diagonal may move by this part of itself to take up what roundings took from a row's product with the near-kernel.
constexpr double kMostTaken = 0.25;

int nearest(double x, int point) {
    return static_cast<int>(std::floor(std::ldexp(x, point) + 0.5));
}

WordRows shape_of(const RealRows& a, int point) {
    WordRows words;
    words.rows = a.rows;
    words.begin = a.begin;
    words.column = a.column;
    words.word.resize(a.value.size());
    words.point = point;
    return words;
}

/// Ones on the diagonal are words of 2^point.
WordRows matrix_words(const Level& level, int bits) {
    const RealRows& a = level.a;
    WordRows words = shape_of(a, bits - 1);
    for (std::size_t i = 0; i < a.rows; ++i) {
        double taken = 0;
        std::uint32_t diagonal = a.begin[i];
        for (std::uint32_t k = a.begin[i]; k < a.begin[i + 1]; ++k) {
            words.word[k] = static_cast<std::int32_t>(cut(nearest(a.value[k], words.point), bits));
            if (a.column[k] == i) diagonal = k;
            else taken += (a.value[k] - std::ldexp(words.word[k], -words.point)) * level.kernel[a.column[k]];
        }
        taken /= level.kernel[i];
        words.word[diagonal] = nearest(std::abs(taken) <= kMostTaken ? 1 + taken : 1, words.point);
    }
    return words;
}

WordRows interpolation_words(const RealRows& p, int bits) {
    double largest = 0;
    for (const double x : p.value) largest = std::max(largest, std::abs(x));
    WordRows words = shape_of(p, bits - 1 - exponent_of(largest));
    for (std::size_t k = 0; k < p.value.size(); ++k)
        words.word[k] = static_cast<std::int32_t>(cut(nearest(p.value[k], words.point), bits));
    return words;
}

} // namespace

WordHierarchy word_hierarchy(const Hierarchy& hierarchy, const CycleSpec& spec) {
    WordHierarchy h;
    h.scale = hierarchy.scale;
    for (std::size_t l = 0; l < hierarchy.level.size(); ++l) {
        const Level& from = hierarchy.level[l];
        WordLevel& level = h.level.emplace_back();
        const int bits = CycleSpec::of(spec.c, l);
        level.a = matrix_words(from, bits);
        level.words = level_words(spec, l, least_smoothed(from.largest), from.largest,
                                  ceil_log2(static_cast<double>(level.a.largest_row_sum())));
        level.words.ac = level.a.point;
        if (l + 1 == hierarchy.level.size()) break;
        level.prolongation = interpolation_words(from.prolongation, bits);
        level.restriction = transposed(level.prolongation, from.prolongation.columns);
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
