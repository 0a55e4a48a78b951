// What rows of differences (RowOrder::flux and RowOrder::second_difference) are formed from, and where they mean
// something. engine.hpp defines the rows.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "mantissa/spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa {

/// A constant stencil as fluxes: weights towards E, NW, N and NE (a zero coefficient's is +0) and the row sum.
struct StencilFluxes {
    std::array<double, kWeights> weight{};
    double c = 0;
    friend bool operator==(const StencilFluxes&, const StencilFluxes&) = default;
};
/// Nothing where opposite coefficients differ.
[[nodiscard]] std::optional<StencilFluxes> fluxes(const Stencil& stencil);

/// A constant stencil as second differences: with e towards east and west, n towards north and south and d towards the
/// four corners, alpha = e + 2d, beta = n + 2d, gamma = d, formed in double, and the row sum c = row_sum(). For three
/// times the bilinear elements of the Laplacian (8, -1) alpha = beta = -3, gamma = -1, c = 0.
struct SecondDifferences {
    double alpha = 0, beta = 0, gamma = 0, c = 0;
    friend bool operator==(const SecondDifferences&, const SecondDifferences&) = default;
};
/// Nothing where east differs from west, north from south, or one corner from another.
[[nodiscard]] std::optional<SecondDifferences> second_differences(const Stencil& stencil);

/// Why rows of `system` cannot be formed by `order`, in one line; empty where they can.
[[nodiscard]] std::string row_form_refusal(RowOrder order, const System& system);

/// The kind of matrix that `order` forms rows from, where it is another than the system's: nine bands for the products
/// of symmetric ones, symmetric bands for the fluxes of nine. Nothing where the system is that already. Throws
/// InvalidInput with row_form_refusal()'s line.
[[nodiscard]] std::optional<System> converted_for(RowOrder order, const System& system);

} // namespace mantissa
