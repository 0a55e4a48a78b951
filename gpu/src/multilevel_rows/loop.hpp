// What the loop around cycles on rows and the cycles themselves tell each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mantissa/gpu/device.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"
#include "mantissa/outer/cycle_vectors.hpp"
#include "mantissa/system.hpp"

namespace mantissa::gpu::multilevel_rows {

inline constexpr unsigned kMostSumBlocks = 2048;
inline constexpr std::uint32_t kAtATime = 4; ///< iterations that the host may launch without a look

/// Where a solve stands.
struct Status {
    double rr[kAtATime];           ///< of the last iterations: number k's in k % kAtATime, from 1 on
    double rz[kMostDirections];    ///< of the last iterations, the last one first
    double alpha[kMostDirections]; ///< likewise
    double goal;                   ///< the r.r to end below
    unsigned long long largest;    ///< of the scaled residual's magnitudes, as ordered() bits
    unsigned long long exchanged;  ///< exchanges of the parts, as of the iteration's begin
    std::uint32_t iterations, limit, done;
    CycleSolveEnd end;
};
/// Sums of blocks: of p.q, r.r, z.r, and z.q for the last q's, the last one first.
struct Sums {
    double pq[kMostSumBlocks], rr[kMostSumBlocks], rz[kMostSumBlocks], zq[kMostDirections][kMostSumBlocks];
};

/// Elements first to end - 1 of a vector.
struct RowRange {
    std::uint32_t first, end;
    [[nodiscard]] std::uint32_t count() const { return end - first; }
};
/// Where the blocks of a part leave theirs.
struct SumPlaces {
    Sums* sums;
    unsigned first;
};

/// Rows of a matrix on the device, as kernels take them: one after the other, or in slices of 32 rows, the entries of
/// like number in a row side by side, where `begin` counts 32 entries at a time.
template <class V> struct Rows {
    const std::uint32_t *begin, *column;
    const V* value;
    std::uint32_t rows;
    std::uint32_t first = 0; ///< the matrix's number of the first one
};
inline constexpr std::uint32_t kSlice = 32;
/// The same with what the host knows of it. Memory is an arena's (setup/arena.hpp).
template <class V> struct LaidRows {
    Rows<V> view{};
    double mean = 0;     ///< entries of a row
    bool sliced = false; ///< where slices have few entries that are none, and rows are enough for a thread each
    /// Threads that a row is worth.
    [[nodiscard]] int lanes() const {
        if (sliced) return 1;
        constexpr int kMean[] = {3, 6, 12, 36}; // about half of the entries of a mean row each
        int lanes = 1;
        for (const int most : kMean) lanes *= mean > most ? 2 : 1;
        return lanes;
    }
};

/// The loop's vectors, which a cycle reads and writes: z = K(r), and blocks' sums of z.r and of z.q for so many q.
struct LoopView {
    const double *r, *q[kMostDirections];
    int directions;
    double* z;
    SumPlaces sums;
    Status* status;
    unsigned sum_blocks; ///< of the kernel that leaves sums
};

/// A cycle on the device, or over the parts of a solve. Its kernels begin with those before them complete, and do
/// nothing once the solve is done.
class DeviceCycle {
public:
    DeviceCycle() = default;
    DeviceCycle(const DeviceCycle&) = delete;
    DeviceCycle& operator=(const DeviceCycle&) = delete;
    virtual ~DeviceCycle() = default;
    /// A part's kernels. That part's device is the current one.
    virtual void launch_on(cudaStream_t stream, int part, const LoopView& loop) = 0;
    /// d is multiplied by it on its way in, c on its way out; null: by nothing. Of a part.
    [[nodiscard]] virtual const double* scale(int part) const = 0;
    /// What has to be zero as a cycle begins.
    struct States {
        unsigned long long* words = nullptr;
        unsigned count = 0;
    };
    [[nodiscard]] virtual States states(int) const { return {}; }
    [[nodiscard]] virtual std::string description() const = 0;
};

struct DeviceHierarchy;
struct DeviceWords;
class Parts;
/// In words, with the bits of multilevel/cycle.hpp; and in double. The levels are on the first part's device, the
/// current one; each part takes its rows from there.
std::unique_ptr<DeviceCycle> make_word_cycle(const DeviceWords& words, Parts& parts);
std::unique_ptr<DeviceCycle> make_double_cycle(const DeviceHierarchy& hierarchy, const CycleSpec& spec, Parts& parts);

} // namespace mantissa::gpu::multilevel_rows
