#include "row_sums.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "mantissa/exact.hpp"

namespace mantissa::systems {

System with_row_sums_kept(const System& matrix, const Format& coupling, std::span<const double> scale) {
    const auto* const rows = std::get_if<CompressedRows>(&matrix.matrix());
    if (rows == nullptr)
        throw InvalidInput("couplings: only sparse rows take a format of their own off the diagonal; leave it out");
    const auto scale_of = [&](std::size_t i) { return scale.empty() ? 1.0 : scale.size() == 1 ? scale[0] : scale[i]; };
    std::vector<double> value = rows->value();
    for (std::size_t i = 0; i < rows->rows(); ++i) {
        double lost = 0; // in units of row i's own element of d
        std::size_t diagonal = value.size();
        for (std::uint64_t k = rows->row_begin()[i]; k < rows->row_begin()[i + 1]; ++k) {
            const std::size_t j = rows->column()[k];
            if (j == i) {
                diagonal = k;
                continue;
            }
            const double kept = exact::convert(coupling, value[k]);
            lost += (value[k] - kept) * (scale_of(i) / scale_of(j));
            value[k] = kept;
        }
        if (diagonal < value.size()) value[diagonal] += lost;
    }
    return rows->with_values(std::move(value));
}

} // namespace mantissa::systems
