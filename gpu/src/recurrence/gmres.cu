// GMRES(m) on the device: memory, launches, the run. A cycle is one captured graph; what comes after the step that ends
// it returns at once. The host looks where a cycle begins, at the residual formed anew.
#include <algorithm>
#include <vector>

#include "gmres_kernels.cuh"
#include "recurrence.hpp"
#include "schedules/graph.hpp"
#include "sliced_on_device.cuh"

namespace mantissa::gpu {

namespace {

template <class T> class GmresOnDevice final : public DeviceRecurrence {
public:
    GmresOnDevice(const CompressedRows& a, const SlicedOptions& format, std::size_t restart)
        : matrix_(a, format), rows_(a.rows()), pitch_((rows_ + kAlign - 1) / kAlign * kAlign), restart_(restart) {
        basis_.allocate(pitch_ * (restart + 1));
        for (Buffer<T>* v : {&solution_, &right_, &best_}) {
            v->allocate(pitch_);
            v->zero();
        }
        basis_.zero(); // (padding stays zero)
        small_.allocate(kSmall * (restart + 1) + restart * (restart + 3));
        partial_.allocate(2 * (restart + 1) * most_blocks());
        state_.allocate(1);
        arrived_.allocate(1);
        arrived_.zero();
        double* const at = small_.data();
        const std::size_t each = restart + 1;
        place_ = {.basis = basis_.data(),
                  .solution = solution_.data(),
                  .right = right_.data(),
                  .pitch = pitch_,
                  .state = state_.data(),
                  .s = at,
                  .z = at + each,
                  .cosine = at + 2 * each,
                  .sine = at + 3 * each,
                  .rotated = at + 4 * each,
                  .factor = at + 5 * each,
                  .hessenberg = at + kSmall * each,
                  .triangle = at + kSmall * each + restart * (restart + 3) / 2,
                  .partial = partial_.data(),
                  .arrived = arrived_.data()};
        graph_.capture([this](cudaStream_t stream) { launch_cycle(stream); });
    }

    RecurrenceRun run(std::span<const double> r, double goal, std::uint32_t limit, std::uint32_t patience,
                      std::span<double> u) override {
        begin(r, goal, limit);
        RecurrenceRun report;
        Timer timer;
        timer.start();
        launch_residual(nullptr);
        GmresState now = look();
        double best = now.rho, halved = now.rho;
        std::uint32_t halved_at = 0;
        while (now.done == 0) {
            const double before = now.rho;
            graph_.launch();
            now = look();
            if (now.rho < best) {
                best = now.rho;
                check(cudaMemcpy(best_.data(), solution_.data(), pitch_ * sizeof(T), cudaMemcpyDeviceToDevice),
                      "cudaMemcpy on the device");
            }
            if (now.rho < halved / 4) {
                halved = now.rho;
                halved_at = now.passes;
            }
            if (now.done != 0) break;
            // A whole cycle in vain is followed by others like it.
            report.patience = !(now.rho < before) || now.passes - halved_at > patience;
            report.cancelled = !goes_on(now.passes, now.rho);
            if (report.patience || report.cancelled) break;
        }
        report.seconds = timer.stop();
        report.end = now.done != 0 ? now.end : RunEnd::passes;
        report.iterations = now.passes;
        std::vector<T> host(pitch_);
        best_.download(host);
        std::copy_n(host.begin(), rows_, u.begin());
        return report;
    }

private:
    static constexpr std::size_t kAlign = 16 / sizeof(T);
    static constexpr std::size_t kSmall = 6; ///< arrays of a place for each step

    static std::size_t most_blocks() { // of any kernel here
        constexpr std::size_t kThreadsAtOnce = 2048;
        return static_cast<std::size_t>(require_device().multiprocessors) * (kThreadsAtOnce / kGmresThreads);
    }
    /// As many as have work, and no more than run at once.
    template <class Kernel> static unsigned blocks_for(Kernel kernel, std::size_t wanted, std::size_t shared) {
        int each = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, kGmresThreads, shared),
              "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
        const auto most = static_cast<std::size_t>(std::max(1, each) * require_device().multiprocessors);
        return static_cast<unsigned>(std::clamp<std::size_t>(wanted, 1, most));
    }
    /// A kernel over all elements.
    template <class Kernel> void launch_sweep(Kernel kernel, cudaStream_t stream, bool dependent) const {
        const std::size_t shared = 3 * (restart_ + 1) * sizeof(double);
        launch_with_shared(kernel, blocks_for(kernel, pitch_ / kGmresPerBlock, shared), kGmresThreads, shared, stream,
                           dependent, place_, pitch_);
    }

    void begin(std::span<const double> r, double goal, std::uint32_t limit) {
        std::vector<T> right(pitch_, T(0));
        double square = 0;
        for (std::size_t i = 0; i < rows_; ++i) {
            right[i] = static_cast<T>(r[i]);
            square += r[i] * r[i];
        }
        right_.upload(right);
        solution_.zero();
        best_.zero();
        GmresState state{};
        state.threshold = goal * goal * square;
        state.restart = static_cast<std::uint32_t>(restart_);
        state.limit = limit;
        state_.upload(std::span(&state, 1));
    }
    GmresState look() const {
        GmresState now;
        state_.download(std::span(&now, 1));
        return now;
    }

    template <GmresSweep S> void launch_product(cudaStream_t stream, bool dependent) const {
        std::visit(
            [&](const auto& a) {
                const auto kernel = gmres_product<S, std::decay_t<decltype(a)>>;
                const std::size_t wanted = (std::size_t{32} * matrix_.slices() + kGmresThreads - 1) / kGmresThreads;
                launch(kernel, blocks_for(kernel, wanted, 0), kGmresThreads, stream, dependent, a, place_,
                       static_cast<long long>(rows_));
            },
            matrix_.product());
    }
    void launch_residual(cudaStream_t stream) const {
        launch_product<GmresSweep::residual>(stream, false);
        launch_sweep(gmres_products<GmresSweep::residual, T>, stream, false);
    }
    void launch_cycle(cudaStream_t stream) const {
        for (std::size_t j = 0; j < restart_; ++j) {
            launch_product<GmresSweep::step>(stream, j != 0);
            launch_sweep(gmres_products<GmresSweep::step, T>, stream, true);
            launch_sweep(gmres_project<T>, stream, true);
        }
        launch_with_shared(gmres_triangle<T>, 1, kGmresThreads, restart_ * sizeof(double), stream, true, place_);
        launch_sweep(gmres_advance<T>, stream, true);
        launch_residual(stream);
    }

    SlicedOnDevice<T> matrix_;
    std::size_t rows_, pitch_, restart_;
    Buffer<T> basis_, solution_, right_, best_;
    Buffer<double> small_, partial_;
    Buffer<GmresState> state_;
    Buffer<std::uint32_t> arrived_;
    GmresPlace<T> place_{};
    Graph graph_;
};

} // namespace

std::unique_ptr<DeviceRecurrence> make_device_gmres(const CompressedRows& a, const SlicedOptions& format,
                                                    std::size_t restart, bool single) {
    if (single) return std::make_unique<GmresOnDevice<float>>(a, format, restart);
    return std::make_unique<GmresOnDevice<double>>(a, format, restart);
}

} // namespace mantissa::gpu
