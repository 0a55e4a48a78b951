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

/// A row that is added up column by column, columns in the order in which they come first.
template <class V> class RowSum {
public:
    explicit RowSum(std::size_t columns) : place_(columns, kNone) {}
    void add(std::uint32_t column, const V& v) {
        std::uint32_t& at = place_[column];
        if (at == kNone) {
            at = static_cast<std::uint32_t>(column_.size());
            column_.push_back(column);
            value_.push_back(v);
        } else {
            value_[at] += v;
        }
    }
    /// The row goes to `part`, as far as keep(value), and the sum begins anew.
    template <class Keep> void hand_over(RowsPart<V>& part, const Keep& keep) {
        for (std::size_t k = 0; k < column_.size(); ++k) {
            place_[column_[k]] = kNone;
            if (!keep(value_[k])) continue;
            part.column.push_back(column_[k]);
            part.value.push_back(value_[k]);
        }
        part.end.push_back(static_cast<std::uint32_t>(part.value.size()));
        column_.clear();
        value_.clear();
    }
    void hand_over(RowsPart<V>& part) {
        hand_over(part, [](const V&) { return true; });
    }
    /// The row's columns from `least` on go to `part` in ascending order, and the sum begins anew.
    void hand_over_ascending(RowsPart<V>& part, std::uint32_t least) {
        const std::size_t before = part.column.size();
        for (const std::uint32_t column : column_)
            if (column >= least) part.column.push_back(column);
        std::sort(part.column.begin() + static_cast<std::ptrdiff_t>(before), part.column.end());
        for (std::size_t k = before; k < part.column.size(); ++k) part.value.push_back(value_[place_[part.column[k]]]);
        part.end.push_back(static_cast<std::uint32_t>(part.value.size()));
        for (const std::uint32_t column : column_) place_[column] = kNone;
        column_.clear();
        value_.clear();
    }

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    std::vector<std::uint32_t> place_, column_;
    std::vector<V> value_;
};

RealRows transposed(const RealRows& a, int threads);

} // namespace mantissa::detail
