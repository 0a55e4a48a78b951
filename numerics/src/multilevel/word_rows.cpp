#include "word_rows.hpp"

#include <cstdlib>

namespace mantissa::multilevel {

namespace {

constexpr int kInverseBits = 17;

} // namespace

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
