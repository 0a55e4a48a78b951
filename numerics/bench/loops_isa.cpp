// Compiled once per instruction set; MANTISSA_ISA names the namespace.
#include "loops.hpp"

namespace mantissa::bench::MANTISSA_ISA {
namespace {

template <class T> void add(const T* __restrict a, const T* __restrict b, T* __restrict out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
template <class T> void mul(const T* __restrict a, const T* __restrict b, T* __restrict out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}
template <class T> constexpr Loops<T> kLoops{add<T>, mul<T>};

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
    static const LoopTable loops{
        kLoops<float>,         kLoops<double>, kLoops<TruncatingS17>, kLoops<TruncatingS23>, kLoops<NearestS17>,
        kLoops<TruncatingS36>, pass<float>};
    return loops;
}

} // namespace mantissa::bench::MANTISSA_ISA
