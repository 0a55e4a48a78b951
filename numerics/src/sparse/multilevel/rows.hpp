// Products and transposes of sparse rows, the same for any number of threads. Internal to numerics/.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mantissa/format.hpp"
#include "mantissa/sparse/multilevel.hpp"

namespace mantissa::detail {

inline constexpr std::size_t kRowsOfPart = 2048;

/// Rows that are found part by part, put one behind the other.
template <class V> struct RowsPart {
    std::vector<std::uint32_t> length, column;
    std::vector<V> value;
};

template <class V> struct JoinedRows {
    std::vector<std::uint32_t> begin, column;
    std::vector<V> value;
};

/// make(first, end, part, scratch): rows first to end of the result; a scratch for each thread comes from
/// make_scratch().
template <class V, class MakeScratch, class Make>
JoinedRows<V> rows_by_parts(std::size_t rows, [[maybe_unused]] int threads, const MakeScratch& make_scratch,
                            const Make& make) {
    const std::size_t parts = (rows + kRowsOfPart - 1) / kRowsOfPart;
    std::vector<RowsPart<V>> part(parts);
    const auto count = static_cast<std::ptrdiff_t>(parts);
#pragma omp parallel num_threads(threads)
    {
        auto scratch = make_scratch();
#pragma omp for schedule(dynamic)
        for (std::ptrdiff_t k = 0; k < count; ++k) {
            const std::size_t first = static_cast<std::size_t>(k) * kRowsOfPart;
            make(first, std::min(rows, first + kRowsOfPart), part[static_cast<std::size_t>(k)], scratch);
        }
    }
    JoinedRows<V> all;
    std::vector<std::size_t> at(parts + 1, 0);
    for (std::size_t k = 0; k < parts; ++k) at[k + 1] = at[k] + part[k].value.size();
    if (at.back() > UINT32_MAX) throw InvalidInput("multilevel: a level has more entries than 32 bits number");
    all.begin.assign(rows + 1, 0);
    all.column.resize(at.back());
    all.value.resize(at.back());
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::ptrdiff_t p = 0; p < count; ++p) {
        const auto k = static_cast<std::size_t>(p);
        std::copy(part[k].column.begin(), part[k].column.end(),
                  all.column.begin() + static_cast<std::ptrdiff_t>(at[k]));
        std::copy(part[k].value.begin(), part[k].value.end(), all.value.begin() + static_cast<std::ptrdiff_t>(at[k]));
        std::size_t end = at[k];
        for (std::size_t i = 0; i < part[k].length.size(); ++i)
            all.begin[static_cast<std::size_t>(k) * kRowsOfPart + i + 1] =
                static_cast<std::uint32_t>(end += part[k].length[i]);
    }
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
        std::uint32_t length = 0;
        for (std::size_t k = 0; k < column_.size(); ++k) {
            place_[column_[k]] = kNone;
            if (!keep(value_[k])) continue;
            part.column.push_back(column_[k]);
            part.value.push_back(value_[k]);
            ++length;
        }
        part.length.push_back(length);
        column_.clear();
        value_.clear();
    }
    void hand_over(RowsPart<V>& part) {
        hand_over(part, [](const V&) { return true; });
    }

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    std::vector<std::uint32_t> place_, column_;
    std::vector<V> value_;
};

using Complex = std::complex<double>;

RealRows transposed(const RealRows& a);
/// A P, then P^T (A P): the matrix of the next level.
ComplexBlocks projected(const ComplexBlocks& a, const RealRows& prolongation, const RealRows& restriction, int threads);

} // namespace mantissa::detail
