#include "campaign.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "flip_store.hpp"
#include "mantissa/base/ending.hpp"
#include "mantissa/base/jobs.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "problems/random.hpp"
#include "running/progress.hpp"

namespace mantissa::upset {

namespace {

using Clock = std::chrono::steady_clock;

/// Of what one clock moves next to nothing waits so long.
constexpr std::uint64_t kPatience = 20'000;

/// Numbers below a bound: a stream for each upset, whatever the order in which they run.
class Random {
public:
    Random(std::uint64_t seed, std::uint64_t number) : stream_(seed * 0xD1B54A32D192ED03ULL + number) {
        (void)stream_.next();
    }
    std::uint64_t below(std::uint64_t bound) { return stream_.next() % bound; }

private:
    problems::SplitMix stream_;
};

/// Memories as long as the problem needs: bits that nothing reads would count as masked.
sim::CoreParameters fitted_parameters(const Request& request, const Problem& problem) {
    if (problem.system.kind() == System::Kind::sparse) return {}; // (its session fits them)
    const int row = static_cast<int>(std::max<std::size_t>(problem.system.row_length(), 8));
    sim::CoreParameters list;
    list.emplace_back("MaxRow", std::max(row, request.options.spec.lanes));
    if (request.options.resident)
        list.emplace_back("MaxLength", static_cast<int>(std::max<std::size_t>(problem.system.size(), 9)));
    if (request.checks != 0) list.emplace_back("Checks", request.checks);
    return list;
}

void check(const Request& request, const Problem& problem) {
    const auto refuse = [](const std::string& why) { throw InvalidInput("upset: " + why); };
    const SolveOptions& o = request.options;
    if (o.preconditioner && (o.scheme != Scheme::defect_correction || problem.system.kind() != System::Kind::stencil))
        refuse("the cycle core solves constant stencils by cycles alone; give --scheme defect-correction, and a "
               "problem as poisson2d:level=3");
    if (problem.system.kind() == System::Kind::sparse && request.checks != 0)
        refuse("--checks 1: the sparse core has no checks; leave it out");
    if (!o.preconditioner && !o.resident && (o.scheme != Scheme::residual_guided || !o.schedule.empty()))
        refuse("upsets are looked at under the outer loop of residual-guided, by its own recurrence and without a "
               "schedule; give --scheme residual-guided, and leave out recurrence and schedule");
    if (request.checks != 0 && !o.resident && !o.preconditioner &&
        (!o.spec.fixed_vectors() || problem.system.kind() != System::Kind::stencil))
        refuse(
            "--checks 1: of the streaming cores only the integer one has checks, for a constant stencil; leave it out, "
            "or take such a datapath and problem");
}

class Campaigner {
public:
    Campaigner(const Request& request, const Problem& problem)
        : request_(request), problem_(problem), parameters_(fitted_parameters(request, problem)) {
        options_ = request.options;
        options_.threads = 1;
        options_.keep_solution = true;
    }

    Reference reference() {
        Reference r;
        auto trial = std::make_shared<sim::UpsetTrial>();
        sim::RtlOptions rtl = rtl_options(trial);
        rtl.cache.progress = sim::terminal_progress();
        r.result = solve(problem_, *sim::make_rtl_engine(rtl), options_);
        if (r.result.status != Status::converged)
            throw InvalidInput(fmt::format("upset: without an upset the solve ends {} ({}); give a datapath and a "
                                           "tolerance with which it converges",
                                           mantissa::to_string(r.result.status), r.result.detail));
        r.core = core_name(options_, problem_.system.kind());
        r.model = trial->model;
        r.last = trial->clocks;
        for (std::size_t k = 0; k < trial->places.size(); ++k) add(r, std::move(trial->places[k]), k);
        // Clocks in front of the first one that is the solve's reset the core: half a hundred at most.
        r.first = std::min<std::uint64_t>(48, r.last / 2);
        if (r.bits.empty()) throw InvalidInput("upset: the core has no such bits; give --where all");
        return r;
    }

    Flip flip(const Reference& reference, std::uint64_t number) const {
        Random random(request_.seed, number);
        Flip f;
        f.number = number;
        const std::uint64_t at = random.below(reference.bits.back());
        const auto k = static_cast<std::size_t>(std::upper_bound(reference.bits.begin(), reference.bits.end(), at) -
                                                reference.bits.begin());
        const sim::UpsetPlace& place = reference.places[k];
        const std::uint64_t within = at - (k == 0 ? 0 : reference.bits[k - 1]);
        f.place = place.name;
        f.word = within / place.bits;
        f.bit = static_cast<std::uint32_t>(within % place.bits);
        f.clock = reference.first + random.below(reference.last - reference.first);

        auto trial = std::make_shared<sim::UpsetTrial>();
        trial->model = reference.model;
        trial->list = false;
        trial->upset = sim::Upset{reference.numbers[k], f.bit, f.word, f.clock};
        trial->most_clocks = 8 * reference.last + kPatience;
        SolveOptions options = options_;
        options.max_iterations = 4 * reference.result.inner_iterations + 10 * options.inner;
        try {
            judge(reference.result, solve(problem_, *sim::make_rtl_engine(rtl_options(trial)), options), *trial, f);
        } catch (const std::runtime_error& error) {
            if (!sim::core_does_not_serve(error)) throw;
            f.outcome = Outcome::hang;
            f.true_residual = std::numeric_limits<double>::infinity();
        }
        return f;
    }

