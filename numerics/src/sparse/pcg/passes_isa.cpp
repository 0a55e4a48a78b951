// No library templates here: see isa/isa.hpp.
#include "passes.hpp"

#define MANTISSA_INLINE inline __attribute__((always_inline))

namespace mantissa::detail::MANTISSA_ISA {

namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 8;
#elif defined(__AVX2__)
constexpr int kLanes = 4;
#else
constexpr int kLanes = 2;
#endif
using Vector = double __attribute__((vector_size(kLanes * sizeof(double))));
constexpr int kGroups = static_cast<int>(kRowGroup) / kLanes; // of vectors that hold kLanes rows' numbers

MANTISSA_INLINE Vector load(const double* at) {
    Vector v;
    __builtin_memcpy(&v, at, sizeof v);
    return v;
}
MANTISSA_INLINE void store(double* at, Vector v) {
    __builtin_memcpy(at, &v, sizeof v);
}

template <int... I> struct Lanes {};
template <int N, int... I> struct Upto : Upto<N - 1, N - 1, I...> {};
template <int... I> struct Upto<0, I...> { using Type = Lanes<I...>; };

/// The w-th of the W vectors in which each of d's elements stands W times.
template <int W, int w, int... I> MANTISSA_INLINE Vector spread(Vector d, Lanes<I...>) {
    return __builtin_shufflevector(d, d, ((w * kLanes + I) / W)...);
}
template <int W> MANTISSA_INLINE void spread_all(Vector d, Vector* out) {
    using All = typename Upto<kLanes>::Type;
    out[0] = spread<W, 0>(d, All{});
    if constexpr (W > 1) out[1] = spread<W, 1>(d, All{});
    if constexpr (W > 2) out[2] = spread<W, 2>(d, All{});
    if constexpr (W > 3) out[3] = spread<W, 3>(d, All{});
}

/// One number for each column, repeated along the W vectors of kLanes rows.
template <int W> MANTISSA_INLINE void along_columns(const double* of_column, Vector* out) {
    for (int j = 0; j < W * kLanes; ++j) out[j / kLanes][j % kLanes] = of_column[j % W];
}

/// kRowGroup sums for each column, closed by halving.
template <int W> struct Sums {
    Vector part[kGroups][W] = {};
    MANTISSA_INLINE void close(double* dots) const {
        double flat[kRowGroup * W];
        for (int g = 0; g < kGroups; ++g)
            for (int w = 0; w < W; ++w) store(flat + (g * W + w) * kLanes, part[g][w]);
        for (int half = static_cast<int>(kRowGroup) / 2; half > 0; half /= 2)
            for (int j = 0; j < half * W; ++j) flat[j] += flat[half * W + j];
        for (int k = 0; k < W; ++k) dots[k] = flat[k];
    }
};

/// A row's W numbers in one vector register or two.
template <int W> struct Row;
template <> struct Row<1> {
    using Type = double;
    static MANTISSA_INLINE double load(const double* at) { return *at; }
    static MANTISSA_INLINE void store(double* at, double v) { *at = v; }
};
template <> struct Row<2> {
    using Type = double __attribute__((vector_size(16)));
    static MANTISSA_INLINE Type load(const double* at) {
        Type v;
        __builtin_memcpy(&v, at, sizeof v);
        return v;
    }
    static MANTISSA_INLINE void store(double* at, Type v) { __builtin_memcpy(at, &v, sizeof v); }
};
template <> struct Row<4> {
    using Type = double __attribute__((vector_size(32)));
    static MANTISSA_INLINE Type load(const double* at) {
        Type v;
        __builtin_memcpy(&v, at, sizeof v);
        return v;
    }
    static MANTISSA_INLINE void store(double* at, Type v) { __builtin_memcpy(at, &v, sizeof v); }
};
/// Three numbers are read as four (kTail) and written as three.
template <> struct Row<3> : Row<4> {
    static MANTISSA_INLINE void store(double* at, Type v) { __builtin_memcpy(at, &v, 3 * sizeof(double)); }
};

/// As product<1>(), of rows in slices.
void product_of_slices(const PcgMatrix& a, const PcgVectors& v, std::size_t begin, std::size_t end, double* dots) {
    static_assert(kGroups == MANTISSA_SLICES::kSliceParts);
    const double* const p = v.p;
    double* const q = v.q;
    Sums<1> pq;
    for (std::size_t i = begin; i < end; i += kRowGroup) {
        Vector sum[kGroups];
        MANTISSA_SLICES::slice_product(a.slices, i / kRowGroup, p, sum);
        for (int g = 0; g < kGroups; ++g) {
            const std::size_t at = i + static_cast<std::size_t>(g * kLanes);
            store(q + at, sum[g]);
            pq.part[g][0] += load(p + at) * sum[g];
        }
    }
    pq.close(dots);
}

template <int W>
void product(const PcgMatrix& a, const PcgVectors& v, std::size_t begin, std::size_t end, std::size_t imaginary,
             std::size_t imaginary_end, double* dots) {
    if constexpr (W == 1)
        if (a.slices.slice != nullptr) return product_of_slices(a, v, begin, end, dots);
    using R = Row<W>;
    const double* const p = v.p;
    double* const q = v.q;
    std::size_t k = a.begin[begin];
    for (std::size_t i = begin; i < end; ++i) {
        typename R::Type sum{};
        for (const std::size_t last = a.begin[i + 1]; k < last; ++k)
            sum += a.value[k] * R::load(p + std::size_t{a.column[k]} * W);
        R::store(q + i * W, sum);
    }
    if constexpr (W % 2 == 0)
        for (std::size_t e = imaginary; e < imaginary_end; ++e)
            for (std::size_t system = 0; system < std::size_t{W}; system += 2) {
                const double* const part = p + std::size_t{a.imaginary_column[e]} * W + system;
                double* const to = q + std::size_t{a.imaginary_row[e]} * W + system;
                to[0] -= a.imaginary_value[e] * part[1];
                to[1] += a.imaginary_value[e] * part[0];
            }
    Sums<W> pq;
    for (std::size_t i = begin; i < end; i += kRowGroup)
        for (int g = 0; g < kGroups; ++g)
            for (int w = 0; w < W; ++w) {
                const std::size_t at = i * W + static_cast<std::size_t>((g * W + w) * kLanes);
                pq.part[g][w] += load(p + at) * load(q + at);
            }
    pq.close(dots);
}

template <int W>
void descend(const PcgVectors& v, std::size_t begin, std::size_t end, const double* alpha, double* dots) {
    Vector a[W];
    along_columns<W>(alpha, a);
    Sums<W> delta, squares;
    for (std::size_t i = begin; i < end; i += kRowGroup)
        for (int g = 0; g < kGroups; ++g) {
            Vector inverse[W];
            spread_all<W>(load(v.inverse + i + static_cast<std::size_t>(g * kLanes)), inverse);
            for (int w = 0; w < W; ++w) {
                const std::size_t at = i * W + static_cast<std::size_t>((g * W + w) * kLanes);
                const Vector r = load(v.r + at) - a[w] * load(v.q + at);
                store(v.r + at, r);
                delta.part[g][w] += r * (inverse[w] * r);
                squares.part[g][w] += r * r;
            }
        }
    delta.close(dots);
    squares.close(dots + W);
}

template <int W>
void advance(const PcgVectors& v, std::size_t begin, std::size_t end, const double* alpha, const double* beta) {
    Vector a[W], b[W];
    along_columns<W>(alpha, a);
    along_columns<W>(beta, b);
    for (std::size_t i = begin; i < end; i += kRowGroup)
        for (int g = 0; g < kGroups; ++g) {
            Vector inverse[W];
            spread_all<W>(load(v.inverse + i + static_cast<std::size_t>(g * kLanes)), inverse);
            for (int w = 0; w < W; ++w) {
                const std::size_t at = i * W + static_cast<std::size_t>((g * W + w) * kLanes);
                const Vector p = load(v.p + at);
                store(v.x + at, load(v.x + at) + a[w] * p);
                store(v.p + at, inverse[w] * load(v.r + at) + b[w] * p);
            }
        }
}

template <int W> constexpr PcgPasses passes() {
    return {product<W>, descend<W>, advance<W>};
}
constexpr PcgPasses kPasses[kMostColumns] = {passes<1>(), passes<2>(), passes<3>(), passes<4>()};

} // namespace

const PcgPasses& pcg_passes(int columns) {
    return kPasses[columns - 1];
}

} // namespace mantissa::detail::MANTISSA_ISA
