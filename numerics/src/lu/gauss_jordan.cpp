#include "mantissa/lu/gauss_jordan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "float_sums.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/exact.hpp"
#include "pivot.hpp"
#include "window_sums.hpp"

namespace mantissa {

namespace lu {
namespace {

using Index = std::ptrdiff_t;

/// One elimination over [A B]: the driver over the sums' arithmetic.
template <class Sums> class Elimination {
public:
    using Value = typename Sums::Value;

    Elimination(const LuSpec& spec, Sums sums, std::size_t n, std::size_t sides, int threads)
        : spec_(spec), sums_(std::move(sums)), n_(n), sides_(sides), threads_(threads), unknown_(n) {
        std::iota(unknown_.begin(), unknown_.end(), std::size_t{0});
    }

    GaussJordanResult run() {
        for (std::size_t k = 0; k < n_ && fault_.end == LuEnd::factored; ++k) step(k);
        if (fault_.end == LuEnd::factored) read();
        result_.end = fault_.end;
        result_.at = fault_.end == LuEnd::factored ? n_ : fault_.at;
        result_.sides = sides_;
        return std::move(result_);
    }

private:
    LuSpec spec_;
    Sums sums_;
    std::size_t n_, sides_;
    int threads_;
    std::vector<std::size_t> unknown_; ///< that a column holds
    GaussJordanResult result_;
    Fault fault_;
    std::vector<Value> row_;
    double largest_ = 0;

    /// Divides row k by its pivot. False where there is none.
    bool normalise(std::size_t k, bool& overflow, bool& finite) {
        const double pivot = sums_.rounded(k, k, overflow);
        if (!overflow && pivot == 0) return false;
        const double reciprocal = exact::div(spec_.u, 1.0, pivot);
        row_.clear();
        largest_ = 0;
        for (std::size_t j = k + 1; j < n_ + sides_; ++j) {
            const double numerator = sums_.rounded(k, j, overflow);
            const double g = spec_.division == LuDivision::exact ? exact::div(spec_.u, numerator, pivot)
                                                                 : exact::mul(spec_.u, numerator, reciprocal);
            finite = finite && std::isfinite(g);
            row_.push_back(static_cast<Value>(g));
            if (!std::isfinite(g)) continue;
            largest_ = std::max(largest_, std::fabs(g));
            sums_.assign(k, j, g, overflow);
        }
        finite = finite && std::isfinite(pivot);
        return true;
    }

    void step(std::size_t k) {
        const auto [row, column] = find_pivot(spec_, sums_, n_, k);
        if (row != k) {
            sums_.exchange_rows(row, k);
            ++result_.exchanges;
        }
        if (column != k) {
            sums_.exchange_columns(column, k);
            std::swap(unknown_[column], unknown_[k]);
            ++result_.exchanges;
        }
        bool overflow = false, finite = true;
        if (!normalise(k, overflow, finite)) {
            fault_.note(LuEnd::singular, k);
            return;
        }
#pragma omp parallel for schedule(static) num_threads(threads_) reduction(|| : overflow) reduction(&& : finite)
        for (Index i = 0; i < static_cast<Index>(n_); ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (at == k) continue;
            const double l = exact::convert(spec_.l, sums_.rounded(at, k, overflow));
            finite = finite && std::isfinite(l);
            if (finite && !row_.empty()) sums_.update(at, k + 1, l, row_, largest_, overflow);
        }
        if (overflow) fault_.note(LuEnd::overflow, k);
        if (!finite) fault_.note(LuEnd::not_finite, k);
    }

    void read() {
        bool overflow = false, finite = true;
        result_.x.resize(n_ * sides_);
        for (std::size_t k = 0; k < n_; ++k)
            for (std::size_t j = 0; j < sides_; ++j) {
                const double x = sums_.rounded(k, n_ + j, overflow);
                result_.x[unknown_[k] * sides_ + j] = x;
                finite = finite && std::isfinite(x);
            }
        if (overflow) fault_.note(LuEnd::overflow, n_ - 1);
        if (!finite) fault_.note(LuEnd::not_finite, n_ - 1);
    }
};

template <class Sums>
GaussJordanResult eliminate(const LuSpec& spec, Sums sums, std::size_t n, std::size_t sides, int threads) {
    return Elimination<Sums>(spec, std::move(sums), n, sides, threads).run();
}

template <class V>
GaussJordanResult eliminate_in_window(const LuSpec& spec, std::span<const double> w, std::size_t n, std::size_t sides,
                                      int threads) {
    bool overflow = false;
    WindowSums<V> sums(spec, w, n + sides, overflow);
    if (!overflow) return eliminate(spec, std::move(sums), n, sides, threads);
    GaussJordanResult none;
    none.end = LuEnd::overflow;
    return none;
}

/// [A B] by rows.
std::vector<double> joined(const DenseMatrix& a, std::span<const double> b, std::size_t sides) {
    std::vector<double> w;
    w.reserve(a.size() * (a.size() + sides));
    for (std::size_t i = 0; i < a.size(); ++i) {
        w.insert(w.end(), a.row(i).begin(), a.row(i).end());
        const auto side = b.subspan(i * sides, sides);
        w.insert(w.end(), side.begin(), side.end());
    }
    return w;
}

void require(const LuSpec& spec, std::size_t n, std::size_t elements, std::size_t sides) {
    spec.validate_bits();
    if (spec.order != LuOrder::right)
        throw InvalidInput(fmt::format("'{}': Gauss-Jordan takes each column off every row at once: write order=right",
                                       to_string(spec)));
    if (spec.pivot == LuPivot::tournament)
        throw InvalidInput(fmt::format("'{}': Gauss-Jordan has no tournament: write pivot=partial", to_string(spec)));
    if (elements != n * sides)
        throw InvalidInput(
            fmt::format("Gauss-Jordan: {} elements are not {} rows of {} right-hand sides", elements, n, sides));
}

} // namespace
} // namespace lu

GaussJordanResult gauss_jordan(const LuSpec& spec, const DenseMatrix& a, std::span<const double> b, std::size_t sides,
                               int threads) {
    const std::size_t n = a.size();
    lu::require(spec, n, b.size(), sides);
    const std::vector<double> w = lu::rounded_into(spec.a, lu::joined(a, b, sides));
    GaussJordanResult none;
    none.end = LuEnd::not_finite;
    none.at = n + sides;
    for (std::size_t i = 0; i < w.size(); ++i) // the first column of [A B] that holds such a value
        if (!std::isfinite(w[i])) none.at = std::min(none.at, i % (n + sides));
    if (none.at != n + sides) return none;
    const int all = threads > 0 ? threads : omp_get_max_threads();
    if (!spec.fixed) {
        if (lu::FloatSums<float>::fits(spec))
            return lu::eliminate(spec, lu::FloatSums<float>(spec, w, n + sides), n, sides, all);
        return lu::eliminate(spec, lu::FloatSums<double>(spec, w, n + sides), n, sides, all);
    }
    using Quick = lu::WindowSums<std::int64_t>;
    if (Quick::quick(spec, n)) return lu::eliminate_in_window<std::int64_t>(spec, w, n, sides, all);
    return lu::eliminate_in_window<Quick::Wide>(spec, w, n, sides, all);
}

GaussJordanResult invert(const LuSpec& spec, const DenseMatrix& a, int threads) {
    return gauss_jordan(spec, a, DenseMatrix::identity(a.size()).values(), a.size(), threads);
}

} // namespace mantissa
