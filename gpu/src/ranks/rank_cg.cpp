#include "mantissa/gpu/rank_cg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kernels.hpp"
#include "layout.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/peers.hpp"
#include "schedules/graph.hpp"
#include "transport.hpp"

namespace mantissa::gpu {

namespace {

/// As parted_cg.cpp: a residual whose true value falls less than this after a restart has nothing left to gain.
constexpr double kWorthwhile = 0.9;

struct RowsOnDevice {
    Buffer<std::uint64_t> begin;
    Buffer<std::uint32_t> length, row, column;
    Buffer<double> value;
    std::uint32_t places = 0;

    explicit RowsOnDevice(const SlicedRows& rows)
        : begin(to_device(rows.begin)), length(to_device(rows.length)), row(to_device(rows.row)),
          column(to_device(rows.column)), value(to_device(rows.value)),
          places(static_cast<std::uint32_t>(rows.row.size())) {}
    [[nodiscard]] RankRows view() const {
        return {begin.data(), length.data(), row.data(), column.data(), value.data(), places};
    }
};

class RankCg final : public PartSolver {
public:
    RankCg(const PartToSolve& of, RankCgOptions options)
        : of_(of), options_(std::move(options)), own_(of.partition.parts()[of.part]),
          device_(options_.device.at(of.part)), on_device_(device_) {
        if (of.options.exchange.way == ExchangeWay::host)
            throw InvalidInput("--exchange host: parts on GPUs do not exchange through an array; take mpi or nccl");
        const RankLayout layout = rank_layout(of.system, of.partition, of.part, of.options.jacobi);
        static_cast<void>(require_device());
        owned_ = layout.owned;
        inner_.emplace(layout.inner);
        boundary_.emplace(layout.boundary);
        send_ = to_device(layout.send);
        packed_.allocate(layout.send.size());
        inverse_ = to_device(layout.inverse);
        for (Buffer<double>* v : {&x_, &r_, &q_}) {
            v->allocate(owned_);
            v->zero();
        }
        p_.allocate(owned_ + layout.ghosts);
        p_.zero();
        std::vector<double> b;
        for (const std::uint32_t row : own_.row) b.push_back(of.b[row]);
        b_ = to_device(b);
        words_.allocate(3 * kSumWords);
        words_.zero();
        state_.allocate(1);
        stream_.emplace();
        solution_.assign(owned_, 0.0);
        // (what was copied and cleared above went over the default stream)
        check(cudaDeviceSynchronize(), "preparation of CG over ranks");
        on_device_.reset();
    }
    ~RankCg() override {
        static_cast<void>(cudaSetDevice(device_));
        graph_.reset(); // (before the communicator whose calls it holds)
        transport_.reset();
        stream_.reset();
    }

    PcgReport run() override {
        const OnDevice here(device_);
        const RankBuffers buffers{packed_.data(), p_.data() + owned_};
        if (options_.exchange == RankExchange::nccl && of_.space->parts() > 1)
            transport_ = nccl_transport(of_.space, of_.part, own_, buffers, options_);
        else transport_ = host_transport(of_.space, of_.part, own_, buffers);
        history_.allocate(static_cast<std::size_t>(transport_->batch()));
        PcgReport report = iterate();
        x_.download(solution_);
        return report;
    }
    [[nodiscard]] std::span<const double> solution() const override { return solution_; }
    [[nodiscard]] std::size_t held() const override {
        return x_.size() + r_.size() + q_.size() + p_.size() + b_.size() + inverse_.size();
    }

private:
    [[nodiscard]] RankVectors vectors() const {
        return {x_.data(), r_.data(), p_.data(), q_.data(), b_.data(), inverse_.size() == 0 ? nullptr : inverse_.data(),
                owned_};
    }
    [[nodiscard]] RankSums sums() const {
        return {words_.data(), words_.data() + kSumWords, words_.data() + 2 * kSumWords};
    }
    void count(std::uint64_t iterations, std::uint64_t waits, std::uint64_t exchanges) {
        ExchangeCounts* const counts = of_.options.exchange.counts.get();
        if (counts == nullptr || of_.part != of_.space->here().front()) return;
        counts->iterations += iterations;
        counts->synchronisations += waits;
        counts->elements += exchanges * packed_.size();
    }

