// The fastest solve where nobody asked for a way (mantissa/host/fastest.hpp): what the others cost, and how one takes
// over from another.
#include "mantissa/host/fastest.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "mantissa/host/native.hpp"
#include "solve/context.hpp"
#include "solve/schemes.hpp"
#include "text/counted.hpp"

namespace mantissa {

namespace {

constexpr std::string_view kProcessor = "emulated"; ///< the engine that is this processor itself

/// In front of CG, on any matrix: short words would have to be made of the levels first, which few iterations pay back.
constexpr const char* kCyclesOfRows = "v22,w=double";
/// Alone, on a constant stencil: the fastest at every level from 8 on (docs/multilevel.md).
constexpr const char* kCyclesOfGrids = "v12,w=10,f=16";
constexpr std::size_t kSmallestGrid = 60000; ///< unknowns; below, all vectors of CG are on the chip and it is as fast

/// What a solve by cycles costs on a processor, in iterations of Jacobi CG: both are passes over memory. Set-up took
/// 120 to 160 iterations' time (docs/multilevel.md: the circuit, the Laplacian); a dozen cycles six each.
constexpr std::uint64_t kCostOfCycles = 160 + 12 * 6;
constexpr std::uint64_t kMostCycles = 100; ///< a hierarchy that fits takes 10 to 50
/// On a device, where as many cost less than the layout of CG's kernels: elasticity's 150 to 230 are worth it there.
constexpr std::uint64_t kMostCyclesThere = 300;
/// Words that stay so near to the tolerance reached theirs: double can hold no better iterate, whoever finds it.
constexpr double kNear = 1000;

/// CG's iterations to go in cycles, and no more than what a hierarchy that fits would need: what CG would take is not
/// known where its residual has not fallen yet.
std::uint64_t cg_in_cycles(double to_go) {
    return static_cast<std::uint64_t>(std::clamp(to_go / 12, 24.0, 60.0));
}

SolveOptions with_cycles(const SolveOptions& options, Scheme scheme, const char* cycle) {
    SolveOptions way = options;
    way.scheme = scheme;
    way.spec = SolveOptions{}.spec;
    way.preconditioner = parse_cycle_spec(cycle);
    way.plan.reset();
    return way;
}

/// `first`'s work, which `next` went on from, is part of what `next` took.
void add_before(const SolveResult& first, SolveResult& next) {
    std::vector<HistoryPoint> history = first.history;
    for (HistoryPoint h : next.history) {
        h.inner_iterations += first.inner_iterations;
        h.outer_iterations += first.outer_iterations;
        if (history.empty() || h.inner_iterations != history.back().inner_iterations) history.push_back(h);
    }
    next.history = std::move(history);
    next.inner_iterations += first.inner_iterations;
    next.outer_iterations += first.outer_iterations;
    next.seconds += first.seconds;
    if (!first.device_seconds) return;
    if (next.native) next.native->seconds += *first.device_seconds; // (which is said by the iteration, of all of them)
    else next.device_seconds = *first.device_seconds + next.device_seconds.value_or(0);
}

bool has_negative_diagonal(const System& system) {
    const auto* const rows = std::get_if<CompressedRows>(&system.matrix());
    for (std::size_t i = 0; rows != nullptr && i < rows->rows(); ++i)
        for (std::uint64_t k = rows->row_begin()[i]; k < rows->row_begin()[i + 1]; ++k)
            if (rows->column()[k] == i && rows->value()[k] < 0) return true;
    return false;
}

/// One solve after another of the same problem.
class Ways {
public:
    Ways(const Problem& problem, const Engine& engine, SolveOptions& options, const Progress& progress, const Say& say)
        : problem_(problem), engine_(engine), options_(options), say_(say) {
        if (progress)
            progress_ = [this, &progress](const HistoryPoint& h) {
                if (!progress({before_ + h.inner_iterations, h.outer_iterations, h.relative_defect})) stopped_ = true;
                return !stopped_;
            };
    }

