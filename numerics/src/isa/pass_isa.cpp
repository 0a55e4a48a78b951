// One emulated pass, compiled once per instruction set. See pass.hpp.
#include "fill_differences.hpp"
#include "pass.hpp"
#include "round.hpp"

namespace mantissa::detail::MANTISSA_ISA {
namespace {

template <bool kMasked, class T> MANTISSA_INLINE T cut(T x, Bits<T> m) {
    if constexpr (kMasked) return masked(x, m);
    return x;
}

template <bool kMasked, class T>
void update(T* __restrict u, T* __restrict r, T* __restrict p, const T* __restrict q, T alpha, T beta,
            const PassMasks<T>& masks, std::size_t n) {
    const PassMasks<T> m = masks;
    for (std::size_t i = 0; i < n; ++i) {
        const T direction = p[i];
        u[i] = cut<kMasked>(u[i] + cut<kMasked>(alpha * direction, m.u), m.u);
        const T residual = cut<kMasked>(r[i] - cut<kMasked>(alpha * q[i], m.r), m.r);
        r[i] = residual;
        p[i] = cut<kMasked>(residual + cut<kMasked>(beta * direction, m.p), m.p);
    }
}

template <bool kMasked, class T>
void scale(const T* __restrict p, T c, Bits<T> mask, T* __restrict out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = cut<kMasked>(c * p[i], mask);
}

/// Nine terms in the order of the spec. Tree: ((01)(23))((45)(67)) and 8.
template <bool kMasked, bool kTree, class T> MANTISSA_INLINE T sum9(const T (&t)[9], Bits<T> row) {
    if constexpr (kTree) {
        const T a = cut<kMasked>(t[0] + t[1], row), b = cut<kMasked>(t[2] + t[3], row);
        const T c = cut<kMasked>(t[4] + t[5], row), d = cut<kMasked>(t[6] + t[7], row);
        const T e = cut<kMasked>(a + b, row), f = cut<kMasked>(c + d, row);
        return cut<kMasked>(cut<kMasked>(e + f, row) + t[8], row);
    } else {
        T s = t[0];
        for (int b = 1; b < 9; ++b) s = cut<kMasked>(s + t[b], row);
        return s;
    }
}

template <bool kMasked, bool kTree, class T>
void sum_rows(const T* const* terms, const PassMasks<T>& m, T* __restrict q, std::size_t n) {
    const T* const t0 = terms[0];
    const T* const t1 = terms[1];
    const T* const t2 = terms[2];
    const T* const t3 = terms[3];
    const T* const t4 = terms[4];
    const T* const t5 = terms[5];
    const T* const t6 = terms[6];
    const T* const t7 = terms[7];
    const T* const t8 = terms[8];
    const Bits<T> row = m.row, last = m.q;
    for (std::size_t i = 0; i < n; ++i) {
        const T t[9] = {t0[i], t1[i], t2[i], t3[i], t4[i], t5[i], t6[i], t7[i], t8[i]};
        q[i] = cut<kMasked>(sum9<kMasked, kTree, T>(t, row), last);
    }
}

template <bool kMasked, bool kTree, class T>
void band_rows(const T* const* band, const T* p, const std::ptrdiff_t* offset, const PassMasks<T>& m, T* __restrict q,
               std::size_t n) {
    const T* const b0 = band[0];
    const T* const b1 = band[1];
    const T* const b2 = band[2];
    const T* const b3 = band[3];
    const T* const b4 = band[4];
    const T* const b5 = band[5];
    const T* const b6 = band[6];
    const T* const b7 = band[7];
    const T* const b8 = band[8];
    const T* const p0 = p + offset[0];
    const T* const p1 = p + offset[1];
    const T* const p2 = p + offset[2];
    const T* const p3 = p + offset[3];
    const T* const p4 = p + offset[4];
    const T* const p5 = p + offset[5];
    const T* const p6 = p + offset[6];
    const T* const p7 = p + offset[7];
    const T* const p8 = p + offset[8];
    const Bits<T> row = m.row, last = m.q;
    for (std::size_t i = 0; i < n; ++i) {
        const T t[9] = {
            cut<kMasked>(b0[i] * p0[i], row), cut<kMasked>(b1[i] * p1[i], row), cut<kMasked>(b2[i] * p2[i], row),
            cut<kMasked>(b3[i] * p3[i], row), cut<kMasked>(b4[i] * p4[i], row), cut<kMasked>(b5[i] * p5[i], row),
            cut<kMasked>(b6[i] * p6[i], row), cut<kMasked>(b7[i] * p7[i], row), cut<kMasked>(b8[i] * p8[i], row)};
        q[i] = cut<kMasked>(sum9<kMasked, kTree, T>(t, row), last);
    }
}

template <bool kMasked, bool kTree, class T>
void sparse_rows(const std::uint64_t* row_begin, const std::uint32_t* column, const T* value, const T* p,
                 const PassMasks<T>& m, T* scratch, T* __restrict q, std::size_t rows) {
    const Bits<T> row = m.row, last = m.q;
    for (std::size_t i = 0; i < rows; ++i) {
        const std::uint64_t begin = row_begin[i], end = row_begin[i + 1];
        T s = 0;
        if (begin != end) {
            if constexpr (kTree) {
                std::size_t count = end - begin;
                for (std::size_t k = 0; k < count; ++k)
                    scratch[k] = cut<kMasked>(value[begin + k] * p[column[begin + k]], row);
                while (count > 1) {
                    const std::size_t pairs = count / 2;
                    for (std::size_t k = 0; k < pairs; ++k)
                        scratch[k] = cut<kMasked>(scratch[2 * k] + scratch[2 * k + 1], row);
                    if (count % 2 != 0) scratch[pairs] = scratch[count - 1];
                    count = pairs + count % 2;
                }
                s = scratch[0];
            } else {
                s = cut<kMasked>(value[begin] * p[column[begin]], row);
                for (std::uint64_t k = begin + 1; k < end; ++k)
                    s = cut<kMasked>(s + cut<kMasked>(value[k] * p[column[k]], row), row);
            }
        }
        q[i] = cut<kMasked>(s, last);
    }
}

// Vectors of eight, whatever the instruction set: the compiler splits them into registers it has.
using V8d = double __attribute__((vector_size(64)));
using V8i = std::int64_t __attribute__((vector_size(64)));
template <class T> struct Eight;
template <> struct Eight<float> {
    using V = float __attribute__((vector_size(32)));
    using S = std::int32_t;
    using I = S __attribute__((vector_size(32)));
};
template <> struct Eight<double> {
    using V = V8d;
    using S = std::int64_t;
    using I = V8i;
};

template <class T> MANTISSA_INLINE typename Eight<T>::V load8(const T* a) {
    typename Eight<T>::V v;
    __builtin_memcpy(&v, a, sizeof v);
    return v;
}
MANTISSA_INLINE V8d loadd(const double* a) {
    V8d v;
    __builtin_memcpy(&v, a, sizeof v);
    return v;
}
MANTISSA_INLINE void stored(double* a, V8d v) {
    __builtin_memcpy(a, &v, sizeof v);
}

/// Eight products as doubles: exact (the operands' significands together fit 53 bits, or the caller wants the
/// truncated double product), or rounded in T and cut.
template <bool kMasked, bool kExact, class T> MANTISSA_INLINE V8d terms8(const T* a, const T* b, Bits<T> mask) {
    using V = typename Eight<T>::V;
    using I = typename Eight<T>::I;
    const V x = load8(a), y = load8(b);
    if constexpr (kExact) {
        return __builtin_convertvector(x, V8d) * __builtin_convertvector(y, V8d);
    } else {
        V z = x * y;
        if constexpr (kMasked) {
            I bits;
            __builtin_memcpy(&bits, &z, sizeof z);
            I wide = I{} + static_cast<typename Eight<T>::S>(mask);
            bits &= wide;
            __builtin_memcpy(&z, &bits, sizeof z);
        }
        return __builtin_convertvector(z, V8d);
    }
}
template <bool kMasked, bool kExact, class T> MANTISSA_INLINE double term1(T a, T b, Bits<T> mask) {
    if constexpr (kExact) return static_cast<double>(a) * static_cast<double>(b);
    return static_cast<double>(cut<kMasked>(static_cast<T>(a * b), mask));
}

template <bool kMasked, bool kExact, class T>
void dot_lanes_one(const T* a, const T* b, Bits<T> mask, double* sum, int partials, std::size_t n) {
    const auto width = static_cast<std::size_t>(partials);
    std::size_t i = 0;
    if (width == 16) {
        V8d s0 = loadd(sum), s1 = loadd(sum + 8);
        for (; i + 16 <= n; i += 16) {
            s0 += terms8<kMasked, kExact>(a + i, b + i, mask);
            s1 += terms8<kMasked, kExact>(a + i + 8, b + i + 8, mask);
        }
        stored(sum, s0);
        stored(sum + 8, s1);
    } else if (width >= 8) {
        for (; i + width <= n; i += width)
            for (std::size_t j = 0; j < width; j += 8)
                stored(sum + j, loadd(sum + j) + terms8<kMasked, kExact>(a + i + j, b + i + j, mask));
    }
    for (; i < n; ++i) sum[i & (width - 1)] += term1<kMasked, kExact>(a[i], b[i], mask);
}

template <bool kMasked, bool kExact, class T>
void dot_lanes(const T* r, const T* p, const T* q, Bits<T> mask, double* rr, double* pq, double* qq, int partials,
               std::size_t n) {
    if (partials != 16) {
        dot_lanes_one<kMasked, kExact>(r, r, mask, rr, partials, n);
        dot_lanes_one<kMasked, kExact>(p, q, mask, pq, partials, n);
        dot_lanes_one<kMasked, kExact>(q, q, mask, qq, partials, n);
        return;
    }
    V8d rr0 = loadd(rr), rr1 = loadd(rr + 8), pq0 = loadd(pq), pq1 = loadd(pq + 8), qq0 = loadd(qq),
        qq1 = loadd(qq + 8);
    std::size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        rr0 += terms8<kMasked, kExact>(r + i, r + i, mask);
        rr1 += terms8<kMasked, kExact>(r + i + 8, r + i + 8, mask);
        pq0 += terms8<kMasked, kExact>(p + i, q + i, mask);
        pq1 += terms8<kMasked, kExact>(p + i + 8, q + i + 8, mask);
        qq0 += terms8<kMasked, kExact>(q + i, q + i, mask);
        qq1 += terms8<kMasked, kExact>(q + i + 8, q + i + 8, mask);
    }
    stored(rr, rr0);
    stored(rr + 8, rr1);
    stored(pq, pq0);
    stored(pq + 8, pq1);
    stored(qq, qq0);
    stored(qq + 8, qq1);
    for (; i < n; ++i) {
        rr[i & 15] += term1<kMasked, kExact>(r[i], r[i], mask);
        pq[i & 15] += term1<kMasked, kExact>(p[i], q[i], mask);
        qq[i & 15] += term1<kMasked, kExact>(q[i], q[i], mask);
    }
}

template <bool kMasked, bool kExact, class T>
std::int64_t dot_fixed(const T* a, const T* b, Bits<T> mask, double scale_by, double* largest, std::size_t n) {
    V8i sum{}, top{}; // magnitudes compare as integers; NaN is the largest of them
    const V8i absolute = V8i{} + static_cast<std::int64_t>(~(std::uint64_t{1} << 63));
    const V8d factor = V8d{} + scale_by;
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        const V8d term = terms8<kMasked, kExact>(a + i, b + i, mask);
        V8i bits;
        __builtin_memcpy(&bits, &term, sizeof term);
        bits &= absolute;
        top = bits > top ? bits : top;
        sum += __builtin_convertvector(term * factor, V8i);
    }
    std::int64_t total = 0;
    double most = 0;
    for (int j = 0; j < 8; ++j) {
        total = static_cast<std::int64_t>(static_cast<std::uint64_t>(total) + static_cast<std::uint64_t>(sum[j]));
        const double magnitude = __builtin_bit_cast(double, static_cast<std::int64_t>(top[j]));
        if (!(magnitude <= most)) most = magnitude == magnitude ? magnitude : kInfinity;
    }
    for (; i < n; ++i) {
        const double term = term1<kMasked, kExact>(a[i], b[i], mask);
        const double magnitude = __builtin_fabs(term);
        if (!(magnitude <= most)) most = magnitude == magnitude ? magnitude : kInfinity;
        if (magnitude * scale_by < 0x1p62) // beyond, the caller does not use the sum
            total = static_cast<std::int64_t>(static_cast<std::uint64_t>(total) +
                                              static_cast<std::uint64_t>(static_cast<std::int64_t>(term * scale_by)));
    }
    *largest = most;
    return total;
}

