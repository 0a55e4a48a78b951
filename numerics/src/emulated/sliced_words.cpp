#include "sliced_words.hpp"

#include <algorithm>

namespace mantissa::detail {

std::optional<SlicedWords> sliced(const FixedMatrix& m) {
    constexpr std::size_t kMostPadded = 3, kOf = 2;
    SlicedWords out;
    const auto length = [&](std::size_t i) { return i < m.size ? m.row_begin[i + 1] - m.row_begin[i] : 0; };
    for (std::size_t i = 0; i < m.size; i += kSliceOfRows) {
        std::uint64_t longest = 0;
        for (std::size_t j = 0; j < kSliceOfRows; ++j) longest = std::max(longest, length(i + j));
        out.begin.push_back(out.begin.back() + longest);
    }
    const std::size_t entries = out.begin.back() * kSliceOfRows;
    if (kOf * entries > kMostPadded * m.value.size()) return std::nullopt;
    out.column.assign(entries, 0);
    out.word.assign(entries, 0);
    for (std::size_t i = 0; i < m.size; ++i)
        for (std::uint64_t k = 0; k < length(i); ++k) {
            const std::size_t at = (out.begin[i / kSliceOfRows] + k) * kSliceOfRows + i % kSliceOfRows;
            out.column[at] = m.column[m.row_begin[i] + k];
            out.word[at] = static_cast<std::int32_t>(m.value[m.row_begin[i] + k]);
        }
    return out;
}

} // namespace mantissa::detail
