#include "tune.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "mantissa/base/ending.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/base/shell_words.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/store.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "running/progress.hpp"
#include "solves.hpp"
#include "synthesis/core_clock.hpp"
#include "synthesis/sources.hpp"
#include "synthesis/synthesis.hpp"

namespace mantissa::tuning {

namespace {

using Clock = std::chrono::steady_clock;
using compare::Estimate;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kMostRatio = 8;    ///< no design is looked at that takes so many times the iterations of CG in double
constexpr double kLeastRatio = 0.9; ///< ... and none is hoped to take fewer than this
constexpr double kSlack = 1.1;      ///< counts scatter: so much above the front a solve goes on
constexpr double kNear = 1.08;      ///< designs so near to the best are judged by several right-hand sides
constexpr std::size_t kJudged = 5;
/// An outer step on the host moves some fifteen doubles of every unknown. A figure of its own, so that the answer does
/// not depend on this machine's load.
constexpr double kHostBytes = 120, kHostBandwidth = 10e9;

double whole_steps(double iterations, std::uint64_t inner) {
    return std::ceil(iterations / static_cast<double>(inner));
}

/// The search's contest over emulated solves.
class SolveContest : public Contest {
public:
    SolveContest(const TuneRequest& request, const Space& space, const AreaModel& model, Solves& solves,
                 TuneResult& result)
        : request_(request), space_(space), model_(model), solves_(solves), result_(result) {
        names_ = coarser(request.problem);
        names_.push_back(request.problem);
        for (const std::string& name : names_) references_.push_back(solves.reference(name, request.tolerance));
        const System& system = solves.problem(request.problem).system;
        unknowns_ = static_cast<double>(system.size());
        row_ = static_cast<double>(system.row_length());
        bands_ = system.kind() == System::Kind::stencil ? "constant" : "streamed";
    }

    [[nodiscard]] const std::vector<std::size_t>& sizes() const override { return space_.sizes(); }
    [[nodiscard]] Choice canonical(Choice choice) const override { return space_.canonical(std::move(choice)); }
    [[nodiscard]] std::size_t rungs() const override { return names_.size() - 1; }
    [[nodiscard]] double least_log(const Choice& /*choice*/) override { return std::log(kLeastRatio * reference()); }
    [[nodiscard]] double reference() const { return references_.back(); }

    bool possible(const Choice& choice) override { return known(choice).why.empty(); }

    double cost(const Choice& choice, double log) override {
        double least = kInfinite;
        for (const Estimate& e : estimates_for(choice, std::exp(log)))
            least = std::min(least, cost_of(request_, e, std::exp(log), reference()));
        return least;
    }