    std::vector<SolveResult> run() {
        const bool cg = options_.scheme == Scheme::jacobi_pcg; // else bicgstab
        if (const std::optional<SolveOptions> cycles = first_cycles(problem_, engine_, options_))
            by_cycles_first(*cycles);
        else if (cg && engine_.name() == kProcessor) by_cg();
        else solve_by(options_);
        by_gmres_instead();
        for (SolveResult& r : results_) {
            if (!options_.keep_solution) r.u.clear();
            const bool spent = options_.max_iterations != 0 && r.inner_iterations >= options_.max_iterations;
            if (spent && r.status == Status::iteration_limit) // (the last way was given what the others had left)
                r.detail = fmt::format("the limit of {} is reached",
                                       text::counted(options_.max_iterations, "inner iteration"));
            else if (ways_ > 1 && r.status == Status::iteration_limit)
                r.detail = fmt::format("{} iterations, of all ways together, were not enough", r.inner_iterations);
        }
        return std::move(results_);
    }

private:
    /// Of the problem, or of what the ways before have left of it.
    void solve_by(SolveOptions way) {
        way.keep_solution = true;
        ++ways_;
        std::vector<SolveResult> next = solve_all(rest_ ? *rest_ : problem_, engine_, way, progress_);
        for (std::size_t k = 0; k < results_.size(); ++k) add_before(results_[k], next[k]);
        results_ = std::move(next);
        before_ = results_.front().inner_iterations;
    }
    /// What comes next begins at the iterate that is there. (Several right-hand sides have one guess: they begin anew.)
    void go_on_from_here() {
        SolveResult& r = results_.front();
        const bool finite = std::ranges::all_of(r.u, [](double x) { return std::isfinite(x); });
        if (!problem_.more.empty() || r.u.empty() || !finite || !(r.true_residual < solving::kDiverged)) return;
        if (!rest_) rest_ = problem_;
        rest_->guess = std::move(r.u);
    }
    /// Converged, stopped from outside, or out of iterations.
    [[nodiscard]] bool over() const {
        const bool converged =
            std::ranges::all_of(results_, [](const SolveResult& r) { return r.status == Status::converged; });
        return converged || stopped_ || (options_.max_iterations != 0 && before_ >= options_.max_iterations);
    }
    /// Of `most` (0: the usual limit) and of what was asked for.
    [[nodiscard]] std::uint64_t limit(std::uint64_t most = 0) const {
        if (options_.max_iterations == 0) return most;
        const std::uint64_t left = options_.max_iterations - before_;
        return most == 0 ? left : std::min(most, left);
    }

    void by_gmres_instead() {
        const std::string before =
            options_.scheme == Scheme::recurrence ? to_string(iterated(options_)) : "CG by the diagonal";
        if (over() || !take_gmres_instead(results_, engine_, options_)) return;
        say_(fmt::format("{}: {} after {} iterations, so {} in its place", before, to_string(results_.front().status),
                         before_, to_string(iterated(options_))));
        options_.jacobi = options_.jacobi && !has_negative_diagonal(problem_.system); // (its scaling has roots)
        rest_.reset();
        SolveOptions way = options_;
        way.max_iterations = limit();
        solve_by(way); // from the beginning
    }

    void by_cycles_first(SolveOptions way) {
        const bool words = way.scheme == Scheme::defect_correction;
        say_(fmt::format("engine {}, no way asked for: {}, {}; --format double has CG preconditioned by the diagonal",
                         engine_.name(), words ? "multilevel cycles in words" : "CG in double around multilevel cycles",
                         to_string(*way.preconditioner)));
        way.max_iterations = limit(kMostCyclesThere);
        try {
            solve_by(way);
        } catch (const std::runtime_error& e) { // no hierarchy; or no room for its levels there, where CG may fit
            return back_to_cg(e.what());
        }
        const SolveResult& r = results_.front();
        if (over() || (words && r.true_residual < kNear * options_.tolerance)) return settle_on(way);
        back_to_cg(fmt::format("{} after {} cycles", to_string(r.status), before_));
    }

