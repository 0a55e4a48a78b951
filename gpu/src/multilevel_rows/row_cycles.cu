// Whole solves by cycles on rows: CG around them, or corrections alone, until the residual is small enough.
#include "row_cycles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "loop.cuh"
#include "mantissa/format.hpp"
#include "mantissa/multilevel/grid_words.hpp"
#include "mantissa/sparse/formats.hpp"
#include "parts.hpp"
#include "schedules/graph.hpp"
#include "setup/layout.hpp"
#include "setup/words.hpp"

namespace mantissa::gpu {

namespace {

using namespace multilevel_rows;

/// What has not fallen by a tenth in so many cycles will not.
constexpr std::uint32_t kPatience = 40;
constexpr double kWorthwhile = 0.9;
/// ... nor what has grown so far.
constexpr double kDiverged = 1e4;
constexpr unsigned kSumBlocksEach = 8; ///< of a multiprocessor, of kernels that leave sums

/// Entry `b` of row i of a nine-point grid, to node `to`.
double entry(const Stencil& a, std::size_t b, std::size_t i, std::size_t to) {
    return a.on_edge(i) || a.on_edge(to) ? 0 : a.coefficients()[b];
}
double entry(const Bands& a, std::size_t b, std::size_t i, std::size_t) {
    return a.band(b)[i];
}
double entry(const SymmetricBands& a, std::size_t b, std::size_t i, std::size_t) {
    return a.coefficient(b, i);
}

Matrix<double> bring_rows(const CompressedRows&, const GivenMatrix& given, Arena& keep) {
    return as_matrix(given, keep);
}
template <class Grid> Matrix<double> bring_rows(const Grid& a, const GivenMatrix&, Arena& keep) {
    std::vector<std::uint32_t> begin{0}, column;
    std::vector<double> value;
    begin.reserve(a.size() + 1);
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t b = 0; b < kBands; ++b) {
            const auto to = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) +
                                                     band_offset(static_cast<int>(b), a.row_length()));
            if (to >= a.size()) continue;
            const double x = entry(a, b, i, to);
            if (x == 0) continue;
            column.push_back(static_cast<std::uint32_t>(to));
            value.push_back(x);
        }
        begin.push_back(static_cast<std::uint32_t>(column.size()));
    }
    return matrix_on_device(begin, column, value, static_cast<std::uint32_t>(a.size()), keep);
}

struct MadeCycle {
    std::unique_ptr<DeviceCycle> cycle;
    bool on_device = false; ///< its levels were made there
};
MadeCycle cycle_from(const DeviceHierarchy& h, const CycleSpec& spec, Parts& parts, bool on_device) {
    return {spec.in_double ? make_double_cycle(h, spec, parts) : make_word_cycle(words_of(h, spec), parts), on_device};
}
/// The levels of sparse rows, which are `given`, are made on the device where it can, others on this processor.
MadeCycle cycle_of(const System& system, const GivenMatrix& given, const CycleSpec& spec, Parts& parts, int threads) {
    using namespace mantissa::multilevel; // NOLINT(google-build-using-namespace)
    if (!spec.in_double)
        if (const auto grid = grid_words(system))
            return {make_word_cycle(bring_to_device(word_hierarchy(*grid, spec)), parts), false};
    if (given.begin != nullptr)
        if (const auto made = make_on_device(given)) {
            require_hierarchy(made->why_not);
            return cycle_from(*made, spec, parts, true);
        }
    return cycle_from(bring_to_device(mantissa::multilevel::hierarchy_of(system, threads)), spec, parts, false);
}

/// What a part has of the loop, on its device.
struct LoopOfPart {
    Arena memory;
    LaidRows<double> a;
    RowRange own{};
    Ghosts ghosts; ///< of p
    Buffer<Sums> sums{1};
    Buffer<Status> status{1};
    LoopVectors v{};
    Graph graph; ///< some iterations: after them the directions are in their places again

