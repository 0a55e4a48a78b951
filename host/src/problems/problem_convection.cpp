// Convection-diffusion problems by finite differences on the unit square and cube.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/symmetry.hpp"
#include "problem_kinds.hpp"
#include "random.hpp"
#include "text/key_values.hpp"

namespace mantissa::problems {

namespace {

struct Convection {
    std::size_t dimensions = 2, n = 0; ///< nodes inside along each axis
    double peclet = 100;
    bool upwind = true;
    bool recirculating = false;
    std::optional<std::uint64_t> seed; ///< of a right-hand side at random
};

using Vector = std::array<double, 3>;

/// The wind at a point of the unit square or cube, of magnitude 1 at most.
Vector wind_at(const Convection& c, const Vector& x) {
    if (!c.recirculating) return c.dimensions == 2 ? Vector{0.8, 0.6, 0} : Vector{2.0 / 3, 1.0 / 3, 2.0 / 3};
    const double across = 2 * x[0] - 1, up = 2 * x[1] - 1;
    return {up * (1 - across * across), -across * (1 - up * up), 0};
}

/// Node by node: couplings below the diagonal (the last axis first), the diagonal, couplings above it.
Problem convection(const std::string& name, const Convection& c) {
    const std::size_t n = c.n, axes = c.dimensions;
    std::array<std::size_t, 4> stride{1, n, n * n, n * n * n};
    const std::size_t size = stride[axes];
    const double h = 1.0 / static_cast<double>(n + 1);
    const auto exact = [n, h, axes, stride](std::size_t i) {
        double u = 1;
        for (std::size_t a = 0; a < axes; ++a) {
            const double t = static_cast<double>(i / stride[a] % n + 1) * h;
            u *= 4 * t * (1 - t);
        }
        return u;
    };
    std::vector<std::uint64_t> row_begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value, b;
    row_begin.reserve(size + 1);
    column.reserve((2 * axes + 1) * size);
    value.reserve((2 * axes + 1) * size);
    b.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
        std::array<std::size_t, 3> at{};
        Vector x{}, lower{}, upper{};
        for (std::size_t a = 0; a < axes; ++a) {
            at[a] = i / stride[a] % n;
            x[a] = static_cast<double>(at[a] + 1) * h;
        }
        const Vector wind = wind_at(c, x);
        double diagonal = 0, sum = 0;
        for (std::size_t a = 0; a < axes; ++a) {
            const double cell = c.peclet * h * wind[a] / 2; // half the Peclet number of a cell along this axis
            lower[a] = -1 - (c.upwind ? 2 * std::max(cell, 0.0) : cell);
            upper[a] = -1 - (c.upwind ? 2 * std::max(-cell, 0.0) : -cell);
            diagonal += 2 + (c.upwind ? 2 * std::abs(cell) : 0.0);
        }
        const auto couple = [&](std::size_t to, double coefficient) {
            if (coefficient == 0) return;
            column.push_back(static_cast<std::uint32_t>(to));
            value.push_back(coefficient);
            sum += coefficient * exact(to);
        };
        for (std::size_t a = axes; a-- > 0;)
            if (at[a] > 0) couple(i - stride[a], lower[a]);
        couple(i, diagonal);
        for (std::size_t a = 0; a < axes; ++a)
            if (at[a] + 1 < n) couple(i + stride[a], upper[a]);
        row_begin.push_back(column.size());
        b.push_back(sum);
    }
    System system(CompressedRows(std::move(row_begin), std::move(column), std::move(value)));
    const bool symmetric = !asymmetry(system);
    if (c.seed) {
        SplitMix random(*c.seed);
        for (double& x : b) x = 2 * random.unit() - 1;
        return {name, std::move(system), std::move(b), {}, {}, {}, symmetric};
    }
    return {name, std::move(system), std::move(b), exact, {}, {}, symmetric};
}

Description describe(std::string_view text, std::string_view options, std::size_t dimensions) {
    constexpr double kMost = 1e9;
    const std::uint64_t levels = dimensions == 2 ? 12 : 8;
    text::KeyValues keys(text, options, "level or n, peclet, difference, wind, rhs and seed");
    Convection c;
    c.dimensions = dimensions;
    c.n = keys.integer("n", 1, (std::uint64_t{1} << levels) - 1, 0);
    if (c.n != 0) keys.none_beside("n=", {"level"});
    else c.n = (std::size_t{1} << keys.integer("level", 1, levels, std::nullopt)) - 1;
    if (const auto peclet = keys.take("peclet"))
        if (!text::read_number(*peclet, c.peclet) || !(c.peclet >= 0 && c.peclet <= kMost))
            keys.fail(fmt::format("peclet={} must be a number from 0 to {}", base::shortened(*peclet), kMost));
    const std::string difference(keys.take("difference").value_or("upwind"));
    if (difference != "upwind" && difference != "central")
        keys.fail(fmt::format("difference={} must be upwind or central", base::shortened(difference)));
    const std::string wind(keys.take("wind").value_or("constant"));
    if (wind != "constant" && wind != "recirculating")
        keys.fail(fmt::format("wind={} must be constant or recirculating", base::shortened(wind)));
    const std::string rhs(keys.take("rhs").value_or("known"));
    if (rhs != "known" && rhs != "random")
        keys.fail(fmt::format("rhs={} must be known or random", base::shortened(rhs)));
    keys.only_with("seed", rhs == "random", "rhs=random");
    if (rhs == "random") c.seed = keys.integer("seed", 0, UINT64_MAX, 1);
    keys.finish();
    c.peclet = std::abs(c.peclet); // (-0)
    c.upwind = difference == "upwind";
    c.recirculating = wind == "recirculating";

    std::string name = fmt::format("convection{}d:n={},peclet={},difference={},wind={}", dimensions, c.n,
                                   text::shortest(c.peclet), difference, wind);
    if (c.seed) name += fmt::format(",rhs=random,seed={}", *c.seed);
    const double unknowns = std::pow(static_cast<double>(c.n), static_cast<double>(dimensions));
    return {name, unknowns, [name, c] { return convection(name, c); }};
}

} // namespace

Description describe_convection2d(std::string_view text, std::string_view options) {
    return describe(text, options, 2);
}

Description describe_convection3d(std::string_view text, std::string_view options) {
    return describe(text, options, 3);
}

} // namespace mantissa::problems