    std::vector<Measured> measure(std::span<const Choice> choices, std::size_t rung) override {
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

    /// Costs and times with so many iterations, for 1, 2, 4, ... cores.
    std::vector<Estimate> estimates_for(const Choice& choice, double iterations) {
        const Known& k = known(choice);
        return estimates_of(k.core.area, k.core.fixed_clocks, k.mhz, k.options, iterations,
                            whole_steps(iterations, k.options.inner));
    }
    std::vector<Estimate> estimates_of(const compare::CoreArea& area, double fixed_clocks, double mhz,
                                       const SolveOptions& options, double iterations, double outer) const {
        const bool constant = bands_ == "constant";
        const compare::Workload work{unknowns_,  row_,  (unknowns_ + row_) / options.spec.lanes + fixed_clocks,
                                     iterations, outer, kHostBytes * unknowns_ / kHostBandwidth};
        compare::Fit fit;
        return compare::estimates(area, options.spec, compare::traffic_of(options.spec, constant, false), work,
                                  request_.device, request_.fill, mhz * 1e6, fit);
    }
    /// The clock on the device of what the model or a netlist says.
    [[nodiscard]] double device_mhz(double model_mhz) const {
        const compare::Device& d = request_.device;
        double mhz = d.clock_mhz.value_or(model_mhz / synthesis::delay_ratio(d.target));
        return d.max_mhz ? std::min(mhz, *d.max_mhz) : mhz;
    }
    [[nodiscard]] const std::string& core_bands(const SolveOptions& options) const {
        static const std::string kConstant = "constant", kStreamed = "streamed";
        if (!options.spec.fixed_vectors()) return synthesis::holds_stencil(options.spec) ? kConstant : kStreamed;
        return bands_;
    }
    [[nodiscard]] const std::map<std::string, std::size_t>& refusals() const { return refusals_; }

private:
    struct Known {
        std::string why; ///< refused
        SolveOptions options;
        ModelledCore core;
        double mhz = 0;
    };

    const Known& known(const Choice& choice) {
        const auto it = known_.find(choice);
        if (it != known_.end()) return it->second;
        Known k;
        try {
            k.options = space_.options(choice, request_.tolerance);
            k.why = options::refusal(k.options);
            if (k.why.empty()) k.why = sim::core_refusal(k.options.spec, solves_.problem(request_.problem).system);
        } catch (const InvalidInput& fault) {
            k.why = fault.what();
        }
        const std::string& target = request_.device.target;
        if (k.why.empty()) k.why = model_.refusal(k.options.spec, target, "block", core_bands(k.options));
        if (k.why.empty()) {
            k.core = model_.at(k.options.spec, target, "block", core_bands(k.options));
            k.mhz = device_mhz(k.core.model_mhz);
            const compare::Fit fit = compare::cores_that_fit(k.core.area, request_.device, request_.fill);
            if (fit.cores == 0) k.why = fmt::format("one core does not fit the device (short of {})", fit.bound);
        }
        if (!k.why.empty()) ++refusals_[k.why];
        return known_.emplace(choice, std::move(k)).first->second;
    }

    /// Iterations beyond which a design cannot come near the front, on a coarse scale, so that few keys differ.
    std::uint64_t limit(const Choice& choice, double reference, bool whole) {
        double ratio = kMostRatio;
        if (request_.most_iterations) ratio = std::min(ratio, *request_.most_iterations);
        if (whole && !front_.empty()) {
            double most = 0;
            for (const Estimate& e : estimates_for(choice, this->reference())) { // (seconds grow with iterations)
                double time = kInfinite;
                for (const auto& [share, seconds] : front_)
                    if (share <= e.area_share) time = std::min(time, seconds);
                most = std::max(most, kSlack * time / e.seconds);
            }
            ratio = std::min(ratio, most);
        }
        const double step = std::ceil(4 * std::log2(std::max(ratio, 1.0)));
        return static_cast<std::uint64_t>(std::ceil(reference * std::exp2(step / 4)));
    }

    void enter(const Choice& choice, const SolveResult& r) {
        const Known& k = known(choice);
        Design d;
        d.choice = choice;
        d.options = k.options;
        d.bands = core_bands(k.options);
        d.iterations = r.inner_iterations;
        d.outer = r.outer_iterations;
        d.judged = static_cast<double>(r.inner_iterations);
        d.area = k.core.area;
        d.mhz = k.mhz;
        d.fixed_clocks = k.core.fixed_clocks;
        for (const Estimate& e : estimates_of(d.area, d.fixed_clocks, d.mhz, d.options,
                                              static_cast<double>(d.iterations), static_cast<double>(d.outer)))
            front_.emplace_back(e.area_share, e.seconds);
        const auto on_front = compare::pareto_front(front_);
        std::vector<std::pair<double, double>> kept;
        for (std::size_t i = 0; i < front_.size(); ++i)
            if (on_front[i]) kept.push_back(front_[i]);
        front_ = std::move(kept);
        result_.designs.push_back(std::move(d));
    }

    const TuneRequest& request_;
    const Space& space_;
    const AreaModel& model_;
    Solves& solves_;
    TuneResult& result_;
    std::vector<std::string> names_;
    std::vector<double> references_;
    double unknowns_ = 0, row_ = 0;
    std::string bands_;
    std::map<Choice, Known> known_;
    std::map<std::string, std::size_t> refusals_;
    std::vector<std::pair<double, double>> front_; ///< shares and seconds
};

/// What comes behind the search: right-hand sides, netlists, the front.
class Judge {
public:
    Judge(const TuneRequest& request, SolveContest& contest, Solves& solves, TuneResult& result)
        : request_(request), contest_(contest), solves_(solves), result_(result) {}

