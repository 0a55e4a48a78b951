// What the engine's kernels share: the matrix on the device, faults, pivot candidates, the barrier.
#pragma once

#include <climits>
#include <cstdint>

#include "mantissa/lu/factor.hpp"
#include "sums.cuh"

namespace mantissa::gpu::lu {

inline constexpr int kPanel = 32;    ///< columns of a panel: one for each lane of a warp
inline constexpr int kThreads = 256; ///< of every block
inline constexpr int kWarps = kThreads / 32;
inline constexpr int kLevels = 64; ///< of a tournament's tree, at most
inline constexpr unsigned long long kNoFault = ~0ull;

/// A fault's key: smaller ones count first. numerics/src/lu/factor.cpp has the order.
enum class FaultRank : unsigned { singular = 0, overflow = 1, not_finite = 2 };

/// A block's best row for the next pivot.
template <class W> struct Candidate {
    W value;
    int position = INT_MAX; ///< of the row, in the order of now; INT_MAX: none
    int column = 0;         ///< pivot=full: of the column
    int row = 0;            ///< in the order of the beginning
};

/// Rows stay where they are; row_at says which row is at a position.
template <class Sums> struct Problem {
    using W = typename Sums::W;
    using Op = typename Sums::Op;
    Sums sums;
    DoubleUnit l_unit;
    LuPivot pivot;
    double tau;
    bool reciprocal;
    int n;
    W* w;                      ///< n x n by rows
    Op* f;                     ///< the factors, likewise
    unsigned* row_at;          ///< n
    unsigned* column_at;       ///< n, pivot=full
    Candidate<W>* candidates;  ///< [2][blocks + 1]
    W* candidate_rows;         ///< [2][blocks + 1][kPanel]
    unsigned long long* fault; ///< the least key
    unsigned long long* exchanges;
    unsigned long long* arrived; ///< the barrier's counter; 0 before a launch
    int* failed;                 ///< 0, or 1 + kLevels column + level of the first tournament that failed

    __device__ __forceinline__ W* row(int r) const { return w + static_cast<long long>(r) * n; }
    __device__ __forceinline__ Op* factor_row(int r) const { return f + static_cast<long long>(r) * n; }
};

#ifdef __CUDACC__

__device__ __forceinline__ void note(unsigned long long* fault, FaultRank rank, int column) {
    atomicMin(fault, static_cast<unsigned long long>(column) * 4 + static_cast<unsigned>(rank));
}
__device__ __forceinline__ void note(unsigned long long* fault, const Marks& marks, int column) {
    if (marks.outside) note(fault, FaultRank::overflow, column);
    if (marks.not_finite) note(fault, FaultRank::not_finite, column);
}
/// Was there a fault in front of this column?
__device__ __forceinline__ bool failed_before(const unsigned long long* fault, int column) {
    return *reinterpret_cast<const volatile unsigned long long*>(fault) < static_cast<unsigned long long>(column) * 4;
}

/// Does nothing remain to be done in a panel from this column on?
template <class Sums> __device__ __forceinline__ bool over(const Problem<Sums>& p, int column) {
    const int failed = *reinterpret_cast<const volatile int*>(p.failed);
    return failed_before(p.fault, column) || (failed != 0 && (failed - 1) / kLevels <= column);
}

/// All blocks of a cooperative launch meet. A grid that cannot meet is a bug: the kernel ends after some seconds.
class TrapGridBarrier {
public:
    __device__ explicit TrapGridBarrier(unsigned long long* counter) : counter_(counter) {}
    __device__ __forceinline__ void wait() {
        __syncthreads();
        expected_ += gridDim.x;
        if (threadIdx.x == 0) {
            asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(counter_) : "memory");
            unsigned long long now;
            for (unsigned turn = 0;; ++turn) {
                asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(counter_) : "memory");
                if (now >= expected_) break;
                if (turn == 1u << 24) __trap();
            }
        }
        __syncthreads();
    }

private:
    unsigned long long* counter_;
    unsigned long long expected_ = 0;
};

