// Rows of differences (engine.hpp: flux, second_difference), compiled once per instruction set. See pass.hpp.
//
// Elements go by tiles whose intermediate results stay in the nearest cache. Loops over a tile write to arrays that
// nothing else names, so they vectorise.
#include "fill_differences.hpp"
#include "round.hpp"

namespace mantissa::detail::MANTISSA_ISA {
namespace {

constexpr std::size_t kTile = 512, kMargin = 16;

template <bool kMasked, class T> MANTISSA_INLINE T cut(T x, Bits<T> m) {
    if constexpr (kMasked) return masked(x, m);
    return x;
}

template <bool kMasked, class T> MANTISSA_INLINE T flux(T w, T from, T to, Bits<T> row) {
    return cut<kMasked>(w * cut<kMasked>(from - to, row), row);
}

/// The fluxes of a tile. Of E and NE also those of the element in front of it, of NW that of the one after it.
template <class T> struct FluxTile {
    alignas(64) T store[4][kMargin + kTile + kMargin];
    MANTISSA_INLINE T* of(std::size_t d) { return store[d] + kMargin; }
};

template <bool kMasked, bool kConstant, class T>
MANTISSA_INLINE void form_fluxes(const FluxRun<T>& run, const T* p, Bits<T> row, std::size_t begin, std::size_t count,
                                 FluxTile<T>& tile) {
    const auto n = static_cast<std::ptrdiff_t>(run.row_length);
    const T* const here = p + begin;
    const T *const east = here + 1, *const north = here + n, *const north_west = north - 1,
                   *const north_east = north + 1;
    const std::size_t at = kConstant ? 0 : begin;
    const T *const we = run.weight[0] + at, *const wnw = run.weight[1] + at, *const wn = run.weight[2] + at,
                   *const wne = run.weight[3] + at;
    const T ce = *we, cnw = *wnw, cn = *wn, cne = *wne;
    T *const fe = tile.of(0), *const fnw = tile.of(1), *const fn = tile.of(2), *const fne = tile.of(3);
    for (std::size_t i = 0; i < count; ++i) {
        const T centre = here[i];
        fe[i] = flux<kMasked>(kConstant ? ce : we[i], centre, east[i], row);
        fnw[i] = flux<kMasked>(kConstant ? cnw : wnw[i], centre, north_west[i], row);
        fn[i] = flux<kMasked>(kConstant ? cn : wn[i], centre, north[i], row);
        fne[i] = flux<kMasked>(kConstant ? cne : wne[i], centre, north_east[i], row);
    }
    fnw[count] = flux<kMasked>(kConstant ? cnw : wnw[count], here[count], north_west[count], row);
}

enum class Sums : std::uint8_t { none, constant, band };

template <bool kMasked, bool kConstant, Sums kSums, class T>
void flux_rows(const FluxRun<T>& run, const T* p, const PassMasks<T>& masks, T* q, std::size_t n) {
    const Bits<T> row = masks.row, last = masks.q;
    const auto length = static_cast<std::ptrdiff_t>(run.row_length);
    FluxTile<T> tile;
    T* const east = tile.of(0);
    T* const north_west = tile.of(1);
    T* const north = tile.of(2);
    T* const north_east = tile.of(3);
    const std::ptrdiff_t in_front = kConstant ? 0 : -1;
    east[-1] = run.first ? T{0} : flux<kMasked>(run.weight[0][in_front], p[-1], p[0], row);
    north_east[-1] = run.first ? T{0} : flux<kMasked>(run.weight[3][in_front], p[-1], p[length], row);
    for (std::size_t begin = 0; begin < n; begin += kTile) {
        const std::size_t count = n - begin < kTile ? n - begin : kTile;
        form_fluxes<kMasked, kConstant>(run, p, row, begin, count, tile);
        if (run.first && begin == 0) {
            // Nothing lies below the first grid row, but for the flux of element 0 towards the end of its own.
            for (std::ptrdiff_t i = 0; i < length; ++i) run.from_below[i] = 0;
            run.from_below[length - 1] += north_west[0];
        }
        T* __restrict const give = run.to_above + begin;
        for (std::size_t i = 0; i < count; ++i)
            give[i] = cut<kMasked>(
                cut<kMasked>(north_east[static_cast<std::ptrdiff_t>(i) - 1] + north[i], row) + north_west[i + 1], row);
        if (q != nullptr) {
            const T* const down = run.from_below + begin;
            const T* const here = p + begin;
            const T* const c = kSums == Sums::band ? run.row_sum + begin : run.row_sum;
            const T constant = kSums == Sums::constant ? *c : T{0};
            T* __restrict const out = q + begin;
            for (std::size_t i = 0; i < count; ++i) {
                const T up = cut<kMasked>(cut<kMasked>(north_west[i] + north[i], row) + north_east[i], row);
                const T along = cut<kMasked>(east[i] - east[static_cast<std::ptrdiff_t>(i) - 1], row);
                T sum = cut<kMasked>(along + cut<kMasked>(up - down[i], row), row);
                if constexpr (kSums != Sums::none)
                    sum = cut<kMasked>(sum + cut<kMasked>((kSums == Sums::band ? c[i] : constant) * here[i], row), row);
                out[i] = cut<kMasked>(sum, last);
            }
        }
        east[-1] = east[count - 1];
        north_east[-1] = north_east[count - 1];
    }
}

template <bool kMasked, bool kSum, class T>
void second_rows(const SecondRun<T>& run, const T* p, const PassMasks<T>& masks, T* q, std::size_t n) {
    const Bits<T> row = masks.row, last = masks.q;
    const auto length = static_cast<std::ptrdiff_t>(run.row_length);
    const T alpha = run.alpha, beta = run.beta, gamma = run.gamma, c = run.c;
    std::ptrdiff_t ready = run.ready;
    for (std::size_t begin = 0; begin < n; begin += kTile) {
        const std::size_t count = n - begin < kTile ? n - begin : kTile;
        const auto first = static_cast<std::ptrdiff_t>(begin), end = first + static_cast<std::ptrdiff_t>(count);
        {
            T* __restrict const a = run.a;
            T* __restrict const s = run.s;
            for (std::ptrdiff_t i = ready; i < end + length; ++i) {
                const T second =
                    cut<kMasked>(cut<kMasked>(p[i + 1] - p[i], row) - cut<kMasked>(p[i] - p[i - 1], row), row);
                a[i] = second;
                s[i] = cut<kMasked>(cut<kMasked>(beta * p[i], row) + cut<kMasked>(gamma * second, row), row);
            }
            ready = end + length;
        }
        const T* const here = run.s + begin;
        const T* const south = here - length;
        const T* const above = here + length;
        const T* const a = run.a + begin;
        const T* const x = p + begin;
        T* __restrict const out = q + begin;
        for (std::size_t i = 0; i < count; ++i) {
            const T across =
                cut<kMasked>(cut<kMasked>(above[i] - here[i], row) - cut<kMasked>(here[i] - south[i], row), row);
            T sum = cut<kMasked>(across + cut<kMasked>(alpha * a[i], row), row);
            if constexpr (kSum) sum = cut<kMasked>(sum + cut<kMasked>(c * x[i], row), row);
            out[i] = cut<kMasked>(sum, last);
        }
    }
}

template <bool kMasked, class T> void fill(DifferenceKernels<T>& k) {
    k.flux[0][0] = flux_rows<kMasked, true, Sums::none, T>;
    k.flux[0][1] = flux_rows<kMasked, true, Sums::constant, T>;
    k.flux[1][0] = flux_rows<kMasked, false, Sums::none, T>;
    k.flux[1][1] = flux_rows<kMasked, false, Sums::band, T>;
    k.second[0] = second_rows<kMasked, false, T>;
    k.second[1] = second_rows<kMasked, true, T>;
}

} // namespace

void fill_differences(DifferenceKernels<float>& kernels, bool masked) {
    if (masked) fill<true>(kernels);
    else fill<false>(kernels);
}
void fill_differences(DifferenceKernels<double>& kernels, bool masked) {
    if (masked) fill<true>(kernels);
    else fill<false>(kernels);
}

} // namespace mantissa::detail::MANTISSA_ISA