template <bool kMasked, bool kTree, bool kExact, class T> void fill(PassKernels<T>& k) {
    k.update = update<kMasked, T>;
    k.scale = scale<kMasked, T>;
    k.sum_rows = sum_rows<kMasked, kTree, T>;
    k.band_rows = band_rows<kMasked, kTree, T>;
    k.sparse_rows = sparse_rows<kMasked, kTree, T>;
    k.dot_lanes = dot_lanes<kMasked, kExact, T>;
    k.dot_lanes_one = dot_lanes_one<kMasked, kExact, T>;
    k.dot_fixed = dot_fixed<kMasked, kExact, T>;
    fill_differences(k.differences, kMasked);
}

template <class T> struct Table {
    PassTable<T> kernels;
    Table() {
        fill<false, false, false>(kernels[0][0][0]);
        fill<false, false, true>(kernels[0][0][1]);
        fill<false, true, false>(kernels[0][1][0]);
        fill<false, true, true>(kernels[0][1][1]);
        fill<true, false, false>(kernels[1][0][0]);
        fill<true, false, true>(kernels[1][0][1]);
        fill<true, true, false>(kernels[1][1][0]);
        fill<true, true, true>(kernels[1][1][1]);
    }
};

} // namespace

const PassTable<float>& pass_table(float) {
    static const Table<float> table;
    return table.kernels;
}
const PassTable<double>& pass_table(double) {
    static const Table<double> table;
    return table.kernels;
}

} // namespace mantissa::detail::MANTISSA_ISA
