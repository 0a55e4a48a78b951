// A solve that a core runs by itself (mantissa/resident.hpp): the host hands it b in words and takes the iterate.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "inner_scale.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/resident.hpp"
#include "solve/inner.hpp"
#include "solve/outer/verdict.hpp"
#include "solve/schemes.hpp"
#include "text/counted.hpp"

namespace mantissa::solving {

namespace {

/// The part of the defect wanted that the core is asked for: the true one is formed from u in double, whose own
/// rounding adds to it (an eighth of 1e-10 at a million unknowns), and the core cannot go on after that.
constexpr double kAim = 31.0 / 32;

/// What became of the solve, but for the true residual.
void judge(const ResidentReport& report, const std::string& fault, SolveContext& context) {
    const auto broke = [&](const std::string& why) { context.stop(Status::breakdown, why); };
    switch (report.end) {
    case ResidentEnd::converged:
        return context.stop(Status::converged);
    case ResidentEnd::passes:
        return context.stop(Status::iteration_limit,
                            fmt::format("the limit of {} is reached", text::counted(context.limit, "inner iteration")));
    case ResidentEnd::exact:
        return broke("the defect in the core is zero, and the true one is above the tolerance");
    case ResidentEnd::indefinite:
        return broke("inner CG ended: " + why_ended(RunEnd::indefinite, -1, context.options));
    case ResidentEnd::not_finite:
        return broke("inner CG ended: " + why_ended(RunEnd::not_finite, 0, context.options));
    case ResidentEnd::window_overflow:
        return broke(kHopelessOverflow);
    case ResidentEnd::fault:
        return broke(fault.empty()
                         ? fmt::format("no scale leaves r the {} bits of headroom that are asked for, or words of "
                                       "the iterate are too short for the tolerance; give --headroom 0, or "
                                       "--outer more fraction bits",
                                       report.headroom)
                         : fault);
    case ResidentEnd::outer_overflow:
        return report.overflow_v ? broke("a word of the iterate overflowed: give --outer fewer fraction bits")
                                 : broke("a word of the defect overflowed: it grew beyond 8 times the initial norm");
    case ResidentEnd::stopped:
        return context.stop(Status::iteration_limit, "stopped on request");
    }
}

} // namespace

namespace {

/// Solves by the core alone, each from a defect that the host forms.
class ResidentSolve {
public:
    ResidentSolve(const Problem& problem, const Engine& engine, std::vector<double>& u, std::vector<double>& d,
                  SolveContext& context)
        : problem_(problem), options_(context.options), iterate_(*options_.outer), context_(context), u_(u), d_(d),
          solver_(engine.resident(*context.loaded, options_.spec, iterate_, options_.threads)), norm_(context.norm) {
        context.result.resident.emplace();
    }

    /// One is enough, unless something turned a bit over: the core declares convergence by a defect that it has only
    /// ever updated, and the host knows b.
    void solve() {
        for (int fruitless = 0;;) {
            const ResidentReport report = once();
            if (!in_doubt(report.end) || context_.cancelled) return judge(report, solver_->fault(), context_);
            const double before = norm_;
            form_defect();
            if (norm_ < deciding(options_.tolerance) * context_.initial) return context_.stop(Status::converged);
            ResidentOutcome& outcome = *context_.result.resident;
            if (report.end == ResidentEnd::converged) ++outcome.false_ends;
            fruitless = norm_ > kWorthwhile * before ? fruitless + 1 : 0;
            if (fruitless == kMostFruitless || context_.remaining() == 0)
                return judge(report, solver_->fault(), context_);
            ++outcome.reloads;
        }
    }

private:
    static constexpr int kMostFruitless = 2; ///< solves in a row that gain nothing: no upset does that

    /// All but what was asked for: the core's own word is no proof of the rest.
    static bool in_doubt(ResidentEnd end) { return end != ResidentEnd::passes && end != ResidentEnd::stopped; }

    /// LOAD and a whole solve of A c = d;  u += c, kept beside the one before.
    ResidentReport once() {
        const int e0 = resident_exponent(norm_);
        const auto relative = [&](const ResidentPoint& point) {
            return std::ldexp(std::sqrt(point.rr) / context_.initial, point.e + e0);
        };
        SolveResult& result = context_.result;
        const std::uint64_t before = result.inner_iterations, steps_before = result.outer_iterations;
        ResidentRequest request{
            .inner = options_.inner,
            .headroom = options_.headroom.value_or(0),
            .relax = options_.headroom ? 0 : kResidentRelax,
            .max_passes = context_.remaining(),
            .tolerance = resident_tolerance(options_.spec.scalar, std::ldexp(kAim * context_.target(), -e0))};
        request.watch = [&](const ResidentPoint& point) {
            context_.report({before + point.passes, steps_before + point.steps, relative(point)});
            return !context_.cancelled;
        };
        const ResidentReport report = solver_->solve(resident_words(d_, e0), request);

        RunReport run;
        run.passes = report.passes;
        run.sigma_guards = report.sigma_guards;
        run.words = report.words;
        run.cycles = report.cycles;
        context_.count(run, report.passes);
        result.outer_iterations += report.steps;
        result.overflows += report.overflows;
        ResidentOutcome& outcome = *result.resident;
        outcome.end = report.end;
        outcome.formed_again += report.formed_again;
        outcome.headroom = report.headroom;
        outcome.e = report.e;
        outcome.rr = report.rr;
        if (options_.history) // (LOAD's acceptance is the solve's start, which is there already)
            for (std::size_t k = 1; k < report.history.size(); ++k) {
                const ResidentPoint& point = report.history[k];
                result.history.push_back({before + point.passes, steps_before + point.steps, relative(point)});
            }
        add(e0);
        return report;
    }

    /// u += fit 2^e0 V
    void add(int e0) {
        before_ = u_;
        std::vector<fixed::Word> words(std::min(u_.size(), kTransfer));
        for (std::size_t at = 0; at < u_.size(); at += words.size()) {
            const std::span<fixed::Word> v(words.data(), std::min(words.size(), u_.size() - at));
            solver_->read(at, v);
            for (std::size_t i = 0; i < v.size(); ++i)
                u_[at + i] += context_.fit * std::ldexp(static_cast<double>(v[i]), e0 - iterate_.fraction_bits);
        }
    }

    /// d = b - A u and its norm; where it is no smaller than it was, of the iterate before.
    void form_defect() {
        defect(problem_.system, u_, problem_.b, d_, options_.threads);
        const double norm = norm2(d_, options_.threads);
        if (norm < norm_) {
            norm_ = norm;
            return;
        }
        u_ = before_;
        defect(problem_.system, u_, problem_.b, d_, options_.threads);
    }

    const Problem& problem_;
    const SolveOptions& options_;
    Format iterate_;
    SolveContext& context_;
    std::vector<double>&u_, &d_, before_;
    std::unique_ptr<ResidentSolver> solver_;
    double norm_; ///< of d
};

} // namespace

void solve_resident(const Problem& problem, const Engine& engine, std::vector<double>& u, std::vector<double>& d,
                    SolveContext& context) {
    ResidentSolve(problem, engine, u, d, context).solve();
}

} // namespace mantissa::solving