    /// q = A p and, where `state` runs, the words of p.q: inner rows while the others' elements are on their way.
    void multiply(const RankCgState* state, cudaStream_t stream) {
        launch_pack(vectors(), send_.data(), packed_.data(), static_cast<std::uint32_t>(packed_.size()), state, stream);
        transport_->begin(stream);
        launch_rows(inner_->view(), vectors(), sums().pq, state, stream);
        transport_->finish(stream);
        launch_rows(boundary_->view(), vectors(), sums().pq, state, stream);
    }
    // What goes to the device while it works goes over its stream: the default one is not ordered with it.
    void clear_words() {
        check(cudaMemsetAsync(words_.data(), 0, words_.size() * sizeof(std::uint64_t), *stream_), "cudaMemset");
    }
    /// r.r and r.z after an update of all elements, on the host.
    std::pair<double, double> dots(Update what) {
        clear_words();
        launch_update(vectors(), what, sums(), nullptr, *stream_);
        transport_->add_up(sums().rr, 2 * kSumWords, *stream_);
        transport_->wait(*stream_);
        std::vector<std::uint64_t> words(2 * kSumWords);
        words_.download(words, kSumWords);
        clear_words();
        count(0, 1, 0);
        const double rr = total_of(words.data());
        return {rr, inverse_.size() == 0 ? rr : total_of(words.data() + kSumWords)};
    }
    /// r = b - A x; r.r and r.z.
    std::pair<double, double> true_dots() {
        launch_direction(vectors(), Direction::iterate, nullptr, *stream_);
        multiply(nullptr, *stream_);
        transport_->wait(*stream_);
        count(0, 1, 1);
        return dots(Update::defect);
    }
    /// A batch of iterations. Those after the end, or the limit, do nothing.
    void iterations(cudaStream_t stream) {
        RankCgState* const there = state_.data();
        for (int k = 0; k < transport_->batch(); ++k) {
            launch_direction(vectors(), Direction::next, there, stream);
            multiply(there, stream);
            transport_->add_up(sums().pq, kSumWords, stream);
            launch_alpha(sums(), there, stream);
            launch_update(vectors(), Update::advance, sums(), there, stream);
            transport_->add_up(sums().rr, (inverse_.size() == 0 ? 1 : 2) * kSumWords, stream);
            launch_beta(sums(), there, history_.data(), stream);
        }
    }
    /// The next batch, after the state that is set.
    RankCgState advance(RankCgState state, PcgReport& report) {
        state.first = state.iterations;
        check(cudaMemcpyAsync(state_.data(), &state, sizeof state, cudaMemcpyHostToDevice, *stream_),
              "cudaMemcpy of the state"); // (from pageable memory: it is read when the call returns)
        // The host would take longer to launch a batch than the device to run it: from the second on it is one graph.
        // (NCCL makes its connections in the first, which no capture allows.)
        if (transport_->batch() == 1 || !warm_) iterations(*stream_);
        else {
            if (!graph_) {
                graph_.emplace();
                graph_->capture([&](cudaStream_t stream) { iterations(stream); });
            }
            graph_->launch(*stream_);
        }
        warm_ = true;
        transport_->wait(*stream_);
        state_.download({&state, 1});
        std::vector<double> residuals(state.iterations - state.first);
        if (!residuals.empty()) history_.download(residuals);
        for (std::size_t k = 0; k < residuals.size(); ++k) {
            ++report.iterations;
            report.recursive_residual = residuals[k];
            if (of_.options.history) report.history.push_back(residuals[k]);
            if (of_.options.progress && !of_.options.progress(report.iterations, residuals[k])) leave_ = true;
        }
        count(residuals.size(), 3 * residuals.size(), residuals.size());
        return state;
    }

