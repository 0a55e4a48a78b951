// Small systems with random states, and the comparison of two engines pass by pass.
#pragma once

#include <array>
#include <bit>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/engine.hpp"

namespace mantissa::sim::test {

/// The bilinear Laplacian, 8/3 and -1/3.
inline System poisson_stencil(std::size_t row_length, std::size_t rows) {
    std::array<double, kBands> c{};
    c.fill(-1.0 / 3);
    c[4] = 8.0 / 3;
    return Stencil(row_length, rows, c);
}

/// A diagonally dominant symmetric nine-band matrix with random couplings.
inline System random_bands(std::size_t row_length, std::size_t rows, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> weight(0.1, 1.0);
    Bands::Array bands;
    const std::size_t n = row_length * rows;
    for (auto& band : bands) band.assign(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) bands[4][i] = 0.5 + weight(random);
    const auto couple = [&](std::size_t i, std::size_t j, int up, int down) {
        const double w = weight(random);
        bands[static_cast<std::size_t>(up)][i] = -w;
        bands[static_cast<std::size_t>(down)][j] = -w;
        bands[4][i] += w;
        bands[4][j] += w;
    };
    for (std::size_t y = 0; y < rows; ++y)
        for (std::size_t x = 0; x < row_length; ++x) {
            const std::size_t i = y * row_length + x;
            if (x + 1 < row_length) couple(i, i + 1, 5, 3);
            if (y + 1 == rows) continue;
            couple(i, i + row_length, 7, 1);
            if (x + 1 < row_length) couple(i, i + row_length + 1, 8, 0);
            if (x > 0) couple(i, i + row_length - 1, 6, 2);
        }
    return Bands(row_length, std::move(bands));
}

inline void expect_same_bits(double a, double b, const char* what, std::uint64_t pass, std::size_t element) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b))
        << what << " after pass " << pass << ", element " << element << ": " << a << " and " << b;
}

inline void expect_same_words(const WordUse& a, const WordUse& b, std::uint64_t pass) {
    ASSERT_TRUE(a == b) << "longest words of u, r, p, q after pass " << pass << ": " << a.u << " " << a.r << " " << a.p
                        << " " << a.q << " and " << b.u << " " << b.r << " " << b.p << " " << b.q;
}

/// Vectors and scalars of two sessions, bit for bit.
inline void expect_same_state(const Session& a, const Session& b, std::size_t size, std::uint64_t pass) {
    std::vector<double> x(size), y(size);
    const char* const names[] = {"u", "r", "p", "q"};
    for (int v = 0; v < 4; ++v) {
        a.read(static_cast<Vec>(v), 0, x);
        b.read(static_cast<Vec>(v), 0, y);
        for (std::size_t i = 0; i < size && !::testing::Test::HasFatalFailure(); ++i)
            expect_same_bits(x[i], y[i], names[v], pass, i);
    }
    const Scalars sa = a.scalars(), sb = b.scalars();
    expect_same_bits(sa.rho, sb.rho, "rho", pass, 0);
    expect_same_bits(sa.pq, sb.pq, "pq", pass, 0);
    expect_same_bits(sa.qq, sb.qq, "qq", pass, 0);
    expect_same_bits(sa.alpha, sb.alpha, "alpha", pass, 0);
    expect_same_bits(sa.sigma, sb.sigma, "sigma", pass, 0);
    expect_same_bits(sa.beta, sb.beta, "beta", pass, 0);
}

/// A start as an outer loop makes it (r = p = defect, all else +0), then `passes` passes one by one.
inline void compare_passes(const Engine& subject, const Engine& reference, const System& system,
                           const DatapathSpec& spec, std::uint64_t passes, std::uint64_t seed) {
    const auto a = subject.load(system, spec, {}), b = reference.load(system, spec, {});
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> d(system.size());
    double norm = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
        d[i] = system.kind() == System::Kind::stencil && system.on_edge(i) ? 0.0 : normal(random);
        norm += d[i] * d[i];
    }
    for (double& v : d) v /= std::sqrt(norm);
    for (Session* s : {a.get(), b.get()}) {
        s->write(Vec::r, 0, d);
        s->set_scalars(0, 0);
    }
    for (std::uint64_t pass = 1; pass <= passes; ++pass) {
        const RunReport ra = a->run({}), rb = b->run({});
        ASSERT_EQ(to_string(ra.end), to_string(rb.end)) << "pass " << pass << " " << a->fault();
        ASSERT_EQ(ra.passes, rb.passes);
        ASSERT_EQ(ra.sigma_guards, rb.sigma_guards) << "pass " << pass;
        expect_same_words(ra.words, rb.words, pass);
        expect_same_state(*a, *b, system.size(), pass);
        if (::testing::Test::HasFatalFailure() || ra.end != RunEnd::passes) return;
    }
}

} // namespace mantissa::sim::test
