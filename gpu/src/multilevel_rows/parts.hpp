// The parts of a solve by cycles on rows: which rows of a level a part has, what it reads of others' rows (ghosts), and
// how parts exchange. A part's vectors are as long as the level everywhere, so that columns keep their numbers.
#pragma once

#include <array>
#include <future>
#include <memory>
#include <vector>

#include "loop.hpp"
#include "mantissa/gpu/peers.hpp"
#include "setup/matrix.hpp"

namespace mantissa::gpu::multilevel_rows {

/// A level's rows by parts: first[p] to first[p + 1] - 1 are part p's.
struct RowPartition {
    std::array<std::uint32_t, kMaxParts + 1> first{};
    [[nodiscard]] RowRange of(int part) const {
        const auto p = static_cast<std::size_t>(part);
        return {first[p], first[p + 1]};
    }
};
/// Elements of other parts that a part reads, ascending; part p's are index[begin[p]] to index[begin[p + 1] - 1].
struct Ghosts {
    const std::uint32_t* index = nullptr; ///< memory is the part's
    std::array<std::uint32_t, kMaxParts + 1> begin{};
};

/// What parts exchange: elements of a vector, the largest of up to two words, up to four sums of blocks. Pointers are
/// those of each part. An element must stand until its owner's next exchange: others may read it that long.
struct Exchange {
    static constexpr int kWords = 2, kSums = 1 + kMostDirections;
    Ghosts ghosts;
    int bytes = 0; ///< of an element: 4 or 8
    void* vector[kMaxParts] = {};
    unsigned long long* largest[kWords][kMaxParts] = {};
    double* sums[kSums][kMaxParts] = {};
    unsigned sums_of_part = 0;
    unsigned number = 0;                          ///< see Parts::count_from()
    unsigned long long* arrivals[kMaxParts] = {}; ///< of each part: how far part k has come, at k
    PeerView view;
};

/// One part on the current device, or several over peers.
class Parts {
public:
    explicit Parts(std::shared_ptr<Peers> peers); ///< null: one part

    [[nodiscard]] int count() const { return static_cast<int>(arrivals_.size()); }
    [[nodiscard]] bool several() const { return count() > 1; }
    [[nodiscard]] int device(int part) const { return peers_ ? peers_->device(part) : device_; }
    [[nodiscard]] const std::shared_ptr<Peers>& peers() const { return peers_; }
    /// The system's rows, which the first level of a cycle has too: with several parts.
    [[nodiscard]] const RowPartition& rows() const { return rows_; }
    void share_out(const RowPartition& rows) { rows_ = rows; }
    /// May a part's kernels begin while the one before them ends? Not where parts share a device: what waits would fill
    /// it.
    [[nodiscard]] bool early() const { return early_; }

    /// Nobody has come yet. Returns when all devices know.
    void reset();
    /// The next kernel of the stream, and barrier, of part `part`; with one part nothing. All parts have the same
    /// exchanges in the same order.
    void exchange(cudaStream_t stream, int part, Exchange what, Status* status);
    /// Exchanges are numbered: 0 is in front of the first iteration, in which they count from 1 on.
    void count_from(unsigned number) { number_ = number; }
    [[nodiscard]] unsigned exchanges() const { return number_ - 1; } ///< of the iteration so far

private:
    std::shared_ptr<Peers> peers_;
    RowPartition rows_;
    int device_ = 0;
    bool early_ = true;
    unsigned number_ = 0;
    std::vector<Buffer<unsigned long long>> arrivals_;
};

/// Rows with about as many entries for each part.
template <class V> RowPartition divide(const Matrix<V>& a, int parts);
/// Rows of a matrix that may lie on another device, with that device's columns. `keep` is the current device's.
template <class V> Matrix<V> strip_of(const Matrix<V>& a, RowRange rows, Arena& keep);
/// Columns of `rows` that others have, and all elements that others have.
template <class V>
Ghosts ghosts_of(const Matrix<V>& rows, const RowPartition& columns, int part, Arena& keep, Arena& scratch);
Ghosts all_of_others(const RowPartition& rows, int part, Arena& keep, Arena& scratch);

/// work(part) for each part, its device the current one; several at a time.
template <class Work> void for_each_part(const Parts& parts, const Work& work) {
    std::vector<std::future<void>> others;
    const auto on_device = [&](int part) {
        const OnDevice here(parts.device(part));
        work(part);
    };
    for (int p = 1; p < parts.count(); ++p) others.push_back(std::async(std::launch::async, on_device, p));
    on_device(0);
    for (std::future<void>& other : others) other.get();
}

} // namespace mantissa::gpu::multilevel_rows