    /// Collective: did a part want an end?
    bool a_part_left() {
        const std::byte mine{leave_};
        std::vector<std::byte> all(of_.space->parts());
        of_.space->gather(of_.part, {&mine, 1}, all);
        return std::ranges::any_of(all, [](std::byte b) { return b != std::byte{}; });
    }

    /// The recurrence of parted_cg.cpp, operation by operation.
    PcgReport iterate() {
        PcgReport report;
        const auto ended = [&](PcgEnd end) {
            report.end = end;
            return report;
        };
        const auto [squares, preconditioned] = dots(Update::begin);
        if (!std::isfinite(squares)) return ended(PcgEnd::not_finite);
        if (squares == 0) return ended(PcgEnd::reached);
        RankCgState state{};
        state.norm = std::sqrt(squares);
        state.target = of_.options.tolerance * state.norm;
        state.limit = of_.options.max_iterations;
        state.jacobi = of_.options.jacobi ? 1 : 0;
        state.rho = preconditioned;
        state.restart = 1;
        for (double best = std::numeric_limits<double>::infinity();;) {
            if (state.iterations == state.limit) return ended(PcgEnd::limit);
            // Its next direction is no number, nor is p.q then: all parts end in the same iteration, before x moves.
            if (leave_) {
                state.beta = std::numeric_limits<double>::quiet_NaN();
                state.restart = 0;
            }
            state = advance(state, report);
            if (state.status == RankCgStatus::not_finite)
                return ended(a_part_left() ? PcgEnd::cancelled : PcgEnd::not_finite);
            if (state.status == RankCgStatus::indefinite) return ended(PcgEnd::indefinite);
            if (state.status != RankCgStatus::reached) continue;
            const auto [defect, with_z] = true_dots();
            const double truth = std::sqrt(defect);
            report.true_residual = truth / state.norm;
            if (truth <= state.target) return ended(PcgEnd::reached);
            if (!(truth < kWorthwhile * best)) return ended(PcgEnd::stagnated);
            best = truth;
            state.rho = of_.options.jacobi ? with_z : truth * truth;
            state.restart = 1;
            state.status = RankCgStatus::running;
        }
    }

    PartToSolve of_;
    RankCgOptions options_;
    const Part& own_;
    int device_;
    std::optional<OnDevice> on_device_; ///< while it is made
    std::uint32_t owned_ = 0;
    std::optional<RowsOnDevice> inner_, boundary_;
    Buffer<std::uint32_t> send_;
    Buffer<double> packed_, x_, r_, p_, q_, b_, inverse_, history_;
    Buffer<std::uint64_t> words_;
    Buffer<RankCgState> state_;
    std::optional<RankStream> stream_;
    std::unique_ptr<RankTransport> transport_;
    std::optional<Graph> graph_; ///< a batch of iterations
    bool warm_ = false;          ///< a batch has run
    bool leave_ = false;         ///< this part's progress wants an end
    std::vector<double> solution_;
};

} // namespace

std::vector<std::string> visible_devices() {
    int count = 0;
    check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    std::vector<std::string> devices;
    for (int device = 0; device < count; ++device) {
        cudaDeviceProp properties{};
        check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
        std::string& text = devices.emplace_back();
        for (const char byte : properties.uuid.bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return devices;
}

MakePartSolver rank_cg(RankCgOptions options) {
    return [options = std::move(options)](const PartToSolve& of) -> std::unique_ptr<PartSolver> {
        if (of.part >= options.device.size())
            throw InvalidInput(fmt::format("CG over ranks on GPUs: no GPU is named for part {}", of.part + 1));
        return std::make_unique<RankCg>(of, options);
    };
}

} // namespace mantissa::gpu