    LoopOfPart(const Matrix<double>& matrix, const Parts& parts, int part, int directions) : own{0, matrix.rows} {
        Arena scratch;
        if (!parts.several()) a = lay_out<double>(matrix, memory, scratch);
        else {
            own = parts.rows().of(part);
            const Matrix<double> strip = strip_of(matrix, own, scratch);
            ghosts = ghosts_of(strip, parts.rows(), part, memory, scratch);
            a = lay_out<double>(strip, memory, scratch);
            a.view.first = own.first;
        }
        for (double** one : {&v.u, &v.r, &v.z}) *one = memory.get<double>(matrix.rows);
        v.directions = directions;
        for (int k = 0; k < directions; ++k)
            for (double** one : {&v.p[k], &v.q[k]}) *one = memory.get<double>(matrix.rows);
        check(cudaDeviceSynchronize(), "rows of a part");
    }
};

class RowCycles final : public CycleSolver {
public:
    RowCycles(const System& system, const CycleSpec& spec, const CycleLoop& loop, std::shared_ptr<Peers> peers)
        : cg_(loop.cg), parts_(std::move(peers)) {
        const OnDevice first(parts_.device(0));
        const auto places = kMostSumBlocks / static_cast<unsigned>(parts_.count());
        sum_blocks_ = std::min(places, kSumBlocksEach * static_cast<unsigned>(require_device().multiprocessors));
        {
            Arena given_memory;
            GivenMatrix given; // (the matrix of sparse rows: brought once, for the loop and for its hierarchy)
            if (const auto* const rows = std::get_if<CompressedRows>(&system.matrix()))
                given = given_on_device(*rows, given_memory, loop.threads);
            const Matrix<double> matrix =
                std::visit([&](const auto& a) { return bring_rows(a, given, given_memory); }, system.matrix());
            check(cudaDeviceSynchronize(), "rows"); // (others' devices take from here)
            if (parts_.several()) parts_.share_out(divide(matrix, parts_.count()));
            own_.resize(static_cast<std::size_t>(parts_.count()));
            for_each_part(parts_, [&](int p) {
                own_[static_cast<std::size_t>(p)] = std::make_unique<LoopOfPart>(matrix, parts_, p, loop.directions);
            });
            made_ = cycle_of(system, given, spec, parts_, loop.threads);
        }
        for (int p = 0; p < parts_.count(); ++p) {
            const OnDevice here(parts_.device(p));
            LoopOfPart& part = *own_[static_cast<std::size_t>(p)];
            part.v.scale = made_.cycle->scale(p);
            part.graph.capture([&](cudaStream_t stream) {
                // (Several devices take longer to begin together than an iteration that is not needed any more.)
                const std::uint32_t most = parts_.several() ? kAtATime : 2,
                                    round = static_cast<std::uint32_t>(loop.directions),
                                    count = std::max(round, most - most % round);
                for (std::uint32_t k = 0; k < count; ++k) iteration(p, stream, k);
            });
        }
    }
    [[nodiscard]] std::string description() const override {
        std::string text = made_.cycle->description() + (made_.on_device ? ", made on the device" : "");
        if (parts_.several()) text += ", over " + std::to_string(parts_.count()) + " parts";
        return text;
    }

    CycleSolveReport solve(std::span<const double> b, double tolerance, std::uint64_t most_cycles,
                           std::vector<double>& u) override {
        double squares = 0;
        for (const double x : b) squares += x * x;
        Status status{};
        status.exchanged = 1; // (numbers of exchanges begin above zero)
        status.goal = tolerance * tolerance * squares;
        status.limit = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(most_cycles, 1, std::numeric_limits<std::uint32_t>::max() / 2));
        upload(b, status);
        CycleSolveReport report;
        report.history.push_back(1);
        const OnDevice first(parts_.device(0));
        Timer timer(stream(0));
        timer.start();
        parts_.count_from(0);
        for_parts([&](int p, LoopOfPart& part) {
            launch(begin_loop, blocks_for(part.own.count()), kThreads, stream(p), false, part.own, part.v,
                   part.status.data());
        });
        for_parts([&](int p, LoopOfPart&) {
            parts_.count_from(0);
            exchange_sums(
                p, stream(p), 0, [](Sums& s, std::size_t) { return s.rr; }, true);
        });
        while (status.done == 0) {
            const std::uint32_t before = status.iterations;
            for_parts([&](int p, LoopOfPart& part) { part.graph.launch(stream(p)); });
            status = status_now();
            for (std::uint32_t k = before + 1; k <= status.iterations; ++k)
                report.history.push_back(std::sqrt(status.rr[k % kAtATime] / squares));
            if (status.done != 0) break;
            status.end = trend(report.history);
            if (status.end != CycleSolveEnd::limit) break;
        }
        report.seconds = timer.stop();
        report.end = status.end;
        report.cycles = status.iterations;
        download(u);
        return report;
    }

