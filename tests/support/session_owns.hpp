// A session owns what it needs: the system that it was loaded from may change and go.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/engine.hpp"

namespace mantissa::session_test {

/// Matrices of the same shape with every value moved away.
inline System spoiled(const Stencil& m) {
    std::array<double, kBands> c = m.coefficients();
    for (double& value : c) value = 7 - value;
    return Stencil(m.row_length(), m.rows(), c);
}
inline System spoiled(const Bands& m) {
    Bands::Array bands = m.bands();
    for (auto& band : bands)
        for (double& value : band) value = value == 0 ? 0 : 7 - value;
    return Bands(m.row_length(), std::move(bands));
}
inline System spoiled(const CompressedRows& m) {
    std::vector<double> values = m.value();
    for (double& value : values) value = 7 - value;
    return m.with_values(std::move(values));
}
inline System spoiled(const SymmetricBands& m) {
    SymmetricBands::Array weights = m.weights();
    for (auto& weight : weights)
        for (double& value : weight) value = value == 0 ? 0 : 7 - value;
    return SymmetricBands(m.row_length(), std::move(weights), std::vector<double>(m.size(), 7.0));
}

/// Loads `system` twice, spoils and destroys one of the two copies, and expects the same bits from both sessions.
inline void expect_session_owns_its_system(const Engine& engine, const System& system, const DatapathSpec& spec,
                                           const SessionOptions& options = {}) {
    SCOPED_TRACE(engine.name() + " " + to_string(spec) + " " + to_string(system.kind()));
    const auto kept = engine.load(system, spec, options);
    auto copy = std::make_unique<System>(system);
    const auto orphan = engine.load(*copy, spec, options);
    // Other values of the same shape, copied into the place of the first ones.
    const System changed = std::visit([](const auto& m) { return spoiled(m); }, system.matrix());
    *copy = changed;
    copy.reset();
    std::vector<double> r(system.size(), 0.0), a(system.size()), b(system.size());
    for (std::size_t i = 0; i < r.size(); ++i)
        if (system.kind() != System::Kind::stencil || !system.on_edge(i)) r[i] = 0.01 * static_cast<double>(1 + i % 7);
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
    if (const auto own = kept->outer(system, nullptr), other = orphan->outer(system, nullptr); own) {
        ASSERT_TRUE(other);
        for (const auto& vectors : {own.get(), other.get()}) {
            vectors->load(a, r, r);
            vectors->defect();
        }
        EXPECT_EQ(own->norm(), other->norm());
    }
}

} // namespace mantissa::session_test
