// A solve that a core runs by itself (mantissa/resident.hpp): the host hands it b in words and takes the iterate.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "inner_scale.hpp"
#include "mantissa/resident.hpp"
#include "solve/inner.hpp"
#include "solve/schemes.hpp"

namespace mantissa::solving {

namespace {

/// The part of the defect wanted that the core is asked for: the true one is formed from u in double, whose own
/// rounding adds to it (an eighth of 1e-10 at a million unknowns), and the core cannot go on behind that.
constexpr double kAim = 31.0 / 32;

/// What became of the solve, but for the true residual.
void judge(const ResidentReport& report, const std::string& fault, SolveContext& context) {
    const auto broke = [&](const std::string& why) { context.stop(Status::breakdown, why); };
    switch (report.end) {
    case ResidentEnd::converged:
        return context.stop(Status::converged);
    case ResidentEnd::passes:
        return context.stop(Status::iteration_limit,
                            fmt::format("the limit of {} inner iterations is reached", context.limit));
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

void solve_resident(const Problem&, const Engine& engine, std::span<double> u, std::span<double> d,
                    SolveContext& context) {
    const SolveOptions& options = context.options;
    const Format iterate = *options.outer;
    const auto solver = engine.resident(*context.loaded, options.spec, iterate, options.threads);
    const int e0 = resident_exponent(context.norm);
    const auto relative = [&](const ResidentPoint& point) {
        return std::ldexp(std::sqrt(point.rr) / context.initial, point.e + e0);
    };
    const std::uint64_t before = context.result.inner_iterations, steps_before = context.result.outer_iterations;
    ResidentRequest request{.inner = options.inner,
                            .headroom = options.headroom.value_or(0),
                            .relax = options.headroom ? 0 : kResidentRelax,
                            .max_passes = context.remaining(),
                            .tolerance =
                                resident_tolerance(options.spec.scalar, std::ldexp(kAim * context.target(), -e0))};
    request.watch = [&](const ResidentPoint& point) {
        context.report({before + point.passes, steps_before + point.steps, relative(point)});
        return !context.cancelled;
    };
    const ResidentReport report = solver->solve(resident_words(d, e0), request);

    SolveResult& result = context.result;
    RunReport run;
    run.passes = report.passes;
    run.sigma_guards = report.sigma_guards;
    run.words = report.words;
    run.cycles = report.cycles;
    context.count(run, report.passes);
    result.outer_iterations += report.steps;
    result.overflows += report.overflows;
    result.resident = ResidentOutcome{report.end, report.formed_again, report.headroom, report.e, report.rr};
    if (options.history) // (LOAD's acceptance is the solve's start, which is there already)
        for (std::size_t k = 1; k < report.history.size(); ++k) {
            const ResidentPoint& point = report.history[k];
            result.history.push_back({before + point.passes, steps_before + point.steps, relative(point)});
        }

    // u += fit 2^e0 V
    std::vector<fixed::Word> words(std::min(u.size(), kTransfer));
    for (std::size_t at = 0; at < u.size(); at += words.size()) {
        const std::span<fixed::Word> v(words.data(), std::min(words.size(), u.size() - at));
        solver->read(at, v);
        for (std::size_t i = 0; i < v.size(); ++i)
            u[at + i] += context.fit * std::ldexp(static_cast<double>(v[i]), e0 - iterate.fraction_bits);
    }
    judge(report, solver->fault(), context);
}

} // namespace mantissa::solving