    [[nodiscard]] std::vector<Placed> placed(std::size_t index) const {
        const Design& d = result_.designs[index];
        std::vector<Placed> list;
        const auto iterations = static_cast<double>(d.iterations);
        for (const Estimate& e :
             contest_.estimates_of(d.area, d.fixed_clocks, d.mhz, d.options, iterations, static_cast<double>(d.outer)))
            list.push_back({index, e, cost_of(request_, e, iterations, contest_.reference()), false});
        return list;
    }

    /// One of each design by cost, and the front of all.
    void rank() {
        result_.best.clear();
        std::vector<Placed> all;
        for (std::size_t i = 0; i < result_.designs.size(); ++i) {
            const std::vector<Placed> these = placed(i);
            all.insert(all.end(), these.begin(), these.end());
            const auto least = std::min_element(these.begin(), these.end(),
                                                [](const Placed& a, const Placed& b) { return a.cost < b.cost; });
            if (least != these.end() && least->cost < kInfinite) result_.best.push_back(*least);
        }
        const double usual = usual_share();
        const auto decides = [&](const Placed& p) {
            const Design& d = result_.designs[p.design];
            return p.cost * (d.side_iterations.empty() ? usual : share(d));
        };
        std::stable_sort(result_.best.begin(), result_.best.end(),
                         [&](const Placed& a, const Placed& b) { return decides(a) < decides(b); });
        find_front(all);
    }

    /// Several right-hand sides for the designs that are as good as the best within the scatter of a count.
    void judge_sides() {
        const std::vector<std::string> sides = other_sides(request_.problem, request_.sides - 1);
        rank();
        if (request_.sides > 1 && sides.empty())
            result_.notes.emplace_back(
                "One right-hand side only: the problem has no others (mtx: and poisson2d: have)");
        std::vector<std::size_t> near;
        for (const Placed& p : result_.best)
            if (near.size() < kJudged && p.cost <= kNear * result_.best.front().cost) near.push_back(p.design);
        for (const std::size_t i : near) judge(result_.designs[i], sides);
        rank();
    }

    /// The mean ratio of a design's iterations to those of CG in double over all right-hand sides.
    void judge(Design& d, const std::vector<std::string>& sides) {
        d.side_iterations = {static_cast<double>(d.iterations) / contest_.reference()};
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
        d.judged = std::exp(sum / static_cast<double>(d.side_iterations.size())) * contest_.reference();
    }

