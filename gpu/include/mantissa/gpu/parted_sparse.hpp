// Pipelined CG on a sparse matrix over several GPUs of one process (Cevahir, Nukada, Matsuoka, ICCS 2009, with one
// exchange and one sum an iteration): a solve is one kernel on each device, and no word of it goes over the host.
//
// The recurrence is that of sparse_solver.hpp. Sums are order-free and a row's order is its own, so the bits of a solve
// do not depend on how many parts there are, where they are cut, or on which devices they run.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mantissa/gpu/peers.hpp"
#include "mantissa/gpu/sparse_solver.hpp"
#include "mantissa/partition/partition.hpp"

namespace mantissa::gpu {

struct PartedSparseOptions {
    /// A place for each row of the matrix, by which a part numbers its rows (as reverse_cuthill_mckee() inverted);
    /// empty: as they stand. It changes no bit.
    std::span<const std::uint32_t> rank{};
    std::uint32_t stages = 0; ///< chunks of a warp in shared memory, 2 to 8; 0: what is best
    double kept = -1;         ///< share of the matrix that the second-level cache is asked to keep; below 0: by size
};

/// Seconds of an iteration in its phases, the mean over all blocks; their sum is the iteration. `warps`: a block's
/// first warp waits for its others; `reduction`: a block waits for all others and the sums.
struct PartedSparseTimes {
    double iteration = 0;
    double update = 0, meet = 0, product = 0, ghosts = 0, warps = 0, reduction = 0;
    /// Of each block, part by part: seconds of the product in its slowest and in its fastest warp, with the wait for
    /// other parts' elements.
    std::vector<double> block_product, fastest_warp;
};

class PartedSparse {
public:
    /// `partition` is of this matrix and has as many parts as `peers`, which must outlive this. Throws InvalidInput
    /// where it does not, or a part has 2^24 rows; DeviceError on a fault of a device.
    PartedSparse(const CompressedRows& a, const Partition& partition, Peers& peers, SparsePrecision precision,
                 const PartedSparseOptions& options = {});
    ~PartedSparse();
    PartedSparse(PartedSparse&&) noexcept;
    PartedSparse(const PartedSparse&) = delete;

    /// As SparseMatrix::solve(). Report's seconds are the kernels'. `look` is called at times while they run.
    SparseCgReport solve(std::span<const double> b, double tolerance, std::uint32_t max_iterations, bool jacobi = false,
                         std::vector<double>* x = nullptr, const SparseLook& look = {});
    /// Runs `iterations` from a right-hand side of numbers from 1 to 1.5, without a test. `x`, if given, gets the
    /// iterate.
    PartedSparseTimes time_iterations(std::uint32_t iterations, bool jacobi = false, std::vector<double>* x = nullptr);

    /// Deals rows to blocks anew, `rounds` times, by what their products took over some iterations (half of the way
    /// from the second time on), and keeps the deal whose iteration was shortest (the first, of equal entries, among
    /// them); then tries what `stages` and `kept`, where the options left them open, are fastest. Returns the
    /// iteration's seconds. Blocks with equal entries do not take equal time where rows are of uneven length. It
    /// changes no bit. Each round costs the layout and the upload of the matrix once more.
    double balance(int rounds = 4, std::uint32_t iterations = 100);

    /// Bytes of the matrix that an iteration reads, over all parts, and entries padded with zeros among them.
    [[nodiscard]] std::uint64_t matrix_bytes() const;
    [[nodiscard]] double fill() const;
    /// Columns in 16 bits: the share of chunks that have them.
    [[nodiscard]] double narrow() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace mantissa::gpu
