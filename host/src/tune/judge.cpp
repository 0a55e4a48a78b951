#include "judge.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "mantissa/base/jobs.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/provenance.hpp"

namespace mantissa::tuning {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNear = 1.08; ///< designs so near to the best are judged by several right-hand sides
constexpr std::size_t kJudged = 5;
constexpr int kBestNetlists = 3; ///< of the best by cost; further ones are of the front
constexpr int kTogether = 2;     ///< netlists; whatever the machine has, since what is made next depends on it

constexpr double kLutSeconds = 0.007; ///< that a netlist takes, until one tells it for this machine

double luts_a_slice(const std::string& target) {
    return target == "xcup" ? 8 : target == "xc7" ? 4 : 2;
}

/// Modelled, or of its netlist.
double luts_of(const Build& build, const std::string& target) {
    return static_cast<double>(build.figures.area.slices) * luts_a_slice(target);
}

/// What the sources ship or the store holds of a netlist.
void find(synthesis::Synthesizer& synthesizer, NetlistRun& n) {
    try {
        synthesizer.take_kept(n.request);
        n.figures = synthesizer.stored(n.request);
    } catch (const InvalidInput& fault) {
        n.refused = fault.what();
    }
}

void make(synthesis::Synthesizer& synthesizer, NetlistRun& n) {
    if (n.figures || !n.refused.empty()) return;
    const auto start = std::chrono::steady_clock::now();
    try {
        n.figures = synthesizer.figures(n.request);
        n.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    } catch (const ToolFailure& fault) {
        n.fault = fault.what();
    } catch (const InvalidInput& fault) {
        n.refused = fault.what();
    }
}

/// The mean over all right-hand sides of what a design takes, over what it takes for the problem's own.
double share(const Design& d) {
    return d.judged / static_cast<double>(d.iterations);
}

} // namespace

std::vector<Placed> Judge::placed(std::size_t index) const {
    const Design& d = result_.designs[index];
    std::vector<Placed> list;
    const auto iterations = static_cast<double>(d.iterations);
    for (const Build& build : cores_.builds(d.options))
        for (const Arranged& a : cores_.arranged(build, iterations, static_cast<double>(d.outer)))
            list.push_back(
                {index, build, a.estimate, cost_of(request_, a.estimate, iterations, result_.reference), false});
    return list;
}

/// One of each design by cost, and the front of all.
void Judge::rank() {
    result_.best.clear();
    std::vector<Placed> all;
    for (std::size_t i = 0; i < result_.designs.size(); ++i) {
        const std::vector<Placed> these = placed(i);
        std::ranges::copy_if(these, std::back_inserter(all), [](const Placed& p) { return p.cost < kInfinite; });
        const auto least = std::min_element(these.begin(), these.end(),
                                            [](const Placed& a, const Placed& b) { return a.cost < b.cost; });
        if (least != these.end() && least->cost < kInfinite) result_.best.push_back(*least);
    }
    const double usual = usual_share(false), usual_of_cycles = usual_share(true);
    const auto decides = [&](const Placed& p) {
        const Design& d = result_.designs[p.design];
        return p.cost * (!d.side_iterations.empty() ? share(d) : p.build.cycle ? usual_of_cycles : usual);
    };
    std::stable_sort(result_.best.begin(), result_.best.end(),
                     [&](const Placed& a, const Placed& b) { return decides(a) < decides(b); });
    find_front(all);
}

void Judge::judge_sides() {
    const std::vector<std::string> sides = other_sides(request_.problem, request_.sides - 1);
    rank();
    if (request_.sides > 1 && sides.empty())
        result_.notes.emplace_back("One right-hand side only: the problem has no others (poisson2d: has, and mtx: "
                                   "but with rhs=file:)");
    std::vector<std::size_t> near;
    for (const Placed& p : result_.best)
        if (near.size() < kJudged && p.cost <= kNear * result_.best.front().cost) near.push_back(p.design);
    for (const std::size_t i : near) judge(result_.designs[i], sides);
    rank();
}

/// The mean ratio of a design's iterations to those of CG in double over all right-hand sides.
void Judge::judge(Design& d, const std::vector<std::string>& sides) {
    d.side_iterations = {static_cast<double>(d.iterations) / result_.reference};
    std::vector<Point> points;
    for (const std::string& side : sides) {
        Point point;
        point.problem = side;
        point.options = d.options;
        point.options.max_iterations =
            static_cast<std::uint64_t>(kMostRatio * solves_.reference(side, request_.tolerance));
        points.push_back(std::move(point));
    }
    const std::vector<SolveResult> results = solves_.results(points);
    double sum = std::log(d.side_iterations.front());
    for (std::size_t s = 0; s < sides.size(); ++s) {
        const double taken = results[s].status == Status::converged
                                 ? static_cast<double>(results[s].inner_iterations)
                                 : static_cast<double>(points[s].options.max_iterations);
        d.side_iterations.push_back(taken / solves_.reference(sides[s], request_.tolerance));
        sum += std::log(d.side_iterations.back());
    }
    d.judged = std::exp(sum / static_cast<double>(d.side_iterations.size())) * result_.reference;
}

/// What has no netlist yet: the best ones first, then what else is on the front; at most `most` of them.
std::vector<NetlistRun> Judge::next_netlists(int made, int most, const std::set<std::string>& failed) const {
    std::vector<Placed> front = result_.front;
    std::stable_sort(front.begin(), front.end(), [](const Placed& a, const Placed& b) { return a.cost < b.cost; });
    std::vector<NetlistRun> next;
    const auto take = [&](const std::vector<Placed>& from, int until) {
        for (const Placed& p : from) {
            const int so_far = static_cast<int>(next.size());
            if (so_far >= most || made + so_far >= until) return;
            const std::string name = p.build.name();
            if (p.build.figures.synthesised || failed.contains(name) ||
                std::any_of(next.begin(), next.end(), [&](const NetlistRun& n) { return n.build.name() == name; }))
                continue;
            next.push_back({p.build, cores_.netlist_of(p.build), {}, {}, {}, 0});
        }
    };
    take(result_.best, kBestNetlists);
    take(front, request_.netlists);
    return next;
}