    /// Netlists for the winner and its neighbours on the front. What is not modelled any more may lose to the next.
    void synthesise(const std::function<bool()>& out_of_time) {
        std::optional<synthesis::Synthesizer> synthesizer;
        std::set<std::size_t> failed;
        for (int made = 0; made < request_.netlists;) {
            rank();
            std::optional<std::size_t> next;
            for (const Placed& p : result_.best) {
                if (result_.designs[p.design].synthesised || failed.contains(p.design)) continue;
                if (next) break;
                next = p.design;
            }
            if (!next) break;
            Design& d = result_.designs[*next];
            try {
                if (!synthesizer) synthesizer.emplace(request_.store, current_provenance(request_.command));
                synthesis::SynthesisRequest r;
                r.spec = d.options.spec;
                r.target = request_.device.target;
                r.constant_bands = d.bands == "constant";
                synthesizer->take_kept(r);
                if (!synthesizer->stored(r) && out_of_time()) {
                    result_.notes.push_back("The budget left no time for a netlist; the next run with this store goes "
                                            "on from here");
                    break;
                }
                const synthesis::SynthesisFigures f = synthesizer->figures(r);
                const double modelled = static_cast<double>(d.area.slices);
                d.area = {f.slices(r.target), f.multipliers, f.memory_bits};
                d.area_error = modelled / static_cast<double>(std::max<std::uint64_t>(d.area.slices, 1)) - 1;
                d.mhz = contest_.device_mhz(f.model_mhz);
                d.synthesised = true;
                // One netlist serves all solves of the same core.
                for (Design& other : result_.designs)
                    if (!other.synthesised && other.options.spec == d.options.spec) {
                        other.area = d.area;
                        other.mhz = d.mhz;
                        other.area_error = d.area_error;
                        other.synthesised = true;
                    }
                ++made;
            } catch (const ToolFailure& fault) {
                result_.notes.push_back(fmt::format("No netlist: {}", fault.what()));
                break;
            } catch (const InvalidInput& fault) {
                result_.notes.push_back(fmt::format("No netlist of {}: {}", to_string(d.options.spec), fault.what()));
                failed.insert(*next);
            }
        }
        rank();
    }

private:
    /// The mean over all right-hand sides of what a design takes, over what it takes for the problem's own.
    static double share(const Design& d) { return d.judged / static_cast<double>(d.iterations); }
    /// The same in the mean over the designs that were judged.
    [[nodiscard]] double usual_share() const {
        double sum = 0, count = 0;
        for (const Design& d : result_.designs)
            if (!d.side_iterations.empty()) {
                sum += share(d);
                ++count;
            }
        return count == 0 ? 1 : sum / count;
    }

    void find_front(const std::vector<Placed>& all) {
        std::vector<std::pair<double, double>> points;
        for (const Placed& p : all) points.emplace_back(p.estimate.area_share, p.estimate.seconds);
        const std::vector<bool> on_front = compare::pareto_front(points);
        result_.front.clear();
        for (std::size_t i = 0; i < all.size(); ++i)
            if (on_front[i]) result_.front.push_back(all[i]);
        std::stable_sort(result_.front.begin(), result_.front.end(), [](const Placed& a, const Placed& b) {
            return a.estimate.area_share < b.estimate.area_share;
        });
        // Of designs that do not differ in either, the first.
        const auto same = [](const Placed& a, const Placed& b) {
            return a.estimate.area_share == b.estimate.area_share && a.estimate.seconds == b.estimate.seconds;
        };
        result_.front.erase(std::unique(result_.front.begin(), result_.front.end(), same), result_.front.end());
        for (Placed& p : result_.front) p.front = true;
        for (Placed& p : result_.best)
            p.front = std::any_of(result_.front.begin(), result_.front.end(), [&](const Placed& f) {
                return f.design == p.design && f.estimate.cores == p.estimate.cores;
            });
    }

