// Doubled sums over rows, compiled once per instruction set. No library templates here: see isa.hpp.
#include "certain.hpp"
#include "isa.hpp"

namespace mantissa::detail::MANTISSA_ISA {

namespace {

constexpr std::size_t kRows = 64; ///< side by side: enough for loops over them to become vector operations

struct Doubled {
    double sum, rest, size;

    MANTISSA_INLINE void add(double a, double x) {
        const double product = a * x, lost = __builtin_fma(a, x, -product);
        const double before = sum;
        sum += product;
        const double part = sum - before;
        rest += (before - (sum - part)) + (product - part);
        rest += lost;
        size += __builtin_fabs(product);
    }
};
MANTISSA_INLINE double larger(double a, double b) {
    return a > b ? a : b;
}

/// `rows` rows from i on, b first and the terms' signs turned, in one order for every count.
template <std::size_t kCount>
MANTISSA_INLINE double some_rows(const CertainStream* stream, std::size_t count, std::size_t i, const double* u,
                                 const double* b, double* d) {
    double sum[kCount], rest[kCount], size[kCount];
    for (std::size_t k = 0; k < kCount; ++k) {
        sum[k] = b[i + k];
        rest[k] = 0;
        size[k] = __builtin_fabs(b[i + k]);
    }
    const auto add = [&](std::size_t k, double a, double x) __attribute__((always_inline)) {
        Doubled row{sum[k], rest[k], size[k]};
        row.add(a, x);
        sum[k] = row.sum;
        rest[k] = row.rest;
        size[k] = row.size;
    };
    for (std::size_t s = 0; s < count; ++s) {
        const double* const x = u + (static_cast<std::ptrdiff_t>(i) + stream[s].offset);
        const double sign = -stream[s].sign;
        if (stream[s].step == 0) { // (two loops: both become vector operations)
            const double c = sign * *stream[s].a;
            for (std::size_t k = 0; k < kCount; ++k) add(k, c, x[k]);
        } else {
            const double* const a = stream[s].a + (static_cast<std::ptrdiff_t>(i) + stream[s].shift);
            for (std::size_t k = 0; k < kCount; ++k) add(k, sign * a[k], x[k]);
        }
    }
    double largest = 0;
    for (std::size_t k = 0; k < kCount; ++k) {
        d[i + k] = sum[k] + rest[k];
        largest = larger(size[k], largest);
    }
    return largest;
}

double streams(const CertainStream* stream, std::size_t count, std::size_t begin, std::size_t end, const double* u,
               const double* b, double* d) {
    double largest = 0;
    std::size_t i = begin;
    for (; i + kRows <= end; i += kRows) largest = larger(some_rows<kRows>(stream, count, i, u, b, d), largest);
    for (; i < end; ++i) largest = larger(some_rows<1>(stream, count, i, u, b, d), largest);
    return largest;
}

double rows(const std::uint64_t* row_begin, const std::uint32_t* column, const double* value, std::size_t begin,
            std::size_t end, const double* u, const double* b, double* d) {
    double largest = 0;
    for (std::size_t i = begin; i < end; ++i) {
        Doubled row{b[i], 0, __builtin_fabs(b[i])};
        for (std::uint64_t k = row_begin[i]; k < row_begin[i + 1]; ++k) row.add(-value[k], u[column[k]]);
        d[i] = row.sum + row.rest;
        largest = larger(row.size, largest);
    }
    return largest;
}

} // namespace

const CertainKernels& certain_kernels() {
    static constexpr CertainKernels kernels{streams, rows};
    return kernels;
}

} // namespace mantissa::detail::MANTISSA_ISA