    [[nodiscard]] std::string key(const Reference& reference) const {
        return fmt::format("{}{} where={} seed={} model={}", request_.problem, options::key_text(request_.options),
                           static_cast<int>(request_.where), request_.seed,
                           std::filesystem::path(reference.model).stem().string());
    }

private:
    [[nodiscard]] sim::RtlOptions rtl_options(std::shared_ptr<sim::UpsetTrial> trial) const {
        sim::RtlOptions rtl;
        rtl.extra = parameters_;
        rtl.patience = kPatience;
        rtl.trial = std::move(trial);
        return rtl;
    }

    void add(Reference& r, sim::UpsetPlace place, std::size_t number) const {
        const bool memory = is_memory(place);
        const std::uint64_t bits = place.bits * place.words;
        (memory ? r.memory_bits : r.register_bits) += bits;
        if ((request_.where == Where::regs && memory) || (request_.where == Where::memories && !memory)) return;
        r.bits.push_back((r.bits.empty() ? 0 : r.bits.back()) + bits);
        r.numbers.push_back(static_cast<std::uint32_t>(number));
        r.places.push_back(std::move(place));
    }

    void judge(const SolveResult& right, const SolveResult& result, const sim::UpsetTrial& trial, Flip& f) const {
        const auto more = [](std::uint64_t a, std::uint64_t b) {
            return static_cast<std::int64_t>(a) - static_cast<std::int64_t>(b);
        };
        f.more_inner = more(result.inner_iterations, right.inner_iterations);
        f.more_outer = more(result.outer_iterations, right.outer_iterations);
        f.converged = result.status == Status::converged;
        f.true_residual = result.true_residual;
        const bool false_end = result.false_ends > 0 || (result.resident && result.resident->false_ends > 0);
        if (f.converged && !close_enough(result)) f.outcome = Outcome::wrong;
        else if (trial.hung) f.outcome = Outcome::hang;
        else if (!f.converged) f.outcome = Outcome::not_converged;
        else if (false_end) f.outcome = Outcome::falsely;
        else if (trial.faults > 0) f.outcome = Outcome::detected;
        else if (f.more_inner == 0 && f.more_outer == 0 && result.u == right.u) f.outcome = Outcome::masked;
        else f.outcome = Outcome::corrected;
    }

    /// By the host's own figures of the iterate: the energy of its error, or its true residual.
    [[nodiscard]] bool close_enough(const SolveResult& result) const {
        if (options_.energy) return result.energy && result.energy->upper <= *options_.energy;
        return result.true_residual <= options_.tolerance * kVerdictSlack;
    }

    /// A residual so far above the tolerance is as good as reached where the inner loop's test said so (Status).
    static constexpr double kVerdictSlack = 1.001;

    const Request& request_;
    const Problem& problem_;
    SolveOptions options_;
    sim::CoreParameters parameters_;
};

} // namespace

std::string_view core_name(const SolveOptions& options, System::Kind kind) {
    if (options.preconditioner) return "cycle";
    if (kind == System::Kind::sparse) return "sparse";
    return options.resident ? "resident" : options.spec.fixed_vectors() ? "integer" : "floating";
}

std::string words_of(const SolveOptions& options) {
    return options.preconditioner ? "multilevel:" + to_string(*options.preconditioner)
                                  : mantissa::to_string(options.spec);
}

bool is_memory(const sim::UpsetPlace& place) {
    constexpr std::uint64_t kFewWords = 16;
    return place.words > 1 && (place.words >= kFewWords || place.name.ends_with(".mem"));
}

Campaign run_campaign(const Request& request) {
    const auto start = Clock::now();
    const Problem problem = make_problem(request.problem);
    check(request, problem);
    Campaigner campaigner(request, problem);
    Campaign campaign;
    campaign.reference = campaigner.reference();
    std::optional<FlipStore> store;
    if (!request.store.empty()) {
        store.emplace(request.store, campaigner.key(campaign.reference), problem.name);
        if (!store->note().empty()) fmt::print(stderr, "mantissa: {}\n", store->note());
        store->describe(request, campaign.reference);
    }
    campaign.flips.resize(request.flips);
    std::vector<bool> known(request.flips, false);
    if (store)
        for (Flip& flip : store->below(request.flips)) {
            known[flip.number] = true;
            campaign.flips[flip.number] = std::move(flip);
            ++campaign.stored;
        }
    std::vector<std::uint64_t> todo;
    for (std::uint64_t k = 0; k < request.flips; ++k)
        if (!known[k]) todo.push_back(k);
    running::ItemProgress progress("upsets", todo.size(), static_cast<double>(todo.size()));
    std::atomic<std::uint64_t> stored = campaign.stored;
    const base::EndingNote note([&]() -> std::string {
        if (!store) return "stopped; without --store nothing is kept";
        return fmt::format("stopped with {} of {} upsets stored; the same command goes on from there", stored.load(),
                           request.flips);
    });
    base::run_jobs(
        todo.size(), request.threads,
        [&](std::size_t k) { campaign.flips[todo[k]] = campaigner.flip(campaign.reference, todo[k]); },
        [&](std::size_t k) {
            if (store) {
                store->put(campaign.flips[todo[k]]);
                ++stored;
            }
            progress.done(1);
        });
    campaign.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return campaign;
}

} // namespace mantissa::upset
