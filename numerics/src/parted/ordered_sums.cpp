#include "ordered_sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mantissa/outer_order.hpp"

namespace mantissa::detail {

namespace {

/// Numbers that are filled at a time.
constexpr std::size_t kFilled = 4096;

} // namespace

OrderedSums::OrderedSums(std::shared_ptr<Space> space, const Partition& partition, std::uint32_t part)
    : space_(std::move(space)), partition_(partition), part_(part) {
    using outer_order::kPart;
    const std::size_t pieces = (partition.rows() + kPart - 1) / kPart, parts = space_->parts();
    chunk_ = (pieces + parts - 1) / parts * kPart;
    const std::size_t begin = std::min(part * chunk_, partition.rows());
    piece_.resize(std::min(chunk_, partition.rows() - begin));
    held_ = piece_.size();
}

OrderedSums::Range OrderedSums::rows_in(std::uint32_t part, std::uint32_t piece) const {
    const std::vector<std::uint32_t>& row = partition_.parts()[part].row;
    const auto place = [&](std::size_t first) {
        return static_cast<std::size_t>(std::lower_bound(row.begin(), row.end(), first) - row.begin());
    };
    return {place(piece * chunk_), place((piece + 1) * chunk_)};
}

void OrderedSums::stage(const Fill& fill) {
    const std::vector<std::uint32_t>& row = partition_.parts()[part_].row;
    const std::uint32_t parts = space_->parts();
    std::vector<double> some(kFilled);
    const auto filled = [&](const Range& range, auto&& take) {
        for (std::size_t at = range.begin; at < range.end; at += kFilled) {
            const std::span<double> values(some.data(), std::min(kFilled, range.end - at));
            fill(at, values);
            take(at, std::span<const double>(values));
        }
    };
    std::vector<Parcel> out, in;
    std::size_t on_the_way = 0;
    for (std::uint32_t to = 0; to < parts; ++to) {
        const Range range = rows_in(part_, to);
        if (range.begin == range.end) continue;
        if (to == part_) {
            filled(range, [&](std::size_t at, std::span<const double> values) {
                for (std::size_t i = 0; i < values.size(); ++i) piece_[row[at + i] - part_ * chunk_] = values[i];
            });
            continue;
        }
        out.push_back({to, std::vector<std::byte>((range.end - range.begin) * sizeof(double))});
        std::byte* const bytes = out.back().bytes.data();
        filled(range, [&](std::size_t at, std::span<const double> values) {
            std::memcpy(bytes + (at - range.begin) * sizeof(double), values.data(), values.size_bytes());
        });
        on_the_way += range.end - range.begin;
    }
    for (std::uint32_t from = 0; from < parts; ++from) {
        const Range range = rows_in(from, part_);
        if (from == part_ || range.begin == range.end) continue;
        in.push_back({from, std::vector<std::byte>((range.end - range.begin) * sizeof(double))});
        on_the_way += range.end - range.begin;
    }
    space_->exchange(part_, out, in);
    for (const Parcel& parcel : in) {
        const std::vector<std::uint32_t>& theirs = partition_.parts()[parcel.peer].row;
        const Range range = rows_in(parcel.peer, part_);
        for (std::size_t i = range.begin; i < range.end; ++i)
            std::memcpy(&piece_[theirs[i] - part_ * chunk_], parcel.bytes.data() + (i - range.begin) * sizeof(double),
                        sizeof(double));
    }
    held_ = std::max(held_, piece_.size() + on_the_way);
}

double OrderedSums::add_blocks(std::size_t block, const std::function<double(std::span<const double>)>& sum) const {
    // (As many from each part; those after the end of its piece are not looked at.)
    std::vector<double> mine(chunk_ / block, 0.0), all(mine.size() * space_->parts());
    for (std::size_t at = 0; at < piece_.size(); at += block)
        mine[at / block] = sum(std::span(piece_).subspan(at, std::min(block, piece_.size() - at)));
    space_->gather(part_, std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    double total = 0;
    for (std::size_t k = 0; k < (partition_.rows() + block - 1) / block; ++k) total += all[k];
    return total;
}

double OrderedSums::add_in_order() const {
    double total = 0;
    for (std::uint32_t turn = 0; turn < space_->parts(); ++turn) {
        double sum = total;
        if (turn == part_)
            for (const double x : piece_) sum += x;
        total = all(sum)[turn];
    }
    return total;
}

double OrderedSums::largest() const {
    return outer_order::largest_magnitude(all(outer_order::largest_magnitude(piece_)));
}

std::vector<double> OrderedSums::all(double mine) const {
    std::vector<double> numbers(space_->parts());
    space_->gather(part_, std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(numbers)));
    return numbers;
}

} // namespace mantissa::detail
