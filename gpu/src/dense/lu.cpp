#include "mantissa/gpu/lu.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "lu_sequence.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

std::string to_string(LuPivoting p) {
    return p == LuPivoting::none ? "none" : "partial";
}

namespace {

constexpr std::size_t round_up(std::size_t n, std::size_t unit) {
    return (n + unit - 1) / unit * unit;
}

/// Elements beside the matrix: the solved bands.
template <class T> std::size_t band_elements(std::size_t pitch) {
    return dense::kBand * (pitch + dense::kBand) + dense::kPanelScratch;
}

template <class T> void refuse_too_large(std::size_t n) {
    static_cast<void>(require_device());
    if (n > 0x7fffffffU || (n > 0 && dense::panel_width<T>(static_cast<int>(n)) == 0))
        throw InvalidInput(
            fmt::format("LU on the GPU: n = {} is too large: a panel of so many rows does not fit on the chip", n));
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
    const std::size_t stride = round_up(n, 32);
    const double bytes = sizeof(T) * (static_cast<double>(stride) * static_cast<double>(n) +
                                      static_cast<double>(band_elements<T>(stride)));
    if (bytes > static_cast<double>(free))
        throw InvalidInput(fmt::format("LU on the GPU: n = {} needs {:.1f} GB, the device has {:.1f} GB free; take a "
                                       "smaller n or float",
                                       n, 1e-9 * bytes, 1e-9 * static_cast<double>(free)));
}

/// A graph of launches, made once.
class Recorded {
public:
    Recorded() = default;
    Recorded(const Recorded&) = delete;
    Recorded& operator=(const Recorded&) = delete;
    ~Recorded() {
        if (executable_ != nullptr) static_cast<void>(cudaGraphExecDestroy(executable_));
        if (graph_ != nullptr) static_cast<void>(cudaGraphDestroy(graph_));
    }
    template <class Work> void record(cudaStream_t stream, Work&& work) {
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
        work();
        check(cudaStreamEndCapture(stream, &graph_), "cudaStreamEndCapture");
        check(cudaGraphInstantiate(&executable_, graph_, 0), "cudaGraphInstantiate");
    }
    [[nodiscard]] bool made() const { return executable_ != nullptr; }
    void launch() const { check(cudaGraphLaunch(executable_, nullptr), "cudaGraphLaunch"); }

private:
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
};

} // namespace

template <class T> struct Lu<T>::Impl {
    Impl(std::size_t size, LuPivoting pivoting_asked)
        : n(size), stride(round_up(size, 32)), pivoting(pivoting_asked), matrix(stride * size),
          bands(band_elements<T>(stride)), lists(4 * size), flags(1), waits(2 + 2 * blocks() + 3 * panels()),
          first_order(size) {
        std::vector<int> identity(n);
        std::iota(identity.begin(), identity.end(), 0);
        first_order = to_device(identity);
        waits.zero();
    }

    [[nodiscard]] std::size_t blocks() const { return (n + dense::kSubstituteRows - 1) / dense::kSubstituteRows; }
    [[nodiscard]] std::size_t panels() const { return n / 32 + 2; } ///< at most
    [[nodiscard]] int* list(std::size_t i) const { return lists.data() + i * n; }
    [[nodiscard]] int* order() const { return list(3); }

    void record_factor() {
        dense::LuPlace<T> place{};
        place.matrix = matrix.data();
        place.stride = place.pitch = stride;
        place.n = static_cast<int>(n);
        place.solved = bands.data();
        place.solved_next = place.solved + dense::kBand * stride;
        place.scratch = place.solved_next + dense::kBand * dense::kBand;
        place.pivots = list(0);
        place.source = list(1);
        place.target = list(2);
        place.order = order();
        place.flags = flags.data();
        place.done = waits.data();
        place.started = waits.data() + 2 + 2 * blocks();
        place.ready = place.started + panels();
        place.finished = place.ready + panels();
        factor_graph.record(lanes.main, [&] {
            check(cudaMemsetAsync(flags.data(), 0, sizeof(dense::LuFlags), lanes.main), "cudaMemsetAsync");
            check(cudaMemcpyAsync(order(), first_order.data(), n * sizeof(int), cudaMemcpyDeviceToDevice, lanes.main),
                  "cudaMemcpyAsync");
            dense::enqueue_factor(place, pivoting, lanes);
        });
    }

    std::size_t n, stride;
    LuPivoting pivoting;
    Buffer<T> matrix, bands;
    Buffer<int> lists; ///< pivots, source, target, order
    Buffer<dense::LuFlags> flags;
    Buffer<int>
        waits; ///< the plain panel's counter; the substitutions' counter and flags; the panels' flags and counts
    Buffer<int> first_order;
    Buffer<T> right, solution;
    dense::Lanes lanes;
    Recorded factor_graph;
    LuReport report{LuEnd::not_finite, 0, 0}; ///< nothing factored yet
    bool factored = false;
};

