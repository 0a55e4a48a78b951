// Whole solves by cycles on rows: CG around them, or corrections alone, until the residual is small enough.
#include "row_cycles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../graph.hpp"
#include "loop.cuh"
#include "mantissa/format.hpp"
#include "mantissa/multilevel/grid_words.hpp"
#include "mantissa/sparse/formats.hpp"
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
MadeCycle cycle_from(const DeviceHierarchy& h, const CycleSpec& spec, bool on_device) {
    return {spec.in_double ? make_double_cycle(h, spec) : make_word_cycle(words_of(h, spec)), on_device};
}
/// The levels of sparse rows, which are `given`, are made on the device where it can, others on this processor.
MadeCycle cycle_of(const System& system, const GivenMatrix& given, const CycleSpec& spec, int threads) {
    using namespace mantissa::multilevel; // NOLINT(google-build-using-namespace)
    if (!spec.in_double)
        if (const auto grid = grid_words(system))
            return {make_word_cycle(bring_to_device(word_hierarchy(*grid, spec))), false};
    if (given.begin != nullptr)
        if (const auto made = make_on_device(given)) {
            require_hierarchy(made->why_not);
            return cycle_from(*made, spec, true);
        }
    return cycle_from(bring_to_device(mantissa::multilevel::hierarchy_of(system, threads)), spec, false);
}

class RowCycles final : public CycleSolver {
public:
    RowCycles(const System& system, const CycleSpec& spec, const CycleLoop& loop)
        : cg_(loop.cg), rows_(static_cast<std::uint32_t>(system.size())),
          sum_blocks_(
              std::min(kMostSumBlocks, kSumBlocksEach * static_cast<unsigned>(require_device().multiprocessors))),
          sums_(1), status_(1) {
        {
            Arena given_memory, scratch;
            GivenMatrix given; // (the matrix of sparse rows: brought once, for the loop and for its hierarchy)
            if (const auto* const rows = std::get_if<CompressedRows>(&system.matrix()))
                given = given_on_device(*rows, given_memory, loop.threads);
            const Matrix<double> matrix =
                std::visit([&](const auto& a) { return bring_rows(a, given, given_memory); }, system.matrix());
            a_ = lay_out<double>(matrix, memory_, scratch);
            made_ = cycle_of(system, given, spec, loop.threads);
        }
        for (double** part : {&v_.u, &v_.r, &v_.p, &v_.q, &v_.z}) *part = memory_.get<double>(rows_);
        v_.scale = made_.cycle->scale();
        two_.capture([&](cudaStream_t stream) {
            for (int k = 0; k < 2; ++k) iteration(stream);
        });
    }
    [[nodiscard]] std::string description() const override {
        return made_.cycle->description() + (made_.on_device ? ", made on the device" : "");
    }

    CycleSolveReport solve(std::span<const double> b, double tolerance, std::uint64_t most_cycles,
                           std::vector<double>& u) override {
        double squares = 0;
        for (const double x : b) squares += x * x;
        Status status{};
        status.goal = tolerance * tolerance * squares;
        status.limit = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(most_cycles, 1, std::numeric_limits<std::uint32_t>::max() / 2));
        upload(b, status);
        CycleSolveReport report;
        report.history.push_back(1);
        Timer timer;
        timer.start();
        launch(begin_loop, blocks_for(rows_), kThreads, nullptr, false, rows_, v_, status_.data());
        while (status.done == 0) {
            const std::uint32_t before = status.iterations;
            two_.launch();
            status_.download(std::span(&status, 1));
            for (std::uint32_t k = before + 1; k <= status.iterations; ++k)
                report.history.push_back(std::sqrt(status.rr[k % 2] / squares));
            if (status.done != 0) break;
            status.end = trend(report.history);
            if (status.end != CycleSolveEnd::limit) break;
        }
        report.seconds = timer.stop();
        report.end = status.end;
        report.cycles = status.iterations;
        u.resize(b.size());
        check(cudaMemcpy(u.data(), v_.u, u.size() * sizeof(double), cudaMemcpyDeviceToHost), "cudaMemcpy from device");
        return report;
    }

private:
    void upload(std::span<const double> b, const Status& status) {
        check(cudaMemcpy(v_.r, b.data(), b.size_bytes(), cudaMemcpyHostToDevice), "cudaMemcpy to device");
        sums_.zero();
        status_.upload(std::span(&status, 1));
        if (const auto states = made_.cycle->states(); states.count != 0)
            check(cudaMemset(states.words, 0, states.count * sizeof(*states.words)), "cudaMemset");
    }
    /// Whether it is worth going on: `limit` where it is.
    [[nodiscard]] static CycleSolveEnd trend(const std::vector<double>& history) {
        if (history.back() > kDiverged) return CycleSolveEnd::diverged;
        if (history.size() <= kPatience) return CycleSolveEnd::limit;
        const auto recent = history.end() - kPatience;
        const double best = *std::min_element(history.begin(), recent), now = *std::min_element(recent, history.end());
        return now < kWorthwhile * best ? CycleSolveEnd::limit : CycleSolveEnd::stagnated;
    }
    void iteration(cudaStream_t stream) const {
        made_.cycle->launch_on(stream, {v_.r, v_.q, v_.z, sums_.data(), status_.data(), sum_blocks_});
        launch(direction, at_a_time(direction, blocks_for(rows_)), kThreads, stream, true, rows_, v_, sums_.data(),
               sum_blocks_, cg_, status_.data());
        with_lanes(a_, [&](auto lanes) {
            const auto kernel = apply<decltype(lanes)::value>;
            launch(kernel, at_a_time(kernel, sum_blocks_), kThreads, stream, true, a_.view, v_, sums_.data(),
                   status_.data());
        });
        launch(step, at_a_time(step, sum_blocks_), kThreads, stream, true, rows_, v_, sums_.data(), sum_blocks_, cg_,
               status_.data());
        const auto states = made_.cycle->states();
        launch(judge, 1, kThreads, stream, true, sums_.data(), sum_blocks_, cg_, states.words, states.count,
               status_.data());
    }

    bool cg_;
    std::uint32_t rows_;
    unsigned sum_blocks_;
    Arena memory_;
    LaidRows<double> a_;
    MadeCycle made_;
    Buffer<Sums> sums_;
    Buffer<Status> status_;
    LoopVectors v_{};
    Graph two_; ///< two iterations
};

} // namespace

std::string row_cycles_refusal(const System& system, const CycleLoop& loop) {
    if (!(loop.iterate == formats::kDouble))
        return "outer " + to_string(loop.iterate) +
               ": engine gpu has the loop around cycles on rows in double; leave outer out";
    if (system.size() >= std::size_t{1} << 32)
        return "preconditioner multilevel: engine gpu runs systems of fewer than 2^32 unknowns; leave the engine out";
    return {};
}

std::unique_ptr<CycleSolver> make_row_cycles(const System& system, const CycleSpec& spec, const CycleLoop& loop) {
    return std::make_unique<RowCycles>(system, spec, loop);
}

} // namespace mantissa::gpu
