#include "mantissa/sparse_core/row_stream.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "slice_order.hpp"

namespace mantissa::sparse_core {

namespace {

/// Entries of a row, with one for the diagonal where it is not among them.
std::uint64_t beats_of(const CompressedRows& a, std::size_t row) {
    const auto begin = a.column().begin() + static_cast<std::ptrdiff_t>(a.row_begin()[row]);
    const auto end = a.column().begin() + static_cast<std::ptrdiff_t>(a.row_begin()[row + 1]);
    const bool diagonal = std::binary_search(begin, end, static_cast<std::uint32_t>(row));
    return static_cast<std::uint64_t>(end - begin) + (diagonal ? 0 : 1);
}

/// Fills what the entries of a slice left: a lane without an entry reads a bank whose port for this lane is free.
class Filler {
public:
    explicit Filler(std::uint32_t lanes) : lanes_(lanes), taken_(2 * std::size_t{lanes}) {}
    /// Of one beat: `column` of lanes where `entry` is padding.
    void fill(std::span<std::uint32_t> column, std::span<const std::uint64_t> entry, std::size_t slice) {
        std::fill(taken_.begin(), taken_.end(), false);
        for (std::uint32_t l = 0; l < lanes_; ++l)
            if (entry[l] != RowStream::kPadding) taken_[2 * (column[l] % lanes_) + port_of(l)] = true;
        std::uint32_t bank[2] = {0, 0};
        for (std::uint32_t l = 0; l < lanes_; ++l) {
            if (entry[l] != RowStream::kPadding) continue;
            std::uint32_t& free = bank[port_of(l)];
            while (taken_[2 * free + port_of(l)]) ++free;
            column[l] = static_cast<std::uint32_t>(slice) * lanes_ + free++;
        }
    }

private:
    std::uint32_t lanes_;
    std::vector<bool> taken_; // [bank][port]
};

} // namespace

double StreamFigures::fill() const {
    return nonzeros == 0 ? 1.0 : static_cast<double>(padded) / static_cast<double>(nonzeros);
}

void RowStream::sort_rows(const CompressedRows& matrix, std::size_t window) {
    const std::size_t n = matrix.rows();
    std::vector<std::uint64_t> length(n);
    for (std::size_t i = 0; i < n; ++i) length[i] = beats_of(matrix, i);
    row_at_.resize(n);
    std::iota(row_at_.begin(), row_at_.end(), 0U);
    for (std::size_t begin = 0; begin < n; begin += window) {
        const auto first = row_at_.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = row_at_.begin() + static_cast<std::ptrdiff_t>(std::min(n, begin + window));
        std::stable_sort(first, last, [&](std::uint32_t a, std::uint32_t b) { return length[a] > length[b]; });
    }
    position_.resize(n);
    for (std::size_t k = 0; k < n; ++k) position_[row_at_[k]] = static_cast<std::uint32_t>(k);
}

RowStream::RowStream(const CompressedRows& matrix, const StreamOptions& options) : lanes_(options.lanes) {
    if (lanes_ < 1 || lanes_ > kMostLanes || !std::has_single_bit(static_cast<unsigned>(lanes_)))
        throw InvalidInput(fmt::format("sparse core: {} lanes: give a power of two from 1 to {}", lanes_, kMostLanes));
    if (options.sort_window % static_cast<std::size_t>(lanes_) != 0)
        throw InvalidInput(fmt::format("sparse core: a window of {} rows is no multiple of the {} lanes",
                                       options.sort_window, lanes_));
    sort_rows(matrix, options.sort_window == 0 ? matrix.rows() : options.sort_window);

    const auto lanes = static_cast<std::uint32_t>(lanes_);
    const std::size_t slices = (matrix.rows() + lanes - 1) / lanes;
    figures_.nonzeros = matrix.nonzeros();
    beat_begin_.reserve(slices + 1);
    beat_begin_.push_back(0);
    SliceOrder slice_order(lanes);
    Filler filler(lanes);
    std::vector<SliceEntry> entries;
    std::vector<std::uint64_t> of_entry;
    std::vector<std::uint32_t> queue(2 * std::size_t{lanes}); // reads of a port in one beat, rows in the matrix's order
    for (std::size_t s = 0; s < slices; ++s) {
        const std::size_t first = s * lanes, count = std::min<std::size_t>(lanes, matrix.rows() - first);
        std::uint64_t longest = 1;
        entries.clear();
        of_entry.clear();
        std::vector<std::uint64_t> diagonal(lanes, kPadding);
        for (std::uint32_t l = 0; l < count; ++l) {
            const std::uint32_t row = row_at_[first + l];
            longest = std::max(longest, beats_of(matrix, row));
            for (std::uint64_t e = matrix.row_begin()[row]; e < matrix.row_begin()[row + 1]; ++e) {
                if (matrix.column()[e] == row) {
                    diagonal[l] = e;
                    continue;
                }
                entries.push_back({l, position_[matrix.column()[e]] % lanes});
                of_entry.push_back(e);
            }
        }
        const std::uint64_t beats = slice_order.order(entries) + 1;
        const std::uint64_t begin = beat_begin_.back();
        beat_begin_.push_back(begin + beats);
        figures_.padded += longest * lanes;
        figures_.conflict_beats += beats - longest;
        column_.resize((begin + beats) * lanes);
        entry_.resize((begin + beats) * lanes, kPadding);
        for (std::size_t k = 0; k < entries.size(); ++k) {
            const std::size_t at = (begin + slice_order.beat()[k]) * lanes + entries[k].lane;
            entry_[at] = of_entry[k];
            column_[at] = position_[matrix.column()[of_entry[k]]];
        }
        for (std::uint64_t b = begin; b + 1 < begin + beats; ++b)
            filler.fill({column_.data() + b * lanes, lanes}, {entry_.data() + b * lanes, lanes}, s);
        for (std::uint32_t l = 0; l < lanes; ++l) {
            const std::size_t at = (begin + beats - 1) * lanes + l;
            entry_[at] = diagonal[l];
            column_[at] = static_cast<std::uint32_t>(first) + l;
        }
        for (std::uint64_t k = 0; k < longest; ++k) {
            std::fill(queue.begin(), queue.end(), 0);
            std::uint32_t most = 1;
            for (std::uint32_t l = 0; l < count; ++l) {
                const std::uint32_t row = row_at_[first + l];
                const std::uint64_t e = matrix.row_begin()[row] + k;
                if (e < matrix.row_begin()[row + 1])
                    most = std::max(most, ++queue[2 * (position_[matrix.column()[e]] % lanes) + port_of(l)]);
            }
            figures_.queued_beats += most;
        }
    }
    figures_.beats = beat_begin_.back();
    count_bits(options.delta);
}

void RowStream::count_bits(bool delta) {
    bank_bits_ = std::countr_zero(static_cast<unsigned>(lanes_));
    address_bits_ = std::max(1, static_cast<int>(std::bit_width(slices() - 1)));
    for (std::size_t s = 0; s < slices(); ++s)
        for (std::uint64_t at = beat_begin_[s] * static_cast<unsigned>(lanes_);
             at < beat_begin_[s + 1] * static_cast<unsigned>(lanes_); ++at) {
            const auto d = static_cast<std::int64_t>(column_[at] >> bank_bits_) - static_cast<std::int64_t>(s);
            delta_bits_ =
                std::max(delta_bits_, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(d < 0 ? ~d : d))) + 1);
        }
    delta_ = delta && delta_bits_ < address_bits_;
}

std::uint64_t RowStream::column_field(std::uint64_t beat, int lane, std::size_t slice, int address_field) const {
    const std::uint32_t c = column_[beat * static_cast<unsigned>(lanes_) + static_cast<unsigned>(lane)];
    const std::uint64_t address = (c >> bank_bits_) - (delta_ ? static_cast<std::uint64_t>(slice) : 0);
    const std::uint64_t kept = address & (~std::uint64_t{0} >> (64 - address_field));
    return (kept << bank_bits_) | (c & (static_cast<std::uint32_t>(lanes_) - 1));
}

std::uint64_t RowStream::bits(int coefficient_bits) const {
    return beats() * (static_cast<std::uint64_t>(lanes_) * static_cast<unsigned>(coefficient_bits + column_bits()) + 1);
}

} // namespace mantissa::sparse_core
