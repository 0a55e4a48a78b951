// A session owns what it needs: the system that it was loaded from may change and go.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/engine.hpp"

namespace mantissa::session_test {

/// Loads `system` twice, spoils and destroys one of the two copies, and expects the same bits from both sessions.
inline void expect_session_owns_its_system(const Engine& engine, const System& system, const DatapathSpec& spec,
                                           const SessionOptions& options = {}) {
    SCOPED_TRACE(engine.name() + " " + to_string(spec) + " " + to_string(system.kind));
    const auto kept = engine.load(system, spec, options);
    auto copy = std::make_unique<System>(system);
    const auto orphan = engine.load(*copy, spec, options);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    copy->stencil.coefficients.fill(nan);
    copy->stencil.row_length = copy->stencil.rows = 0;
    for (auto& band : copy->bands.band) std::fill(band.begin(), band.end(), nan);
    std::fill(copy->sparse.value.begin(), copy->sparse.value.end(), nan);
    std::fill(copy->sparse.column.begin(), copy->sparse.column.end(), 0U);
    std::fill(copy->sparse.row_begin.begin(), copy->sparse.row_begin.end(), std::uint64_t{0});
    copy->bands.row_length = copy->size = 0;
    copy.reset();
    std::vector<double> r(system.size, 0.0), a(system.size), b(system.size);
    for (std::size_t i = 0; i < r.size(); ++i)
        if (system.kind != System::Kind::stencil || !system.on_edge(i)) r[i] = 0.01 * static_cast<double>(1 + i % 7);
    for (const auto& session : {kept.get(), orphan.get()}) {
        session->write(Vec::r, 0, r);
        EXPECT_EQ(session->run({.passes = 4}).passes, 4U);
    }
    for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) {
        kept->read(v, 0, a);
        orphan->read(v, 0, b);
        const auto same = [](double x, double y) {
            return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
        };
        EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), same));
    }
    EXPECT_EQ(kept->scalars().rho, orphan->scalars().rho);
    // The outer loop's vectors, where the engine keeps them, multiply by the matrix in double precision.
    if (OuterVectors* const own = kept->outer(), * const other = orphan->outer(); own != nullptr) {
        ASSERT_NE(other, nullptr);
        own->load(a, r, r);
        other->load(a, r, r);
        EXPECT_EQ(own->defect(), other->defect());
    }
}

} // namespace mantissa::session_test
