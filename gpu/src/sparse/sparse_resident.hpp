// Host side of sparse_resident.cuh: which matrices fit the chip, and a solve's launch.
#pragma once

#include <cstdint>
#include <memory>

#include "mantissa/gpu/device.hpp"
#include "mantissa/sparse/compressed_rows.hpp"
#include "sparse/sparse_several.cuh"

namespace mantissa::gpu {

/// What the largest of the blocks' parts have, and how they lie in shared memory: p of a block's rows and of those
/// beside them (ghosts), values, 1 / a_ii, begins of slices, ghosts' rows, columns.
struct ResidentShape {
    std::uint32_t most_rows, most_slices, most_ghosts, most_entries; ///< entries with those that fill up steps
    std::uint32_t most_places;                                       ///< rows and ghosts
    template <class T> [[nodiscard]] std::size_t bytes(int stride) const {
        return sizeof(T) * (static_cast<std::size_t>(most_places) * static_cast<std::size_t>(stride) + most_entries +
                            most_rows) +
               4 * (static_cast<std::size_t>(most_slices) + 1 + most_ghosts) +
               2 * static_cast<std::size_t>(most_entries);
    }
};

/// A matrix parted among the multiprocessors for solves of N right-hand sides, in T.
template <int N, class T> class ResidentMatrix {
public:
    /// Nothing where a block's rows do not fit its shared memory and registers, or a row has more than kLongestResident
    /// entries: its few threads would keep all blocks waiting.
    static std::unique_ptr<ResidentMatrix> make(const CompressedRows& a);
    static constexpr std::uint32_t kLongestResident = 256;

    /// From the residual r of x = 0 to the end of all columns; vectors as for several_begin. Returns seconds between
    /// events around the launch. Throws DeviceError.
    double solve(const T* inverse, const T* r, T* x, T* p, SeveralState<N>* state, bool again) const;

private:
    ResidentMatrix() = default;
    Buffer<std::uint32_t> part_, row_, slices_, begin_, ghosts_, ghost_, early_;
    Buffer<std::uint16_t> column_;
    Buffer<T> value_;
    std::uint32_t blocks_ = 0;
    ResidentShape shape_{};
};

} // namespace mantissa::gpu
