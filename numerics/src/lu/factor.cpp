#include "mantissa/lu/factor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include <omp.h>

#include "float_sums.hpp"
#include "pivot.hpp"
#include "tournament.hpp"
#include "window_sums.hpp"

namespace mantissa {

namespace lu {
namespace {

using Index = std::ptrdiff_t;
constexpr std::size_t kPanel = 32;  ///< columns whose updates of the trailing matrix are put off; no bit depends on it
constexpr std::size_t kGroup = 128; ///< rows whose multipliers are formed together
constexpr std::size_t kTile = 512;  ///< elements of a row that take all of a panel's updates while they are near

/// One factorisation: the driver over the sums' arithmetic.
template <class Sums> class Factorisation {
public:
    using Value = typename Sums::Value;

    Factorisation(const LuSpec& spec, Sums sums, std::size_t n, int threads)
        : spec_(spec), sums_(std::move(sums)), n_(n), threads_(threads), quotients_(spec.l), out_(DenseMatrix(n)) {
        result_.rows.resize(n);
        result_.columns.resize(n);
        std::iota(result_.rows.begin(), result_.rows.end(), 0U);
        std::iota(result_.columns.begin(), result_.columns.end(), 0U);
    }

    LuFactors run() {
        const std::size_t panel = panel_columns();
        for (std::size_t begin = 0; begin < n_ && fault_.end == LuEnd::factored; begin += panel) {
            const std::size_t end = std::min(n_, begin + panel);
            const std::size_t done = factor_panel(begin, end);
            const std::size_t formed = form_rows(begin, done, end);
            update_trailing(begin, formed, end);
        }
        result_.end = fault_.end;
        result_.at = fault_.end == LuEnd::factored ? n_ : fault_.at;
        result_.lu = std::move(out_);
        return std::move(result_);
    }

private:
    LuSpec spec_;
    Sums sums_;
    std::size_t n_;
    int threads_;
    VectorUnit<double> quotients_; ///< rounds into l's format
    DenseMatrix out_;
    LuFactors result_;
    Fault fault_;
    std::vector<Value> packed_;   ///< rows of U after the panel, one after the other
    std::vector<double> largest_; ///< max |u| of each

    [[nodiscard]] std::size_t panel_columns() const {
        // Full pivoting looks at the whole trailing matrix in every step: nothing can be put off.
        if (spec_.pivot == LuPivot::full) return 1;
        if (spec_.order == LuOrder::blocked) return static_cast<std::size_t>(spec_.block);
        if (spec_.pivot != LuPivot::tournament) return kPanel;
        const auto together = static_cast<std::size_t>(spec_.tournament_columns);
        return std::max<std::size_t>(1, kPanel / together) * together;
    }

    /// Brings the pivots of the columns from k on to their rows. False on a fault.
    bool hold_tournament(std::size_t k) {
        ElectionFaults faults;
        const std::vector<std::uint32_t> chosen = play_tournament(spec_, sums_, n_, k, threads_, faults);
        if (faults.overflow) fault_.note(LuEnd::overflow, k);
        if (faults.not_finite) fault_.note(LuEnd::not_finite, k);
        if (faults.overflow || faults.not_finite) return false;
        std::vector<std::uint32_t> place(chosen); // where each chosen row lies by now
        for (std::size_t t = 0; t < place.size(); ++t) {
            exchange(k + t, place[t], k + t);
            for (std::size_t later = t + 1; later < place.size(); ++later)
                if (place[later] == k + t) place[later] = place[t];
        }
        return true;
    }

    void exchange(std::size_t k, std::size_t row, std::size_t column) {
        if (row != k) {
            sums_.exchange_rows(row, k);
            std::swap_ranges(out_.row(row).begin(), out_.row(row).end(), out_.row(k).begin());
            std::swap(result_.rows[row], result_.rows[k]);
            ++result_.exchanges;
        }
        if (column != k) {
            sums_.exchange_columns(column, k);
            for (std::size_t i = 0; i < k; ++i) std::swap(out_(i, column), out_(i, k));
            std::swap(result_.columns[column], result_.columns[k]);
            ++result_.exchanges;
        }
    }

    /// Columns begin .. end of L and the square of U beside them. Returns the step after the last one with a pivot.
    std::size_t factor_panel(std::size_t begin, std::size_t end) {
        std::vector<Value> row;
        for (std::size_t k = begin; k < end; ++k) {
            if (spec_.pivot == LuPivot::tournament && k % static_cast<std::size_t>(spec_.tournament_columns) == 0 &&
                !hold_tournament(k))
                return k;
            const auto [pivot_row, pivot_column] = find_pivot(spec_, sums_, n_, k);
            exchange(k, pivot_row, pivot_column);
            bool overflow = false, finite = true;
            const double pivot = out_(k, k) = sums_.rounded(k, k, overflow);
            if (!overflow && pivot == 0) {
                fault_.note(LuEnd::singular, k);
                return k;
            }
            double largest = 0;
            row.clear();
            for (std::size_t j = k + 1; j < end; ++j) {
                const double u = out_(k, j) = sums_.rounded(k, j, overflow);
                row.push_back(static_cast<Value>(u));
                finite = finite && std::isfinite(u);
                largest = std::max(largest, std::fabs(u));
            }
            const double reciprocal = exact::div(spec_.l, 1.0, pivot);
            finite = finite && std::isfinite(pivot);
            const auto groups = static_cast<Index>((n_ - k - 1 + kGroup - 1) / kGroup);
#pragma omp parallel for schedule(static) num_threads(threads_) reduction(|| : overflow) reduction(&& : finite)
            for (Index group = 0; group < groups; ++group) {
                const std::size_t first = k + 1 + static_cast<std::size_t>(group) * kGroup;
                double memory[kGroup], pivots[kGroup];
                const std::span<double> l(memory, std::min(kGroup, n_ - first));
                sums_.rounded_column(first, k, l, overflow);
                if (spec_.division == LuDivision::exact) {
                    std::fill_n(pivots, l.size(), pivot);
                    quotients_.div(std::span<const double>(l), std::span<const double>(pivots, l.size()), l);
                } else {
                    quotients_.scale(reciprocal, std::span<const double>(l), l);
                }
                for (std::size_t i = 0; i < l.size(); ++i) {
                    out_(first + i, k) = l[i];
                    finite = finite && std::isfinite(l[i]);
                    if (std::isfinite(l[i]) && !row.empty())
                        sums_.update(first + i, k + 1, l[i], row, largest, overflow);
                }
            }
            if (overflow) fault_.note(LuEnd::overflow, k);
            if (!finite) fault_.note(LuEnd::not_finite, k);
            if (fault_.end != LuEnd::factored) return k + 1;
        }
        return end;
    }

    /// Rows begin .. done of U after column `end`: rounded from the top down, each taken off those below it. Returns
    /// the row after the last one that was formed.
    std::size_t form_rows(std::size_t begin, std::size_t done, std::size_t end) {
        const std::size_t width = n_ - end;
        if (width == 0) return done;
        packed_.resize((done - begin) * width);
        largest_.assign(done - begin, 0.0);
        const auto tiles = static_cast<Index>((width + kTile - 1) / kTile);
        for (std::size_t k = begin; k < done; ++k) {
            bool overflow = false, finite = true;
            double largest = 0;
            Value* const packed = packed_.data() + (k - begin) * width;
#pragma omp parallel for schedule(static) num_threads(threads_) reduction(|| : overflow) reduction(&& : finite) \
    reduction(max : largest)
            for (Index tile = 0; tile < tiles; ++tile) {
                const std::size_t first = static_cast<std::size_t>(tile) * kTile, last = std::min(width, first + kTile);
                sums_.rounded_row(k, end + first, out_.row(k).subspan(end + first, last - first), overflow);
                for (std::size_t j = first; j < last; ++j) {
                    const double u = out_(k, end + j);
                    packed[j] = static_cast<Value>(u);
                    finite = finite && std::isfinite(u);
                    largest = std::max(largest, std::fabs(u));
                }
                for (std::size_t i = k + 1; i < done; ++i)
                    sums_.update(i, end + first, out_(i, k), std::span<const Value>(packed + first, last - first),
                                 std::isfinite(largest) ? largest : 0.0, overflow);
            }
            largest_[k - begin] = largest;
            if (overflow) fault_.note(LuEnd::overflow, k);
            if (!finite) fault_.note(LuEnd::not_finite, k);
            if (overflow || !finite) return k + 1;
        }
        return done;
    }

    /// The products of columns begin .. done off everything right of and below the panel, which ends at `end`.
    void update_trailing(std::size_t begin, std::size_t done, std::size_t end) {
        const std::size_t width = n_ - end, depth = done - begin;
        if (width == 0 || depth == 0) return;
        std::size_t first_overflow = n_;
#pragma omp parallel for schedule(static) num_threads(threads_) reduction(min : first_overflow)
        for (Index i = static_cast<Index>(end); i < static_cast<Index>(n_); ++i) {
            const auto at = static_cast<std::size_t>(i);
            const std::span<const double> l = std::as_const(out_).row(at).subspan(begin, depth);
            if constexpr (requires { sums_.update_by_sum(at, end, l, std::span<const Value>(packed_), width, width); })
                if (spec_.order == LuOrder::blocked) {
                    sums_.update_by_sum(at, end, l, std::span<const Value>(packed_), width, width);
                    continue;
                }
            for (std::size_t first = 0; first < width; first += kTile) {
                const std::size_t count = std::min(kTile, width - first);
                if constexpr (requires { sums_.update_panel(at, end, l, packed_, width, first, count, largest_); })
                    if (sums_.update_panel(at, end + first, l, packed_, width, first, count, largest_)) continue;
                for (std::size_t m = 0; m < depth; ++m) {
                    bool overflow = false;
                    const auto row = std::span<const Value>(packed_).subspan(m * width + first, count);
                    if (std::isfinite(l[m])) sums_.update(at, end + first, l[m], row, largest_[m], overflow);
                    if (overflow) first_overflow = std::min(first_overflow, begin + m);
                }
            }
        }
        if (first_overflow < n_) fault_.note(LuEnd::overflow, first_overflow);
    }
};

template <class Sums> LuFactors run(const LuSpec& spec, Sums sums, std::size_t n, int threads) {
    return Factorisation<Sums>(spec, std::move(sums), n, threads).run();
}

/// Sums in a window; what does not fit it at the outset is an overflow in column 0.
template <class V> LuFactors run_window(const LuSpec& spec, const DenseMatrix& entered, int threads) {
    bool overflow = false;
    WindowSums<V> sums(spec, entered.values(), entered.size(), overflow);
    if (!overflow) return run(spec, std::move(sums), entered.size(), threads);
    LuFactors none;
    none.end = LuEnd::overflow;
    return none;
}

/// Of a matrix whose elements are values of spec.a.
LuFactors run_any(const LuSpec& spec, const DenseMatrix& entered, int threads) {
    const std::size_t n = entered.size();
    if (!spec.fixed)
        return FloatSums<float>::fits(spec) ? run(spec, FloatSums<float>(spec, entered.values(), n), n, threads)
                                            : run(spec, FloatSums<double>(spec, entered.values(), n), n, threads);
    using Quick = WindowSums<std::int64_t>;
    return Quick::quick(spec, n) ? run_window<std::int64_t>(spec, entered, threads)
                                 : run_window<Quick::Wide>(spec, entered, threads);
}

/// max |u_ij| / max |a_ij|.
double growth(const DenseMatrix& entered, const DenseMatrix& lu) {
    double before = 0, after = 0;
    for (const double x : entered.values()) before = std::max(before, std::fabs(x));
    for (std::size_t i = 0; i < lu.size(); ++i)
        for (std::size_t j = i; j < lu.size(); ++j) after = std::max(after, std::fabs(lu(i, j)));
    return before == 0 ? 0 : after / before;
}

} // namespace
} // namespace lu

std::string_view to_string(LuEnd end) {
    static constexpr std::array kNames{"factored", "singular", "not finite", "overflow"};
    return kNames.at(static_cast<std::size_t>(end));
}

LuFactors factor(const LuSpec& spec, const DenseMatrix& a, int threads) {
    spec.validate_bits();
    const std::size_t n = a.size();
    const DenseMatrix entered(n, lu::rounded_into(spec.a, a.values()));
    std::size_t first = n; // the first column with such a value
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < first; ++j)
            if (!std::isfinite(entered(i, j))) first = j;
    if (first < n) {
        LuFactors none;
        none.end = LuEnd::not_finite;
        none.at = first;
        return none;
    }
    LuFactors result = lu::run_any(spec, entered, threads > 0 ? threads : omp_get_max_threads());
    if (result.end == LuEnd::factored) result.growth = lu::growth(entered, result.lu);
    return result;
}

} // namespace mantissa
