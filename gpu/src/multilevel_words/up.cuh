// Up a level: e from f and what comes from the next level, the smoothing steps; on the finest level u and its defect
// in the same pass.
#pragma once

#include "down.cuh"

namespace mantissa::gpu::cycle_words {

/// Points and bits on the way up to a level, from the next one's.
struct Rise {
    int shorten = 0;            ///< e of the next level becomes v by half(., shorten)
    int e_bits = 0;             ///< v's
    int point = 0;              ///< of this level's e
    int from_f = 0, from_x = 0; ///< half(f, from_f) + half(x, from_x)
    /// `next_point`, `length_e`: of the next level's e. `length_t`: of what entered there.
    __device__ Rise(int l, int next_point, int length_e, int length_t) {
        const LevelPlan& level = plan.level[l];
        const LevelPlan& next = plan.level[l + 1];
        e_bits = next.e;
        shorten = max(0, length_e - (next.e - 1));
        const int j =
            length_t == 0 ? 0 : next_point - shorten + plan.guard + kProlongationPoint + next.w - 1 - length_t;
        const int length_v = min(length_e, next.e - 1);
        // |x| has two bits more than v, and its point lies two below: both cancel.
        const int b = max(level.f - 1 - level.phi, length_v - j) + 1;
        point = min(level.phi, plan.most - 1 - b);
        from_f = level.phi - point;
        from_x = j + kProlongationPoint - point;
    }
};

/// What smoothing steps upwards have in common, from r of point 0 and e of point i, in P::Num. A product that is
/// shifted to the left is cut before: far enough out that the rest's own cut makes the same word of it (word_cycle.cpp,
/// fits_32).
template <class P> struct UpRest {
    using Num = typename P::Num;
    Rest<P> rest;
    Num most_product{}, most_e{};
    __device__ UpRest(const LevelPlan& level, int point) : rest(level.w, 0, max(point, plan.guard - kBits)) {
        if constexpr (!P::real) {
            const int left = max(plan.guard - max(point, 0), 0) + min(max(-point, 0), kBits - plan.guard);
            most_product = Num(1) << (left > 0 ? kBits - left : kBits + 2);
            most_e = most_of<Num>(plan.most + 1);
        }
    }
    __device__ __forceinline__ Num operator()(Num ready, Num product) const {
        if constexpr (P::real) return rest(ready, product, 0);
        else return rest(ready, cut(product, most_product), rest.most);
    }

private:
    static constexpr int kBits = static_cast<int>(sizeof(Num)) * 8 - 4;
};

/// A step's weight.
template <class P> struct UpStep {
    using Num = typename P::Num;
    using Product = typename P::Product;
    RealWeight<P::real> real;
    typename HalfOf<P, Product>::type change;
    __device__ UpStep(int k, int point)
        : real(plan.real_weight_after[k]),
          change(plan.weight_point_after[k] + plan.guard - point, static_cast<Product>(plan.weight_after[k])) {}
    /// e after the step; beyond the grid's edge it is 0.
    __device__ __forceinline__ Num operator()(Num e, Num rest, Num most_e, bool in_grid) const {
        if constexpr (P::real) return in_grid ? e + real.weight * rest : 0;
        else return cut(e + static_cast<Num>(change(rest)), in_grid ? most_e : Num(0));
    }
};

/// What the finest level is told besides. Passed by value, in registers: what lies on the stack is read after a
/// barrier, which empties the cache in front of it.
struct FinestTold {
    int side = 0;           ///< of u and d: which of the two enters
    bool in_place = false;  ///< the defect that leaves takes the place of the one that entered
    int p = 0, shift_e = 0; ///< the stored defect's shift; e's way to u's grid
    int q = 0, odd = 0;     ///< squares are of 2 (stored / 2^q) + odd
};
/// The same with u before and after, b, and the stored defect.
template <class P> struct Finest : FinestTold {
    using Wide = typename P::Wide;
    using Defect = typename P::Defect;
    const Wide* from;
    Wide* to;
    const Wide* b;
    const Defect* read; ///< the defect that entered
    Defect* write;      ///< the one that leaves
    __device__ explicit Finest(const FinestTold& told) : FinestTold(told) {
        const FinestPlace& here = finest_place<P>();
        from = static_cast<const Wide*>(here.u[told.side]);
        to = static_cast<Wide*>(here.u[told.side ^ 1]);
        b = static_cast<const Wide*>(here.b);
        read = static_cast<const Defect*>(here.d[told.side]);
        write = static_cast<Defect*>(here.d[told.in_place ? told.side : told.side ^ 1]);
    }
    __device__ __forceinline__ const Wide* u_at(const Place& at, int y) const {
        return holding<P>(at, 0, y, from, [&](int which) { return parts[blockIdx.y].beside[which].u[side]; });
    }
    __device__ __forceinline__ const Wide* b_at(const Place& at, int y) const {
        return holding<P>(at, 0, y, b, [&](int which) { return parts[blockIdx.y].beside[which].b; });
    }
    __device__ __forceinline__ const Defect* entering_at(const Place& at, int y) const {
        return holding<P>(at, 0, y, read, [&](int which) { return parts[blockIdx.y].beside[which].d[side]; });
    }
};

/// The defect of u, row by row: b - A u, its largest word, its floor as stored, and their squares.
template <class P, int kColumns> struct DefectWalk {
    using Wide = typename P::Wide;
    Window<Wide, kColumns, P::even> window;
    unsigned long long bits = 0;
    std::conditional_t<P::real, double, unsigned long long> squares = 0;
    /// u: of row y. b: of row y - 1, which `own` says to keep.
    __device__ __forceinline__ void push(const Row<Wide, kColumns>& u, const Pack<Wide, kColumns>& b, bool own,
                                         bool edge, typename P::Defect* stored, const Finest<P>& finest) {
        const Row<Wide, kColumns> product = window.push(u);
        if (!own) return;
        Pack<typename P::Defect, kColumns> out;
#pragma unroll
        for (int c = 0; c < kColumns; ++c) {
            Wide d = b.v[c] - product.v[c];
            if (c == 0 && edge) d = 0;
            if constexpr (P::real) {
                out.v[c] = d;
                squares += d * d;
            } else {
                out.v[c] = static_cast<typename P::Defect>(d >> finest.p);
                bits |= magnitude(d);
                const int twice = 2 * (static_cast<int>(out.v[c]) >> finest.q) + finest.odd;
                squares += static_cast<unsigned long long>(static_cast<long long>(twice) * twice);
            }
        }
        *reinterpret_cast<Pack<typename P::Defect, kColumns>*>(stored) = out;
    }
};

/// What a pass upwards works with.
template <class P> struct UpNumbers {
    using Num = typename P::Num;
    Finest<P> finest;
    typename HalfOf<P>::type enter, from_f, from_x, shorten;
    typename HalfOf<P, typename P::Wide>::type to_u;
    Num most_r{}, most_v{};
    UpRest<P> rest;
    UpStep<P> step[kMostSteps];
    __device__ UpNumbers(int l, const Rise& rise, int shift, const FinestTold& told)
        : finest(told), enter(shift), from_f(rise.from_f), from_x(rise.from_x), shorten(rise.shorten),
          to_u(told.shift_e),
          rest(plan.level[l], rise.point), step{{0, rise.point}, {1, rise.point}, {2, rise.point}, {3, rise.point}} {
        if constexpr (!P::real) {
            most_r = most_of<Num>(plan.level[l].w);
            most_v = most_of<Num>(rise.e_bits);
        }
    }
};

template <class P> struct Risen {
    unsigned long long bits = 0;
    decltype(DefectWalk<P, 2>::squares) squares = 0;
    bool overflow = false;
};

/// Words of e of the level below, shortened for the way up; the last one is the right neighbour's first.
template <class P, int kCoarse, class Half>
__device__ __forceinline__ Row<typename P::Num, kCoarse + 1> shortened(const Pack<typename P::Leaving, kCoarse>& raw,
                                                                       const Half& shorten, typename P::Num most) {
    Row<typename P::Num, kCoarse + 1> out;
#pragma unroll
    for (int c = 0; c < kCoarse; ++c) {
        if constexpr (P::real) out.v[c] = raw.v[c];
        else out.v[c] = cut(shorten(static_cast<typename P::Num>(raw.v[c])), most);
    }
    out.v[kCoarse] = from_right(out.v[0]);
    return out;
}

/// Four times the interpolation of a row from the coarse row below it and, where it is odd, the one above, which it
/// takes the place of.
template <class Num, int kColumns, int kWords>
__device__ __forceinline__ void interpolate(bool even, Row<Num, kWords>& below, const Row<Num, kWords>& above,
                                            Num (&x)[kColumns]) {
    constexpr int kCoarse = kColumns / 2;
    if (even) {
#pragma unroll
        for (int c = 0; c < kCoarse; ++c) {
            x[2 * c] = 4 * below.v[c];
            x[2 * c + 1] = 2 * (below.v[c] + below.v[c + 1]);
        }
        return;
    }
#pragma unroll
    for (int c = 0; c <= kCoarse; ++c) below.v[c] += above.v[c];
#pragma unroll
    for (int c = 0; c < kCoarse; ++c) {
        x[2 * c] = 2 * below.v[c];
        x[2 * c + 1] = below.v[c] + below.v[c + 1];
    }
    below = above;
}

/// What enters a level, as r, ready for smoothing steps.
template <class P, int kColumns, class Entering>
__device__ __forceinline__ Row<typename P::Num, kColumns> entered(const Pack<Entering, kColumns>& raw,
                                                                  const UpNumbers<P>& now) {
    using Num = typename P::Num;
    Row<Num, kColumns> r;
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
        if constexpr (P::real) r.v[c] = static_cast<Num>(raw.v[c]);
        else r.v[c] = now.rest.rest.ready(cut(now.enter(static_cast<Num>(raw.v[c])), now.most_r));
    }
    return r;
}