template <class T> Lu<T>::Lu(std::size_t n, LuPivoting pivoting) {
    refuse_too_large<T>(n);
    impl_ = std::make_unique<Impl>(n, pivoting);
}
template <class T> Lu<T>::~Lu() = default;
template <class T> Lu<T>::Lu(Lu&&) noexcept = default;
template <class T> Lu<T>& Lu<T>::operator=(Lu&&) noexcept = default;

template <class T> std::size_t Lu<T>::size() const {
    return impl_->n;
}

template <class T> void Lu<T>::load(std::span<const T> by_columns) {
    const std::size_t n = impl_->n;
    if (by_columns.size() != n * n)
        throw InvalidInput(
            fmt::format("LU on the GPU: the matrix has {} elements where {} x {} are wanted", by_columns.size(), n, n));
    impl_->factored = false;
    if (n == 0) return;
    check(cudaMemcpy2D(impl_->matrix.data(), impl_->stride * sizeof(T), by_columns.data(), n * sizeof(T), n * sizeof(T),
                       n, cudaMemcpyHostToDevice),
          "cudaMemcpy2D to device");
}

template <class T> void Lu<T>::start_factor() {
    impl_->factored = false;
    if (impl_->n == 0) return;
    if (!impl_->factor_graph.made()) impl_->record_factor();
    impl_->factor_graph.launch();
}

template <class T> LuReport Lu<T>::finish_factor() {
    LuReport report{LuEnd::factored, impl_->n, 0};
    if (impl_->n != 0) {
        dense::LuFlags flags{};
        impl_->flags.download({&flags, 1}); // waits for the factorisation
        const auto before = [](int one, int other) { return one != 0 && (other == 0 || one <= other); };
        if (before(flags.zero_pivot, flags.not_finite))
            report = {LuEnd::singular, static_cast<std::size_t>(flags.zero_pivot - 1), 0};
        else if (flags.not_finite != 0) report = {LuEnd::not_finite, static_cast<std::size_t>(flags.not_finite - 1), 0};
    }
    impl_->factored = report.end == LuEnd::factored;
    return report;
}

template <class T> LuReport Lu<T>::factor() {
    if (impl_->n != 0 && !impl_->factor_graph.made()) impl_->record_factor(); // not in the time
    Timer timer;
    timer.start();
    start_factor();
    const double seconds = timer.stop();
    LuReport report = finish_factor();
    report.seconds = seconds;
    return report;
}

template <class T> void Lu<T>::start_solve(const T* b, T* x) {
    const std::size_t n = impl_->n;
    if (n == 0) return;
    int* const counters = impl_->waits.data() + 1;
    dense::launch_solve<T>(
        {impl_->matrix.data(), impl_->stride, static_cast<int>(n), impl_->order(), b, x, counters, counters + 1},
        nullptr);
}

template <class T> std::vector<T> Lu<T>::solve(std::span<const T> b) {
    const std::size_t n = impl_->n;
    if (b.size() != n)
        throw InvalidInput(fmt::format("LU on the GPU: b has {} elements where {} are wanted", b.size(), n));
    if (!impl_->factored) throw InvalidInput("LU on the GPU: there are no factors; a matrix must be factored first");
    std::vector<T> x(n);
    if (n == 0) return x;
    if (impl_->right.size() == 0) {
        impl_->right.allocate(n);
        impl_->solution.allocate(n);
    }
    impl_->right.upload(b);
    start_solve(impl_->right.data(), impl_->solution.data());
    impl_->solution.download(x);
    return x;
}

template <class T> void Lu<T>::factors(std::span<T> by_columns) const {
    const std::size_t n = impl_->n;
    if (by_columns.size() != n * n)
        throw InvalidInput(
            fmt::format("LU on the GPU: room for {} elements where {} x {} are wanted", by_columns.size(), n, n));
    if (n == 0) return;
    check(cudaMemcpy2D(by_columns.data(), n * sizeof(T), impl_->matrix.data(), impl_->stride * sizeof(T), n * sizeof(T),
                       n, cudaMemcpyDeviceToHost),
          "cudaMemcpy2D from device");
}

template <class T> std::vector<std::int32_t> Lu<T>::pivots() const {
    std::vector<std::int32_t> list(impl_->n);
    if (impl_->n != 0) impl_->lists.download(list, 0);
    return list;
}

template <class T> std::vector<std::int32_t> Lu<T>::rows() const {
    std::vector<std::int32_t> list(impl_->n);
    if (impl_->n != 0) impl_->lists.download(list, 3 * impl_->n);
    return list;
}

template <class T> T* Lu<T>::device_matrix() {
    return impl_->matrix.data();
}
template <class T> std::size_t Lu<T>::stride() const {
    return impl_->stride;
}
template <class T> const std::int32_t* Lu<T>::device_rows() const {
    return impl_->order();
}

template class Lu<float>;
template class Lu<double>;

} // namespace mantissa::gpu
