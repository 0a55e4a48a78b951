// GMRES(m) on the device: memory, launches, the run. A cycle is one captured graph; what lies behind the step that ends
// it returns at once. The host looks where a cycle begins, at the residual formed anew.
#include <algorithm>
#include <vector>

#include "../graph.hpp"
#include "gmres_kernels.cuh"
#include "recurrence.hpp"
#include "sliced_on_device.cuh"

namespace mantissa::gpu {

namespace {

template <class T> class GmresOnDevice final : public DeviceRecurrence {
public:
    GmresOnDevice(const CompressedRows& a, const SlicedOptions& format, std::size_t restart)
        : matrix_(a, format), rows_(a.rows()), pitch_((rows_ + kAlign - 1) / kAlign * kAlign), restart_(restart),
          blocks_(blocks_for(pitch_)) {
        basis_.allocate(pitch_ * (restart + 1));
        for (Buffer<T>* v : {&solution_, &right_, &best_}) {
            v->allocate(pitch_);
            v->zero();
        }
        basis_.zero(); // (padding stays zero)
        small_.allocate(kSmall * (restart + 2) + restart * (restart + 1) / 2);
        partial_.allocate((restart + 2) * blocks_);
        state_.allocate(1);
        arrived_.allocate(1);
        arrived_.zero();
        double* const at = small_.data();
        const std::size_t each = restart + 2;
        place_ = {basis_.data(),      solution_.data(), right_.data(), pitch_,        state_.data(), at,
                  at + kSmall * each, at + each,        at + 2 * each, at + 3 * each, at + 4 * each, at + 5 * each,
                  partial_.data(),    arrived_.data()};
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

    static unsigned blocks_for(std::size_t elements) {
        const auto most = static_cast<std::size_t>(4 * require_device().multiprocessors);
        return static_cast<unsigned>(std::clamp<std::size_t>(elements / kGmresPerBlock, 1, most));
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
                int each = 0;
                check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, kGmresThreads, 0),
                      "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
                const std::size_t wanted = (std::size_t{32} * matrix_.slices() + kGmresThreads - 1) / kGmresThreads;
                const auto most = static_cast<std::size_t>(std::max(1, each) * require_device().multiprocessors);
                launch(kernel, static_cast<unsigned>(std::clamp<std::size_t>(wanted, 1, most)), kGmresThreads, stream,
                       dependent, a, place_, static_cast<long long>(rows_));
            },
            matrix_.product());
    }
    void launch_residual(cudaStream_t stream) const {
        launch_product<GmresSweep::residual>(stream, false);
        launch(gmres_dots<GmresSweep::residual, T>, blocks_, kGmresThreads, stream, false, place_, pitch_);
    }
    template <GmresSweep S> void launch_projection(cudaStream_t stream) const {
        launch(gmres_dots<S, T>, blocks_, kGmresThreads, stream, true, place_, pitch_);
        launch_with_shared(gmres_project<S, T>, blocks_, kGmresThreads, 3 * (restart_ + 1) * sizeof(double), stream,
                           true, place_, pitch_);
    }
    void launch_cycle(cudaStream_t stream) const {
        for (std::size_t j = 0; j < restart_; ++j) {
            launch_product<GmresSweep::first>(stream, j != 0);
            launch_projection<GmresSweep::first>(stream);
            launch_projection<GmresSweep::second>(stream);
        }
        const std::size_t shared = restart_ * sizeof(double);
        launch_with_shared(gmres_triangle<T>, 1, kGmresThreads, shared, stream, true, place_);
        launch_with_shared(gmres_advance<T>, blocks_, kGmresThreads, shared, stream, true, place_, pitch_);
        launch_residual(stream);
    }

    SlicedOnDevice<T> matrix_;
    std::size_t rows_, pitch_, restart_;
    unsigned blocks_;
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
