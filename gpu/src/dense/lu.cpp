#include "mantissa/gpu/lu.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "cusolver_lu.hpp"
#include "finite.hpp"
#include "lu_sequence.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"
#include "round_up.hpp"

namespace mantissa::gpu {

std::string to_string(LuBy by) {
    return by == LuBy::own ? "own" : by == LuBy::cusolver ? "cuSOLVER" : "automatic";
}

LuChoice lu_by_for(std::size_t n, LuPivoting pivoting, bool single, double bytes_per_second) {
    // Measured on an H100 and an H200 (gpu/results). Solves, and factors without pivoting, take cuSOLVER's time up to
    // three times at every size. With pivoting ours are ahead, but in double their updates are bound by memory from a
    // size on that grows with the card's bandwidth: 3.35 and 4.8 TB/s by the data sheets.
    if (pivoting == LuPivoting::none) return {LuBy::cusolver, LuBy::cusolver};
    constexpr double kFast = 4e12;
    const std::size_t most = bytes_per_second < kFast ? 10240 : 12288;
    return {single || n <= most ? LuBy::own : LuBy::cusolver, LuBy::cusolver};
}

std::string to_string(LuPivoting p) {
    return p == LuPivoting::none ? "none" : "partial";
}

namespace {

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

/// Of the current device, by its data.
double peak_bytes_per_second() {
    int device = 0, kilohertz = 0, bits = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, device), "cudaDeviceGetAttribute");
    check(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, device), "cudaDeviceGetAttribute");
    return 2e3 * kilohertz * bits / 8; // (data come on both edges of the clock)
}

