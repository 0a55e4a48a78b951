#include "mantissa/partition/partition.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "mantissa/errors.hpp"
#include "parts_that_read.hpp"

namespace mantissa {

namespace {

void check_owners(std::span<const std::uint32_t> owner, std::size_t rows, std::uint32_t parts) {
    if (parts == 0) throw InvalidInput("a partition into 0 parts: ask for at least one");
    if (owner.size() != rows)
        throw InvalidInput(
            fmt::format("a partition of {} rows with {} owners: give one owner for each row", rows, owner.size()));
    for (std::size_t i = 0; i < rows; ++i)
        if (owner[i] >= parts)
            throw InvalidInput(fmt::format("a partition into {} parts: row {} belongs to part {}; parts are 0 to {}",
                                           parts, i, owner[i], parts - 1));
}

/// Sorted by owner and then by number, none twice, in one list a peer.
std::vector<Exchange> by_owner(std::vector<std::pair<std::uint32_t, std::uint32_t>>& foreign) {
    std::sort(foreign.begin(), foreign.end());
    foreign.erase(std::unique(foreign.begin(), foreign.end()), foreign.end());
    std::vector<Exchange> lists;
    for (const auto& [peer, row] : foreign) {
        if (lists.empty() || lists.back().peer != peer) lists.push_back({peer, {}});
        lists.back().row.push_back(row);
    }
    return lists;
}

/// How many different rows a part sends. (Lists of several peers may name one row.)
std::size_t distinct_rows(const std::vector<Exchange>& lists) {
    std::vector<std::uint32_t> all;
    for (const Exchange& list : lists) all.insert(all.end(), list.row.begin(), list.row.end());
    std::sort(all.begin(), all.end());
    return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
}

/// The other side of each part's `receive`.
void set_sends(std::vector<Part>& parts) {
    // Parts ascend here, so every part's peers do.
    for (std::uint32_t p = 0; p < parts.size(); ++p)
        for (const Exchange& list : parts[p].receive) parts[list.peer].send.push_back({p, list.row});
    for (Part& part : parts) part.sent = distinct_rows(part.send);
}

} // namespace

std::vector<Part> detail::parts_that_read(std::span<const std::uint32_t> owner,
                                          std::span<const std::vector<std::uint32_t>> reads) {
    std::vector<Part> parts(reads.size());
    for (std::size_t i = 0; i < owner.size(); ++i) parts[owner[i]].row.push_back(static_cast<std::uint32_t>(i));
    for (std::uint32_t p = 0; p < parts.size(); ++p) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> foreign;
        for (const std::uint32_t row : reads[p])
            if (owner[row] != p) foreign.emplace_back(owner[row], row);
        parts[p].receive = by_owner(foreign);
        for (const Exchange& list : parts[p].receive) parts[p].received += list.row.size();
    }
    set_sends(parts);
    return parts;
}

/// `columns_of(row, f)` calls f with each column of the row and returns the number of its entries.
template <class Columns> void Partition::build(std::uint32_t parts, Columns&& columns_of) {
    parts_.resize(parts);
    for (std::size_t i = 0; i < owner_.size(); ++i) parts_[owner_[i]].row.push_back(static_cast<std::uint32_t>(i));
    std::vector<std::pair<std::uint32_t, std::uint32_t>> foreign; // owner and row
    for (std::uint32_t p = 0; p < parts; ++p) {
        Part& part = parts_[p];
        foreign.clear();
        for (const std::uint32_t row : part.row) {
            const std::size_t before = foreign.size();
            part.nonzeros += columns_of(row, [&](std::uint32_t column) {
                if (owner_[column] != p) foreign.emplace_back(owner_[column], column);
            });
            (foreign.size() == before ? part.interior : part.boundary).push_back(row);
        }
        part.receive = by_owner(foreign);
        for (const Exchange& list : part.receive) part.received += list.row.size();
    }
    set_sends(parts_);
}

Partition::Partition(const CompressedRows& a, std::span<const std::uint32_t> owner, std::uint32_t parts)
    : owner_(owner.begin(), owner.end()) {
    check_owners(owner, a.rows(), parts);
    build(parts, [&a](std::uint32_t row, auto&& f) {
        for (std::uint64_t k = a.row_begin()[row]; k < a.row_begin()[row + 1]; ++k) f(a.column()[k]);
        return a.row_begin()[row + 1] - a.row_begin()[row];
    });
}

