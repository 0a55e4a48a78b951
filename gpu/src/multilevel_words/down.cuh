// Down a level: r from what enters, the smoothing steps, f, and t for the next level, in one pass over memory.
#pragma once

#include "ring.cuh"

namespace mantissa::gpu::cycle_words {

/// A smoothing step's numbers, downwards.
template <class P> struct DownStep {
    using Num = typename P::Num;
    RealWeight<P::real> real;
    typename HalfOf<P>::type found; ///< m r
    Rest<P> rest;
    __device__ DownStep(const LevelPlan& level, int k)
        : real(plan.real_weight[k]),
          found(plan.weight_point[k] + point_r(k) - level.phi, static_cast<Num>(plan.weight[k])),
          rest(level.w, point_r(k), level.phi) {}
    __device__ __forceinline__ Num g(Num r, Num most) const {
        if constexpr (P::real) return static_cast<Num>(real.weight) * r;
        else return cut(found(r), most);
    }

private:
    __device__ static int point_r(int k) { return k == 0 ? 0 : plan.guard; }
};

/// What a pass downwards works with.
template <class P> struct DownNumbers {
    using Num = typename P::Num;
    typename HalfOf<P>::type enter;
    Num most_r{}, most_f{};
    DownStep<P> step[kMostSteps];
    const void* entering;
    __device__ DownNumbers(int l, const void* entering, int shift)
        : enter(shift), step{{plan.level[l], 0}, {plan.level[l], 1}, {plan.level[l], 2}, {plan.level[l], 3}},
          entering(entering) {
        if constexpr (!P::real) {
            most_r = most_of<Num>(plan.level[l].w);
            most_f = most_of<Num>(plan.level[l].f);
        }
    }
};

/// t's weights: 4, 2, 1; in double 1, 1/2, 1/4.
template <class P> __device__ __forceinline__ typename P::Sum restricted(typename P::Num t) {
    if constexpr (P::real) return 0.25 * t;
    else return static_cast<typename P::Sum>(t);
}

/// `side`: of the two stored defects, which enters the finest level. `shift`: what enters becomes r by half(., shift).
/// Returns the OR of the magnitudes of t.
template <class P, int kSteps, bool kFinest, int kColumns>
__device__ __noinline__ unsigned long long down(int l, int side, int shift) {
    using Num = typename P::Num;
    using Entering = std::conditional_t<kFinest, typename P::Defect, typename P::Sum>;
    constexpr int halo = halo_down(kSteps, kColumns), kCoarse = kColumns / 2;
    const LevelPlan& level = plan.level[l];
    const LevelPlan& next = plan.level[l + 1];
    const LevelPlace& here = place<P>(l);
    auto* const found = static_cast<typename P::Found*>(here.found);
    auto* const sums = static_cast<typename P::Sum*>(place<P>(l + 1).entering);
    const void* const given = kFinest ? finest_place<P>().d[side] : here.entering;
    const auto& now = numbers<DownNumbers<P>, kColumns == 4>(l, given, shift);
    const auto beside = [&](int which) -> const void* {
        const PartPlan& part = parts[blockIdx.y];
        return kFinest ? part.beside[which].d[side] : part.level[l].beside[which].entering;
    };
    unsigned long long bits = 0;
    int ring = plan.ring;
    const Ring<Entering, kColumns> entering_rows(ring);
    const int stride = ring - plan.ring;
    const auto slot = [&](int y) { return (y & (kRowsDown - 1)) * stride; };
    for (int tile = first_tile(); tile < here.down.strips * here.down.chunks; tile += tile_step()) {
        const Place at = place_of<P>(l, here.down, kColumns, tile, halo);
        Window<Num, kColumns, P::even> window[kSteps];
        Row<Num, kColumns> before[kSteps] = {}, sum_before[kSteps] = {};
        Row<Num, kCoarse> coarse{};
        const int first = at.y0 - 1 - kSteps, last = at.y1 - 1 + kSteps;
        const auto fetch = [&](int y) {
            const bool wanted = y > 0 && y < level.n && y <= last;
            const Entering* const from = holding<P>(at, l, y, static_cast<const Entering*>(now.entering), beside);
            entering_rows.fetch(slot(y), from + (y * level.pitch + at.x), wanted, at);
            close_row();
        };
        for (int y = first; y < first + kRowsDown - 1; ++y) fetch(y);
        for (int y = first; y <= last; ++y) {
            __syncwarp(); // all lanes have read the row whose place is taken
            fetch(y + kRowsDown - 1);
            await_row<kRowsDown>();
            const Pack<Entering, kColumns> raw = entering_rows.get(slot(y));
            Row<Num, kColumns> r;
#pragma unroll
            for (int c = 0; c < kColumns; ++c) {
                if constexpr (P::real) r.v[c] = static_cast<Num>(raw.v[c]);
                else r.v[c] = cut(now.enter(static_cast<Num>(raw.v[c])), now.most_r);
            }
            Row<Num, kColumns> f{}; // of the steps before, in r's row
#pragma unroll
            for (int k = 0; k < kSteps; ++k) {
                const DownStep<P>& step = now.step[k];
                Row<Num, kColumns> g, sum;
#pragma unroll
                for (int c = 0; c < kColumns; ++c) {
                    g.v[c] = step.g(r.v[c], now.most_f);
                    if (k == 0) sum.v[c] = g.v[c];
                    else if constexpr (P::real) sum.v[c] = f.v[c] + g.v[c];
                    else sum.v[c] = cut(f.v[c] + g.v[c], now.most_f);
                }
                const Row<Num, kColumns> product = window[k].push(g);
                const int row = y - k - 1; // of the product
                Row<Num, kColumns> rest;
#pragma unroll
                for (int c = 0; c < kColumns; ++c)
                    rest.v[c] = step.rest(step.rest.ready(before[k].v[c]), product.v[c],
                                          row > 0 && row < level.n ? step.rest.most : Num(0));
                if (at.edge) rest.v[0] = 0;
                if constexpr (P::real)
                    if (row <= 0 || row >= level.n) rest = Row<Num, kColumns>{};
                f = sum_before[k];
                before[k] = r;
                sum_before[k] = sum;
                r = rest;
            }
            // The steps' sum is of row y - kSteps + 1, r of row y - kSteps.
            const int row_f = y - kSteps + 1, row = y - kSteps;
            if (at.own && row_f >= at.y0 && row_f < at.y1 && row_f > 0) {
                Pack<typename P::Found, kColumns> out;
#pragma unroll
                for (int c = 0; c < kColumns; ++c)
                    out.v[c] = static_cast<typename P::Found>(sum_before[kSteps - 1].v[c]);
                *reinterpret_cast<Pack<typename P::Found, kColumns>*>(found + row_f * level.pitch + at.x) = out;
            }
            const Num left = from_left(r.v[kColumns - 1]);
            Row<Num, kCoarse> q;
#pragma unroll
            for (int c = 0; c < kCoarse; ++c)
                q.v[c] = 2 * r.v[2 * c] + (c == 0 ? left : r.v[2 * c - 1]) + r.v[2 * c + 1];
            if ((row & 1) == 0) {
#pragma unroll
                for (int c = 0; c < kCoarse; ++c) coarse.v[c] += 2 * q.v[c];
            } else {
                const int j = (row - 1) / 2;
                if (at.own && row > at.y0 && j > 0) {
                    using Out = Pack<typename P::Sum, kCoarse>;
                    Out out;
#pragma unroll
                    for (int c = 0; c < kCoarse; ++c) {
                        out.v[c] = c == 0 && at.edge ? typename P::Sum(0) : restricted<P>(coarse.v[c] + q.v[c]);
                        if constexpr (!P::real) bits |= magnitude(out.v[c]);
                    }
                    *reinterpret_cast<Out*>(sums + j * next.pitch + at.x / 2) = out;
                }
                coarse = q;
            }
        }
        await_rows();
    }
    return bits;
}

} // namespace mantissa::gpu::cycle_words
