#include "mantissa/host/residual.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <limits>
#include <mutex>
#include <vector>

#include "mantissa/dyadic.hpp"
#include "mantissa/format.hpp"
#include "mantissa/outer/defect.hpp"
#include "mantissa/outer_order.hpp"
#include "running/parallel.hpp"

namespace mantissa {

namespace {

/// ||b - A u|| / ||b|| from sums without any rounding, to about 2^-50; on `decides`' side where there is one.
double exact_relative_residual(const System& system, std::span<const double> u, std::span<const double> b,
                               std::optional<double> decides) {
    Dyadic dd, bb;
    for (std::size_t i = 0; i < b.size(); ++i) {
        dd.add_square(exact_defect_row(system, i, u, b[i]));
        bb.add_product(b[i], b[i]);
    }
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (dd.sign() == 0) return 0;
    if (bb.sign() == 0) return kInfinity;
    const double quotient = dd.root_of_quotient(bb);
    if (!decides) return quotient;
    // The quotient is rounded, the comparison is not.
    if (std::is_lt(compare_norms(dd, bb, *decides))) return std::min(quotient, std::nextafter(*decides, 0.0));
    return std::max(quotient, *decides);
}

/// Pieces of whole grid rows of a stencil, and of rows by their entries.
template <class Work> void for_rows(const System& system, int threads, const Work& work) {
    const std::size_t size = system.size(), unit = system.kind() == System::Kind::stencil ? system.row_length() : 1;
    const auto* const rows = std::get_if<CompressedRows>(&system.matrix());
    const std::size_t each = rows != nullptr && size != 0 ? 1 + rows->nonzeros() / size : 1;
    running::for_pieces(threads, size, unit, work, each);
}

using outer_order::kNormBlock;

double sum_of_squares(std::span<const double> v, double scale, int threads) {
    std::vector<double> blocks((v.size() + kNormBlock - 1) / kNormBlock);
    running::for_pieces(threads, v.size(), kNormBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; i += kNormBlock)
            blocks[i / kNormBlock] = outer_order::block_squares(v.data() + i, std::min(kNormBlock, end - i), scale);
    });
    double sum = 0;
    for (const double block : blocks) sum += block;
    return sum;
}

} // namespace

void defect(const System& system, std::span<const double> u, std::span<const double> b, std::span<double> d,
            int threads) {
    const std::size_t size = system.size();
    if (u.size() != size || b.size() != size || d.size() != size)
        throw InvalidInput("defect: u, b and d must have as many elements as the system");
    for_rows(system, threads, [&](std::size_t begin, std::size_t end) {
        outer::defect_piece(system, begin, end, u.data(), b.data(), d.data());
    });
}

double certain_defect(const System& system, std::span<const double> u, std::span<const double> b, std::span<double> d,
                      int threads) {
    const std::size_t size = system.size();
    if (u.size() != size || b.size() != size || d.size() != size)
        throw InvalidInput("defect: u, b and d must have as many elements as the system");
    std::mutex one;
    certain::RowSizes all;
    for_rows(system, threads, [&](std::size_t begin, std::size_t end) {
        const certain::RowSizes some = certain::defect_piece(system, begin, end, u.data(), b.data(), d.data());
        const std::lock_guard lock(one);
        all.include(some);
    });
    return all.error();
}

std::optional<double> certain_relative_residual(const certain::Norm& d, std::span<const double> b, int threads,
                                                std::optional<double> decides) {
    const double norm_b = norm2(b, threads);
    if (norm_b == 0 && d.value == 0 && d.error == 0) return 0;
    const certain::Quotient q = certain::quotient(d, certain::norm_of(norm_b, 0, b.size()));
    if (q.sure() && (!decides || q.decides(*decides))) return q.value;
    return std::nullopt;
}

double relative_residual(const System& system, std::span<const double> u, std::span<const double> b, int threads,
                         std::optional<double> decides) {
    if (!running::all_finite(threads, u) || !running::all_finite(threads, b))
        return std::numeric_limits<double>::infinity();
    std::vector<double> d(system.size());
    const double largest_error = certain_defect(system, u, b, d, threads);
    const certain::Norm norm = certain::norm_of(norm2(d, threads), largest_error, d.size());
    if (const auto known = certain_relative_residual(norm, b, threads, decides)) return *known;
    return exact_relative_residual(system, u, b, decides);
}

double norm2(std::span<const double> v, int threads) {
    const double sum = sum_of_squares(v, 1.0, threads);
    if (outer_order::squares_suffice(sum)) return std::sqrt(sum);
    return outer_order::scaled_norm(v, [&](double scale) { return sum_of_squares(v, scale, threads); });
}

} // namespace mantissa