Partition::Partition(std::uint32_t width, std::uint32_t height, std::span<const std::uint32_t> owner,
                     std::uint32_t parts)
    : owner_(owner.begin(), owner.end()) {
    const std::uint64_t points = std::uint64_t{width} * height;
    if (points == 0 || points > std::numeric_limits<std::uint32_t>::max())
        throw InvalidInput(
            fmt::format("a partition of a grid of {} x {} points: take 1 to 2^32 - 1 points", width, height));
    check_owners(owner, points, parts);
    build(parts, [width, height](std::uint32_t row, auto&& f) {
        const std::uint32_t x = row % width, y = row / width;
        std::uint64_t entries = 0;
        for (std::uint32_t v = y == 0 ? 0 : y - 1; v <= y + 1 && v < height; ++v)
            for (std::uint32_t u = x == 0 ? 0 : x - 1; u <= x + 1 && u < width; ++u, ++entries) f(v * width + u);
        return entries;
    });
}

std::uint64_t Partition::nonzeros() const {
    std::uint64_t sum = 0;
    for (const Part& part : parts_) sum += part.nonzeros;
    return sum;
}

PartitionVolume volume(const Partition& partition) {
    PartitionVolume v;
    std::size_t most_rows = 0;
    std::uint64_t most_nonzeros = 0;
    for (const Part& part : partition.parts()) {
        most_rows = std::max(most_rows, part.row.size());
        most_nonzeros = std::max(most_nonzeros, part.nonzeros);
        v.most_sent = std::max(v.most_sent, part.sent);
        v.most_received = std::max(v.most_received, part.received);
        v.total_received += part.received;
        v.boundary_rows += part.boundary.size();
        v.most_peers = std::max(v.most_peers, part.receive.size());
    }
    const auto parts = static_cast<double>(partition.parts().size());
    v.row_imbalance = static_cast<double>(most_rows) * parts / static_cast<double>(partition.rows()) - 1;
    if (partition.nonzeros() > 0)
        v.nonzero_imbalance =
            static_cast<double>(most_nonzeros) * parts / static_cast<double>(partition.nonzeros()) - 1;
    return v;
}

LocalRows local_rows(const CompressedRows& a, const Partition& partition, std::uint32_t part) {
    if (part >= partition.parts().size())
        throw InvalidInput(
            fmt::format("part {} of a partition into {}: parts are counted from 0", part, partition.parts().size()));
    if (partition.rows() != a.rows())
        throw InvalidInput(fmt::format("a partition of {} rows on a matrix of {}: give the partition of this matrix",
                                       partition.rows(), a.rows()));
    const Part& own = partition.parts()[part];
    // The place of each ghost: lists ascend by peer, rows ascend within, and a row has one owner.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ghost; // row and place
    auto place = static_cast<std::uint32_t>(own.row.size());
    for (const Exchange& list : own.receive)
        for (const std::uint32_t row : list.row) ghost.emplace_back(row, place++);
    std::sort(ghost.begin(), ghost.end());

    LocalRows local;
    local.ghosts = static_cast<std::uint32_t>(ghost.size());
    local.row_begin.reserve(own.row.size() + 1);
    local.row_begin.push_back(0);
    local.column.reserve(own.nonzeros);
    local.value.reserve(own.nonzeros);
    for (const std::uint32_t row : own.row) {
        for (std::uint64_t k = a.row_begin()[row]; k < a.row_begin()[row + 1]; ++k) {
            const std::uint32_t column = a.column()[k];
            const bool mine = partition.owner(column) == part;
            const auto at =
                mine ? static_cast<std::uint32_t>(std::lower_bound(own.row.begin(), own.row.end(), column) -
                                                  own.row.begin())
                     : std::lower_bound(ghost.begin(), ghost.end(), std::pair{column, std::uint32_t{0}})->second;
            local.column.push_back(at);
            local.value.push_back(a.value()[k]);
        }
        local.row_begin.push_back(local.column.size());
    }
    return local;
}

} // namespace mantissa
