// Around the runs of a recurrence: see native_solver.hpp.
#include "mantissa/recurrence/native_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mantissa/errors.hpp"
#include "mantissa/reached.hpp"
#include "mantissa/recurrence/scalar_steps.hpp"

namespace mantissa::recurrence {

namespace {

constexpr double kWorthwhile = 0.9;       ///< a restart goes on while each leaves less than this of the true residual
constexpr int kBreakdowns = 10;           ///< one after another, none of which left a better iterate
constexpr double kFarOff = 1e4;           ///< a true residual that no run starts from
constexpr std::uint32_t kPatience = 2000; ///< and 20 sqrt(n): iterations over which a run's residual must halve

double norm_of(std::span<const double> v) {
    double sum = 0;
    for (const double x : v) sum += x * x;
    return std::sqrt(sum);
}

class Restarted final : public NativeSolver {
public:
    Restarted(const CompressedRows& a, PickedPlan plan, bool single, std::vector<double> inverse,
              std::unique_ptr<Runner> runner)
        : a_(a), plan_(std::move(plan)), single_(single), inverse_(std::move(inverse)), runner_(std::move(runner)) {}

    [[nodiscard]] const PickedPlan& plan() const override { return plan_; }
    std::vector<NativeReport> solve(std::span<const std::vector<double>> b, const NativeRequest& request,
                                    std::vector<std::vector<double>>& x) override {
        x.assign(b.size(), std::vector<double>(a_.rows(), 0.0));
        std::vector<NativeReport> reports;
        for (std::size_t s = 0; s < b.size(); ++s) reports.push_back(solve_one(b[s], request, x[s]));
        runner_->on_look({});
        return reports;
    }

private:
    /// From zero, and again from a true residual: of the best iterate for as long as that gains, where the recurrence's
    /// residual has left the true one; of the last one after a breakdown, which is another shadow residual. x is the
    /// best iterate by its true residual.
    NativeReport solve_one(const std::vector<double>& b, const NativeRequest& request, std::vector<double>& x) {
        if (b.size() != a_.rows()) throw InvalidInput("right-hand side: its size is not the matrix's");
        const double tolerance = native_tolerance(single_, request.tolerance), norm = norm_of(b);
        const std::uint32_t limit = native_limit(request.max_iterations);
        const auto patience = kPatience + static_cast<std::uint32_t>(20 * std::sqrt(static_cast<double>(a_.rows())));
        NativeReport report;
        report.end = PcgEnd::reached;
        report.residual = norm == 0 ? 0 : 1;
        std::vector<double> defect(b), y(b.size()), from(x), next(b.size());
        int breakdowns = 0;                                  // since the best iterate got better
        for (double before = report.residual; before > 0;) { // (relative, of `from`)
            for (double& d : defect) d /= before * norm;
            const auto left = static_cast<std::uint32_t>(limit - report.iterations);
            runner_->on_look(
                [&, before](std::uint32_t iterations, double residual) { // (none of an earlier solve's stays)
                    return !request.watch || request.watch(report.iterations + iterations, before * residual);
                });
            const RecurrenceRun run = runner_->run(defect, tolerance / before, left, patience, y);
            report.iterations += run.iterations;
            report.seconds += run.seconds;
            const double best = report.residual, now = form(b, from, before * norm, y, norm, next, defect);
            if (now < best) {
                x = next;
                report.residual = now;
            }
            if (report.residual < tolerance * (1 + kReachedSlack)) return ended(report, PcgEnd::reached, request);
            if (run.cancelled) return ended(report, PcgEnd::cancelled, request);
            if (report.iterations >= limit) return ended(report, PcgEnd::limit, request);
            const bool gains = now < kWorthwhile * best;
            breakdowns = gains ? 0 : breakdowns + 1;
            if (single_ && gains) return ended(report, PcgEnd::stagnated, request);
            if (gains) {
                before = now;
                from = next;
            } else if (!run.last.empty() && breakdowns <= kBreakdowns) {
                before = form(b, from, before * norm, run.last, norm, next, defect);
                from = next;
                if (!(before < kFarOff)) return stalled(report);
            } else if (run.end == RunEnd::rho_reached) {
                return ended(report, PcgEnd::stagnated, request);
            } else if (run.end != RunEnd::not_finite) {
                return stalled(report);
            } else {
                return ended(report, PcgEnd::not_finite, request);
            }
            ++report.outer;
        }
        return report;
    }

    /// next = from + scale D^-1 y and its defect; returns ||defect|| / norm.
    double form(std::span<const double> b, std::span<const double> from, double scale, std::span<const double> y,
                double norm, std::span<double> next, std::span<double> defect) const {
        for (std::size_t i = 0; i < next.size(); ++i) next[i] = from[i] + scale * inverse_[i] * y[i];
        form_defect(b, next, defect);
        return norm_of(defect) / norm;
    }

    /// Float reaches no more than native_tolerance(), which is not what was asked for.
    NativeReport ended(NativeReport report, PcgEnd end, const NativeRequest& request) const {
        const bool short_of = native_tolerance(single_, request.tolerance) > request.tolerance;
        report.end = end == PcgEnd::reached && short_of ? PcgEnd::stagnated : end;
        return report;
    }

    static NativeReport stalled(NativeReport report) {
        report.end = PcgEnd::stagnated;
        report.stalled = true;
        return report;
    }

    void form_defect(std::span<const double> b, std::span<const double> x, std::span<double> d) const {
        for (std::size_t i = 0; i < d.size(); ++i) {
            double sum = b[i];
            for (std::uint64_t k = a_.row_begin()[i]; k < a_.row_begin()[i + 1]; ++k)
                sum -= a_.value()[k] * x[a_.column()[k]];
            d[i] = sum;
        }
    }

    CompressedRows a_; ///< for true residuals
    PickedPlan plan_;
    bool single_;
    std::vector<double> inverse_;
    std::unique_ptr<Runner> runner_;
};

} // namespace

std::vector<double> given_of(const NativeChoice& choice) {
    if (choice.recurrence == nullptr || given_scalars(*choice.recurrence) == 0) return {};
    return {(choice.high + choice.low) / 2, (choice.high - choice.low) / 2};
}

std::vector<double> inverse_diagonal(const CompressedRows& a, bool jacobi) {
    std::vector<double> inverse(a.rows(), 1.0);
    for (std::size_t i = 0; jacobi && i < a.rows(); ++i)
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
            if (a.column()[k] == i && std::isfinite(1 / a.value()[k])) inverse[i] = 1 / a.value()[k];
    return inverse;
}

CompressedRows with_columns_scaled(const CompressedRows& a, const std::vector<double>& factor) {
    std::vector<double> value(a.value());
    for (std::size_t k = 0; k < value.size(); ++k) value[k] *= factor[a.column()[k]];
    return a.with_values(std::move(value));
}

std::unique_ptr<NativeSolver> make_restarted(const CompressedRows& a, PickedPlan plan, bool single,
                                             std::vector<double> inverse, std::unique_ptr<Runner> runner) {
    return std::make_unique<Restarted>(a, std::move(plan), single, std::move(inverse), std::move(runner));
}

double native_tolerance(bool single, double asked) {
    return single && asked > 0 ? std::max(asked, 1e-5) : asked;
}

std::uint32_t native_limit(std::uint64_t iterations) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max() / 2;
    return static_cast<std::uint32_t>(std::min(iterations, kMost));
}

} // namespace mantissa::recurrence
