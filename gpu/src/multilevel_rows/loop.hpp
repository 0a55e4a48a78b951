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
#include "mantissa/system.hpp"

namespace mantissa::gpu::multilevel_rows {

inline constexpr unsigned kMostSumBlocks = 2048;

/// Where a solve stands.
struct Status {
    double rr[2];               ///< of the last two iterations: number k's in k % 2, from 1 on
    double rz, alpha;           ///< of the last iteration
    double goal;                ///< the r.r to end below
    unsigned long long largest; ///< of the scaled residual's magnitudes, as ordered() bits
    std::uint32_t iterations, limit, done;
    CycleSolveEnd end;
};
/// Sums of blocks: of p.q, r.r, z.r and z.q.
struct Sums {
    double pq[kMostSumBlocks], rr[kMostSumBlocks], rz[kMostSumBlocks], zq[kMostSumBlocks];
};

/// Rows of a matrix on the device, as kernels take them: one after the other, or in slices of 32 rows, the entries of
/// like number in a row side by side, where `begin` counts 32 entries at a time.
template <class V> struct Rows {
    const std::uint32_t *begin, *column;
    const V* value;
    std::uint32_t rows;
};
inline constexpr std::uint32_t kSlice = 32;
/// And their owner.
template <class V> struct OwnedRows {
    Buffer<std::uint32_t> begin, column;
    Buffer<V> value;
    std::uint32_t rows = 0;
    double mean = 0;     ///< entries of a row
    bool sliced = false; ///< where slices have few entries that are none, and rows are enough for a thread each

    OwnedRows() = default;
    OwnedRows(const std::vector<std::uint32_t>& row_begin, const std::vector<std::uint32_t>& columns,
              const std::vector<V>& values)
        : rows(row_begin.empty() ? 0 : static_cast<std::uint32_t>(row_begin.size() - 1)),
          mean(static_cast<double>(columns.size()) / (rows == 0 ? 1 : rows)) {
        if (!in_slices(row_begin, columns, values)) {
            begin = to_device(row_begin);
            column = to_device(columns);
            value = to_device(values);
        }
    }
    [[nodiscard]] Rows<V> view() const { return {begin.data(), column.data(), value.data(), rows}; }
    /// Threads that a row is worth.
    [[nodiscard]] int lanes() const {
        if (sliced) return 1;
        constexpr int kMean[] = {3, 6, 12, 36}; // about half of the entries of a mean row each
        int lanes = 1;
        for (const int most : kMean) lanes *= mean > most ? 2 : 1;
        return lanes;
    }

private:
    bool in_slices(const std::vector<std::uint32_t>& row_begin, const std::vector<std::uint32_t>& columns,
                   const std::vector<V>& values) {
        constexpr std::uint32_t kLeastRows = 131072; // (fewer threads do not hide the memory's latency)
        constexpr double kMostPadding = 1.7;
        if (rows < kLeastRows) return false;
        std::vector<std::uint32_t> slice{0};
        for (std::uint32_t first = 0; first < rows; first += kSlice) {
            std::uint32_t longest = 0;
            for (std::uint32_t i = first; i < std::min(rows, first + kSlice); ++i)
                longest = std::max(longest, row_begin[i + 1] - row_begin[i]);
            slice.push_back(slice.back() + longest);
        }
        const std::size_t room = std::size_t{slice.back()} * kSlice;
        if (static_cast<double>(room) > kMostPadding * static_cast<double>(columns.size())) return false;
        std::vector<std::uint32_t> to(room);
        std::vector<V> words(room);
        for (std::uint32_t i = 0; i < rows; ++i) {
            const std::size_t at = std::size_t{slice[i / kSlice]} * kSlice + i % kSlice;
            const std::uint32_t width = slice[i / kSlice + 1] - slice[i / kSlice],
                                filled = row_begin[i + 1] - row_begin[i];
            for (std::uint32_t k = 0; k < width; ++k) { // (what is none reads an element that the row reads anyhow)
                const std::uint32_t from = row_begin[i] + (k < filled ? k : 0);
                to[at + std::size_t{k} * kSlice] = filled == 0 ? 0 : columns[from];
                words[at + std::size_t{k} * kSlice] = k < filled ? values[from] : V{};
            }
        }
        begin = to_device(slice);
        column = to_device(to);
        value = to_device(words);
        return sliced = true;
    }
};

/// The loop's vectors, which a cycle reads and writes: z = K(r), and blocks' sums of z.r and z.q.
struct LoopView {
    const double *r, *q;
    double* z;
    Sums* sums;
    Status* status;
    unsigned sum_blocks; ///< of the kernel that leaves sums
};

/// A cycle on the device. Its kernels begin with those before them complete, and do nothing once the solve is done.
class DeviceCycle {
public:
    DeviceCycle() = default;
    DeviceCycle(const DeviceCycle&) = delete;
    DeviceCycle& operator=(const DeviceCycle&) = delete;
    virtual ~DeviceCycle() = default;
    virtual void launch_on(cudaStream_t stream, const LoopView& loop) = 0;
    /// d is multiplied by it on its way in, c on its way out; null: by nothing.
    [[nodiscard]] virtual const double* scale() const = 0;
    /// What has to be zero as a cycle begins.
    struct States {
        unsigned long long* words = nullptr;
        unsigned count = 0;
    };
    [[nodiscard]] virtual States states() const { return {}; }
    [[nodiscard]] virtual std::string description() const = 0;
};

/// In words, with the bits of multilevel/cycle.hpp; and in double. Throw InvalidInput where no hierarchy is worth its
/// work.
std::unique_ptr<DeviceCycle> make_word_cycle(const System& system, const CycleSpec& spec, int threads);
std::unique_ptr<DeviceCycle> make_double_cycle(const System& system, const CycleSpec& spec, int threads);

} // namespace mantissa::gpu::multilevel_rows
