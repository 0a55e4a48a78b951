// DeviceRecurrence for a definition and an arithmetic: memory, launches, the run.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels.cuh"
#include "mantissa/errors.hpp"
#include "mantissa/gpu/device.hpp"
#include "recurrence.hpp"
#include "schedules/graph.hpp"
#include "sliced_on_device.cuh"
#include "sync/dependent_launch.cuh"

namespace mantissa::gpu {

template <class R, class T> class RecurrenceOnDevice final : public DeviceRecurrence {
public:
    /// `given`: the definition's scalars that are given.
    RecurrenceOnDevice(const CompressedRows& a, const SlicedOptions& format, std::vector<double> given = {})
        : given_(std::move(given)), matrix_(a, format), rows_(a.rows()),
          padded_((rows_ + kAlign - 1) / kAlign * kAlign), best_(padded_), state_(2), arrived_(1),
          partial_(kRecurrenceSums * kRecurrenceBlocks), late_(kRecurrenceSums * matrix_.long_rows()) {
        if (given_.size() != recurrence::given_scalars(R::kDefinition))
            throw InvalidInput("recurrence: its given scalars are others in number");
        for (std::size_t v = 0; v < R::kDefinition.vectors; ++v) {
            vector_[v].allocate(Sweeps<R>::kept(static_cast<std::uint8_t>(v)) ? padded_ : 0);
            vectors_.at[v] = vector_[v].data();
        }
        if (late_.size() > 0) late_.zero();
        arrived_.zero();
        sums_ = {partial_.data(), late_.data(), arrived_.data(), matrix_.long_rows()};
        graph_.capture([&](cudaStream_t stream) {
            for (int i = 0; i < kBatch; ++i) launch_section<Section::iteration>(stream, i);
            launch_section<Section::watch>(stream);
        });
    }

    RecurrenceRun run(std::span<const double> r, double goal, std::uint32_t limit, std::uint32_t patience,
                      std::span<double> u) override {
        begin(r, goal, limit);
        RecurrenceRun report;
        Timer timer;
        timer.start();
        launch_section<Section::start>(nullptr);
        launch(begin_first_iteration<R>, 1, 1, nullptr, false, state_.data());
        RecurrenceState<R> now = look();
        double best = 1; // of the squares of residuals
        std::uint32_t best_at = 0;
        for (std::uint64_t launched = 0; now.done == 0; launched += kBatch) {
            graph_.launch();
            now = look();
            if (launched > std::uint64_t{limit} + 2 * kBatch)
                throw DeviceError("sweep_vectors", "the solver did not come to an end");
            const double square = now.scalar[R::kDefinition.stops_on];
            if (square <= (now.done != 0 ? 1 : kBetter) * best) {
                copy_to(best_);
                best = square;
                best_at = now.passes;
            } else if (now.done == 0 && now.passes - best_at > patience) {
                report.patience = true;
                break;
            }
            if (now.done == 0 && !goes_on(now.passes, square)) {
                report.cancelled = true;
                break;
            }
        }
        report.seconds = timer.stop();
        report.end = now.done != 0 ? now.end : RunEnd::passes;
        report.iterations = now.passes;
        download(best_, u);
        if (report.end == RunEnd::breakdown && report.iterations > 0) {
            copy_to(best_);
            report.last.resize(rows_);
            download(best_, report.last);
        }
        return report;
    }

private:
    static constexpr std::size_t kAlign = 16 / sizeof(T);
    static constexpr int kBatch = R::kDefinition.every != 0 ? R::kDefinition.every : 32; ///< iterations of one graph
    static constexpr double kBetter = 0.25; ///< of a square: an iterate is worth a copy

    void begin(std::span<const double> r, double goal, std::uint32_t limit) {
        std::vector<T> right(padded_, T(0));
        for (std::size_t i = 0; i < rows_; ++i) right[i] = static_cast<T>(r[i]);
        best_.zero();
        RecurrenceState<R> state{};
        for (std::size_t v = 0; v < R::kDefinition.vectors; ++v) {
            if (R::kDefinition.vector[v].residual) vector_[v].upload(right);
            else if (vector_[v].size() != 0) vector_[v].zero();
        }
        std::size_t taken = 0;
        for (std::size_t s = 0; s < R::kDefinition.scalars; ++s) {
            const recurrence::Initial initial = R::kDefinition.scalar[s].initial;
            state.scalar[s] =
                initial == recurrence::Initial::given ? given_[taken++] : recurrence::initial_value(initial);
        }
        double square = 0;
        for (const double x : r) square += x * x;
        state.threshold = goal * goal * square;
        state.limit = limit;
        state_.upload(std::span(&state, 1));
    }
    void copy_to(const Buffer<T>& to) const {
        launch(copy_iterate<R, T>, blocks(rows_), kRecurrenceThreads, nullptr, false, vectors_, state_.data(),
               static_cast<long long>(rows_), to.data());
    }
    void download(const Buffer<T>& from, std::span<double> to) const {
        std::vector<T> host(padded_);
        from.download(host);
        std::copy_n(host.begin(), rows_, to.begin());
    }
    RecurrenceState<R> look() const {
        RecurrenceState<R> now;
        state_.download(std::span(&now, 1));
        return now;
    }

    /// As many blocks as have work, and no more than partial sums have places for.
    static unsigned blocks(std::size_t threads) {
        return static_cast<unsigned>(
            std::clamp<std::size_t>((threads + kRecurrenceThreads - 1) / kRecurrenceThreads, 1, kRecurrenceBlocks));
    }
    /// ... nor than run at once.
    template <class Kernel> static unsigned blocks_at_once(Kernel kernel, std::size_t threads) {
        int each = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, kRecurrenceThreads, 0),
              "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
        return std::min(blocks(threads), static_cast<unsigned>(std::max(1, each) * require_device().multiprocessors));
    }