/// A smoothing step: `e` and `r` come as one row and leave as the row before it, after the step.
template <class P, class Window, int kColumns>
__device__ __forceinline__ void step_row(const UpRest<P>& rest, const UpStep<P>& step, const Place& at, bool in_grid,
                                         Window& window, Row<typename P::Num, kColumns>& e_before,
                                         Row<typename P::Num, kColumns>& r_before, Row<typename P::Num, kColumns>& e,
                                         Row<typename P::Num, kColumns>& r) {
    const Row<typename P::Num, kColumns> product = window.push(e);
    Row<typename P::Num, kColumns> after;
#pragma unroll
    for (int c = 0; c < kColumns; ++c)
        after.v[c] = step(e_before.v[c], rest(r.v[c], product.v[c]), rest.most_e, in_grid);
    if (at.edge) after.v[0] = 0;
    e_before = e;
    e = after;
    const Row<typename P::Num, kColumns> earlier = r_before;
    r_before = r;
    r = earlier;
}

/// Stores a row of e for the level above.
template <class P, int kColumns>
__device__ __forceinline__ void leave_row(int l, const Place& at, int row, const Row<typename P::Num, kColumns>& e,
                                          unsigned long long& bits) {
    Pack<typename P::Leaving, kColumns> out;
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
        out.v[c] = static_cast<typename P::Leaving>(e.v[c]);
        if constexpr (!P::real) bits |= magnitude(out.v[c]);
    }
    auto* const leaving = static_cast<typename P::Leaving*>(place<P>(l).leaving);
    *reinterpret_cast<Pack<typename P::Leaving, kColumns>*>(leaving + row * plan.level[l].pitch + at.x) = out;
}

