// The small levels, by one block: grids in shared memory, a thread has some nodes below each other in registers.
#pragma once

#include "up.cuh"

namespace mantissa::gpu::cycle_words {

/// What the small levels share beside memory[], which holds three grids of every level; edges are zero and stay so.
template <class P> struct SmallLevels {
    unsigned long long *entering, *leaving; ///< OR of magnitudes of t and e, by level
};

__device__ __forceinline__ void gather_in(unsigned long long* cell, unsigned long long bits) {
    auto* const halves = reinterpret_cast<unsigned*>(cell); // the low one first
    gather(halves, halves + 1, bits);
}

/// A level of kSide intervals a side. A thread has kNodes nodes of a column.
template <class P, int kSide> struct SmallLevel {
    using Num = typename P::Num;
    static constexpr int kPitch = kSide + 1;
    static constexpr int kNodes = kSide * kSide > kThreads ? kSide* kSide / kThreads : 1;
    using Nodes = Row<Num, kNodes>;

    const SmallLevels<P>& all;
    int l, x, y; ///< the level; the thread's first node
    bool active;
    __device__ __forceinline__ SmallLevel(const SmallLevels<P>& levels, int level) : all(levels), l(level) {
        x = static_cast<int>(threadIdx.x) % kSide;
        y = static_cast<int>(threadIdx.x) / kSide * kNodes;
        active = x > 0 && y < kSide;
    }
    __device__ __forceinline__ bool inner(int i) const { return active && y + i > 0; }
    __device__ __forceinline__ Num* grid(int which) const {
        return reinterpret_cast<Num*>(memory) + which * small_nodes(kSide) + small_words(kSide / 2);
    }
    __device__ __forceinline__ void put(const Nodes& v, Num* to) const {
#pragma unroll
        for (int i = 0; i < kNodes; ++i)
            if (inner(i)) to[(y + i) * kPitch + x] = v.v[i];
    }
    /// A v of the thread's nodes.
    __device__ __forceinline__ Nodes product(const Num* v) const {
        Nodes out{};
        if (!active) return out;
        Num here[3], beside[3];
        const auto read = [&](int slot, int row) {
            const Num* const p = v + row * kPitch + x;
            const bool within = row >= 0;
            here[slot] = within ? p[0] : Num(0);
            beside[slot] = within ? p[-1] + p[1] : Num(0);
        };
        read(0, y - 1);
        read(1, y);
#pragma unroll
        for (int i = 0; i < kNodes; ++i) {
            read((i + 2) % 3, y + i + 1);
            const int up = i % 3, at = (i + 1) % 3, low = (i + 2) % 3;
            out.v[i] = static_cast<Num>(plan.centre) * here[at] + static_cast<Num>(plan.east_west) * beside[at] +
                       static_cast<Num>(plan.north_south) * (here[up] + here[low]) +
                       static_cast<Num>(plan.corner) * (beside[up] + beside[low]);
        }
        return out;
    }
    __device__ __forceinline__ void enter(Nodes& r, int length) const {
        if constexpr (!P::real) {
            const int w = plan.level[l].w;
            const Half<Num> rounded(length - (w - 1));
            const Num most = most_of<Num>(w);
#pragma unroll
            for (int i = 0; i < kNodes; ++i) r.v[i] = cut(rounded(r.v[i]), most);
        }
    }
    /// From r to e; `f` on the way. e's magnitudes go to leaving[l]; returns e's point.
    __device__ int run(const Nodes& entered, Nodes& e) const {
        const LevelPlan& level = plan.level[l];
        Nodes r = entered, f{};
        Num most_f{};
        if constexpr (!P::real) most_f = most_of<Num>(level.f);
        for (int k = 0; k < plan.before; ++k) {
            const DownStep<P> step(level, k);
            Nodes g;
#pragma unroll
            for (int i = 0; i < kNodes; ++i) {
                g.v[i] = step.g(r.v[i], most_f);
                if constexpr (P::real) f.v[i] += g.v[i];
                else f.v[i] = cut(f.v[i] + g.v[i], most_f);
            }
            put(g, grid(k & 1));
            __syncthreads();
            const Nodes product_g = product(grid(k & 1));
#pragma unroll
            for (int i = 0; i < kNodes; ++i)
                r.v[i] = step.rest(step.rest.ready(r.v[i]), product_g.v[i], step.rest.most);
        }
        put(r, grid(2));
        __syncthreads();
        const int point = below();
        const Rise rise(l, point, length_of(all.leaving[l + 1]), length_of(all.entering[l + 1]));
        interpolate(rise, f, e);
        const UpRest<P> rest(level, rise.point);
        for (int k = 0; k < plan.after; ++k) {
            const UpStep<P> step(k, rise.point);
            put(e, grid(k & 1));
            __syncthreads();
            const Nodes product_e = product(grid(k & 1));
#pragma unroll
            for (int i = 0; i < kNodes; ++i)
                e.v[i] = step(e.v[i], rest(rest.rest.ready(entered.v[i]), product_e.v[i]), rest.most_e, true);
        }
        if constexpr (!P::real) {
            unsigned long long bits = 0;
#pragma unroll
            for (int i = 0; i < kNodes; ++i)
                if (inner(i)) bits |= magnitude(e.v[i]);
            gather_in(&all.leaving[l], bits);
        }
        return rise.point;
    }
    /// t from grid 2, and everything below: e of the next level lies in its grid 2 then. Returns its point.
    __device__ __forceinline__ int below() const {
        constexpr int kHalf = kSide / 2;
        const SmallLevel<P, kHalf> next(all, l + 1);
        typename SmallLevel<P, kHalf>::Nodes t{}, e{};
        unsigned long long bits = 0;
        const Num* const v = grid(2);
#pragma unroll
        for (int i = 0; i < SmallLevel<P, kHalf>::kNodes; ++i)
            if (next.inner(i)) {
                const Num* const p = v + 2 * (next.y + i) * kPitch + 2 * next.x;
                const Num sum = 4 * p[0] + 2 * (p[-1] + p[1] + p[-kPitch] + p[kPitch]) + p[-kPitch - 1] +
                                p[-kPitch + 1] + p[kPitch - 1] + p[kPitch + 1];
                t.v[i] = restricted<P>(sum);
                if constexpr (!P::real) bits |= magnitude(sum);
            }
        if constexpr (!P::real) gather_in(&all.entering[l + 1], bits);
        __syncthreads();
        next.enter(t, length_of(all.entering[l + 1]));
        const int point = next.run(t, e);
        next.put(e, next.grid(2));
        __syncthreads();
        return point;
    }
    __device__ __forceinline__ void interpolate(const Rise& rise, const Nodes& f, Nodes& e) const {
        const SmallLevel<P, kSide / 2> next(all, l + 1);
        const Num* const v = next.grid(2);
        const typename HalfOf<P>::type from_f(rise.from_f), from_x(rise.from_x), shorten(rise.shorten);
        Num most_v{};
        if constexpr (!P::real) most_v = most_of<Num>(rise.e_bits);
        const auto words = [&](int row, int column) {
            const Num word = v[row * (kSide / 2 + 1) + column];
            if constexpr (P::real) return word;
            else return cut(shorten(word), most_v);
        };
        if (!active) return;
#pragma unroll
        for (int i = 0; i < kNodes; ++i) {
            const int row = y + i;
            const Num sum = words(row / 2, x / 2) + words(row / 2, (x + 1) / 2) + words((row + 1) / 2, x / 2) +
                            words((row + 1) / 2, (x + 1) / 2);
            if constexpr (P::real) e.v[i] = f.v[i] + 0.25 * sum;
            else e.v[i] = from_f(f.v[i]) + from_x(sum);
        }
    }
};

/// The coarsest level: one unknown.
template <class P> struct SmallLevel<P, 2> {
    using Num = typename P::Num;
    static constexpr int kNodes = 1;
    using Nodes = Row<Num, 1>;
    const SmallLevels<P>& all;
    int l, x = 1, y = 1;
    bool active;
    __device__ __forceinline__ SmallLevel(const SmallLevels<P>& levels, int level)
        : all(levels), l(level), active(threadIdx.x == 0) {}
    __device__ __forceinline__ bool inner(int) const { return active; }
    __device__ __forceinline__ Num* grid(int which) const {
        return reinterpret_cast<Num*>(memory) + which * small_nodes(2);
    }
    __device__ __forceinline__ void put(const Nodes& v, Num* to) const {
        if (active) to[4] = v.v[0];
    }
    __device__ __forceinline__ void enter(Nodes& r, int length) const {
        if constexpr (!P::real)
            r.v[0] = cut(Half<Num>(length - (plan.level[l].w - 1))(r.v[0]), most_of<Num>(plan.level[l].w));
    }
    __device__ __forceinline__ int run(const Nodes& r, Nodes& e) const {
        if constexpr (P::real) e.v[0] = r.v[0] * plan.real_inverse;
        else {
            e.v[0] = r.v[0] * static_cast<Num>(plan.inverse);
            if (active) all.leaving[l] = magnitude(e.v[0]);
        }
        return plan.inverse_point;
    }
};

/// From t of the first small level, of kSide intervals, to its e.
template <class P, int kSide>
__device__ __noinline__ void small_from(Cells& cells, unsigned long long* entering, unsigned long long* leaving) {
    const SmallLevels<P> all{entering, leaving};
    const int l = plan.first_small;
    const LevelPlan& level = plan.level[l];
    const SmallLevel<P, kSide> here(all, l);
    typename SmallLevel<P, kSide>::Nodes r{}, e{};
    const auto* const t = static_cast<const typename P::Sum*>(place<P>(l).entering);
#pragma unroll
    for (int i = 0; i < here.kNodes; ++i)
        if (here.inner(i)) r.v[i] = t[static_cast<std::size_t>(here.y + i) * level.pitch + here.x];
    here.enter(r, length_of(*static_cast<volatile unsigned long long*>(&cells.entering[l])));
    const int point = here.run(r, e);
    auto* const out = static_cast<typename P::Leaving*>(place<P>(l).leaving);
#pragma unroll
    for (int i = 0; i < here.kNodes; ++i)
        if (here.inner(i))
            out[static_cast<std::size_t>(here.y + i) * level.pitch + here.x] = static_cast<typename P::Leaving>(e.v[i]);
    __syncthreads();
    if (threadIdx.x == 0) {
        cells.leaving[l] = leaving[l];
        cells.point = point;
    }
}

/// Once, before small(): edges are zero.
template <class P> __device__ void clear_small() {
    auto* const words = reinterpret_cast<typename P::Num*>(memory);
    for (int i = static_cast<int>(threadIdx.x); i < small_words(plan.level[plan.first_small].n); i += kThreads)
        words[i] = typename P::Num{};
}
template <class P> __device__ __forceinline__ void small(Cells& cells) {
    __shared__ unsigned long long entering[kMostLevels], leaving[kMostLevels];
    if (threadIdx.x < kMostLevels) entering[threadIdx.x] = leaving[threadIdx.x] = 0;
    __syncthreads();
    switch (plan.level[plan.first_small].n) {
    case 4:
        small_from<P, 4>(cells, entering, leaving);
        break;
    case 8:
        small_from<P, 8>(cells, entering, leaving);
        break;
    case 16:
        small_from<P, 16>(cells, entering, leaving);
        break;
    case 32:
        small_from<P, 32>(cells, entering, leaving);
        break;
    default:
        small_from<P, 64>(cells, entering, leaving);
        break;
    }
}

} // namespace mantissa::gpu::cycle_words
