// Words and rows of them: rounding, cutting, a nine-point stencil that walks down some columns a lane.
#pragma once

#include <cstdint>
#include <type_traits>

#include "plan.hpp"

namespace mantissa::gpu::cycle_words {

/// What the kernels of a file work on: in constant memory, for instructions to read from there. One solve at a time.
static __constant__ CyclePlan plan;
static __constant__ OuterPlan outer;
extern __shared__ __align__(16) unsigned char memory[];

/// half(x, s) of multilevel/cycle.hpp, ready for many x. Exact while |x| < 2^(bits of Num - 3).
template <class Num> struct Half {
    int left, right;
    Num add;
    __device__ explicit Half(int s) {
        constexpr int most = static_cast<int>(sizeof(Num)) * 8 - 2;
        right = min(max(s, 0), most);
        left = min(max(-s, 0), most);
        add = right > 0 ? Num(1) << (right - 1) : Num(0);
    }
    __device__ __forceinline__ Num operator()(Num x) const { return ((x << left) + add) >> right; }
};

template <class Num> __device__ __forceinline__ Num cut(Num x, Num most) {
    return max(min(x, most), static_cast<Num>(-most));
}
template <class Num> __device__ __forceinline__ Num most_of(int bits) {
    return (Num(1) << (bits - 1)) - 1;
}
template <class Num> __device__ __forceinline__ unsigned long long magnitude(Num x) {
    return static_cast<unsigned long long>(x < 0 ? -x : x);
}
/// Bits of the largest of the words whose magnitudes were OR-ed.
__device__ __forceinline__ int length_of(unsigned long long bits) {
    return 64 - __clzll(static_cast<long long>(bits));
}

/// Integers of a cycle. The types are as narrow as a spec's words allow.
/// Num: sums within a level. Found: f as stored. Sum: t as stored. Defect: a defect as stored. Wide: u, b, d.
template <class NumType, class FoundType, class DefectType> struct Words {
    static constexpr bool real = false;
    using Num = NumType;
    using Found = FoundType;
    using Sum = NumType;
    using Leaving = int;
    using Defect = DefectType;
    using Wide = long long;
};
/// The same cycle in double.
struct Real {
    static constexpr bool real = true;
    using Num = double;
    using Found = double;
    using Sum = double;
    using Leaving = double;
    using Defect = double;
    using Wide = double;
};

/// In double nothing is rounded.
struct NoHalf {
    __device__ explicit NoHalf(int) {}
    __device__ __forceinline__ double operator()(double x) const { return x; }
};
template <class P, class Num = typename P::Num> struct HalfOf {
    using type = std::conditional_t<P::real, NoHalf, Half<std::conditional_t<P::real, int, Num>>>;
};

/// Neighbouring words as they lie in memory.
template <class T, int kCount> struct alignas(kCount * sizeof(T) < 16 ? kCount * sizeof(T) : 16) Pack { T v[kCount]; };

/// A lane's columns of a row.
template <class Num, int kColumns> struct Row { Num v[kColumns]; };

template <class Num> __device__ __forceinline__ Num from_left(Num x) {
    return __shfl_up_sync(0xffffffffU, x, 1);
}
template <class Num> __device__ __forceinline__ Num from_right(Num x) {
    return __shfl_down_sync(0xffffffffU, x, 1);
}

/// The stencil, pushed row by row: push(row y) returns its product with row y - 1.
template <class Num, int kColumns> struct Window {
    Row<Num, kColumns> sum{}, low{};
    __device__ __forceinline__ Row<Num, kColumns> push(const Row<Num, kColumns>& x) {
        const Num left = from_left(x.v[kColumns - 1]), right = from_right(x.v[0]);
        Row<Num, kColumns> out;
#pragma unroll
        for (int c = 0; c < kColumns; ++c) {
            const Num beside = (c == 0 ? left : x.v[c - 1]) + (c == kColumns - 1 ? right : x.v[c + 1]);
            const Num above = static_cast<Num>(plan.north_south) * x.v[c] + static_cast<Num>(plan.corner) * beside;
            const Num here = static_cast<Num>(plan.centre) * x.v[c] + static_cast<Num>(plan.east_west) * beside;
            out.v[c] = sum.v[c] + above;
            sum.v[c] = here + low.v[c];
            low.v[c] = above;
        }
        return out;
    }
};

/// A warp's place: a strip of columns, some rows.
struct Place {
    int x, y0, y1;    ///< the lane's first column; rows that it owns
    bool inside, own; ///< has the lane nodes; are they its own
    bool edge;        ///< is its first column an edge of the grid
    __device__ Place(const LevelPlan& level, const Tiles& tiles, int columns, int tile, int halo_lanes) {
        const int lane = static_cast<int>(threadIdx.x) & (kLanes - 1);
        const int chunk =
            tiles.inverse == 0 ? tile : static_cast<int>(__umulhi(static_cast<unsigned>(tile), tiles.inverse));
        const int strip = tile - chunk * tiles.strips;
        x = strip * (kLanes - 2 * halo_lanes) * columns + (lane - halo_lanes) * columns;
        y0 = chunk * tiles.rows;
        y1 = min(y0 + tiles.rows, level.n);
        inside = x >= 0 && x <= level.n;
        own = lane >= halo_lanes && lane < kLanes - halo_lanes && x < level.n;
        edge = x == 0 || x == level.n;
    }
};

/// Tiles in turn over the warps of all blocks, neighbours on different multiprocessors.
__device__ __forceinline__ int first_tile() {
    return static_cast<int>(threadIdx.x / kLanes * gridDim.x + blockIdx.x);
}
__device__ __forceinline__ int tile_step() {
    return static_cast<int>(gridDim.x) * kWarps;
}

/// What a block's warps have found in a pass, on its way to the grid's cells. Words of 32 bits: shared memory has no
/// atomic operation on more.
struct Gathered {
    unsigned low, high;
    unsigned long long squares[kWarps];
};
__device__ __forceinline__ void gather(unsigned* low_cell, unsigned* high_cell, unsigned long long bits) {
    const unsigned low = __reduce_or_sync(0xffffffffU, static_cast<unsigned>(bits));
    const unsigned high = __reduce_or_sync(0xffffffffU, static_cast<unsigned>(bits >> 32));
    if ((threadIdx.x & (kLanes - 1)) == 0) {
        if (low != 0) atomicOr(low_cell, low);
        if (high != 0) atomicOr(high_cell, high);
    }
}
__device__ __forceinline__ unsigned long long warp_sum(unsigned long long x) {
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) x += __shfl_xor_sync(0xffffffffU, x, lanes);
    return x;
}
__device__ __forceinline__ double warp_sum(double x) {
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2) x += __shfl_xor_sync(0xffffffffU, x, lanes);
    return x;
}

} // namespace mantissa::gpu::cycle_words
