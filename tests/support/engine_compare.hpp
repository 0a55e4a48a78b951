// Any engine against the reference pass, bit for bit, at every iteration.
#pragma once

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/engine.hpp"
#include "reference_pass.hpp"

namespace mantissa::testing {

inline System stencil_system(std::size_t columns, std::size_t rows) {
    std::array<double, kBands> c{};
    for (std::size_t b = 0; b < kBands; ++b) c[b] = b == 4 ? 8.0 / 3 : -1.0 / 3;
    c[1] = c[7] = -0.25;
    return Stencil(columns, rows, c);
}

inline System band_system(std::size_t columns, std::size_t rows, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0.05, 0.3);
    Bands::Array bands;
    for (auto& band : bands) band.resize(columns * rows);
    for (std::size_t i = 0; i < columns * rows; ++i)
        for (std::size_t k = 0; k < kBands; ++k) {
            const auto row = static_cast<std::ptrdiff_t>(i / columns),
                       column = static_cast<std::ptrdiff_t>(i % columns);
            const auto r = row + static_cast<std::ptrdiff_t>(k) / 3 - 1,
                       c = column + static_cast<std::ptrdiff_t>(k) % 3 - 1;
            const bool inside =
                r >= 0 && c >= 0 && r < static_cast<std::ptrdiff_t>(rows) && c < static_cast<std::ptrdiff_t>(columns);
            const double value = k == 4 ? 2.7 + uniform(random) : -uniform(random);
            bands[k][i] = inside ? value : 0.0;
        }
    return Bands(columns, std::move(bands));
}

/// A start that is zero on a stencil's edge and random elsewhere.
inline std::vector<double> random_residual(const System& system) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal(0.0, 0.01);
    std::vector<double> r(system.size());
    for (double& x : r) x = normal(random);
    if (system.kind() == System::Kind::stencil)
        for (std::size_t i = 0; i < system.size(); ++i)
            if (system.on_edge(i)) r[i] = 0;
    return r;
}

/// Runs `passes` passes one at a time and compares u, r, p, q and the scalars after each.
inline void compare_with_reference(const Engine& engine, const std::string& text, const System& system,
                                   std::size_t passes) {
    SCOPED_TRACE(text + " " + to_string(system.kind()) + " row length " + std::to_string(system.row_length()) +
                 " size " + std::to_string(system.size()));
    const DatapathSpec spec = parse_spec(text);
    const auto session = engine.load(system, spec, {});
    ReferenceSession reference(system, spec);
    const std::vector<double> r0 = random_residual(system);
    session->write(Vec::r, 0, r0);
    reference.write(Vec::r, r0);
    const Format formats[] = {spec.u, spec.r, spec.p, spec.q};
    const char* names[] = {"u", "r", "p", "q"};
    std::vector<double> got(system.size());
    for (std::size_t pass = 1; pass <= passes; ++pass) {
        const RunReport report = session->run({.passes = 1});
        const ScalarStep want = reference.pass();
        const auto same = [&](const Format& f, const char* what, std::size_t i, double x, double y) {
            ASSERT_EQ(encode(f, x), encode(f, y)) << what << "[" << i << "] after pass " << pass << ": got "
                                                  << bit_string(f, x) << ", want " << bit_string(f, y);
        };
        for (std::size_t k = 0; k < 4; ++k) {
            session->read(static_cast<Vec>(k), 0, got);
            for (std::size_t i = 0; i < system.size(); ++i) {
                same(formats[k], names[k], i, got[i], reference.v[k][i]);
                if (::testing::Test::HasFatalFailure()) return;
            }
        }
        const Scalars s = session->scalars();
        same(spec.scalar, "rho", 0, s.rho, want.scalars.rho);
        same(spec.scalar, "pq", 0, s.pq, want.scalars.pq);
        same(spec.scalar, "qq", 0, s.qq, want.scalars.qq);
        same(spec.scalar, "alpha", 0, s.alpha, want.scalars.alpha);
        same(spec.scalar, "sigma", 0, s.sigma, want.scalars.sigma);
        same(spec.scalar, "beta", 0, s.beta, want.scalars.beta);
        ASSERT_EQ(report.end, want.end);
        ASSERT_EQ(report.sigma_guards, want.sigma_guarded ? 1U : 0U);
        if (want.end != RunEnd::passes || ::testing::Test::HasFatalFailure()) return;
    }
}

inline std::string test_name(std::string text) {
    for (char& c : text)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return text;
}

} // namespace mantissa::testing
