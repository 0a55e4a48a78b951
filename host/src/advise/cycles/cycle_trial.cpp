#include "cycle_trial.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "mantissa/engine.hpp"
#include "mantissa/format.hpp"

namespace mantissa::advising {

namespace {

/// The bits that a CycleSpec may have (cycle_spec.hpp).
constexpr int kFewest = 4, kMostOfR = 16, kMostOfF = 24, kMostOfCoefficients = 15, kMostOfInterpolation = 16;
/// What f has more than r where nothing is said of it.
constexpr int kMoreOfF = 7;

/// `shape`'s steps, in the usual words.
CycleSpec usual_words(const CycleSpec& shape) {
    CycleSpec spec;
    spec.before = shape.before;
    spec.after = shape.after;
    return spec;
}

CycleSpec with_r(CycleSpec spec, int bits) {
    spec.w = {bits};
    spec.f = {std::min(bits + kMoreOfF, kMostOfF)};
    return spec;
}

} // namespace

CycleTrial try_cycle(const Problem& problem, const CycleSpec& spec, const AdviceOptions& options,
                     const LevelsMeasured& levels, std::uint64_t limit, const std::function<bool()>& time_up) {
    SolveOptions o = cycle_solve_options(spec, options);
    o.max_iterations = limit;
    const double begin = running::processor_seconds();
    const SolveResult r = solve(problem, *make_emulated_engine(), o, [&](const HistoryPoint&) { return !time_up(); });
    CycleTrial trial{spec, r.status == Status::converged, r.inner_iterations, 0, 0, {}};
    trial.work = levels.work(spec) * static_cast<double>(r.inner_iterations);
    trial.seconds = running::processor_seconds() - begin;
    if (!trial.converged)
        trial.ended = fmt::format("{}, residual {:.1e}",
                                  r.status == Status::iteration_limit ? std::string("cut off") : to_string(r.status),
                                  r.true_residual);
    return trial;
}

std::optional<FasterCycles> faster_cycles(const Problem& problem, const AdviceOptions& options,
                                          std::uint64_t iterations, double seconds) {
    constexpr double kFaster = 4;
    const CycleSpec spec = parse_cycle_spec("v22,w=10");
    const double begin = running::processor_seconds();
    const auto so_far = [&] { return running::processor_seconds() - begin; };
    try {
        const CycleTrial trial =
            try_cycle(problem, spec, options, {}, iterations, [&] { return kFaster * so_far() > seconds; });
        if (!trial.converged || kFaster * trial.seconds > seconds) return std::nullopt;
        return FasterCycles{to_string(spec), trial.iterations, seconds / trial.seconds};
    } catch (const InvalidInput&) {
        return std::nullopt; // no levels
    }
}

bool CycleSearch::works(const CycleSpec& spec, std::uint64_t limit) {
    const std::string name = to_string(spec);
    if (const auto at = known_.find(name); at != known_.end()) {
        const auto& [tried, trial] = at->second;
        if (trial.converged || tried >= limit) return trial.converged && trial.iterations <= limit;
    }
    if (spent_() + longest_seconds_ > seconds_) {
        time_up_ = true;
        return false;
    }
    say_(fmt::format("trial {}, {}", known_.size() + 1, name));
    const CycleTrial trial = try_cycle(problem_, spec, options_, levels_, limit, [this] {
        time_up_ = time_up_ || spent_() > seconds_;
        return time_up_;
    });
    longest_seconds_ = std::max(longest_seconds_, trial.seconds);
    known_[name] = {limit, trial};
    return trial.converged && trial.iterations <= limit;
}

void CycleSearch::shorten(CycleSpec& spec, std::uint64_t limit, int least,
                          const std::function<int&(CycleSpec&)>& bits) {
    int fails = least - 1, holds = bits(spec), step = 2;
    while (holds - fails > 1 && !time_up_) {
        const int middle = fails < least ? std::max(holds - step, least) : fails + (holds - fails) / 2;
        step *= 2;
        CycleSpec shorter = spec;
        bits(shorter) = middle;
        if (works(shorter, limit)) holds = middle;
        else fails = middle;
    }
    bits(spec) = holds;
}

void CycleSearch::polish(CycleSpec& spec, std::uint64_t limit) {
    for (bool lowered = true; lowered && !time_up_;) {
        lowered = false;
        for (std::vector<int> CycleSpec::*const list : {&CycleSpec::w, &CycleSpec::c, &CycleSpec::f, &CycleSpec::e}) {
            CycleSpec shorter = spec;
            int& bits = (shorter.*list).front();
            if (bits == kFewest || (list == &CycleSpec::c && !rows_)) continue;
            --bits;
            if (!works(shorter, limit)) continue;
            spec = shorter;
            lowered = true;
        }
    }
}

std::optional<CycleTrial> CycleSearch::longest(const CycleSpec& shape, std::uint64_t limit) {
    CycleSpec spec = with_r(usual_words(shape), kMostOfR);
    spec.e = {kMostOfF};
    if (rows_) {
        spec.c = {kMostOfCoefficients};
        spec.p = {kMostOfInterpolation};
        spec.sums = 64;
    }
    if (!works(spec, limit)) return std::nullopt;
    return known_.at(to_string(spec)).second;
}

std::optional<CycleTrial> CycleSearch::shortest(const CycleSpec& shape, std::uint64_t limit) {
    CycleSpec spec = usual_words(shape);
    if (!works(spec, limit)) {
        const std::optional<CycleTrial> any = longest(spec, limit);
        if (!any) return std::nullopt;
        spec = any->spec;
    }
    int fails = kFewest - 1, holds = spec.w.front(), step = 2; // of r, with f as many bits longer as is usual
    while (holds - fails > 1 && !time_up_) {
        const int middle = fails < kFewest ? std::max(holds - step, kFewest) : fails + (holds - fails) / 2;
        step *= 2;
        (works(with_r(spec, middle), limit) ? holds : fails) = middle;
    }
    spec = holds == spec.w.front() ? spec : with_r(spec, holds);
    if (rows_) {
        shorten(spec, limit, kFewest, [](CycleSpec& s) -> int& { return s.c.front(); });
        CycleSpec plain = spec; // shorter sums, and entries of P that fit them
        plain.sums = 32;
        plain.p.clear();
        if (!(plain == spec) && works(plain, limit)) spec = plain;
    }
    shorten(spec, limit, kFewest, [](CycleSpec& s) -> int& { return s.f.front(); });
    shorten(spec, limit, kFewest, [](CycleSpec& s) -> int& { return s.e.front(); });
    polish(spec, limit);
    return known_.at(to_string(spec)).second;
}

} // namespace mantissa::advising
