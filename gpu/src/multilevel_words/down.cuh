// Down a level: r from what enters, the smoothing steps, f, and t for the next level, in one pass over memory.
#pragma once

#include "ring.cuh"

namespace mantissa::gpu::cycle_words {

/// A smoothing step's numbers, downwards. Up, phi stands for the point of e.
template <class P> struct DownStep {
    using Num = typename P::Num;
    Num weight;
    double real_weight;
    typename HalfOf<P>::type found; ///< of m r
    int left_r, left_g;             ///< r and A g come to one point
    typename HalfOf<P>::type held;  ///< from there to the guard bits
    __device__ DownStep(const LevelPlan& level, int k)
        : weight(static_cast<Num>(plan.weight[k])), real_weight(plan.real_weight[k]),
          found(plan.weight_point[k] + (k == 0 ? 0 : plan.guard) - level.phi),
          left_r(max(level.phi - (k == 0 ? 0 : plan.guard), 0)), left_g(max((k == 0 ? 0 : plan.guard) - level.phi, 0)),
          held(max(k == 0 ? 0 : plan.guard, level.phi) - plan.guard) {}
    __device__ __forceinline__ Num g(Num r, Num most) const {
        if constexpr (P::real) return static_cast<Num>(real_weight) * r;
        else return cut(found(weight * r), most);
    }
    __device__ __forceinline__ Num rest(Num r, Num product, Num most) const {
        if constexpr (P::real) return r - product;
        else return cut(held((r << left_r) - (product << left_g)), most);
    }
};

/// t's weights: 4, 2, 1; in double 1, 1/2, 1/4.
template <class P> __device__ __forceinline__ typename P::Sum restricted(typename P::Num t) {
    if constexpr (P::real) return 0.25 * t;
    else return static_cast<typename P::Sum>(t);
}

/// `shift`: what enters becomes r by half(., shift). Returns the OR of the magnitudes of t.
template <class P, int kSteps, bool kFinest, int kColumns>
__device__ __noinline__ unsigned long long down(int l, const typename P::Defect* defect, int shift) {
    using Num = typename P::Num;
    using Entering = std::conditional_t<kFinest, typename P::Defect, typename P::Sum>;
    constexpr int halo = halo_down(kSteps, kColumns), kCoarse = kColumns / 2;
    const LevelPlan& level = plan.level[l];
    const LevelPlan& next = plan.level[l + 1];
    const Entering* entering;
    if constexpr (kFinest) entering = defect;
    else entering = static_cast<const Entering*>(level.entering);
    auto* const found = static_cast<typename P::Found*>(level.found);
    auto* const sums = static_cast<typename P::Sum*>(next.entering);
    const typename HalfOf<P>::type enter(shift);
    Num most_r{}, most_f{}, most_held{};
    if constexpr (!P::real) {
        most_r = most_of<Num>(level.w);
        most_f = most_of<Num>(level.f);
        most_held = most_of<Num>(level.w + plan.guard + kGuardOfHeld);
    }
    unsigned long long bits = 0;
    int place = plan.ring;
    const Ring<Entering, kColumns> entering_rows(place);
    for (int tile = first_tile(); tile < level.down.strips * level.down.chunks; tile += tile_step()) {
        const Place at(level, level.down, kColumns, tile, halo);
        Window<Num, kColumns> window[kSteps];
        Row<Num, kColumns> before[kSteps] = {}, sum_before[kSteps] = {};
        Row<Num, kCoarse> coarse{};
        const int first = at.y0 - 1 - kSteps, last = at.y1 - 1 + kSteps;
        const auto fetch = [&](int y) {
            const bool wanted = at.inside && y > 0 && y < level.n && y <= last;
            entering_rows.fetch(y, entering + (wanted ? y * level.pitch + at.x : 0), wanted);
            close_row();
        };
        for (int y = first; y < first + kRows - 1; ++y) fetch(y);
        for (int y = first; y <= last; ++y) {
            fetch(y + kRows - 1);
            await_row();
            const Pack<Entering, kColumns> raw = entering_rows.get(y);
            Row<Num, kColumns> r;
#pragma unroll
            for (int c = 0; c < kColumns; ++c) {
                if constexpr (P::real) r.v[c] = static_cast<Num>(raw.v[c]);
                else r.v[c] = cut(enter(static_cast<Num>(raw.v[c])), most_r);
            }
            Row<Num, kColumns> f{}; // of the steps before, in r's row
#pragma unroll
            for (int k = 0; k < kSteps; ++k) {
                const DownStep<P> step(level, k);
                Row<Num, kColumns> g, sum;
#pragma unroll
                for (int c = 0; c < kColumns; ++c) {
                    g.v[c] = step.g(r.v[c], most_f);
                    if (k == 0) sum.v[c] = g.v[c];
                    else if constexpr (P::real) sum.v[c] = f.v[c] + g.v[c];
                    else sum.v[c] = cut(f.v[c] + g.v[c], most_f);
                }
                const Row<Num, kColumns> product = window[k].push(g);
                const int row = y - k - 1; // of the product
                Row<Num, kColumns> rest;
#pragma unroll
                for (int c = 0; c < kColumns; ++c) rest.v[c] = step.rest(before[k].v[c], product.v[c], most_held);
                if (at.edge) rest.v[0] = 0;
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
