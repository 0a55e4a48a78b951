#include "products.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "mantissa/format.hpp"
#include "mantissa/sparse/complex_blocks.hpp"
#include "measure.hpp"

namespace mantissa::bench {

namespace {

using Run = std::function<void()>;

double seconds_of(const Run& run, std::size_t times) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t k = 0; k < times; ++k) run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / static_cast<double>(times);
}

/// Each run's median time, all of them in turn in every round.
std::vector<double> interleaved(const std::vector<Run>& runs, int rounds) {
    constexpr double kSlice = 2e-3;
    std::vector<std::size_t> times;
    for (const Run& run : runs) {
        run(); // into the caches, threads awake
        times.push_back(static_cast<std::size_t>(std::clamp(kSlice / seconds_of(run, 1), 1.0, 1e5)));
    }
    std::vector<std::vector<double>> seconds(runs.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t k = 0; k < runs.size(); ++k) seconds[k].push_back(seconds_of(runs[k], times[k]));
    std::vector<double> medians;
    for (const auto& s : seconds) medians.push_back(median(s));
    return medians;
}

#if defined(MANTISSA_EIGEN)
/// Its file is compiled for AVX2 on x86-64.
bool eigen_runs() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
    return true;
#endif
}
#endif

template <class T> std::size_t bytes_of(const CompressedRows& a, SparseFormat format) {
    for (const FormatReport& report : report_formats(a, sizeof(T)))
        if (report.format == format) return report.matrix_bytes;
    return 0;
}

template <class T>
void measure(const CompressedRows& a, SparseFormat format, int threads, int rounds, const char* number,
             std::vector<ProductTimes>& all) {
    const SimdProduct<T> scalar(a, format, ProductCode::scalar), simd(a, format),
        parallel(a, format, ProductCode::simd, threads);
    std::vector<T> x(simd.padded_rows()), y(simd.padded_rows());
    for (std::size_t i = 0; i < a.rows(); ++i) x[i] = static_cast<T>(std::sin(static_cast<double>(i)));
    const std::vector<int> begin(a.row_begin().begin(), a.row_begin().end()),
        column(a.column().begin(), a.column().end());
    const std::vector<T> value(a.value().begin(), a.value().end());
    std::vector<Run> runs{[&] { scalar.apply(x, y); }, [&] { simd.apply(x, y); }, [&] { parallel.apply(x, y); }};
#if defined(MANTISSA_EIGEN)
    const auto eigens = [&](int n) {
        eigen::product(static_cast<int>(a.rows()), static_cast<int>(a.nonzeros()), begin.data(), column.data(),
                       value.data(), x.data(), y.data(), n);
    };
    if (eigen_runs()) {
        runs.emplace_back([&] { eigens(1); });
        runs.emplace_back([&] { eigens(threads); });
    }
#endif
    std::vector<double> t = interleaved(runs, rounds);
    t.resize(5);
    all.push_back({format, number, bytes_of<T>(a, format), t[0], t[1], t[2], t[3], t[4]});
}

} // namespace

std::vector<ProductTimes> measure_products(const CompressedRows& a, int threads, int rounds) {
    if (a.nonzeros() > std::numeric_limits<int>::max())
        throw InvalidInput("bench cpu: Eigen counts entries in 31 bits: give a smaller matrix");
    std::vector<ProductTimes> all;
    for (const SparseFormat format :
         {SparseFormat::crs, SparseFormat::sell, SparseFormat::bcrs2, SparseFormat::bcrs4, SparseFormat::complex2}) {
        if (format == SparseFormat::complex2 && !why_no_complex_blocks(a).empty()) continue;
        measure<double>(a, format, threads, rounds, "double", all);
        measure<float>(a, format, threads, rounds, "float", all);
    }
    return all;
}

} // namespace mantissa::bench
