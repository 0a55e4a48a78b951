// Rows of a system shared out over parts: over devices, processes or cores. A part owns rows; to form its rows of y = A
// x it needs elements of x that other parts own, its ghosts. Who sends what to whom is a function of the pattern and of
// the owners alone (Cevahir, Nukada, Matsuoka, ICCS 2009, section 4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa {

/// Elements that go from one part to another in each exchange.
struct Exchange {
    std::uint32_t peer = 0;         ///< the other part
    std::vector<std::uint32_t> row; ///< rows of the matrix whose elements go, ascending, at least one

    friend bool operator==(const Exchange&, const Exchange&) = default;
};

/// What one part owns and exchanges. Rows are those of the whole matrix, counted from 0.
struct Part {
    std::vector<std::uint32_t> row;      ///< owned, ascending
    std::vector<std::uint32_t> interior; ///< owned rows whose columns are all owned, ascending
    std::vector<std::uint32_t> boundary; ///< the other owned rows, ascending: they wait for the exchange
    std::vector<Exchange> receive;       ///< by peer, ascending; its rows in this order are the part's ghosts
    std::vector<Exchange> send;          ///< by peer, ascending: the other side of their `receive`
    std::uint64_t nonzeros = 0;          ///< stored entries of the owned rows
    std::size_t received = 0;            ///< elements that come in: the number of ghosts
    std::size_t sent = 0; ///< elements that some other part needs, each counted once however many parts read it

    friend bool operator==(const Part&, const Part&) = default;
};

/// Every row belongs to exactly one part. An object is always consistent: it is made whole and cannot be changed.
class Partition {
public:
    /// `owner[i]`, below `parts`, is the part that owns row i of `a`. A part may own nothing. Throws InvalidInput: no
    /// part at all, an owner that is not below `parts`, owners for another number of rows.
    Partition(const CompressedRows& a, std::span<const std::uint32_t> owner, std::uint32_t parts);
    /// The nine-point pattern of a grid of `width` x `height` points, row by row, without forming its matrix.
    Partition(std::uint32_t width, std::uint32_t height, std::span<const std::uint32_t> owner, std::uint32_t parts);

    [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
    [[nodiscard]] std::size_t rows() const { return owner_.size(); }
    [[nodiscard]] std::uint64_t nonzeros() const;
    /// The part that owns a row.
    [[nodiscard]] std::uint32_t owner(std::size_t row) const { return owner_[row]; }
    [[nodiscard]] const std::vector<std::uint32_t>& owners() const { return owner_; }

    friend bool operator==(const Partition&, const Partition&) = default;

private:
    template <class Columns> void build(std::uint32_t parts, Columns&& columns_of);

    std::vector<std::uint32_t> owner_;
    std::vector<Part> parts_;
};

/// What a partition costs, in numbers that a time follows from.
struct PartitionVolume {
    double row_imbalance = 0;       ///< the most rows of a part over their mean, less 1
    double nonzero_imbalance = 0;   ///< the same of stored entries
    std::size_t most_sent = 0;      ///< elements, of the part that sends most (each counted once)
    std::size_t most_received = 0;  ///< elements, of the part that receives most
    std::size_t total_received = 0; ///< elements, over all parts: what crosses the links in an exchange
    std::size_t boundary_rows = 0;  ///< over all parts
    std::size_t most_peers = 0;     ///< parts that one part receives from, at most
};
PartitionVolume volume(const Partition& partition);

/// The rows of one part with columns in its own numbering: 0 .. row.size() - 1 are the owned rows in their order,
/// after them the ghosts in the order of `receive`. Entries of a row keep the order that they have in the whole
/// matrix, so that sums over them do not depend on the partition.
struct LocalRows {
    std::vector<std::uint64_t> row_begin; ///< owned rows + 1
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    std::uint32_t ghosts = 0;
};
/// Throws InvalidInput where `part` is not below the number of parts or the partition is of another number of rows.
LocalRows local_rows(const CompressedRows& a, const Partition& partition, std::uint32_t part);

} // namespace mantissa
