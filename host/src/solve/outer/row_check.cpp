#include "row_check.hpp"

#include <variant>

namespace mantissa::solving {

namespace {

template <class Coefficient> RowCheck nine_point_check(Coefficient&& coefficient) {
    RowCheck check;
    for (std::size_t b = 0; b < kBands; ++b) {
        if (b == kBands / 2) check.diagonal = coefficient(b);
        else check.coupled |= coefficient(b) != 0;
    }
    return check;
}
RowCheck row_check(const Stencil& m, std::size_t i) {
    return m.on_edge(i) ? RowCheck{} : nine_point_check([&](std::size_t b) { return m.coefficients()[b]; });
}
RowCheck row_check(const Bands& m, std::size_t i) {
    return nine_point_check([&](std::size_t b) { return m.band(b)[i]; });
}
RowCheck row_check(const SymmetricBands& m, std::size_t i) {
    return nine_point_check([&](std::size_t b) { return m.coefficient(b, i); });
}
RowCheck row_check(const CompressedRows& m, std::size_t i) {
    RowCheck check;
    for (std::uint64_t k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k) {
        if (m.column()[k] == i) check.diagonal = m.value()[k];
        else check.coupled |= m.value()[k] != 0;
    }
    return check;
}

} // namespace

RowCheck row_check(const System& system, std::size_t i) {
    return std::visit([i](const auto& m) { return row_check(m, i); }, system.matrix());
}

} // namespace mantissa::solving
