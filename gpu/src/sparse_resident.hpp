// Host side of sparse_resident.cuh: which matrices fit the chip, and a solve's launch.
#pragma once

#include <cstdint>
#include <memory>

#include "mantissa/gpu/device.hpp"
#include "mantissa/sparse/compressed_rows.hpp"
#include "sparse_several.cuh"

namespace mantissa::gpu {

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
    Buffer<std::uint32_t> part_, row_, begin_, column_;
    Buffer<T> value_;
    std::uint32_t blocks_ = 0, most_rows_ = 0, most_entries_ = 0;
};

} // namespace mantissa::gpu