private:
    /// The default one, or where there are several parts one of each, since they wait for each other.
    [[nodiscard]] cudaStream_t stream(int p) const {
        return parts_.several() ? own_[static_cast<std::size_t>(p)]->graph.stream() : nullptr;
    }
    template <class Work> void for_parts(const Work& work) {
        for (int p = 0; p < parts_.count(); ++p) {
            const OnDevice here(parts_.device(p));
            work(p, *own_[static_cast<std::size_t>(p)]);
        }
    }
    void upload(std::span<const double> b, const Status& status) {
        for_parts([&](int p, LoopOfPart& part) {
            const auto mine = b.subspan(part.own.first, part.own.count());
            check(cudaMemcpy(part.v.r + part.own.first, mine.data(), mine.size_bytes(), cudaMemcpyHostToDevice),
                  "cudaMemcpy to device");
            part.sums.zero();
            part.status.upload(std::span(&status, 1));
            if (const auto states = made_.cycle->states(p); states.count != 0)
                check(cudaMemset(states.words, 0, states.count * sizeof(*states.words)), "cudaMemset");
        });
        parts_.reset();
    }
    [[nodiscard]] Status status_now() const {
        Status status{};
        check(cudaMemcpyAsync(&status, own_.front()->status.data(), sizeof status, cudaMemcpyDeviceToHost, stream(0)),
              "cudaMemcpy from device");
        check(cudaStreamSynchronize(stream(0)), "cycles");
        return status;
    }
    void download(std::vector<double>& u) {
        for_parts([&](int p, LoopOfPart&) { check(cudaStreamSynchronize(stream(p)), "cycles"); });
        if (parts_.several()) parts_.peers()->wait(); // which says so where somebody did not come
        u.resize(own_.back()->own.end);
        for_parts([&](int, LoopOfPart& part) {
            check(cudaMemcpy(u.data() + part.own.first, part.v.u + part.own.first, part.own.count() * sizeof(double),
                             cudaMemcpyDeviceToHost),
                  "cudaMemcpy from device");
        });
    }
    /// Whether it is worth going on: `limit` where it is.
    [[nodiscard]] static CycleSolveEnd trend(const std::vector<double>& history) {
        if (history.back() > kDiverged) return CycleSolveEnd::diverged;
        if (history.size() <= kPatience) return CycleSolveEnd::limit;
        const auto recent = history.end() - kPatience;
        const double best = *std::min_element(history.begin(), recent), now = *std::min_element(recent, history.end());
        return now < kWorthwhile * best ? CycleSolveEnd::limit : CycleSolveEnd::stagnated;
    }
    /// What parts have found: so many sums of blocks, as `place` finds them in a part's by their number, and where
    /// asked for the largest of the residual.
    template <class Place>
    void exchange_sums(int p, cudaStream_t on, std::size_t count, const Place& place, bool largest = false) {
        Exchange m;
        m.sums_of_part = sum_blocks_;
        for (std::size_t k = 0; k < own_.size(); ++k) {
            Sums& sums = *own_[k]->sums.data();
            for (std::size_t which = 0; which < count; ++which) m.sums[which][k] = place(sums, which);
            if (largest) m.largest[0][k] = &own_[k]->status.data()->largest;
        }
        parts_.exchange(on, p, m, own_[static_cast<std::size_t>(p)]->status.data());
    }
    /// A part's vectors in iteration k of a graph: the oldest direction's place is the next one's.
    [[nodiscard]] LoopVectors vectors(int p, std::uint32_t k) const {
        LoopVectors v = own_[static_cast<std::size_t>(p)]->v;
        const auto count = static_cast<std::uint32_t>(v.directions), newest = (count - k % count) % count;
        std::rotate(v.p, v.p + newest, v.p + count);
        std::rotate(v.q, v.q + newest, v.q + count);
        return v;
    }
    void iteration(int p, cudaStream_t on, std::uint32_t k) {
        LoopOfPart& part = *own_[static_cast<std::size_t>(p)];
        const LoopVectors v = vectors(p, k), next = vectors(p, k + 1);
        Status* const status = part.status.data();
        const SumPlaces places{part.sums.data(), static_cast<unsigned>(p) * sum_blocks_};
        const unsigned all_blocks = static_cast<unsigned>(parts_.count()) * sum_blocks_;
        const bool early = parts_.early();
        parts_.count_from(1);
        LoopView view{v.r, {}, v.directions, v.z, places, status, sum_blocks_};
        std::copy_n(v.q, v.directions, view.q);
        made_.cycle->launch_on(on, p, view);
        exchange_sums(p, on, 1 + static_cast<std::size_t>(v.directions),
                      [](Sums& s, std::size_t which) { return which == 0 ? s.rz : s.zq[which - 1]; });
        with_directions(static_cast<std::size_t>(v.directions), [&](auto directions) {
            const auto kernel = direction<decltype(directions)::value>;
            launch(kernel, at_a_time(kernel, blocks_for(part.own.count())), kThreads, on, early, part.own, v,
                   part.sums.data(), all_blocks, cg_, status);
        });
        Exchange m;
        m.ghosts = part.ghosts;
        m.bytes = sizeof(double);
        for (std::size_t of = 0; of < own_.size(); ++of) m.vector[of] = vectors(static_cast<int>(of), k + 1).p[0];
        parts_.exchange(on, p, m, status);
        with_lanes(part.a, [&](auto lanes) {
            const auto kernel = apply<decltype(lanes)::value>;
            launch(kernel, at_a_time(kernel, sum_blocks_), kThreads, on, early, part.a.view, next, places, status);
        });
        exchange_sums(p, on, 1, [](Sums& s, std::size_t) { return s.pq; });
        launch(step, at_a_time(step, sum_blocks_), kThreads, on, early, part.own, next, places, all_blocks, cg_,
               status);
        exchange_sums(
            p, on, 1, [](Sums& s, std::size_t) { return s.rr; }, true);
        const auto states = made_.cycle->states(p);
        const unsigned exchanges = parts_.several() ? parts_.exchanges() : 0;
        launch(judge, 1, kThreads, on, early, part.sums.data(), all_blocks, cg_, states.words, states.count, exchanges,
               status);
    }

    bool cg_;
    Parts parts_;
    unsigned sum_blocks_ = 0; ///< of a part
    std::vector<std::unique_ptr<LoopOfPart>> own_;
    MadeCycle made_;
};

} // namespace