    /// Iterations that hand their state on take turns with two of them; a batch ends with the first.
    static constexpr bool kHandsOn = [] {
        for (std::size_t s = 0; s < Sweeps<R>::plan(Section::iteration).sweeps; ++s)
            if (Sweeps<R>::hands_on(Section::iteration, s)) return true;
        return false;
    }();
    static_assert(!kHandsOn || kBatch % 2 == 0);
    [[nodiscard]] RecurrenceState<R>* state_of(int number) const { return state_.data() + (kHandsOn ? number % 2 : 0); }
    /// `number`: of the iteration in its batch.
    template <Section In> void launch_section(cudaStream_t stream, int number = 0) const {
        launch_sweeps<In>(stream, number, std::make_index_sequence<Sweeps<R>::plan(In).sweeps>());
    }
    template <Section In, std::size_t... S>
    void launch_sweeps([[maybe_unused]] cudaStream_t stream, [[maybe_unused]] int number,
                       std::index_sequence<S...> /*sweeps*/) const {
        (launch_sweep<In, S>(stream, number), ...);
    }
    template <Section In, std::size_t S> void launch_sweep(cudaStream_t stream, int number) const {
        static_assert(Sweeps<R>::sums(In, S) <= kRecurrenceSums);
        if constexpr (Sweeps<R>::empty(In, S)) {
            static_assert(S == 0, "scalar statements alone stand where an iteration begins");
        } else if constexpr (Sweeps<R>::has_product(In, S)) {
            std::visit(
                [&](const auto& a) {
                    const auto kernel = sweep_product<R, In, S, std::decay_t<decltype(a)>>;
                    launch(kernel, blocks_at_once(kernel, std::size_t{32} * matrix_.slices()), kRecurrenceThreads,
                           stream, In == Section::iteration, a, vectors_, static_cast<long long>(rows_),
                           state_of(number), state_of(number + 1), sums_);
                },
                matrix_.product());
        } else {
            const auto kernel = sweep_vectors<R, In, S, T>;
            launch(kernel, blocks_at_once(kernel, padded_ / kAlign), kRecurrenceThreads, stream,
                   In == Section::iteration, vectors_, static_cast<long long>(padded_ / kAlign), state_of(number),
                   state_of(number + 1), sums_);
        }
    }

    std::vector<double> given_;
    SlicedOnDevice<T> matrix_;
    std::size_t rows_, padded_;
    std::array<Buffer<T>, R::kDefinition.vectors> vector_;
    RecurrenceVectors<R, T> vectors_{};
    Buffer<T> best_;
    Buffer<RecurrenceState<R>> state_;
    Buffer<std::uint32_t> arrived_;
    Buffer<double> partial_, late_;
    RecurrenceSums sums_{};
    Graph graph_;
};

} // namespace mantissa::gpu
