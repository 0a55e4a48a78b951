#include "sweep_run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <iterator>
#include <mutex>
#include <numeric>
#include <thread>
#include <type_traits>

#include <fmt/format.h>

#ifdef MANTISSA_WITH_MPI
#include <mpi.h>
#endif

#include "mantissa/base/ending.hpp"
#include "running/progress.hpp"
#include "store/result_json.hpp"
#include "text/json_text.hpp"

namespace mantissa::sweeps {

namespace {

bool converged(const PointOutcome& o) {
    return o.result.status == Status::converged;
}
bool converged(const DenseOutcome& o) {
    return o.result.status == DenseStatus::converged;
}
template <class P> struct OutcomeOf;
template <> struct OutcomeOf<Point> { using Type = PointOutcome; };
template <> struct OutcomeOf<DensePoint> { using Type = DenseOutcome; };

/// Puts outcomes into the store and counts them. First rank only. P: Point or DensePoint.
template <class P> class Ledger {
public:
    using Outcome = typename OutcomeOf<P>::Type;

    /// `before` of the sweep's points were in the store at the start.
    Ledger(const std::vector<P>& points, Store& store, const std::string& command, double work, std::size_t before)
        : points_(points), store_(store), command_(command), stored_(before), line_("points", points.size(), work),
          note_([this, all = before + points.size()] {
              return fmt::format("stopped with {} of {} points stored; the same command goes on from there",
                                 stored_.load(), all);
          }) {
        report_.points = points.size();
    }
    void enter(std::size_t index, const Outcome& outcome) {
        const std::lock_guard lock(mutex_);
        const P& point = points_[index];
        if (outcome.refused.empty()) {
            store_.put(point, outcome.result, outcome.unknowns, current_provenance(command_));
            ++report_.computed;
            ++stored_;
            report_.not_converged += converged(outcome) ? 0 : 1;
        } else {
            report_.refused.emplace_back(point_key(point), outcome.refused);
        }
        line_.done(estimated_work(point));
    }
    [[nodiscard]] const SweepReport& report() const { return report_; }

private:
    const std::vector<P>& points_;
    Store& store_;
    std::string command_;
    SweepReport report_;
    std::atomic<std::size_t> stored_; ///< of the whole sweep's points
    running::ItemProgress line_;
    base::EndingNote note_;
    std::mutex mutex_;
};

template <class P> double total_work(const std::vector<P>& points) {
    return std::accumulate(points.begin(), points.end(), 0.0,
                           [](double sum, const P& point) { return sum + estimated_work(point); });
}

template <class P>
SweepReport run_alone(const std::vector<P>& todo, Store& store, int threads, const std::string& command,
                      std::size_t before) {
    Ledger<P> ledger(todo, store, command, total_work(todo), before);
    solve_points(todo, threads, [&](std::size_t index, const auto& o) { ledger.enter(index, o); });
    return ledger.report();
}

#ifdef MANTISSA_WITH_MPI

constexpr int kResultTag = 1;

/// An outcome as bytes. MessagePack keeps doubles exactly, NaN and infinities too.
std::vector<std::uint8_t> pack(std::size_t index, const PointOutcome& o) {
    const SolveResult& r = o.result;
    results::Json history = results::Json::array();
    for (const HistoryPoint& h : r.history)
        history.push_back(results::Json::array({h.inner_iterations, h.outer_iterations, h.relative_defect}));
    return results::Json::to_msgpack(results::Json::array(
        {index, o.unknowns, o.refused, static_cast<int>(r.status), r.detail, r.inner_iterations, r.outer_iterations,
         r.true_residual, r.error.has_value(), r.error.value_or(0.0), r.sigma_guards, r.cycles.has_value(),
         r.cycles.value_or(0), r.seconds, history, json_text(results::words_to_json(r), -1)}));
}

std::vector<std::uint8_t> pack(std::size_t index, const DenseOutcome& o) {
    const DenseResult& r = o.result;
    results::Json history = results::Json::array();
    for (const DenseStep& s : r.history) history.push_back(results::Json::array({s.krylov_steps, s.residual}));
    return results::Json::to_msgpack(
        results::Json::array({index, o.unknowns, o.refused, static_cast<int>(r.status), static_cast<int>(r.end), r.at,
                              r.steps, r.krylov_steps, r.backward_error, r.hpl_residual, r.forward_error, r.growth,
                              r.condition, r.factor_error, r.exchanges, r.factor_seconds, r.refine_seconds, history}));
}

std::size_t unpack(const results::Json& j, DenseOutcome& o) {
    o.unknowns = j[1];
    o.refused = j[2];
    DenseResult& r = o.result;
    r.status = static_cast<DenseStatus>(j[3].get<int>());
    r.end = static_cast<LuEnd>(j[4].get<int>());
    r.at = j[5];
    r.steps = j[6];
    r.krylov_steps = j[7];
    double* const numbers[] = {&r.backward_error, &r.hpl_residual, &r.forward_error,
                               &r.growth,         &r.condition,    &r.factor_error};
    for (std::size_t k = 0; k < std::size(numbers); ++k) *numbers[k] = j[8 + k];
    r.exchanges = j[14];
    r.factor_seconds = j[15];
    r.refine_seconds = j[16];
    for (const results::Json& s : j[17]) r.history.push_back({s[0], s[1]});
    return j[0].get<std::size_t>();
}

std::size_t unpack(const results::Json& j, PointOutcome& o) {
    o.unknowns = j[1];
    o.refused = j[2];
    SolveResult& r = o.result;
    r.status = static_cast<Status>(j[3].get<int>());
    r.detail = j[4];
    r.inner_iterations = j[5];
    r.outer_iterations = j[6];
    r.true_residual = j[7];
    if (j[8].get<bool>()) r.error = j[9].get<double>();
    r.sigma_guards = j[10];
    if (j[11].get<bool>()) r.cycles = j[12].get<std::uint64_t>();
    r.seconds = j[13];
    results::words_from_json(j[15].get<std::string>(), r);
    for (const results::Json& h : j[14]) r.history.push_back({h[0], h[1], h[2]});
    return j[0].get<std::size_t>();
}

/// Points are dealt out in turn, longest first, so every rank gets a like share. Ranks send each outcome to the
/// first rank, whose main thread receives while its workers solve their own share.
template <class P>
SweepReport run_ranks(const std::vector<P>& todo, Store* store, int threads, const std::string& command,
                      std::size_t before, const running::Ranks& ranks) {
    std::vector<double> work(todo.size());
    std::transform(todo.begin(), todo.end(), work.begin(), [](const P& point) { return estimated_work(point); });
    std::vector<std::size_t> order(todo.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });
    std::vector<std::size_t> mine;
    for (std::size_t k = 0; k < order.size(); ++k)
        if (k % static_cast<std::size_t>(ranks.count()) == static_cast<std::size_t>(ranks.rank()))
            mine.push_back(order[k]);
    std::vector<P> share;
    for (const std::size_t index : mine) share.push_back(todo[index]);

