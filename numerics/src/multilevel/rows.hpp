// Products and transposes of sparse rows, the same for any number of threads. Internal to numerics/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "blocked_sums.hpp"
#include "mantissa/format.hpp"
#include "mantissa/sparse/multilevel.hpp"

namespace mantissa::detail {

inline constexpr std::size_t kRowsOfPart = 2048;

/// kRowsOfPart rows of a matrix that is found part by part; end[i] is where the i-th of them ends.
template <class V> struct RowsPart {
    std::vector<std::uint32_t> end, column;
    std::vector<V> value;
};

template <class V> struct JoinedRows {
    std::vector<std::uint32_t> begin, column;
    std::vector<V> value;
};

/// make(first, end, part, scratch): rows first to end of the result; a scratch for each thread comes from
/// make_scratch().
template <class V, class MakeScratch, class Make>
std::vector<RowsPart<V>> parts_of_rows(std::size_t rows, [[maybe_unused]] int threads, const MakeScratch& make_scratch,
                                       const Make& make) {
    std::vector<RowsPart<V>> part((rows + kRowsOfPart - 1) / kRowsOfPart);
    const auto count = static_cast<std::ptrdiff_t>(part.size());
#pragma omp parallel num_threads(threads)
    {
        auto scratch = make_scratch();
#pragma omp for schedule(dynamic)
        for (std::ptrdiff_t k = 0; k < count; ++k) {
            const std::size_t first = static_cast<std::size_t>(k) * kRowsOfPart;
            make(first, std::min(rows, first + kRowsOfPart), part[static_cast<std::size_t>(k)], scratch);
        }
    }
    return part;
}

template <class V> JoinedRows<V> joined(const std::vector<RowsPart<V>>& part, std::size_t rows, int threads) {
    std::vector<std::size_t> at(part.size() + 1, 0);
    for (std::size_t k = 0; k < part.size(); ++k) at[k + 1] = at[k] + part[k].value.size();
    if (at.back() > UINT32_MAX) throw InvalidInput("multilevel: a level has more entries than 32 bits number");
    JoinedRows<V> all;
    all.begin.assign(rows + 1, 0);
    all.column.resize(at.back());
    all.value.resize(at.back());
    for_each_piece(part.size(), threads, [&](std::size_t k) {
        const auto to = static_cast<std::ptrdiff_t>(at[k]);
        std::copy(part[k].column.begin(), part[k].column.end(), all.column.begin() + to);
        std::copy(part[k].value.begin(), part[k].value.end(), all.value.begin() + to);
        for (std::size_t i = 0; i < part[k].end.size(); ++i)
            all.begin[k * kRowsOfPart + i + 1] = static_cast<std::uint32_t>(at[k] + part[k].end[i]);
    });
    return all;
}

/// A row that is added up column by column, columns in the order in which they come first. No branch depends on whether
/// a column is new (it could not be predicted): place_ may hold anything for those that are not in the row.
template <class V> class RowSum {
public:
    explicit RowSum(std::size_t columns) : place_(columns, 0), column_(columns + 1, 0), value_(columns + 1) {}
    void add(std::uint32_t column, const V& v) {
        std::uint32_t at = place_[column];
        const bool is_new = (at >= count_) | (column_[at] != column);
        at = is_new ? count_ : at;
        place_[column] = at;
        column_[at] = column;
        value_[at] = is_new ? v : value_[at] + v;
        count_ += is_new ? 1 : 0;
    }
    /// The row goes to `part`, as far as keep(value), and the sum begins anew.
    template <class Keep> void hand_over(RowsPart<V>& part, const Keep& keep) {
        for (std::uint32_t k = 0; k < count_; ++k) {
            if (!keep(value_[k])) continue;
            part.column.push_back(column_[k]);
            part.value.push_back(value_[k]);
        }
        finish(part);
    }
    void hand_over(RowsPart<V>& part) {
        part.column.insert(part.column.end(), column_.data(), column_.data() + count_);
        part.value.insert(part.value.end(), value_.data(), value_.data() + count_);
        finish(part);
    }
    /// The row's columns from `least` on go to `part` in ascending order, and the sum begins anew.
    void hand_over_ascending(RowsPart<V>& part, std::uint32_t least) {
        std::uint32_t* const first = column_.data();
        std::uint32_t* const end = std::partition(first, first + count_, [&](std::uint32_t c) { return c >= least; });
        std::sort(first, end);
        part.column.insert(part.column.end(), first, end);
        for (const std::uint32_t* c = first; c != end; ++c) part.value.push_back(value_[place_[*c]]);
        finish(part);
    }

private:
    void finish(RowsPart<V>& part) {
        part.end.push_back(static_cast<std::uint32_t>(part.value.size()));
        count_ = 0;
    }
    std::uint32_t count_ = 0;
    std::vector<std::uint32_t> place_;
    std::vector<std::uint32_t> column_; ///< count_ of them, and room
    std::vector<V> value_;
};

RealRows transposed(const RealRows& a, int threads);

} // namespace mantissa::detail
