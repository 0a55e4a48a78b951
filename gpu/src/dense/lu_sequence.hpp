// The launches of a whole factorisation, in the order that keeps the next panel ahead of the rest (look-ahead).
#pragma once

#include <cstddef>
#include <vector>

#include <cuda_runtime_api.h>

#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/lu.hpp"
#include "steps.hpp"

namespace mantissa::gpu::dense {

/// Where a factorisation has its matrix and its lists, all on the device.
template <class T> struct LuPlace {
    T* matrix;          ///< n x n, column-major
    std::size_t stride; ///< elements, a multiple of 32
    int n;
    T* solved;                             ///< kBand x pitch: the band right of the next panel
    T* solved_next;                        ///< kBand x kBand: the band over the next panel
    T* scratch;                            ///< of the panels
    std::size_t pitch;                     ///< of `solved`, a multiple of 32, at least n
    int *pivots, *source, *target, *order; ///< n each
    LuFlags* flags;
    int* done;                       ///< one, 0
    int *started, *ready, *finished; ///< one for every 32 columns, and one, each
};

constexpr int kBand = 128; ///< columns of the widest outer panel

/// Two streams and the events between them, for a capture.
class Lanes {
public:
    Lanes();
    ~Lanes();
    Lanes(const Lanes&) = delete;
    Lanes& operator=(const Lanes&) = delete;
    /// `to` waits for what `from` has been given.
    void order(cudaStream_t from, cudaStream_t to);
    [[nodiscard]] cudaEvent_t mark(cudaStream_t from);
    void await(cudaStream_t to, cudaEvent_t event);

    cudaStream_t main{}, side{};

private:
    std::vector<cudaEvent_t> events_;
};

/// Launches everything that factors place.matrix into lanes.main and, between, lanes.side.
template <class T> void enqueue_factor(const LuPlace<T>& place, LuPivoting pivoting, Lanes& lanes);

} // namespace mantissa::gpu::dense