std::string row_cycles_refusal(const System& system, const CycleLoop& loop, int parts) {
    constexpr std::size_t kLeastOfPart = 4096; // rows; so few are a single level
    if (!(loop.iterate == formats::kDouble))
        return "outer " + to_string(loop.iterate) +
               ": engine gpu has the loop around cycles on rows in double; leave outer out";
    if (loop.directions < 1 || loop.directions > kMostDirections)
        return "directions " + std::to_string(loop.directions) + ": give 1 to " + std::to_string(kMostDirections);
    if (system.size() >= std::size_t{1} << 32)
        return "preconditioner multilevel: engine gpu runs systems of fewer than 2^32 unknowns; leave the engine out";
    if (parts > 1 && system.size() < kLeastOfPart * static_cast<std::size_t>(parts))
        return "preconditioner multilevel: " + std::to_string(system.size()) +
               " unknowns are too few for cycles over " + std::to_string(parts) + " parts; give one part for each " +
               std::to_string(kLeastOfPart) + " of them at most";
    return {};
}

std::unique_ptr<CycleSolver> make_row_cycles(const System& system, const CycleSpec& spec, const CycleLoop& loop,
                                             const std::shared_ptr<Peers>& peers) {
    return std::make_unique<RowCycles>(system, spec, loop, peers);
}

} // namespace mantissa::gpu
