#include "assembly.hpp"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa {

namespace {

/// Below this many entries a second thread costs more than it saves.
constexpr std::uint64_t kGrain = std::uint64_t{1} << 16;
/// Partners of a square system that differ by less than this, relative to the larger one, were meant to be equal.
constexpr double kSymmetric = 0x1p-40;

/// Places of values by key, counted: begin[k] .. begin[k + 1] are those of key k.
template <class Keys> std::vector<std::uint64_t> counted(std::size_t keys, const Keys& for_each_key) {
    std::vector<std::uint64_t> begin(keys + 1, 0);
    for_each_key([&](std::size_t key) { ++begin[key + 1]; });
    for (std::size_t k = 0; k < keys; ++k) begin[k + 1] += begin[k];
    return begin;
}

} // namespace

Assembly::Assembly(const SystemBuilder& builder)
    : b_(builder), size_(builder.free_.size()), rows_(builder.row_begin_.size() - 1) {
    if (rows_ > UINT32_MAX) throw InvalidInput(fmt::format("SystemBuilder: {} rows: at most 4294967295", rows_));
    direct_begin_ = counted(size_, [&](const auto& key) {
        for (const auto& d : b_.direct_) key(d.row);
    });
    direct_.resize(b_.direct_.size());
    std::vector<std::uint64_t> at(direct_begin_.begin(), direct_begin_.end() - 1);
    for (const auto& d : b_.direct_) direct_[at[d.row]++] = d.entry;
    if (b_.options_.least_squares) transpose();
    else check_square();
}

void Assembly::transpose() {
    in_begin_ = counted(size_, [&](const auto& key) {
        for (const Entry& e : b_.entries_) key(e.column);
    });
    in_row_.resize(b_.entries_.size());
    in_value_.resize(b_.entries_.size());
    std::vector<std::uint64_t> at(in_begin_.begin(), in_begin_.end() - 1);
    for (std::size_t k = 0; k < rows_; ++k)
        for (std::uint64_t e = b_.row_begin_[k]; e < b_.row_begin_[k + 1]; ++e) {
            const std::uint64_t to = at[b_.entries_[e].column]++;
            in_row_[to] = static_cast<std::uint32_t>(k);
            in_value_[to] = b_.entries_[e].value;
        }
}

void Assembly::check_square() const {
    if (rows_ != size_ && rows_ != 0)
        throw InvalidInput(fmt::format("SystemBuilder: {} rows for {} free variables: a square system has one for "
                                       "each (or none, and add() alone)",
                                       rows_, size_));
}

void Assembly::sum_row(std::size_t i, Row& row) const {
    for (const std::uint32_t column : row.columns) row.there[column] = 0;
    row.columns.clear();
    const auto add_all = [&](std::size_t k, double factor) {
        for (std::uint64_t e = b_.row_begin_[k]; e < b_.row_begin_[k + 1]; ++e)
            row.add(b_.entries_[e].column, factor * b_.entries_[e].value);
    };
    if (!b_.options_.least_squares) {
        if (rows_ != 0) add_all(i, 1);
    } else {
        for (std::uint64_t e = in_begin_[i]; e < in_begin_[i + 1]; ++e) add_all(in_row_[e], in_value_[e]);
    }
    for (std::uint64_t e = direct_begin_[i]; e < direct_begin_[i + 1]; ++e)
        row.add(direct_[e].column, direct_[e].value);
}

void Assembly::make_rows(std::size_t begin, std::size_t end, Part& part) const {
    Row row;
    row.value.assign(size_, 0.0);
    row.there.assign(size_, 0);
    const double drop = b_.options_.drop;
    for (std::size_t i = begin; i < end; ++i) {
        sum_row(i, row);
        std::sort(row.columns.begin(), row.columns.end());
        std::uint32_t length = 0;
        for (const std::uint32_t j : row.columns) {
            const double v = row.value[j];
            // By the product of both roots in one order, so that partners are dropped together.
            const bool dropped =
                j != i && drop >= 0 &&
                (v == 0 || (drop > 0 && std::abs(v) <= drop * std::sqrt(diagonal_[std::min<std::size_t>(i, j)]) *
                                                           std::sqrt(diagonal_[std::max<std::size_t>(i, j)])));
            if (dropped) continue;
            part.column.push_back(j);
            part.value.push_back(v);
            ++length;
        }
        part.length.push_back(length);
    }
}

