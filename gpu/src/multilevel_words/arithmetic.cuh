// Words and rows of them: rounding, cutting, a nine-point stencil that walks down some columns a lane.
#pragma once

#include <cstdint>
#include <new>
#include <type_traits>

#include "plan.hpp"

namespace mantissa::gpu::cycle_words {

/// What the kernels of a file work on: in constant memory, for instructions to read from there. One solve at a time.
static __constant__ CyclePlan plan;
static __constant__ OuterPlan outer;
static __constant__ PartPlan parts[kMaxParts]; ///< of this device
extern __shared__ __align__(16) unsigned char memory[];

/// half(factor x, s) of multilevel/cycle.hpp, ready for many x: a multiplication, an addition and a shift. Exact while
/// |factor x| < 2^(bits of Num - 3).
template <class Num> struct Half {
    Num scale, add;
    int right;
    __device__ explicit Half(int s, Num factor = 1) {
        constexpr int most = static_cast<int>(sizeof(Num)) * 8 - 2;
        right = min(max(s, 0), most);
        scale = factor << min(max(-s, 0), most);
        add = right > 0 ? Num(1) << (right - 1) : Num(0);
    }
    __device__ __forceinline__ Num operator()(Num x) const { return (x * scale + add) >> right; }
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
/// Num: sums within a level. Product: of a word and a weight, upwards. Found: f as stored. Sum: t as stored. Defect: a
/// defect as stored. Wide: u, b, d.
template <class NumType, class ProductType, class FoundType, class DefectType, bool kEven, bool kParted> struct Words {
    static constexpr bool real = false;
    static constexpr bool parted = kParted; ///< are there other parts
    static constexpr bool even = kEven;     ///< the stencil is -1 around 8
    using Num = NumType;
    using Product = ProductType;
    using Found = FoundType;
    using Sum = NumType;
    using Leaving = int;
    using Defect = DefectType;
    using Wide = long long;
};
/// The same cycle in double.
template <bool kParted> struct Real {
    static constexpr bool real = true;
    static constexpr bool parted = kParted;
    static constexpr bool even = false;
    using Num = double;
    using Product = double;
    using Found = double;
    using Sum = double;
    using Leaving = double;
    using Defect = double;
    using Wide = double;
};

/// Where a part's vectors are, and what it counts. (Of one part they lie beside what else a level is told: constant
/// memory is read in lines.)
template <class P> __device__ __forceinline__ const LevelPlace& place(int l) {
    if constexpr (P::parted) return parts[blockIdx.y].level[l].own;
    else return plan.level[l].place;
}
template <class P> __device__ __forceinline__ const FinestPlace& finest_place() {
    if constexpr (P::parted) return parts[blockIdx.y].own;
    else return outer.place;
}
template <class P> __device__ __forceinline__ const Tally& tally() {
    if constexpr (P::parted) return parts[blockIdx.y].tally[parts[blockIdx.y].view.me];
    else return outer.tally;
}

/// In double nothing is rounded.
struct NoHalf {
    __device__ explicit NoHalf(int, double = 1) {}
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

/// The stencil, pushed row by row: push(row y) returns its product with row y - 1. Even: 9 x - the sum of all nine.
template <class Num, int kColumns, bool kEven> struct Window {
    Row<Num, kColumns> sum{}, low{};
    __device__ __forceinline__ Row<Num, kColumns> push(const Row<Num, kColumns>& x) {
        const Num left = from_left(x.v[kColumns - 1]), right = from_right(x.v[0]);
        Row<Num, kColumns> out;
#pragma unroll
        for (int c = 0; c < kColumns; ++c) {
            const Num west = c == 0 ? left : x.v[c - 1], east = c == kColumns - 1 ? right : x.v[c + 1];
            if constexpr (kEven) {
                const Num three = west + x.v[c] + east;
                out.v[c] = sum.v[c] - three;
                sum.v[c] = 9 * x.v[c] - three - low.v[c];
                low.v[c] = three;
            } else {
                const Num beside = west + east;
                const Num above = static_cast<Num>(plan.north_south) * x.v[c] + static_cast<Num>(plan.corner) * beside;
                const Num here = static_cast<Num>(plan.centre) * x.v[c] + static_cast<Num>(plan.east_west) * beside;
                out.v[c] = sum.v[c] + above;
                sum.v[c] = here + low.v[c];
                low.v[c] = above;
            }
        }
        return out;
    }
};

/// What a smoothing step leaves: r - product, rounded once to the guard bits and cut.
template <class P> struct Rest {
    using Num = typename P::Num;
    Num scale_r{}, scale_product{}, add{}, most{};
    int right = 0;
    /// r has point `r`, the product point `product`.
    __device__ Rest(int w, int r, int product) {
        if constexpr (!P::real) {
            const Half<Num> held(max(r, product) - plan.guard);
            scale_r = held.scale << max(product - r, 0);
            scale_product = held.scale << max(r - product, 0);
            add = held.add;
            right = held.right;
            most = most_of<Num>(w + plan.guard + kGuardOfHeld);
        }
    }
    /// r, ready for step().
    __device__ __forceinline__ Num ready(Num r) const {
        if constexpr (P::real) return r;
        else return r * scale_r + add;
    }
    /// With `bound` 0 the word is 0.
    __device__ __forceinline__ Num operator()(Num ready, Num product, Num bound) const {
        if constexpr (P::real) return ready - product;
        else return cut((ready - product * scale_product) >> right, bound);
    }
};

/// A smoothing step's weight in double. Cycles in words have none: a step's numbers are copied, and a copy of a double
/// would be a floating-point instruction.
template <bool kReal> struct RealWeight {
    __device__ explicit RealWeight(double) {}
};
template <> struct RealWeight<true> {
    double weight;
    __device__ explicit RealWeight(double weight) : weight(weight) {}
};

/// A warp's place: a strip of columns, some rows.
struct Place {
    int x, y0, y1;                      ///< the lane's first column; rows that it owns
    bool inside, own;                   ///< has the lane nodes; are they its own
    bool edge;                          ///< is its first column an edge of the grid
    bool beside;                        ///< may the tile read rows of other parts
    bool inside_dealt[2], own_dealt[2]; ///< of the chunks that it moves for the warp, two a lane (ring.cuh)
    /// A tile of the rows from `first` up to `end`.
    __device__ Place(const LevelPlan& level, const Tiles& tiles, int first, int end, int columns, int tile,
                     int halo_lanes) {
        const int lane = static_cast<int>(threadIdx.x) & (kLanes - 1);
        const int chunk =
            tiles.inverse == 0 ? tile : static_cast<int>(__umulhi(static_cast<unsigned>(tile), tiles.inverse));
        const int strip = tile - chunk * tiles.strips;
        x = strip * (kLanes - 2 * halo_lanes) * columns + (lane - halo_lanes) * columns;
        y0 = first + chunk * tiles.rows;
        y1 = min(y0 + tiles.rows, end);
        inside = x >= 0 && x <= level.n;
        own = lane >= halo_lanes && lane < kLanes - halo_lanes && x < level.n;
        edge = x == 0 || x == level.n;
#pragma unroll
        for (int c = 0; c < 2; ++c) {
            const int chunk = c * kLanes + lane, owner = chunk / 2, at = x + (owner - lane) * columns;
            const int column = at + (chunk & 1) * columns / 2;
            inside_dealt[c] = column >= 0 && column <= level.n;
            own_dealt[c] = owner >= halo_lanes && owner < kLanes - halo_lanes && at < level.n;
        }
    }
};

/// A pass's numbers. Shared: once in a block's shared memory, so that registers are for words; where those do not
/// suffice, the compiler keeps numbers in memory that is as far away as the vectors. Else each thread's own, which are
/// there sooner.
template <class Numbers, bool kShared, class... Arguments>
__device__ __forceinline__ std::conditional_t<kShared, const Numbers&, Numbers> numbers(const Arguments&... from) {
    if constexpr (!kShared) {
        return Numbers(from...);
    } else {
        __shared__ __align__(16) unsigned char place[sizeof(Numbers)];
        if (threadIdx.x == 0) new (place) Numbers(from...);
        __syncthreads();
        return *reinterpret_cast<const Numbers*>(place);
    }
}

/// A tile of a part's rows of level l.
template <class P>
__device__ __forceinline__ Place place_of(int l, const Tiles& tiles, int columns, int tile, int halo) {
    const LevelPlan& level = plan.level[l];
    if constexpr (!P::parted) return Place(level, tiles, 0, level.n, columns, tile, halo);
    const PartPlan::Level& here = parts[blockIdx.y].level[l];
    Place at(level, tiles, here.first, here.end, columns, tile, halo);
    at.beside = at.y0 < here.first + kLeastStrip || at.y1 > here.end - kLeastStrip;
    return at;
}
/// Where row y of a vector of level l is, less y pitches: in the part's own memory, `own`, or in that of the part before
/// it, vector(0), or after it, vector(1).
template <class P, class T, class Vector>
__device__ __forceinline__ const T* holding(const Place& at, int l, int y, const T* own, const Vector& vector) {
    if constexpr (P::parted)
        if (at.beside) {
            const PartPlan::Level& here = parts[blockIdx.y].level[l];
            if (y < here.first) return static_cast<const T*>(vector(0));
            if (y >= here.end) return static_cast<const T*>(vector(1));
        }
    return own;
}

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
