#include "contest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mantissa/errors.hpp"
#include "mantissa/host/options.hpp"

namespace mantissa::tuning {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kLeastRatio = 0.9; ///< no design is hoped to take fewer times the iterations of CG in double
constexpr double kFewestCycles = 4; ///< each gains two or three digits at most
constexpr std::uint64_t kMostCycles = 60;
constexpr double kSlack = 1.1; ///< counts scatter: so much above the front a solve goes on

double whole_steps(double iterations, std::uint64_t inner) {
    return std::ceil(iterations / static_cast<double>(inner));
}

} // namespace

SolveContest::SolveContest(const TuneRequest& request, const Space& space, Cores& cores, Solves& solves,
                           TuneResult& result, bool levels)
    : request_(request), space_(space), cores_(cores), solves_(solves), result_(result) {
    if (levels) names_ = coarser(request.problem);
    names_.push_back(request.problem);
    for (const std::string& name : names_) references_.push_back(solves.reference(name, request.tolerance));
}

double SolveContest::least_log(const Choice& choice) {
    if (known(choice).options.preconditioner) return std::log(kFewestCycles);
    return std::log(kLeastRatio * reference());
}

double SolveContest::cost(const Choice& choice, double log) {
    double least = kInfinite;
    for (const Arranged& a : arranged(known(choice), std::exp(log)))
        least = std::min(least, cost_of(request_, a.estimate, std::exp(log), reference()));
    return least;
}

std::vector<Measured> SolveContest::measure(std::span<const Choice> choices, std::size_t rung) {
    const double reference = references_[rung];
    const bool whole = rung == rungs();
    std::vector<Point> points;
    for (const Choice& c : choices) {
        Point point;
        point.problem = names_[rung];
        point.options = known(c).options;
        point.options.max_iterations = limit(c, reference, whole);
        points.push_back(std::move(point));
    }
    const std::vector<SolveResult> results = solves_.results(points);
    std::vector<Measured> list;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const SolveResult& r = results[i];
        const bool converged = r.status == Status::converged;
        // What a coarser problem took, as a share of CG's in double, stands for what this one would.
        const double taken = converged ? static_cast<double>(r.inner_iterations)
                             : r.status == Status::iteration_limit
                                 ? static_cast<double>(points[i].options.max_iterations)
                                 : kMostRatio * reference;
        list.push_back({std::log(std::max(taken, 1.0) / reference * this->reference()), converged});
        if (whole && converged) enter(choices[i], r);
    }
    return list;
}

const SolveContest::Known& SolveContest::known(const Choice& choice) {
    const auto it = known_.find(choice);
    if (it != known_.end()) return it->second;
    Known k;
    try {
        k.options = space_.options(choice, request_.tolerance);
        k.why = options::refusal(k.options);
        if (k.why.empty()) k.why = cores_.refusal(k.options);
        if (k.why.empty()) k.builds = cores_.builds(k.options);
    } catch (const InvalidInput& fault) {
        k.why = fault.what();
    }
    if (!k.why.empty()) ++refusals_[k.why];
    return known_.emplace(choice, std::move(k)).first->second;
}

/// All builds and numbers of cores, with so many iterations.
std::vector<Arranged> SolveContest::arranged(const Known& known, double iterations) const {
    std::vector<Arranged> all;
    for (const Build& build : known.builds)
        for (Arranged& a : cores_.arranged(build, iterations, whole_steps(iterations, known.options.inner)))
            all.push_back(std::move(a));
    return all;
}

/// Iterations beyond which a design cannot come near the front, on a coarse scale, so that few keys differ.
std::uint64_t SolveContest::limit(const Choice& choice, double reference, bool whole) {
    if (known(choice).options.preconditioner) return kMostCycles;
    double ratio = kMostRatio;
    if (request_.most_iterations) ratio = std::min(ratio, *request_.most_iterations);
    if (whole && !front_.empty()) {
        double most = 0;
        for (const Arranged& a : arranged(known(choice), this->reference())) { // (seconds grow with iterations)
            double time = kInfinite;
            for (const auto& [share, seconds] : front_)
                if (share <= a.estimate.area_share) time = std::min(time, seconds);
            most = std::max(most, kSlack * time / a.estimate.seconds);
        }
        ratio = std::min(ratio, most);
    }
    const double step = std::ceil(4 * std::log2(std::max(ratio, 1.0)));
    return static_cast<std::uint64_t>(std::ceil(reference * std::exp2(step / 4)));
}

void SolveContest::enter(const Choice& choice, const SolveResult& r) {
    const Known& k = known(choice);
    Design d;
    d.choice = choice;
    d.options = k.options;
    d.iterations = r.inner_iterations;
    d.outer = r.outer_iterations;
    d.judged = static_cast<double>(r.inner_iterations);
    for (const Build& build : k.builds)
        for (const Arranged& a :
             cores_.arranged(build, static_cast<double>(d.iterations), static_cast<double>(d.outer)))
            front_.emplace_back(a.estimate.area_share, a.estimate.seconds);
    const auto on_front = compare::pareto_front(front_);
    std::vector<std::pair<double, double>> kept;
    for (std::size_t i = 0; i < front_.size(); ++i)
        if (on_front[i]) kept.push_back(front_[i]);
    front_ = std::move(kept);
    result_.designs.push_back(std::move(d));
}

} // namespace mantissa::tuning
