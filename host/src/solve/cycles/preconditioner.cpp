// A multilevel cycle as the preconditioner of a recurrence.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "../inner.hpp"
#include "mantissa/multilevel/cycle.hpp"

namespace mantissa::solving {

namespace {

/// (A + A^T) / 2.
CompressedRows symmetric_part(const CompressedRows& a) {
    std::vector<std::map<std::uint32_t, double>> row(a.rows());
    for (std::uint32_t i = 0; i < a.rows(); ++i)
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k) {
            row[i][a.column()[k]] += a.value()[k] / 2;
            row[a.column()[k]][i] += a.value()[k] / 2;
        }
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (const auto& entries : row) {
        for (const auto& [j, x] : entries) {
            column.push_back(j);
            value.push_back(x);
        }
        begin.push_back(column.size());
    }
    return {std::move(begin), std::move(column), std::move(value)};
}

} // namespace

recurrence::Preconditioner make_preconditioner(const Problem& problem, const SolveOptions& options) {
    if (!options.preconditioner) return {};
    const auto* const rows = std::get_if<CompressedRows>(&problem.system.matrix());
    const bool in_part = !problem.symmetric && rows != nullptr;
    std::shared_ptr<Cycle> cycle;
    try {
        cycle = make_cycle(in_part ? System(symmetric_part(*rows)) : problem.system, *options.preconditioner,
                           options.threads);
    } catch (const InvalidInput& e) {
        if (!in_part) throw;
        constexpr std::string_view kWho = "multilevel: "; // after "preconditioner", or alone
        const std::string why = e.what();
        const std::size_t at = why.find(kWho);
        throw InvalidInput("preconditioner multilevel, on the matrix's symmetric part: " +
                           (at == std::string::npos ? why : why.substr(at + kWho.size())));
    }
    return [cycle](std::span<const double> x, std::span<double> out) {
        // (What follows a value that is not finite is the recurrence's to say.)
        if (std::ranges::all_of(x, [](double value) { return std::isfinite(value); })) cycle->correct(x, out);
        else std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
    };
}

} // namespace mantissa::solving
