// Systems for the integer core.
#pragma once

#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "../support/symmetric_systems.hpp"
#include "../support/test_systems.hpp"
#include "mantissa/fitted.hpp"
#include "specs.hpp"
#include "systems.hpp"

namespace mantissa::sim::test {

/// A system for an integer core, scaled as a solve scales it where its kind says so.
inline System system_of(Matrix matrix, const DatapathSpec& spec, std::size_t row_length, std::size_t rows) {
    const auto scaled = [&](const System& system) {
        const auto fit = fitted(system, spec);
        return fit ? fit->system : system;
    };
    const auto seed = static_cast<unsigned>(row_length);
    switch (matrix) {
    case Matrix::box:
        return scaled(poisson_stencil(row_length, rows));
    case Matrix::general:
        return mantissa::testing::stencil_system(row_length, rows);
    case Matrix::bands:
        return scaled(mantissa::testing::symmetric_bands(row_length, rows, seed, false));
    default:
        return scaled(random_bands(row_length, rows, seed));
    }
}

/// "spec0_lanes4_bands": the spec's place in kFixedSpecs.
inline std::string name_of_case(const ::testing::TestParamInfo<FixedCase>& info) {
    const char* const kinds[] = {"box", "general", "bands", "bands_with_sums"};
    std::size_t place = 0;
    for (std::size_t k = 0; k < std::size(kFixedSpecs); ++k)
        if (info.param.spec.starts_with(kFixedSpecs[k])) place = k;
    return "spec" + std::to_string(place) + "_lanes" + std::to_string(parse_spec(info.param.spec).lanes) + "_" +
           kinds[static_cast<int>(info.param.matrix)] + (info.param.rules ? "_rules" : "");
}

/// "cores2_lanes4_bands".
inline std::string name_of_cores_case(const ::testing::TestParamInfo<CoresCase>& info) {
    const char* const kinds[] = {"box", "general", "bands", "bands_with_sums"};
    return "cores" + std::to_string(info.param.cores) + "_lanes" + std::to_string(parse_spec(info.param.spec).lanes) +
           "_" + kinds[static_cast<int>(info.param.matrix)];
}

} // namespace mantissa::sim::test