    if (!ranks.first()) {
        solve_points(share, threads, [&](std::size_t index, const auto& o) {
            const auto bytes = pack(mine[index], o);
            MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, kResultTag, MPI_COMM_WORLD);
        });
        return {};
    }
    Ledger<P> ledger(todo, *store, command, std::accumulate(work.begin(), work.end(), 0.0), before);
    // MPI is this thread's, so the jobs are another's; get() passes on what they throw.
    std::future<void> workers = std::async(std::launch::async, [&] {
        solve_points(share, threads, [&](std::size_t index, const auto& o) { ledger.enter(mine[index], o); });
    });
    for (std::size_t left = todo.size() - share.size(); left > 0;) {
        MPI_Status status;
        int waiting = 0, length = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, kResultTag, MPI_COMM_WORLD, &waiting, &status);
        if (waiting == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1)); // the core is better used by a worker
            continue;
        }
        MPI_Get_count(&status, MPI_BYTE, &length);
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(length));
        MPI_Recv(bytes.data(), length, MPI_BYTE, status.MPI_SOURCE, kResultTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        typename OutcomeOf<P>::Type outcome;
        const std::size_t index = unpack(results::Json::from_msgpack(bytes), outcome);
        ledger.enter(index, outcome);
        --left;
    }
    workers.get();
    return ledger.report();
}

/// The first rank says which points are missing; all learn it.
void share_list(std::vector<std::uint64_t>& list) {
    std::uint64_t count = list.size();
    MPI_Bcast(&count, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    list.resize(count);
    MPI_Bcast(list.data(), static_cast<int>(count), MPI_UINT64_T, 0, MPI_COMM_WORLD);
}

#endif

template <class P>
SweepReport run_points(const std::vector<P>& points, Store* store, int threads, const std::string& command,
                       [[maybe_unused]] const running::Ranks& ranks) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::uint64_t> missing;
    if (store != nullptr)
        for (std::size_t i = 0; i < points.size(); ++i)
            if (!store->contains(points[i])) missing.push_back(i);
#ifdef MANTISSA_WITH_MPI
    share_list(missing);
#endif
    std::vector<P> todo;
    for (const std::uint64_t i : missing) todo.push_back(points[i]);
    const std::size_t before = points.size() - todo.size();
    SweepReport report;
#ifdef MANTISSA_WITH_MPI
    if (ranks.count() > 1) report = run_ranks(todo, store, threads, command, before, ranks);
    else
#endif
        report = run_alone(todo, *store, threads, command, before);
    if (store != nullptr) {
        // Points are stored as they end, which differs from run to run; tables made of them do not.
        std::vector<std::string> keys;
        for (const P& point : points) keys.push_back(point_key(point));
        constexpr bool dense = std::is_same_v<P, DensePoint>;
        store->arrange(keys, dense ? StoredPoints::dense : StoredPoints::iterative);
    }
    report.stored_before = before;
    report.points = points.size();
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
}

} // namespace

SweepReport run_sweep(const Sweep& sweep, Store* store, int threads, const std::string& command,
                      const running::Ranks& ranks) {
    if (!sweep.dense.empty()) return run_points(sweep.dense, store, threads, command, ranks);
    return run_points(sweep.points, store, threads, command, ranks);
}

} // namespace mantissa::sweeps