std::vector<double> Assembly::diagonal() const {
    std::vector<double> d(size_, 0.0);
    for (std::size_t i = 0; i < size_; ++i) {
        if (b_.options_.least_squares)
            for (std::uint64_t e = in_begin_[i]; e < in_begin_[i + 1]; ++e) d[i] += in_value_[e] * in_value_[e];
        else if (rows_ != 0)
            for (std::uint64_t e = b_.row_begin_[i]; e < b_.row_begin_[i + 1]; ++e)
                if (b_.entries_[e].column == i) d[i] += b_.entries_[e].value;
        for (std::uint64_t e = direct_begin_[i]; e < direct_begin_[i + 1]; ++e)
            if (direct_[e].column == i) d[i] += direct_[e].value;
        d[i] = std::max(d[i], 0.0);
    }
    return d;
}

CompressedRows Assembly::joined(std::vector<Part> parts) const {
    std::vector<std::uint64_t> begin{0};
    begin.reserve(size_ + 1);
    std::size_t total = 0;
    for (const Part& part : parts) total += part.value.size();
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    column.reserve(total);
    value.reserve(total);
    for (Part& part : parts) {
        for (const std::uint32_t length : part.length) begin.push_back(begin.back() + length);
        column.insert(column.end(), part.column.begin(), part.column.end());
        value.insert(value.end(), part.value.begin(), part.value.end());
        part = Part();
    }
    for (std::size_t i = 0; i < size_; ++i)
        if (begin[i] == begin[i + 1])
            throw InvalidInput(fmt::format("SystemBuilder: variable {} is free and in no row: lock it, or give a row "
                                           "that holds it",
                                           b_.free_[i]));
    return {std::move(begin), std::move(column), std::move(value)};
}

CompressedRows Assembly::symmetric(CompressedRows rows) const {
    std::vector<double> value = rows.value();
    const auto& begin = rows.row_begin();
    const auto& column = rows.column();
    for (std::size_t i = 0; i < size_; ++i)
        for (std::uint64_t e = begin[i]; e < begin[i + 1]; ++e) {
            const std::uint32_t j = column[e];
            if (j == i) continue;
            const auto from = column.begin() + static_cast<std::ptrdiff_t>(begin[j]);
            const auto to = column.begin() + static_cast<std::ptrdiff_t>(begin[j + 1]);
            const auto partner = std::lower_bound(from, to, static_cast<std::uint32_t>(i));
            const bool there = partner != to && *partner == i;
            const double other = there ? rows.value()[static_cast<std::size_t>(partner - column.begin())] : 0.0;
            const double a = rows.value()[e];
            if (std::abs(a - other) > kSymmetric * std::max(std::abs(a), std::abs(other)))
                throw InvalidInput(fmt::format("SystemBuilder: the matrix is not symmetric: ({}, {}) is {} and its "
                                               "partner {}: give both, or build with least_squares",
                                               b_.free_[i], b_.free_[j], a, other));
            if (j < i) value[e] = other;
        }
    return rows.with_values(std::move(value));
}

CompressedRows Assembly::matrix() {
    if (b_.options_.drop > 0) diagonal_ = diagonal();
    const auto wanted = static_cast<std::uint64_t>(std::max(1, b_.options_.threads));
    const std::uint64_t pieces =
        std::min<std::uint64_t>({wanted, size_, (b_.entries_.size() + direct_.size()) / kGrain + 1});
    std::vector<Part> parts(pieces);
    {
        std::vector<std::jthread> others;
        const auto work = [&](std::uint64_t k) { make_rows(size_ * k / pieces, size_ * (k + 1) / pieces, parts[k]); };
        for (std::uint64_t k = 1; k < pieces; ++k) others.emplace_back(work, k);
        work(0);
    }
    CompressedRows rows = joined(std::move(parts));
    return b_.options_.least_squares && b_.direct_.empty() ? rows : symmetric(std::move(rows));
}

std::vector<std::vector<double>> Assembly::right_hand_sides() const {
    std::vector<std::vector<double>> all;
    for (std::size_t s = 0; s < b_.options_.systems; ++s) {
        std::vector<double> right = b_.direct_right_[s];
        const std::vector<double>& rest = b_.rest_[s];
        if (b_.options_.least_squares) {
            for (std::size_t i = 0; i < size_; ++i)
                for (std::uint64_t e = in_begin_[i]; e < in_begin_[i + 1]; ++e)
                    right[i] -= in_value_[e] * rest[in_row_[e]];
        } else {
            for (std::size_t k = 0; k < rows_; ++k) right[k] -= rest[k];
        }
        all.push_back(std::move(right));
    }
    return all;
}

} // namespace mantissa