/// A row of u with its correction.
template <class P, int kColumns, class Half>
__device__ __forceinline__ Row<typename P::Wide, kColumns> correct_row(const Pack<typename P::Wide, kColumns>& raw,
                                                                       const Row<typename P::Num, kColumns>& e,
                                                                       const Half& to_u, bool mine, bool& overflow) {
    using Wide = typename P::Wide;
    Row<Wide, kColumns> u;
    unsigned long long over = 0;
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
        u.v[c] = raw.v[c] + to_u(static_cast<Wide>(e.v[c]));
        if constexpr (!P::real) over |= static_cast<unsigned long long>(u.v[c] ^ (u.v[c] << 1));
    }
    overflow |= mine && static_cast<long long>(over) < 0;
    return u;
}

/// `shift`: as of down(), where there are steps.
template <class P, int kSteps, bool kFinest, int kColumns>
__device__ __noinline__ Risen<P> up(int l, Rise rise, int shift, FinestTold told) {
    using Num = typename P::Num;
    using Wide = typename P::Wide;
    using Entering = std::conditional_t<kFinest, typename P::Defect, typename P::Sum>;
    using Found = typename P::Found;
    using Leaving = typename P::Leaving;
    constexpr int kCoarse = kColumns / 2, halo = halo_up(kSteps, kFinest, kColumns), rows = rows_up(kColumns);
    const LevelPlan& level = plan.level[l];
    const LevelPlan& next = plan.level[l + 1];
    const LevelPlace& here = place<P>(l);
    const auto* const found = static_cast<const Found*>(here.found);
    const auto* const leaving = static_cast<const Leaving*>(place<P>(l + 1).leaving);
    const auto found_beside = [l](int which) { return parts[blockIdx.y].level[l].beside[which].found; };
    const auto entering_beside = [l](int which) { return parts[blockIdx.y].level[l].beside[which].entering; };
    const auto leaving_beside = [l](int which) { return parts[blockIdx.y].level[l + 1].beside[which].leaving; };
    const auto& now = numbers<UpNumbers<P>, kColumns == 4>(l, rise, shift, told);
    const Finest<P>& finest = now.finest;
    Risen<P> result;
    int ring = plan.ring;
    const Ring<Wide, kColumns> u_rows(ring), b_rows(ring);
    const Ring<Found, kColumns> found_rows(ring);
    const Ring<Leaving, kCoarse> next_rows(ring);
    const Ring<Entering, kColumns> entering_rows(ring);
    const int stride = ring - plan.ring;
    for (int tile = first_tile(); tile < here.up.strips * here.up.chunks; tile += tile_step()) {
        const Place at = place_of<P>(l, here.up, kColumns, tile, halo);
        Window<Num, kColumns, P::even> window[kSteps > 0 ? kSteps : 1];
        Row<Num, kColumns> e_before[kSteps > 0 ? kSteps : 1] = {}, r_before[kSteps > 0 ? kSteps : 1] = {};
        DefectWalk<P, kColumns> walk;
        constexpr int ahead = kSteps + (kFinest ? 1 : 0);
        const int first = (at.y0 - ahead) & ~1, last = at.y1 - 1 + ahead;
        const auto slot = [&](int y) { return (y & (rows - 1)) * stride; };
        const auto fetch = [&](int y) {
            const unsigned inner = y <= last ? static_cast<unsigned>(level.n - 1) : 0;
            const int to = slot(y), from = y * level.pitch + at.x;
            const auto has = [&](int row) { return static_cast<unsigned>(row - 1) < inner; };
            found_rows.fetch(to, holding<P>(at, l, y, found, found_beside) + from, has(y), at);
            if ((y & 1) == 0) {
                const int j = y / 2 + 1;
                const bool wanted = static_cast<unsigned>(j - 1) < inner / 2;
                const Leaving* const row = holding<P>(at, l + 1, j, leaving, leaving_beside);
                next_rows.fetch(to, row + (j * next.pitch + at.x / 2), wanted, at);
            }
            if constexpr (kSteps > 0) {
                const Entering* entering;
                if constexpr (kFinest) entering = finest.entering_at(at, y - 1);
                else {
                    const auto* const own = static_cast<const Entering*>(here.entering);
                    entering = holding<P>(at, l, y - 1, own, entering_beside);
                }
                entering_rows.fetch(to, entering + (from - level.pitch), has(y - 1), at);
            }
            if constexpr (kFinest) {
                u_rows.fetch(to, finest.u_at(at, y - kSteps) + (from - kSteps * level.pitch), has(y - kSteps), at);
                const int row = y - kSteps - 1;
                b_rows.fetch(to, finest.b_at(at, row) + (from - (kSteps + 1) * level.pitch), has(row), at);
            }
            close_row();
        };
        const auto load_next = [&](int j) {
            Pack<Leaving, kCoarse> raw{};
            if (at.inside && j > 0 && j < next.n)
                raw = *reinterpret_cast<const Pack<Leaving, kCoarse>*>(
                    holding<P>(at, l + 1, j, leaving, leaving_beside) + j * next.pitch + at.x / 2);
            return raw;
        };
        for (int y = first; y < first + rows - 1; ++y) fetch(y);
        Row<Num, kCoarse + 1> upper = shortened<P, kCoarse>(load_next(first / 2), now.shorten, now.most_v), lower{};
        for (int y = first; y <= last; ++y) {
            __syncwarp(); // all lanes have read the row whose place is taken
            fetch(y + rows - 1);
            await_row<rows>();
            const int at_hand = slot(y);
            // e of row y: 0 on the grid's edge and beyond it, as f and the next level's e are
            const Pack<Found, kColumns> raw_f = found_rows.get(at_hand);
            Row<Num, kColumns> e, r;
            Num x[kColumns];
            if ((y & 1) == 0) lower = shortened<P, kCoarse>(next_rows.get(at_hand), now.shorten, now.most_v);
            interpolate((y & 1) == 0, upper, lower, x);
#pragma unroll
            for (int c = 0; c < kColumns; ++c) {
                if constexpr (P::real) e.v[c] = raw_f.v[c] + 0.25 * x[c];
                else e.v[c] = now.from_f(static_cast<Num>(raw_f.v[c])) + now.from_x(x[c]);
            }
            // the steps: e of row y - k - 1 after step k
            if constexpr (kSteps > 0) r = entered<P, kColumns>(entering_rows.get(at_hand), now);
#pragma unroll
            for (int k = 0; k < kSteps; ++k) {
                const int row = y - k - 1;
                step_row<P>(now.rest, now.step[k], at, row > 0 && row < level.n, window[k], e_before[k], r_before[k], e,
                            r);
            }
            const int row = y - kSteps;
            const bool in_tile = row >= at.y0 && row < at.y1 && row > 0, mine = at.own && in_tile;
            if constexpr (!kFinest) {
                if (mine) leave_row<P>(l, at, row, e, result.bits);
            } else {
                const Pack<Wide, kColumns> raw_u = u_rows.get(at_hand), b = b_rows.get(at_hand);
                const Row<Wide, kColumns> u = correct_row<P>(raw_u, e, now.to_u, mine, result.overflow);
                Pack<Wide, kColumns> out;
#pragma unroll
                for (int c = 0; c < kColumns; ++c) out.v[c] = u.v[c];
                u_rows.store(at_hand, out, finest.to + row * level.pitch + at.x, mine, in_tile, at);
                const int before = row - 1;
                walk.push(u, b, at.own && before >= at.y0 && before < at.y1 && before > 0, at.edge,
                          finest.write + max(before, 0) * level.pitch + at.x, finest);
            }
        }
        if constexpr (kFinest) {
            result.bits |= walk.bits;
            result.squares += walk.squares;
        }
        await_rows();
    }
    return result;
}

