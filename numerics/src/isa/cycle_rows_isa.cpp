// Rows of a multilevel cycle, compiled once per instruction set. No library templates here: see isa.hpp.
#include "cycle_rows.hpp"
#include "isa.hpp"

namespace mantissa::detail::MANTISSA_ISA {

namespace {

template <class S> MANTISSA_INLINE S half(S x, HalfShift s) {
    return (static_cast<S>((x << s.left) >> s.right) + s.one) >> s.one;
}
template <class S> MANTISSA_INLINE S cut(S x, S most) {
    const S low = x < -most ? -most : x;
    return low > most ? most : low;
}
template <class S> MANTISSA_INLINE S magnitude(S x) {
    return x < 0 ? -x : x;
}
template <class S> MANTISSA_INLINE S larger(S a, S b) {
    return a > b ? a : b;
}

template <class S>
void find(const S* __restrict r, int m, HalfShift s, S most, bool first, S* __restrict g, S* __restrict f,
          std::size_t n) {
    if (first)
        for (std::size_t i = 0; i < n; ++i) f[i] = g[i] = cut<S>(half<S>(m * r[i], s), most);
    else
        for (std::size_t i = 0; i < n; ++i) {
            const S x = cut<S>(half<S>(m * r[i], s), most);
            g[i] = x;
            f[i] = cut<S>(f[i] + x, most);
        }
}

template <class S, class Product>
MANTISSA_INLINE void rest_with(const S* __restrict r, const RestShifts& shifts, S* __restrict out, std::size_t n,
                               const Product& product) {
    const S most = static_cast<S>(shifts.most), x_most = static_cast<S>(shifts.x_most);
    const int r_left = shifts.r_left, x_left = shifts.x_left;
    const HalfShift down = shifts.down;
    for (std::size_t i = 1; i + 1 < n; ++i)
        out[i] = cut<S>(half<S>((r[i] << r_left) - (cut<S>(product(i), x_most) << x_left), down), most);
    out[0] = out[n - 1] = 0;
}

template <class S>
void rest(const S* r, const S* __restrict x0, const S* __restrict x1, const S* __restrict x2, const RowStencil& a,
          const RestShifts& shifts, S* out, std::size_t n) {
    const S c = a.centre, e = a.east, v = a.north, k = a.corner;
    if (a.east == -1 && a.north == -1 && a.corner == -1) {
        rest_with<S>(
            r, shifts, out, n, [=](std::size_t i) __attribute__((always_inline)) {
                const S sum =
                    (x0[i - 1] + x1[i - 1] + x2[i - 1]) + (x0[i] + x2[i]) + (x0[i + 1] + x1[i + 1] + x2[i + 1]);
                return c * x1[i] - sum;
            });
        return;
    }
    rest_with<S>(
        r, shifts, out, n, [=](std::size_t i) __attribute__((always_inline)) {
            return c * x1[i] + e * (x1[i - 1] + x1[i + 1]) + v * (x0[i] + x2[i]) +
                   k * ((x0[i - 1] + x0[i + 1]) + (x2[i - 1] + x2[i + 1]));
        });
}

template <class S>
S restrict_rows(const S* __restrict r0, const S* __restrict r1, const S* __restrict r2, S* __restrict sums,
                S* __restrict t, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) sums[i] = r0[i] + 2 * r1[i] + r2[i];
    const std::size_t coarse = (n + 1) / 2;
    t[0] = t[coarse - 1] = 0;
    S largest = 0;
    for (std::size_t i = 1; i + 1 < coarse; ++i) {
        const S x = sums[2 * i - 1] + 2 * sums[2 * i] + sums[2 * i + 1];
        t[i] = x;
        largest = larger<S>(largest, magnitude<S>(x));
    }
    return largest;
}

template <class S> void enter(const S* __restrict t, HalfShift s, S most, std::int16_t* __restrict r, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) r[i] = static_cast<std::int16_t>(cut<S>(half<S>(t[i], s), most));
}

template <class S>
void rise(const S* __restrict f, const std::int32_t* v0, const std::int32_t* v1, HalfShift of_f, HalfShift of_x,
          S* __restrict e, std::size_t n) {
    for (std::size_t k = 0; k + 1 < n; k += 2) {
        const S here = static_cast<S>(v0[k / 2]) + v1[k / 2], next = static_cast<S>(v0[k / 2 + 1]) + v1[k / 2 + 1];
        e[k] = half<S>(f[k], of_f) + half<S>(2 * here, of_x);
        e[k + 1] = half<S>(f[k + 1], of_f) + half<S>(here + next, of_x);
    }
    e[0] = e[n - 1] = 0;
}

template <class S>
void add(const S* __restrict e, const S* __restrict r, int m, HalfShift s, S most, S* __restrict out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = cut<S>(e[i] + half<S>(m * r[i], s), most);
}

template <class S> S largest(const S* e, std::size_t n) {
    S most = 0;
    for (std::size_t i = 0; i < n; ++i) most = larger<S>(most, magnitude<S>(e[i]));
    return most;
}

template <class S>
std::int32_t shorten(const S* __restrict e, HalfShift s, S most, std::int32_t* __restrict v, std::size_t n) {
    std::int32_t longest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        v[i] = static_cast<std::int32_t>(cut<S>(half<S>(e[i], s), most));
        longest = larger<std::int32_t>(longest, magnitude<std::int32_t>(v[i]));
    }
    return longest;
}

template <class S> void widen(const std::int16_t* __restrict r, S* __restrict out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = r[i];
}

template <class S>
constexpr CycleRowKernels<S> kKernels{find<S>, rest<S>,    restrict_rows<S>, enter<S>, rise<S>,
                                      add<S>,  largest<S>, shorten<S>,       widen<S>};

} // namespace

const CycleRowKernels<std::int32_t>& cycle_rows_32() {
    return kKernels<std::int32_t>;
}
const CycleRowKernels<std::int64_t>& cycle_rows_64() {
    return kKernels<std::int64_t>;
}

} // namespace mantissa::detail::MANTISSA_ISA
