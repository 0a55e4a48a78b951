#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "../blocked_sums.hpp"
#include "aggregates.hpp"
#include "largest.hpp"
#include "levels.hpp"
#include "mantissa/format.hpp"
#include "mantissa/multilevel/aggregation.hpp"
#include "mantissa/multilevel/hierarchy.hpp"
#include "prolongation.hpp"
#include "strength.hpp"

namespace mantissa::multilevel {

namespace {

/// The matrix with a unit diagonal and without stored zeros; `scale` gets S.
RealRows scaled_rows(const CompressedRows& a, int threads, std::vector<double>& scale) {
    require_numbered_entries(a.nonzeros());
    const auto& begin = a.row_begin();
    scale.assign(a.rows(), 0.0);
    RealRows scaled;
    scaled.rows = scaled.columns = static_cast<std::uint32_t>(a.rows());
    scaled.begin.assign(a.rows() + 1, 0);
    detail::for_each_row(a.rows(), threads, [&](std::size_t row) {
        std::uint32_t entries = 0;
        for (std::uint64_t k = begin[row]; k < begin[row + 1]; ++k) {
            if (a.column()[k] == row && a.value()[k] > 0) scale[row] = 1 / std::sqrt(a.value()[k]);
            entries += a.value()[k] != 0 ? 1 : 0;
        }
        scaled.begin[row + 1] = entries;
    });
    const auto none = std::find(scale.begin(), scale.end(), 0.0);
    if (none != scale.end()) refuse_diagonal(static_cast<std::size_t>(none - scale.begin()));
    for (std::size_t row = 0; row < a.rows(); ++row) scaled.begin[row + 1] += scaled.begin[row];
    scaled.column.resize(scaled.begin.back());
    scaled.value.resize(scaled.begin.back());
    detail::for_each_row(a.rows(), threads, [&](std::size_t row) {
        std::uint32_t to = scaled.begin[row];
        for (std::uint64_t k = begin[row]; k < begin[row + 1]; ++k) {
            const std::uint32_t column = a.column()[k];
            if (a.value()[k] == 0) continue;
            scaled.column[to] = column;
            scaled.value[to++] = column == row ? 1.0 : scale[row] * scale[column] * a.value()[k];
        }
    });
    return scaled;
}

/// The functions of the scaled unknowns, S^-1 times those that were given.
detail::Unknowns first_unknowns(const NearKernel& kernel, const std::vector<double>& scale, int threads) {
    const std::size_t rows = scale.size();
    for (std::size_t f = 0; f < kernel.functions.size(); ++f)
        if (kernel.functions[f].size() != rows)
            throw InvalidInput(
                fmt::format("multilevel: near-kernel function {} has {} elements, the matrix has {} rows: "
                            "give one for each",
                            f + 1, kernel.functions[f].size(), rows));
    detail::Unknowns unknowns;
    unknowns.functions = std::max<std::size_t>(1, kernel.functions.size());
    unknowns.kernel.resize(rows * unknowns.functions);
    detail::for_each_row(rows, threads, [&](std::size_t i) {
        for (std::size_t f = 0; f < unknowns.functions; ++f)
            unknowns.kernel[i * unknowns.functions + f] =
                (kernel.functions.empty() ? 1.0 : kernel.functions[f][i]) / scale[i];
    });
    return unknowns;
}

std::vector<double> first_function(const detail::Unknowns& unknowns) {
    std::vector<double> function(unknowns.count());
    for (std::size_t i = 0; i < function.size(); ++i) function[i] = unknowns.kernel[i * unknowns.functions];
    return function;
}

/// What the product A P takes, A symmetric.
double additions(const RealRows& a, const RealRows& p) {
    double sum = 0;
    for (std::size_t row = 0; row < a.rows; ++row)
        sum +=
            static_cast<double>(a.begin[row + 1] - a.begin[row]) * static_cast<double>(p.begin[row + 1] - p.begin[row]);
    return sum;
}

class HostSteps final : public AggregationSteps {
public:
    HostSteps(const CompressedRows& given, const NearKernel& kernel, int threads) : threads_(threads) {
        a_ = scaled_rows(given, threads, h_.scale);
        unknowns_ = first_unknowns(kernel, h_.scale, threads);
    }
    Size begin_level() override {
        Level& level = h_.level.emplace_back();
        level.a = std::move(a_);
        level.kernel = first_function(unknowns_);
        level.largest = detail::largest_eigenvalue(level.a, level.kernel, threads_);
        return {level.a.rows, level.a.value.size()};
    }
    Coarse coarsen(double threshold) override {
        couplings_ = detail::find_couplings(h_.level.back().a, unknowns_, threshold, kAlone, threads_);
        aggregates_ = detail::make_aggregates(h_.level.back().a, unknowns_, couplings_, threads_);
        return make_functions();
    }
    Coarse keep_one() override {
        aggregates_.of.front() = 0;
        aggregates_.count = 1;
        return make_functions();
    }
    double smooth() override {
        const Level& level = h_.level.back();
        p_ = detail::smoothed_functions(level.a, unknowns_, couplings_, aggregates_, tentative_, level.largest,
                                        threads_);
        return additions(level.a, p_);
    }
    bool project() override {
        // An entry that is tiny for one function need not be so for another.
        const std::size_t functions = unknowns_.functions;
        const std::vector<double> function = functions == 1 ? first_function(tentative_.next) : std::vector<double>();
        const std::vector<double> scale = detail::make_next(h_.level.back(), std::move(p_), function, a_, threads_);
        if (scale.empty()) return false;
        unknowns_ = std::move(tentative_.next);
        detail::for_each_row(a_.rows, threads_, [&](std::size_t i) {
            for (std::size_t f = 0; f < functions; ++f) unknowns_.kernel[i * functions + f] /= scale[i];
        });
        return true;
    }
    bool invert() override {
        h_.coarsest = detail::dense_inverse(h_.level.back().a);
        return !h_.coarsest.empty();
    }
    [[nodiscard]] Hierarchy take(std::string why_not) {
        h_.why_not = std::move(why_not);
        return std::move(h_);
    }
    [[nodiscard]] std::size_t functions() const { return unknowns_.functions; }

private:
    Coarse make_functions() {
        tentative_ = detail::orthonormal_functions(unknowns_, aggregates_, threads_);
        return {tentative_.next.count(), aggregates_.count};
    }

    int threads_;
    Hierarchy h_;
    RealRows a_; ///< of the level that begins next
    detail::Unknowns unknowns_;
    // What the last level is coarsened with.
    detail::Couplings couplings_;
    detail::Aggregates aggregates_;
    detail::Tentative tentative_;
    RealRows p_; ///< columns not scaled yet
};

} // namespace

Hierarchy make_aggregation(const CompressedRows& given, const NearKernel& kernel, int threads) {
    HostSteps steps(given, kernel, std::max(1, threads));
    return steps.take(make_levels(steps, steps.functions()));
}

} // namespace mantissa::multilevel