    void by_cg() {
        SolveOptions first = options_;
        // (a hierarchy serves all right-hand sides)
        first.give_up = std::max<std::uint64_t>(1, kCostOfCycles / (1 + problem_.more.size()));
        solve_by(first);
        const std::optional<double> to_go = results_.front().gave_up;
        if (over() || !to_go) return;
        const std::string more =
            std::isfinite(*to_go) ? fmt::format("some {:.0f} more to go", *to_go) : "no end in sight";
        say_(
            fmt::format("CG by the diagonal: a residual of {:.2g} after {} iterations, {}; multilevel cycles, {}, take "
                        "over",
                        results_.front().true_residual, before_, more, kCyclesOfRows));
        SolveOptions way = with_cycles(options_, Scheme::inexact_pcg, kCyclesOfRows);
        const std::uint64_t of_cg = before_;
        way.give_up = cg_in_cycles(*to_go);
        way.max_iterations = limit(kMostCycles);
        go_on_from_here();
        try {
            solve_by(way);
        } catch (const InvalidInput& e) {
            return back_to_cg(e.what());
        }
        if (over()) return settle_on(way);
        const SolveResult& r = results_.front();
        back_to_cg(fmt::format("{} after {} cycles", r.gave_up ? "too slow" : to_string(r.status), before_ - of_cg));
    }

    void back_to_cg(const std::string& why) {
        say_(fmt::format("multilevel cycles do not pay here: {}; CG preconditioned by the diagonal goes on", why));
        SolveOptions way = options_;
        way.max_iterations = limit();
        if (!results_.empty()) go_on_from_here();
        solve_by(way);
    }

    void settle_on(SolveOptions way) {
        way.give_up = 0;
        way.max_iterations = options_.max_iterations;
        way.keep_solution = options_.keep_solution;
        options_ = std::move(way);
    }

    const Problem& problem_;
    const Engine& engine_;
    SolveOptions& options_;
    const Say& say_;
    Progress progress_;
    std::optional<Problem> rest_;
    std::vector<SolveResult> results_;
    std::uint64_t before_ = 0; ///< iterations of the ways before
    int ways_ = 0;             ///< begun
    bool stopped_ = false;
};

} // namespace

bool has_other_ways(const SolveOptions& options) {
    if (options.energy || options.preconditioner) return false;
    return (options.scheme == Scheme::jacobi_pcg && !options.jacobi) ||
           (options.scheme == Scheme::recurrence && options.recurrence == RecurrenceChoice::bicgstab);
}

std::optional<SolveOptions> first_cycles(const Problem& problem, const Engine& engine, const SolveOptions& options) {
    if (options.scheme != Scheme::jacobi_pcg || !problem.suits_cg() || engine.name() == kProcessor) return std::nullopt;
    const bool stencil = std::holds_alternative<Stencil>(problem.system.matrix());
    if (stencil && (problem.system.size() < kSmallestGrid || !problem.guess.empty())) return std::nullopt;
    const SolveOptions way = stencil ? with_cycles(options, Scheme::defect_correction, kCyclesOfGrids)
                                     : with_cycles(options, Scheme::inexact_pcg, kCyclesOfRows);
    const CycleLoop loop = solving::loop_around_cycles(problem, way);
    if (!engine.cycles_refusal(problem.system, *way.preconditioner, loop).empty()) return std::nullopt;
    return way;
}

std::vector<SolveResult> solve_fastest(const Problem& problem, const Engine& engine, SolveOptions& options,
                                       const Progress& progress, const Say& say) {
    return Ways(problem, engine, options, progress, say).run();
}

} // namespace mantissa
