// The fastest solve where nobody asked for a way (mantissa/host/fastest.hpp): what the others cost, and how one takes
// over from another.
#include "mantissa/host/fastest.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "mantissa/host/native.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"

namespace mantissa {

namespace {

/// In front of CG, on any matrix: short words would have to be made of the levels first, which few iterations pay back.
constexpr const char* kCyclesOfRows = "v22,w=double";
/// Alone, on a constant stencil: the fastest at every level from 8 on (docs/multilevel.md).
constexpr const char* kCyclesOfGrids = "v12,w=10,f=16";
constexpr std::size_t kSmallestGrid = 60000; ///< unknowns; below, all vectors of CG are on the chip and it is as fast

std::size_t entries_of(const System& system) {
    if (const auto* const rows = std::get_if<CompressedRows>(&system.matrix())) return rows->nonzeros();
    return system.size() * kBands;
}

/// What a solve by cycles costs, in iterations of Jacobi CG: set-up, and a dozen cycles of six times an iteration's
/// work. On a processor both are passes over memory, and set-up took 120 to 160 iterations' time (docs/multilevel.md:
/// the circuit, the Laplacian). A device forms the levels in time that hardly falls with its bandwidth, and each cycle
/// is a chain of kernels: there the seconds are those of an H100, its iteration the bytes of a pass.
std::uint64_t cost_of_cycles(const System& system, const Engine& engine) {
    constexpr double kIterations = 12, kWork = 6, kSetUp = 160;
    if (engine.name() != "gpu") return static_cast<std::uint64_t>(kSetUp + kIterations * kWork);
    constexpr double kStart = 8e-3, kPerEntry = 4.5e-9, kChain = 1.2e-4;                     // seconds
    constexpr double kLaunches = 4e-6, kBytesPerSecond = 2.5e12, kEntry = 12, kVectors = 80; // of an iteration
    const auto entries = static_cast<double>(entries_of(system)), rows = static_cast<double>(system.size());
    const double iteration = kLaunches + (kEntry * entries + kVectors * rows) / kBytesPerSecond;
    const double cycle = std::max(kWork * iteration, kChain);
    return static_cast<std::uint64_t>((kStart + kPerEntry * entries + kIterations * cycle) / iteration);
}

constexpr std::uint64_t kMostCycles = 100; ///< a hierarchy that fits takes 10 to 40

/// CG's iterations to go in cycles, and no more than what a hierarchy that fits would need: what CG would take is not
/// known where its residual has not fallen yet.
std::uint64_t cg_in_cycles(double to_go) {
    return static_cast<std::uint64_t>(std::clamp(to_go / 12, 24.0, 60.0));
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
    const double before = first.native ? first.native->seconds : first.device_seconds.value_or(0);
    if (next.native) next.native->seconds += before;
    else if (before > 0 && next.device_seconds) *next.device_seconds += before;
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
        if (options_.scheme == Scheme::recurrence) by_bicgstab();
        else if (std::holds_alternative<Stencil>(problem_.system.matrix())) by_words();
        else by_cg();
        if (!options_.keep_solution)
            for (SolveResult& r : results_) r.u.clear();
        return std::move(results_);
    }

private:
    /// Of the problem, or of what the ways before have left of it.
    void solve_by(SolveOptions way) {
        way.keep_solution = true;
        std::vector<SolveResult> next = solve_all(rest_ ? *rest_ : problem_, engine_, way, progress_);
        for (std::size_t k = 0; k < results_.size(); ++k) add_before(results_[k], next[k]);
        results_ = std::move(next);
        before_ = results_.front().inner_iterations;
    }
    /// What comes next begins at the iterate that is there. (Several right-hand sides have one guess: they begin anew.)
    void go_on_from_here() {
        std::vector<double>& u = results_.front().u;
        if (!problem_.more.empty() || u.empty() || !std::ranges::all_of(u, [](double x) { return std::isfinite(x); }))
            return;
        if (!rest_) rest_ = problem_;
        rest_->guess = std::move(u);
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
    [[nodiscard]] SolveOptions with_cycles(Scheme scheme, const char* cycle) const {
        SolveOptions way = options_;
        way.scheme = scheme;
        way.spec = SolveOptions{}.spec;
        way.preconditioner = parse_cycle_spec(cycle);
        way.plan = NativePlan::automatic;
        return way;
    }

    void by_bicgstab() {
        solve_by(options_);
        if (stopped_ || !take_gmres_instead(results_, engine_, options_)) return;
        say_(fmt::format("bicgstab: {} after {} iterations, so {} in its place", to_string(results_.front().status),
                         results_.front().inner_iterations, to_string(iterated(options_))));
        results_.clear();
        before_ = 0;
        solve_by(options_);
    }

    void by_words() {
        if (!begins_with_cycles(problem_, engine_)) return solve_by(options_);
        const SolveOptions way = with_cycles(Scheme::defect_correction, kCyclesOfGrids);
        say_(fmt::format("a constant stencil: multilevel cycles in words, {}, in CG's place; --format double has CG",
                         kCyclesOfGrids));
        solve_by(way);
        if (over()) return settle_on(way);
        back_to_cg(to_string(results_.front().status));
    }

    void by_cg() {
        SolveOptions first = options_;
        // (a hierarchy serves all right-hand sides)
        first.give_up =
            std::max<std::uint64_t>(1, cost_of_cycles(problem_.system, engine_) / (1 + problem_.more.size()));
        solve_by(first);
        const std::optional<double> to_go = results_.front().gave_up;
        if (over() || !to_go) return;
        const std::string more =
            std::isfinite(*to_go) ? fmt::format("some {:.0f} more to go", *to_go) : "no end in sight";
        say_(
            fmt::format("CG by the diagonal: a residual of {:.2g} after {} iterations, {}; multilevel cycles, {}, take "
                        "over",
                        results_.front().true_residual, before_, more, kCyclesOfRows));
        SolveOptions way = with_cycles(Scheme::inexact_pcg, kCyclesOfRows);
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
        go_on_from_here();
        solve_by(way);
    }

    void settle_on(SolveOptions way) {
        way.give_up = 0;
        const std::uint64_t asked = options_.max_iterations;
        const bool keep = options_.keep_solution;
        options_ = way;
        options_.max_iterations = asked;
        options_.keep_solution = keep;
    }

    const Problem& problem_;
    const Engine& engine_;
    SolveOptions& options_;
    const Say& say_;
    Progress progress_;
    std::optional<Problem> rest_;
    std::vector<SolveResult> results_;
    std::uint64_t before_ = 0; ///< iterations of the ways before
    bool stopped_ = false;
};

} // namespace

bool has_other_ways(const SolveOptions& options) {
    if (options.energy || options.preconditioner) return false;
    return (options.scheme == Scheme::jacobi_pcg && !options.jacobi) ||
           (options.scheme == Scheme::recurrence && options.recurrence == RecurrenceChoice::bicgstab);
}

bool begins_with_cycles(const Problem& problem, const Engine& engine) {
    return problem.guess.empty() && problem.system.size() >= kSmallestGrid &&
           std::holds_alternative<Stencil>(problem.system.matrix()) &&
           engine.cycles_refusal(problem.system, parse_cycle_spec(kCyclesOfGrids), {kCycleIterate, false}).empty();
}

std::vector<SolveResult> solve_fastest(const Problem& problem, const Engine& engine, SolveOptions& options,
                                       const Progress& progress, const Say& say) {
    return Ways(problem, engine, options, progress, say).run();
}

} // namespace mantissa