    const TuneRequest& request_;
    SolveContest& contest_;
    Solves& solves_;
    TuneResult& result_;
};

void check(const TuneRequest& request, const Problem& problem) {
    if (problem.system.kind() == System::Kind::sparse)
        throw InvalidInput(fmt::format("problem {}: its matrix has sparse rows, and no areas of cores for these are "
                                       "modelled; take mantissa solve --advise, and mantissa compare for its area",
                                       base::quoted(request.problem)));
    if (request.goal == Goal::energy && !request.device.watts)
        throw InvalidInput(fmt::format("--for energy: the device {} names no watts; give its file watts = W, or take "
                                       "--for time",
                                       base::quoted(request.device.id)));
}

} // namespace

const char* to_string(Goal goal) {
    switch (goal) {
    case Goal::time:
        return "time";
    case Goal::area:
        return "area";
    case Goal::area_time:
        return "area-time";
    case Goal::energy:
        return "energy";
    }
    return "";
}

double cost_of(const TuneRequest& request, const Estimate& e, double iterations, double reference) {
    if (request.most_area && e.area_share > *request.most_area) return kInfinite;
    if (request.most_iterations && iterations > *request.most_iterations * reference) return kInfinite;
    switch (request.goal) {
    case Goal::time:
        return e.seconds;
    case Goal::area:
        return e.area_share * (1 + 1e-6 * iterations / reference); // of equal areas the faster one
    case Goal::area_time:
        return e.area_share * e.seconds;
    case Goal::energy:
        return request.device.watts.value_or(0) * e.seconds;
    }
    return kInfinite;
}

TuneResult tune(const TuneRequest& request) {
    const auto start = Clock::now();
    const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    const AreaModel model(compare::data_folder("tune") + "/cores.json");
    Store store(request.store);
    Solves solves(store, request.command, request.threads);
    const Problem& problem = solves.problem(request.problem);
    check(request, problem);
    const Space space(problem.system.kind() != System::Kind::stencil, request.narrowing);
    TuneResult result;
    const base::EndingNote note([&] {
        return fmt::format("stopped with {} points solved, all of them stored; the same command goes on from there",
                           solves.made());
    });
    const running::TickingLine line([&] {
        const double seconds = spent();
        const auto points = static_cast<double>(solves.made());
        return fmt::format("tune: {} points solved, {} of them before, {:.1f} points/s, {} of {} used",
                           solves.made() + solves.stored(), solves.stored(), points / std::max(seconds, 0.1),
                           running::duration_text(seconds), running::duration_text(request.budget));
    });
    SolveContest contest(request, space, model, solves, result);
    SearchOptions options;
    options.seed = request.seed;
    options.most = request.most;
    options.out_of_time = [&] { return spent() > 0.6 * request.budget; }; // the rest is for netlists
    const SearchResult found = search(contest, options);
    if (found.tried.empty() && !contest.refusals().empty()) {
        const auto most = std::max_element(contest.refusals().begin(), contest.refusals().end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        throw InvalidInput(fmt::format("device {}: no design of the space can be judged on it: {}; take another device "
                                       "(areas are modelled for xc2v and xcup), or other --vary and --fix",
                                       base::quoted(request.device.id), most->first));
    }
    result.reference = contest.reference();
    result.points = space.points();
    result.solved = found.tried.size();
    result.coarse = found.coarse;
    result.failed = static_cast<std::size_t>(
        std::count_if(found.tried.begin(), found.tried.end(), [](const Tried& t) { return !t.measured.reached; }));
    result.modelled = found.modelled;
    result.refused = found.refused;
    result.open = found.open;
    result.end = found.end;
    result.refusals = contest.refusals();
    Judge judge(request, contest, solves, result);
    judge.judge_sides();
    judge.synthesise([&] { return spent() > request.budget; });
    result.stored_before = solves.stored();
    if (!result.best.empty()) {
        const Design& d = result.designs[result.best.front().design];
        result.same_rtl = model.sources() == synthesis::sources_hash(synthesis::sources_folder());
        result.errors = model.errors(d.options.spec, request.device.target, "block", d.bands);
    }
    result.seconds = spent();
    return result;
}

std::string solve_command(const TuneRequest& request, const Design& design) {
    std::string command = "mantissa solve --problem " + base::shell_word(request.problem);
    if (request.tolerance != SolveOptions{}.tolerance) command += fmt::format(" --tolerance {}", request.tolerance);
    command += fmt::format(" --scheme residual-guided --inner {}", design.options.inner);
    if (design.options.headroom) command += fmt::format(" --headroom {}", *design.options.headroom);
    return command + " --spec " + base::shell_quoted(to_string(design.options.spec));
}

} // namespace mantissa::tuning