/// The defect of u alone: where a solve begins, and where a stored defect's shift did not fit.
template <class P, int kColumns> __device__ __noinline__ Risen<P> defect(FinestTold told) {
    const Finest<P> finest(told);
    using Wide = typename P::Wide;
    const LevelPlan& level = plan.level[0];
    Risen<P> result;
    const Tiles& tiles = place<P>(0).up;
    for (int tile = first_tile(); tile < tiles.strips * tiles.chunks; tile += tile_step()) {
        const Place at = place_of<P>(0, tiles, kColumns, tile, halo_up(plan.after, true, kColumns));
        DefectWalk<P, kColumns> walk;
        const auto load = [&](const Wide* from, int y) {
            Pack<Wide, kColumns> raw{};
            if (at.inside && y > 0 && y < level.n)
                raw = *reinterpret_cast<const Pack<Wide, kColumns>*>(from + y * level.pitch + at.x);
            return raw;
        };
        for (int y = at.y0 - 1; y <= at.y1; ++y) {
            const Pack<Wide, kColumns> raw = load(finest.u_at(at, y), y), b = load(finest.b_at(at, y - 1), y - 1);
            Row<Wide, kColumns> u;
#pragma unroll
            for (int c = 0; c < kColumns; ++c) u.v[c] = raw.v[c];
            const int before = y - 1;
            walk.push(u, b, at.own && before >= at.y0 && before < at.y1 && before > 0, at.edge,
                      finest.write + max(before, 0) * level.pitch + at.x, finest);
        }
        result.bits |= walk.bits;
        result.squares += walk.squares;
    }
    return result;
}

} // namespace mantissa::gpu::cycle_words