/// What was asked for, as far as it can be had.
LuChoice chosen(std::size_t n, LuPivoting pivoting, bool single, LuBy by) {
    if (by == LuBy::own || n == 0) return {};
    const std::string missing = why_no_cusolver();
    if (by == LuBy::cusolver) {
        if (!missing.empty()) throw DeviceError("LU by cuSOLVER", missing);
        return {LuBy::cusolver, LuBy::cusolver};
    }
    if (!missing.empty()) return {};
    return lu_by_for(n, pivoting, single, peak_bytes_per_second());
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
    Impl(std::size_t size, LuPivoting pivoting_asked, LuBy by_asked)
        : n(size), stride(round_up(size, 32)), pivoting(pivoting_asked),
          by(chosen(size, pivoting_asked, sizeof(T) == 4, by_asked)), matrix(stride * size),
          bands(band_elements<T>(stride)), lists(4 * size), flags(1), waits(2 + 2 * blocks() + 3 * panels()),
          first_order(size) {
        std::vector<int> identity(n);
        std::iota(identity.begin(), identity.end(), 0);
        first_order = to_device(identity);
        waits.zero();
        if (by.factor == LuBy::cusolver || by.solve == LuBy::cusolver)
            library = std::make_unique<CusolverLu<T>>(n, pivoting == LuPivoting::partial, stride);
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

    void factor_by_library() {
        if (pivoting == LuPivoting::partial)
            dense::launch_find_not_finite(matrix.data(), stride, static_cast<int>(n), not_finite.data(), nullptr);
        library->factor(matrix.data());
    }
    /// How the library's factors ended, by the pivots on their diagonal: it says nothing of those that are not finite,
    /// and without exchanges nothing of zeros.
    [[nodiscard]] dense::LuFlags library_flags() const {
        dense::LuFlags flags{};
        std::vector<T> diagonal(n);
        check(cudaMemcpy2D(diagonal.data(), sizeof(T), matrix.data(), (stride + 1) * sizeof(T), sizeof(T), n,
                           cudaMemcpyDeviceToHost),
              "cudaMemcpy2D of the pivots");
        const auto first = [&](auto&& is) {
            const auto at = std::ranges::find_if(diagonal, is);
            return at == diagonal.end() ? 0 : static_cast<int>(at - diagonal.begin()) + 1;
        };
        flags.zero_pivot = first([](T pivot) { return pivot == 0; });
        flags.not_finite = first([](T pivot) { return !std::isfinite(pivot); });
        if (pivoting == LuPivoting::partial) { // with exchanges the factors come out finite all the same
            int last = 0;
            not_finite.download({&last, 1});
            const int column = static_cast<int>(n) - last + 1;
            if (last != 0 && (flags.not_finite == 0 || column < flags.not_finite)) flags.not_finite = column;
        }
        return flags;
    }
    /// Exchanges as one side made them for the other: from 0, with the order of the rows, and from 1.
    void hand_over_pivots() {
        std::vector<int> exchanged(n), order_of_rows(n);
        std::iota(order_of_rows.begin(), order_of_rows.end(), 0);
        if (by.factor == LuBy::own) {
            if (pivoting == LuPivoting::none || by.solve == LuBy::own) return;
            lists.download(exchanged, 0);
            for (int& row : exchanged) ++row;
            library->pivots().upload(exchanged);
            return;
        }
        if (pivoting == LuPivoting::none) {
            exchanged = order_of_rows;
        } else {
            library->pivots().download(exchanged);
            for (std::size_t k = 0; k < n; ++k)
                std::swap(order_of_rows[k], order_of_rows[static_cast<std::size_t>(--exchanged[k])]);
        }
        lists.upload(exchanged, 0);
        lists.upload(order_of_rows, 3 * n);
    }

    std::size_t n, stride;
    LuPivoting pivoting;
    LuChoice by;
    std::unique_ptr<CusolverLu<T>> library; ///< where it does anything
    Buffer<int> not_finite{1};              ///< of launch_find_not_finite()
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
    bool timed = false; ///< has a solve been?
};

template <class T> Lu<T>::Lu(std::size_t n, LuPivoting pivoting, LuBy by) {
    refuse_too_large<T>(n);
    impl_ = std::make_unique<Impl>(n, pivoting, by);
}
template <class T> Lu<T>::~Lu() = default;
template <class T> Lu<T>::Lu(Lu&&) noexcept = default;
template <class T> Lu<T>& Lu<T>::operator=(Lu&&) noexcept = default;

template <class T> std::size_t Lu<T>::size() const {
    return impl_->n;
}

template <class T> LuChoice Lu<T>::by() const {
    return impl_->by;
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
    if (impl_->by.factor == LuBy::cusolver) return impl_->factor_by_library();
    if (!impl_->factor_graph.made()) impl_->record_factor();
    impl_->factor_graph.launch();
}

template <class T> LuReport Lu<T>::finish_factor() {
    LuReport report{LuEnd::factored, impl_->n, 0};
    if (impl_->n != 0) {
        dense::LuFlags flags{};
        if (impl_->by.factor == LuBy::cusolver) flags = impl_->library_flags();
        else impl_->flags.download({&flags, 1}); // waits for the factorisation
        const auto before = [](int one, int other) { return one != 0 && (other == 0 || one <= other); };
        if (before(flags.zero_pivot, flags.not_finite))
            report = {LuEnd::singular, static_cast<std::size_t>(flags.zero_pivot - 1), 0};
        else if (flags.not_finite != 0) report = {LuEnd::not_finite, static_cast<std::size_t>(flags.not_finite - 1), 0};
    }
    impl_->factored = report.end == LuEnd::factored;
    if (impl_->factored && impl_->n != 0) impl_->hand_over_pivots();
    return report;
}

template <class T> LuReport Lu<T>::factor() {
    if (impl_->n != 0 && impl_->by.factor == LuBy::own && !impl_->factor_graph.made())
        impl_->record_factor(); // not in the time
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
    const auto copy = [n](T* to, const T* from) {
        check(cudaMemcpyAsync(to, from, n * sizeof(T), cudaMemcpyDeviceToDevice, nullptr), "cudaMemcpy");
    };
    if (impl_->by.solve == LuBy::cusolver) {
        if (b != x) copy(x, b);
        return impl_->library->solve(impl_->matrix.data(), x);
    }
    if (b == x) { // the substitutions read b in the order of the exchanged rows
        if (impl_->right.size() == 0) impl_->right.allocate(n);
        copy(impl_->right.data(), b);
        b = impl_->right.data();
    }
    int* const counters = impl_->waits.data() + 1;
    dense::launch_solve<T>(
        {impl_->matrix.data(), impl_->stride, static_cast<int>(n), impl_->order(), b, x, counters, counters + 1},
        nullptr);
}

template <class T> std::vector<T> Lu<T>::solve(std::span<const T> b, double* seconds) {
    const std::size_t n = impl_->n;
    if (b.size() != n)
        throw InvalidInput(fmt::format("LU on the GPU: b has {} elements where {} are wanted", b.size(), n));
    if (!impl_->factored) throw InvalidInput("LU on the GPU: there are no factors; a matrix must be factored first");
    std::vector<T> x(n);
    if (n == 0) return x;
    if (impl_->right.size() == 0) impl_->right.allocate(n);
    if (impl_->solution.size() == 0) impl_->solution.allocate(n);
    impl_->right.upload(b);
    Timer timer;
    if (seconds != nullptr && !std::exchange(impl_->timed, true)) // the first one loads kernels: not in the time
        start_solve(impl_->right.data(), impl_->solution.data());
    timer.start();
    start_solve(impl_->right.data(), impl_->solution.data());
    const double taken = timer.stop();
    if (seconds != nullptr) *seconds = taken;
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

template class Lu<float>;
template class Lu<double>;

} // namespace mantissa::gpu
