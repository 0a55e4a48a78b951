#include "mantissa/sparse/row_defect.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "../multilevel/blocked_sums.hpp"
#include "mantissa/format.hpp"

namespace mantissa {

void form_defect(const CompressedRows& a, std::span<const double> b, std::span<const double> x, std::span<double> d) {
    const auto& begin = a.row_begin();
    const auto& column = a.column();
    const auto& value = a.value();
    const auto rows = static_cast<std::ptrdiff_t>(a.rows());
#pragma omp parallel for schedule(static) if (a.rows() >= detail::kWorthThreads)
    for (std::ptrdiff_t row = 0; row < rows; ++row) {
        const auto i = static_cast<std::size_t>(row);
        double left = b[i];
        for (std::uint64_t k = begin[i]; k < begin[i + 1]; ++k) left -= value[k] * x[column[k]];
        d[i] = left;
    }
}

double sum_of_squares(std::span<const double> v) {
    double sum = 0;
    for (const double x : v) sum += x * x;
    return sum;
}

std::vector<double> jacobi_inverse(const CompressedRows& a) {
    const auto& begin = a.row_begin();
    std::vector<double> inverse(a.rows());
    const auto rows = static_cast<std::ptrdiff_t>(a.rows());
    std::ptrdiff_t wrong = rows; // the first; nothing may be thrown among threads
#pragma omp parallel for schedule(static) reduction(min : wrong) if (a.rows() >= detail::kWorthThreads)
    for (std::ptrdiff_t row = 0; row < rows; ++row) {
        const auto i = static_cast<std::size_t>(row);
        double diagonal = 0;
        for (std::uint64_t k = begin[i]; k < begin[i + 1]; ++k)
            if (a.column()[k] == i) diagonal += a.value()[k];
        if (!(diagonal > 0)) wrong = std::min(wrong, row);
        inverse[i] = 1 / diagonal;
    }
    if (wrong < rows)
        throw InvalidInput(
            fmt::format("Jacobi preconditioner: diagonal element {} is not above zero; solve without it", wrong));
    return inverse;
}

} // namespace mantissa