/// One lane's value to all lanes.
template <class T> __device__ __forceinline__ T spread(const T& value, int lane) {
    static_assert(sizeof(T) % 4 == 0);
    union Words {
        T value;
        unsigned word[sizeof(T) / 4];
        __device__ Words() {}
    } x;
    x.value = value;
#pragma unroll
    for (unsigned k = 0; k < sizeof(T) / 4; ++k) x.word[k] = __shfl_sync(~0u, x.word[k], lane);
    return x.value;
}

/// Magnitudes, of which none is negative, as whole numbers of the same order, by words of 32 bits.
__device__ __forceinline__ unsigned word_of(float x, int) {
    return __float_as_uint(x);
}
__device__ __forceinline__ unsigned word_of(unsigned long long x, int k) {
    return static_cast<unsigned>(x >> (32 * k));
}
__device__ __forceinline__ unsigned word_of(double x, int k) {
    return word_of(static_cast<unsigned long long>(__double_as_longlong(x)), k);
}
__device__ __forceinline__ unsigned word_of(exact::detail::u128 x, int k) {
    return static_cast<unsigned>(x >> (32 * k));
}

/// Does `a` count before `b` as a pivot? Greater first, then the lower column, then the lower row.
template <class Sums>
__device__ __forceinline__ bool better(const Candidate<typename Sums::W>& a, const Candidate<typename Sums::W>& b) {
    if (a.position == INT_MAX) return false;
    if (b.position == INT_MAX) return true;
    const auto x = Sums::magnitude(a.value), y = Sums::magnitude(b.value);
    if (x != y) return x > y;
    return a.column != b.column ? a.column < b.column : a.position < b.position;
}
/// The best of a warp's candidates, to all lanes: the greatest word from the top down, then the least places.
template <class Sums, bool ByColumn = false>
__device__ __forceinline__ Candidate<typename Sums::W> best_of_warp(const Candidate<typename Sums::W>& mine) {
    constexpr int kWordsOf = sizeof(typename Sums::Magnitude) / 4;
    const auto magnitude = Sums::magnitude(mine.value);
    bool in = mine.position != INT_MAX;
#pragma unroll
    for (int k = kWordsOf - 1; k >= 0; --k) {
        const unsigned word = in ? word_of(magnitude, k) : 0u, most = __reduce_max_sync(~0u, word);
        in = in && word == most;
    }
    if constexpr (ByColumn) {
        const int column = in ? mine.column : INT_MAX;
        in = column == __reduce_min_sync(~0u, column) && in;
    }
    const int position = in ? mine.position : INT_MAX;
    const unsigned lanes = __ballot_sync(~0u, position == __reduce_min_sync(~0u, position));
    return spread(mine, __ffs(static_cast<int>(lanes)) - 1);
}

/// Whether the diagonal stays the pivot whatever the best candidate is.
template <class Sums>
__device__ __forceinline__ bool keeps_diagonal(const Problem<Sums>& p, typename Sums::W diagonal,
                                               const Candidate<typename Sums::W>& best) {
    const auto magnitude = Sums::magnitude(diagonal);
    if (p.pivot == LuPivot::none || p.pivot == LuPivot::tournament || !Sums::comparable(magnitude) ||
        best.position == INT_MAX)
        return true;
    return p.pivot == LuPivot::threshold &&
           static_cast<double>(magnitude) >= p.tau * static_cast<double>(Sums::magnitude(best.value));
}

/// l of the element w in the pivot's column.
template <class Sums>
__device__ __forceinline__ double quotient(const Problem<Sums>& p, typename Sums::W w, double pivot, double reciprocal,
                                           Marks& marks) {
    const double numerator = p.sums.rounded(w, marks);
    const double l = p.reciprocal ? p.l_unit.mul(numerator, reciprocal) : p.l_unit.div(numerator, pivot);
    if (!isfinite(l)) marks.not_finite = true;
    return l;
}

#endif

} // namespace mantissa::gpu::lu
