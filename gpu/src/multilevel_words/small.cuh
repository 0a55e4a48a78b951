// The small levels, by one block: everything in shared memory, a thread for each node.
#pragma once

#include "up.cuh"

namespace mantissa::gpu::cycle_words {

/// A level's words as one block holds them: rows of n + 1.
template <class P> struct SmallGrid {
    using Num = typename P::Num;
    int n, shift; ///< n = 2^shift
    __device__ __forceinline__ int at(int x, int y) const { return y * (n + 1) + x; }
    /// Inner nodes, a thread's in turn.
    template <class Work> __device__ __forceinline__ void each(const Work& work) const {
        const int x = static_cast<int>(threadIdx.x) & (n - 1);
        if (x == 0) return;
        for (int y = static_cast<int>(threadIdx.x) >> shift; y < n; y += kThreads >> shift)
            if (y > 0) work(x, y);
    }
    __device__ __forceinline__ Num product(const CyclePlan& plan, const Num* v, int p) const {
        const int up = n + 1;
        return static_cast<Num>(plan.centre) * v[p] + static_cast<Num>(plan.east_west) * (v[p - 1] + v[p + 1]) +
               static_cast<Num>(plan.north_south) * (v[p - up] + v[p + up]) +
               static_cast<Num>(plan.corner) * (v[p - up - 1] + v[p - up + 1] + v[p + up - 1] + v[p + up + 1]);
    }
};

/// Grids that levels share have the edge of the level before within.
template <class P> __device__ void clear_edges(const SmallGrid<P>& grid, typename P::Num* one, typename P::Num* other) {
    const int n = grid.n;
    for (int i = static_cast<int>(threadIdx.x); i <= n; i += kThreads)
        for (const int p : {grid.at(i, 0), grid.at(i, n), grid.at(0, i), grid.at(n, i)}) one[p] = other[p] = 0;
}

inline __host__ __device__ int small_nodes(int n) {
    return (n + 1) * (n + 1);
}
/// Words of shared memory: r and f of all small levels, four more grids of the first.
inline __host__ __device__ int small_words(int n) {
    int words = 4 * small_nodes(n);
    for (; n >= 2; n /= 2) words += 2 * small_nodes(n);
    return words;
}

/// Down one level; `r` enters and stays. Returns where the last r lies.
template <class P>
__device__ typename P::Num* small_down(const CyclePlan& plan, int l, typename P::Num* r, typename P::Num* f,
                                       typename P::Num* work) {
    using Num = typename P::Num;
    const LevelPlan& level = plan.level[l];
    const SmallGrid<P> grid{level.n, __ffs(level.n) - 1};
    const int nodes = small_nodes(plan.level[plan.first_small].n);
    Num* rest = work + 2 * nodes;
    clear_edges<P>(grid, work, work + nodes);
    Num most_f{}, most_held{};
    if constexpr (!P::real) {
        most_f = most_of<Num>(level.f);
        most_held = most_of<Num>(level.w + plan.guard + kGuardOfHeld);
    }
    for (int k = 0; k < plan.before; ++k) {
        const DownStep<P> step(plan, level, k);
        Num* const g = work + (k & 1) * nodes;
        const Num* const from = k == 0 ? r : rest;
        grid.each([&](int x, int y) {
            const int p = grid.at(x, y);
            const Num now = step.g(from[p], most_f);
            g[p] = now;
            if constexpr (P::real)
                f[p] = k == 0 ? now : f[p] + now;
            else
                f[p] = k == 0 ? now : cut(f[p] + now, most_f);
        });
        __syncthreads();
        grid.each([&](int x, int y) {
            const int p = grid.at(x, y);
            rest[p] = step.rest(from[p], grid.product(plan, g, p), most_held);
        });
    }
    __syncthreads();
    return rest;
}

/// t of the level below, from r behind the steps; the OR of magnitudes.
template <class P>
__device__ unsigned long long small_restrict(const LevelPlan& level, const typename P::Num* rest, typename P::Num* t) {
    using Num = typename P::Num;
    const SmallGrid<P> grid{level.n, __ffs(level.n) - 1}, next{level.n / 2, __ffs(level.n) - 2};
    unsigned long long bits = 0;
    const int up = level.n + 1;
    next.each([&](int x, int y) {
        const Num* const v = rest + grid.at(2 * x, 2 * y);
        const Num sum = 4 * v[0] + 2 * (v[-1] + v[1] + v[-up] + v[up]) + v[-up - 1] + v[-up + 1] + v[up - 1] + v[up + 1];
        t[next.at(x, y)] = restricted<P>(sum);
        if constexpr (!P::real) bits |= magnitude(sum);
    });
    return bits;
}

/// r of W bits in t's place.
template <class P> __device__ void small_enter(const LevelPlan& level, typename P::Num* r, int length) {
    if constexpr (!P::real) {
        using Num = typename P::Num;
        const SmallGrid<P> grid{level.n, __ffs(level.n) - 1};
        const Half<Num> enter(length - (level.w - 1));
        const Num most = most_of<Num>(level.w);
        grid.each([&](int x, int y) { r[grid.at(x, y)] = cut(enter(r[grid.at(x, y)]), most); });
    }
}

/// e of a level, into `f` or a grid of `work`: returns which. `e`: of the next level.
template <class P>
__device__ typename P::Num* small_up(const CyclePlan& plan, int l, const Rise& rise, const typename P::Num* r,
                                     typename P::Num* f, const typename P::Num* e, typename P::Num* work,
                                     unsigned long long& bits) {
    using Num = typename P::Num;
    const LevelPlan& level = plan.level[l];
    const SmallGrid<P> grid{level.n, __ffs(level.n) - 1}, next{level.n / 2, __ffs(level.n) - 2};
    const int nodes = small_nodes(plan.level[plan.first_small].n);
    const typename HalfOf<P>::type from_f(rise.from_f), from_x(rise.from_x), shorten(rise.shorten);
    Num most_v{};
    if constexpr (!P::real) most_v = most_of<Num>(rise.e_bits);
    const auto v = [&](int x, int y) {
        if constexpr (P::real)
            return e[next.at(x, y)];
        else
            return cut(shorten(e[next.at(x, y)]), most_v);
    };
    grid.each([&](int x, int y) {
        const int left = x / 2, right = (x + 1) / 2, low = y / 2, high = (y + 1) / 2, p = grid.at(x, y);
        const Num sum = v(left, low) + v(right, low) + v(left, high) + v(right, high);
        if constexpr (P::real)
            f[p] += 0.25 * sum;
        else
            f[p] = from_f(f[p]) + from_x(sum);
    });
    Num* now = f;
    if (plan.after > 1) clear_edges<P>(grid, work, work + nodes);
    for (int k = 0; k < plan.after; ++k) {
        __syncthreads();
        const UpStep<P> step(plan, level, k, rise.point);
        Num* const behind = work + (k & 1) * nodes;
        grid.each([&](int x, int y) {
            const int p = grid.at(x, y);
            behind[p] = step(now[p], r[p], grid.product(plan, now, p));
        });
        now = behind;
    }
    if (now != f) // where the edge is zero
        grid.each([&](int x, int y) { f[grid.at(x, y)] = now[grid.at(x, y)]; });
    if constexpr (!P::real) grid.each([&](int x, int y) { bits |= magnitude(f[grid.at(x, y)]); });
    return f;
}

/// From t of the first small level to its e.
template <class P> __device__ __forceinline__ void small(const CyclePlan& plan, Cells& cells) {
    using Num = typename P::Num;
    extern __shared__ unsigned char memory[];
    __shared__ unsigned long long entering[kMostLevels], leaving[kMostLevels];
    Num* const work = reinterpret_cast<Num*>(memory);
    const int first = plan.first_small, last = plan.levels - 1, nodes = small_nodes(plan.level[first].n);
    Num* r[kMostLevels];
    Num* f[kMostLevels];
    const auto gather_here = [](unsigned long long* cell, unsigned long long bits) {
        const unsigned low = __reduce_or_sync(0xffffffffU, static_cast<unsigned>(bits));
        const unsigned high = __reduce_or_sync(0xffffffffU, static_cast<unsigned>(bits >> 32));
        if ((threadIdx.x & (kLanes - 1)) == 0 && (low | high) != 0)
            atomicOr(cell, static_cast<unsigned long long>(high) << 32 | low);
    };
    {
        Num* place = work + 4 * nodes;
        for (int l = first; l <= last; ++l) {
            r[l] = place;
            f[l] = place + small_nodes(plan.level[l].n);
            place = f[l] + small_nodes(plan.level[l].n);
        }
    }
    for (int i = static_cast<int>(threadIdx.x); i < small_words(plan.level[first].n); i += kThreads) work[i] = Num{};
    if (threadIdx.x < kMostLevels) entering[threadIdx.x] = leaving[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0) entering[first] = *static_cast<volatile unsigned long long*>(&cells.entering[first]);
    {
        const LevelPlan& level = plan.level[first];
        const SmallGrid<P> grid{level.n, __ffs(level.n) - 1};
        const auto* const t = static_cast<const typename P::Sum*>(level.entering);
        grid.each([&](int x, int y) { r[first][grid.at(x, y)] = t[static_cast<std::size_t>(y) * level.pitch + x]; });
        __syncthreads();
        small_enter<P>(level, r[first], length_of(entering[first]));
    }
    for (int l = first; l < last; ++l) {
        const Num* const rest = small_down<P>(plan, l, r[l], f[l], work);
        gather_here(&entering[l + 1], small_restrict<P>(plan.level[l], rest, r[l + 1]));
        __syncthreads();
        small_enter<P>(plan.level[l + 1], r[l + 1], length_of(entering[l + 1]));
    }
    if (threadIdx.x == 0) {
        const Num one = r[last][4]; // the node in the middle of 3 x 3
        if constexpr (P::real) {
            f[last][4] = one * plan.real_inverse;
        } else {
            f[last][4] = one * static_cast<Num>(plan.inverse);
            leaving[last] = magnitude(f[last][4]);
        }
    }
    __syncthreads();
    int point = plan.inverse_point;
    for (int l = last - 1; l >= first; --l) {
        const Rise rise(plan, l, point, length_of(leaving[l + 1]), length_of(entering[l + 1]));
        unsigned long long bits = 0;
        small_up<P>(plan, l, rise, r[l], f[l], f[l + 1], work, bits);
        gather_here(&leaving[l], bits);
        point = rise.point;
        __syncthreads();
    }
    const LevelPlan& level = plan.level[first];
    const SmallGrid<P> grid{level.n, __ffs(level.n) - 1};
    auto* const e = static_cast<typename P::Leaving*>(level.leaving);
    grid.each([&](int x, int y) {
        e[static_cast<std::size_t>(y) * level.pitch + x] = static_cast<typename P::Leaving>(f[first][grid.at(x, y)]);
    });
    if (threadIdx.x == 0) {
        cells.leaving[first] = leaving[first];
        cells.point = point;
    }
}

} // namespace mantissa::gpu::cycle_words
