// Any engine against the reference pass, bit for bit, at every iteration.
#pragma once

#include <cctype>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/engine.hpp"
#include "reference_pass.hpp"
#include "test_systems.hpp"

namespace mantissa::testing {

/// Runs `passes` passes one at a time from `start` in r and compares u, r, p, q, the scalars and the verdict after
/// each. A run must not end before its `passes`: it would compare less than it says.
inline void compare_with_reference(const Engine& engine, const std::string& text, const System& system,
                                   std::size_t passes, const std::vector<double>& start,
                                   const SessionOptions& options = {}) {
    SCOPED_TRACE(text + " " + to_string(system.kind()) + " row length " + std::to_string(system.row_length()) +
                 " size " + std::to_string(system.size()) + " threads " + std::to_string(options.threads));
    const DatapathSpec spec = parse_spec(text);
    const auto session = engine.load(system, spec, options);
    ReferenceSession reference(system, spec);
    session->write(Vec::r, 0, start);
    reference.write(Vec::r, start);
    const Format formats[] = {spec.u, spec.r, spec.p_blocks.given() ? formats::kDouble : spec.p, spec.q};
    const char* names[] = {"u", "r", "p", "q"};
    std::vector<double> got(system.size());
    for (std::size_t pass = 1; pass <= passes; ++pass) {
        const RunReport report = session->run({.passes = 1});
        const ReferenceStep want = reference.pass();
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
        if (::testing::Test::HasFatalFailure()) return;
        if (want.end == RunEnd::passes) continue;
        EXPECT_EQ(pass, passes) << "ended early: " << to_string(want.end);
        return;
    }
}

inline void compare_with_reference(const Engine& engine, const std::string& text, const System& system,
                                   std::size_t passes) {
    compare_with_reference(engine, text, system, passes, random_residual(system, parse_spec(text).r));
}

inline std::string test_name(std::string text) {
    for (char& c : text)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return text;
}

} // namespace mantissa::testing
