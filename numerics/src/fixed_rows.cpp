#include "mantissa/fixed_rows.hpp"

#include <algorithm>

#include "emulated/fixed_matrix.hpp"

namespace mantissa::fixed {

namespace {

int row_shift(const DatapathSpec& spec) {
    return spec.coefficient.fraction_bits + spec.p.fraction_bits - spec.q.fraction_bits;
}

} // namespace

StencilRow stencil_row(const Stencil& stencil, const DatapathSpec& spec) {
    const detail::FixedMatrix matrix = detail::fixed_matrix(stencil, spec.coefficient);
    const int common = detail::common_power(matrix.stencil);
    StencilRow row;
    row.shift = row_shift(spec) - common;
    for (std::size_t b = 0; b < kBands; ++b) row.coefficient[b] = matrix.stencil[b] >> common;
    return row;
}

FluxRows flux_rows(const System& system, const DatapathSpec& spec) {
    if (system.kind() != System::Kind::bands && system.kind() != System::Kind::symmetric)
        throw InvalidInput("fluxes are formed of nine-band matrices; this one is " + to_string(system.kind()));
    if (system.kind() == System::Kind::bands)
        if (const std::string why = asymmetry(std::get<Bands>(system.matrix())); !why.empty()) throw InvalidInput(why);
    const detail::FixedMatrix matrix = detail::fixed_matrix(system, spec.coefficient);
    FluxRows rows;
    rows.shift = row_shift(spec);
    const auto note = [&](Word word) { rows.longest = std::max(rows.longest, bits_of(word)); };
    for (std::size_t d = 0; d < kWeights; ++d) {
        rows.weight[d].resize(matrix.size);
        for (std::size_t i = 0; i < matrix.size; ++i) {
            rows.weight[d][i] = -matrix.bands[weight_band(d)][i];
            note(rows.weight[d][i]);
        }
    }
    bool any = false;
    rows.row_sum.assign(matrix.size, 0);
    for (std::size_t i = 0; i < matrix.size; ++i) {
        for (const auto& band : matrix.bands) rows.row_sum[i] += band[i];
        note(rows.row_sum[i]);
        any |= rows.row_sum[i] != 0;
    }
    if (!any) rows.row_sum.clear();
    return rows;
}

} // namespace mantissa::fixed
