#include "mantissa/row_forms.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa {

namespace {

/// The first coefficient that differs from that of band `other(band)`, for bands `first` to 8; empty when there is
/// none.
template <class Other> std::string difference(const std::array<double, kBands>& c, std::size_t first, Other&& other) {
    for (std::size_t b = first; b < kBands; ++b)
        if (c[b] != c[other(b)])
            return fmt::format("its {} coefficient is {}, its {} one {}", neighbour_name(b), c[b],
                               neighbour_name(other(b)), c[other(b)]);
    return {};
}

std::string skew(const Stencil& stencil) {
    return difference(stencil.coefficients(), 5, [](std::size_t b) { return mirrored_band(b); });
}

std::string not_by_axes(const Stencil& stencil) {
    // West for east, south for north, south-west for every corner.
    return difference(stencil.coefficients(), 1, [](std::size_t b) {
        return b == 4 ? b : b == 1 || b == 3 || b == 5 || b == 7 ? std::min(b, mirrored_band(b)) : std::size_t{0};
    });
}

std::string flux_refusal(const System& system) {
    return std::visit(Overloaded{[](const Stencil& m) {
                                     std::string why = skew(m);
                                     return why.empty() ? why
                                                        : "order=flux: the stencil is not symmetric: " + why +
                                                              "; use order=chain or tree";
                                 },
                                 [](const Bands& m) {
                                     std::string why = asymmetry(m);
                                     return why.empty() ? why : "order=flux: " + why;
                                 },
                                 [](const CompressedRows&) {
                                     return std::string("order=flux: sparse rows have no grid to take differences on; "
                                                        "use order=chain or tree");
                                 },
                                 [](const SymmetricBands&) { return std::string(); }},
                      system.matrix());
}

std::string second_difference_refusal(const System& system) {
    const Stencil* const stencil = std::get_if<Stencil>(&system.matrix());
    if (stencil == nullptr)
        return fmt::format("order=second-difference: it takes a constant stencil, and this system is of kind {}; use "
                           "order={}",
                           to_string(system.kind()), system.row_length() == 0 ? "chain or tree" : "flux");
    const std::string why = not_by_axes(*stencil);
    if (why.empty()) return {};
    return fmt::format("order=second-difference: the stencil needs equal coefficients east and west, north and south, "
                       "and at all corners: {}; use order={}",
                       why, skew(*stencil).empty() ? "flux" : "chain or tree");
}

} // namespace

std::optional<StencilFluxes> fluxes(const Stencil& stencil) {
    if (!skew(stencil).empty()) return std::nullopt;
    StencilFluxes f;
    for (std::size_t d = 0; d < kWeights; ++d) f.weight[d] = 0.0 - stencil.coefficients()[weight_band(d)];
    f.c = row_sum(stencil.coefficients());
    return f;
}

std::optional<SecondDifferences> second_differences(const Stencil& stencil) {
    if (!not_by_axes(stencil).empty()) return std::nullopt;
    const auto& c = stencil.coefficients();
    return SecondDifferences{c[5] + 2 * c[8], c[7] + 2 * c[8], c[8], row_sum(c)};
}

std::string row_form_refusal(RowOrder order, const System& system) {
    if (order == RowOrder::flux) return flux_refusal(system);
    if (order == RowOrder::second_difference) return second_difference_refusal(system);
    return {};
}

std::optional<System> converted_for(RowOrder order, const System& system) {
    if (const SymmetricBands* const m = std::get_if<SymmetricBands>(&system.matrix());
        m != nullptr && adds_products(order))
        return m->bands();
    if (const Bands* const m = std::get_if<Bands>(&system.matrix()); m != nullptr && order == RowOrder::flux)
        return SymmetricBands::from(*m);
    if (const std::string why = row_form_refusal(order, system); !why.empty()) throw InvalidInput(why);
    return std::nullopt;
}

} // namespace mantissa