void Judge::synthesise(const std::function<double()>& left) {
    std::optional<synthesis::Synthesizer> synthesizer;
    std::set<std::string> failed; // builds
    double lut_seconds = kLutSeconds;
    std::string ended;
    for (int made = 0; ended.empty();) {
        rank();
        std::vector<NetlistRun> batch = next_netlists(made, std::min(kTogether, request_.netlists - made), failed);
        if (batch.empty()) break;
        try {
            if (!synthesizer) synthesizer.emplace(request_.store, current_provenance(request_.command));
        } catch (const ToolFailure& fault) {
            ended = fmt::format("No netlist of {}: {}", batch.front().build.name(), fault.what());
            break;
        }
        std::erase_if(batch, [&](NetlistRun& n) {
            find(*synthesizer, n);
            if (n.figures || !n.refused.empty() || lut_seconds * luts_of(n.build, request_.device.target) <= left())
                return false;
            if (ended.empty()) ended = fmt::format("The budget left no time for the netlist of {}", n.build.name());
            return true;
        });
        synthesizer->set_patience(std::max(left(), 1.0));
        base::run_jobs(batch.size(), kTogether, [&](std::size_t i) { make(*synthesizer, batch[i]); });
        for (const NetlistRun& n : batch) {
            if (n.figures) {
                cores_.enter(n.build, *n.figures);
                lut_seconds =
                    std::max(lut_seconds, n.seconds / std::max(luts_of(n.build, request_.device.target), 1.0));
                ++made;
            } else if (!n.refused.empty()) {
                result_.notes.push_back(fmt::format("No netlist of {}: {}", n.build.name(), n.refused));
                failed.insert(n.build.name());
            } else if (ended.empty()) {
                ended = fmt::format("No netlist of {}: {}", n.build.name(), n.fault);
            }
        }
    }
    if (!ended.empty())
        result_.notes.push_back(ended + "; a run with this store and a longer --budget goes on from here");
    rank();
}

/// The mean of share() over the designs that were judged, those by cycles or the others.
double Judge::usual_share(bool cycles) const {
    double sum = 0, count = 0;
    for (const Design& d : result_.designs)
        if (!d.side_iterations.empty() && d.options.preconditioner.has_value() == cycles) {
            sum += share(d);
            ++count;
        }
    return count == 0 ? 1 : sum / count;
}

/// What a design would be with the model's largest errors against it.
compare::Estimate Judge::at_worst(const Placed& p) const {
    if (p.build.figures.synthesised) return p.estimate;
    const std::map<Part, ModelError> errors = cores_.errors(p.build);
    const auto largest = [&](Part part) {
        const auto it = errors.find(part);
        return it == errors.end() ? 0 : it->second.largest;
    };
    Build worse = p.build;
    worse.figures.area.slices =
        static_cast<std::uint64_t>(static_cast<double>(worse.figures.area.slices) * (1 + largest(Part::slices)));
    worse.figures.mhz *= 1 - largest(Part::mhz);
    const Design& d = result_.designs[p.design];
    for (const Arranged& a : cores_.arranged(worse, static_cast<double>(d.iterations), static_cast<double>(d.outer)))
        if (a.estimate.cores == p.estimate.cores) return a.estimate;
    compare::Estimate none = p.estimate; // (it may not fit)
    none.area_share = none.seconds = std::numeric_limits<double>::infinity();
    return none;
}

/// The best by cost, then netlists, then what is modelled: that stays only where it beats those before it by more than
/// the model may be off.
void Judge::find_front(const std::vector<Placed>& all) {
    std::vector<std::pair<double, double>> points;
    points.reserve(all.size());
    for (const Placed& p : all) points.emplace_back(p.estimate.area_share, p.estimate.seconds);
    const std::vector<bool> on_front = compare::pareto_front(points);
    std::vector<Placed> found;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (on_front[i]) found.push_back(all[i]);
    std::stable_sort(found.begin(), found.end(), [](const Placed& a, const Placed& b) { return a.cost < b.cost; });
    if (!found.empty())
        std::stable_partition(found.begin() + 1, found.end(),
                              [](const Placed& p) { return p.build.figures.synthesised; });
    result_.front.clear();
    result_.near_front = 0;
    for (const Placed& p : found) {
        const compare::Estimate worst = at_worst(p);
        const bool as_good = std::any_of(result_.front.begin(), result_.front.end(), [&](const Placed& f) {
            return f.estimate.area_share <= worst.area_share && f.estimate.seconds <= worst.seconds;
        });
        if (as_good) ++result_.near_front;
        else result_.front.push_back(p);
    }
    std::stable_sort(result_.front.begin(), result_.front.end(),
                     [](const Placed& a, const Placed& b) { return a.estimate.area_share < b.estimate.area_share; });
    // Of designs that do not differ in either, the first.
    const auto same = [](const Placed& a, const Placed& b) {
        return a.estimate.area_share == b.estimate.area_share && a.estimate.seconds == b.estimate.seconds;
    };
    result_.front.erase(std::unique(result_.front.begin(), result_.front.end(), same), result_.front.end());
    for (Placed& p : result_.front) p.front = true;
    for (Placed& p : result_.best)
        p.front =
            std::any_of(result_.front.begin(), result_.front.end(), [&](const Placed& f) { return same_place(f, p); });
}

} // namespace mantissa::tuning
