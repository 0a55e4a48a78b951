// Compiled once per instruction set; MANTISSA_ISA names the namespace.
#include "loops.hpp"

#include <cmath>

namespace mantissa::bench::MANTISSA_ISA {
namespace {

template <class T> void add(const T* __restrict a, const T* __restrict b, T* __restrict out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
template <class T> void mul(const T* __restrict a, const T* __restrict b, T* __restrict out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}
template <class T> constexpr Loops<T> kLoops{add<T>, mul<T>};

template <class T, int kColumn> void native(const Operands<T>& x) {
    constexpr Operation kOperation = kTimed[kColumn].operation;
    const T* __restrict a = x.a;
    [[maybe_unused]] const T* __restrict b = x.b;
    [[maybe_unused]] const T* __restrict c = x.c;
    [[maybe_unused]] const double* __restrict wide = x.wide;
    [[maybe_unused]] const T s = x.s;
    T* __restrict out = x.out;
    for (std::size_t i = 0; i < x.n; ++i) {
        if constexpr (kOperation == Operation::add) out[i] = a[i] + b[i];
        else if constexpr (kOperation == Operation::sub) out[i] = a[i] - b[i];
        else if constexpr (kOperation == Operation::mul) out[i] = a[i] * b[i];
        else if constexpr (kOperation == Operation::div) out[i] = a[i] / b[i];
        else if constexpr (kOperation == Operation::sqrt) out[i] = std::sqrt(a[i]);
        else if constexpr (kOperation == Operation::fma) out[i] = std::fma(a[i], b[i], c[i]);
        else if constexpr (kOperation == Operation::scale) out[i] = s * a[i];
        else if constexpr (kOperation == Operation::add_scaled) out[i] = b[i] + s * a[i];
        else if constexpr (kTimed[kColumn].from_doubles) out[i] = static_cast<T>(wide[i]);
        else out[i] = a[i];
    }
}
template <class T, int kColumn = 0> void fill(NativeLoops<T>& loops) {
    if constexpr (kColumn < kColumns) {
        loops[kColumn] = native<T, kColumn>;
        fill<T, kColumn + 1>(loops);
    }
}

constexpr std::size_t kLanes = 16;

/// sum of a[i] b[i], products in T, in kLanes interleaved double sums.
template <class T> double dot(const T* a, const T* b, std::size_t n) {
    double lanes[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (std::size_t j = 0; j < kLanes; ++j) lanes[j] += static_cast<double>(a[i + j] * b[i + j]);
    for (std::size_t j = 0; i < n; ++i, ++j) lanes[j] += static_cast<double>(a[i] * b[i]);
    double sum = 0;
    for (const double lane : lanes) sum += lane;
    return sum;
}

/// One row of the grid at a time, while it is in the first-level cache: the updates one row ahead of the products.
template <class T> void pass(NativePass<T>& s) {
    const std::size_t n = s.row_length;
    const T alpha = static_cast<T>(s.alpha), beta = static_cast<T>(s.beta), centre = s.centre, edge = s.edge;
    double rho = 0, pq = 0, qq = 0;
    const auto update = [&](std::size_t row) {
        T* __restrict u = s.u + row * n;
        T* __restrict r = s.r + row * n;
        T* __restrict p = s.p + row * n;
        const T* __restrict q = s.q + row * n;
        for (std::size_t i = 0; i < n; ++i) {
            u[i] = u[i] + alpha * p[i];
            r[i] = r[i] - alpha * q[i];
            p[i] = r[i] + beta * p[i];
        }
        rho += dot(r, r, n);
    };
    update(0);
    update(1);
    for (std::size_t row = 1; row + 1 < s.rows; ++row) {
        update(row + 1);
        const T* below = s.p + (row - 1) * n;
        const T* here = s.p + row * n;
        const T* above = s.p + (row + 1) * n;
        T* __restrict q = s.q + row * n;
        for (std::size_t i = 1; i + 1 < n; ++i)
            q[i] = edge * below[i - 1] + edge * below[i] + edge * below[i + 1] + edge * here[i - 1] + centre * here[i] +
                   edge * here[i + 1] + edge * above[i - 1] + edge * above[i] + edge * above[i + 1];
        pq += dot(here, q, n);
        qq += dot(q, q, n);
    }
    s.alpha = rho / pq;
    const double sigma = s.alpha * (s.alpha * qq - pq);
    s.beta = sigma / rho;
}

} // namespace

const LoopTable& table() {
    static const LoopTable loops = [] {
        LoopTable t{
            kLoops<float>,         kLoops<double>, kLoops<TruncatingS17>, kLoops<TruncatingS23>, kLoops<NearestS17>,
            kLoops<TruncatingS36>, pass<float>};
        fill(t.native_float_all);
        fill(t.native_double_all);
        return t;
    }();
    return loops;
}

} // namespace mantissa::bench::MANTISSA_ISA
