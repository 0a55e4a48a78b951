#include "mantissa/gpu/lu_batched.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "../round_up.hpp"
#include "launches.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

namespace {

template <class T> std::size_t panels(std::size_t n, LuPivoting pivoting) {
    const auto width = static_cast<std::size_t>(batched::panel_width<T>(static_cast<int>(n)));
    return batched::in_registers<T>(static_cast<int>(n), pivoting) ? 0 : (n + width - 1) / width;
}
template <class T> std::size_t workspace(std::size_t n, LuPivoting pivoting) {
    const auto width = static_cast<std::size_t>(batched::panel_width<T>(static_cast<int>(n)));
    return panels<T>(n, pivoting) < 2 ? 0 : width * round_up(n, 16 / sizeof(T));
}

template <class T> void refuse(std::size_t n, std::size_t batch, LuPivoting pivoting, BatchedProducts products) {
    static_cast<void>(require_device());
    constexpr std::size_t kMostSystems = 65535; // of a launch's second dimension
    if (n > BatchedLu<T>::kMostRows)
        throw InvalidInput(fmt::format("batched LU on the GPU: n = {}; {} at most, take the LU of single matrices", n,
                                       BatchedLu<T>::kMostRows));
    if (batch > kMostSystems)
        throw InvalidInput(
            fmt::format("batched LU on the GPU: {} systems; {} at most, split the batch", batch, kMostSystems));
    if (products == BatchedProducts::tf32x3 && sizeof(T) != 4)
        throw InvalidInput("batched LU on the GPU: tf32x3 products are for floats; take plain ones");
    std::size_t free = 0, all = 0;
    check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
    const double bytes =
        static_cast<double>(batch) * (sizeof(T) * static_cast<double>(round_up(n, 4) * n + workspace<T>(n, pivoting)) +
                                      sizeof(int) * static_cast<double>((2 + panels<T>(n, pivoting)) * n + 1));
    if (bytes > static_cast<double>(free))
        throw InvalidInput(
            fmt::format("batched LU on the GPU: {} systems of n = {} need {:.1f} GB, the device has {:.1f} "
                        "GB free; take fewer, or float",
                        batch, n, 1e-9 * bytes, 1e-9 * static_cast<double>(free)));
}

LuSystemEnd end_of(int info, std::size_t n) {
    if (info == 0) return {LuEnd::factored, n};
    return {info > 0 ? LuEnd::singular : LuEnd::not_finite, static_cast<std::size_t>(std::abs(info)) - 1};
}

} // namespace

template <class T> struct BatchedLu<T>::Impl {
    Impl(std::size_t size, std::size_t systems, LuPivoting how, BatchedProducts which)
        : n(size), batch(systems), stride(round_up(size, 4)), pivoting(how), products(which), a(stride * n * batch),
          work(workspace<T>(n, how) * batch), moves(panels<T>(n, how) * n * batch), pivots(n * batch), order(n * batch),
          info(batch) {}

    [[nodiscard]] batched::Place<T> place() const {
        return {a.data(),
                static_cast<int>(n),
                static_cast<int>(stride),
                static_cast<int>(batch),
                static_cast<long long>(stride * n),
                pivots.data(),
                moves.data(),
                order.data(),
                info.data(),
                work.data(),
                static_cast<int>(round_up(n, 16 / sizeof(T)))};
    }
    [[nodiscard]] bool empty() const { return n == 0 || batch == 0; }
    [[nodiscard]] BatchedLuReport report(double seconds) const {
        std::vector<int> codes(batch, 0);
        if (!empty()) info.download(codes);
        BatchedLuReport r;
        r.seconds = seconds;
        for (const int code : codes) r.systems.push_back(end_of(code, n));
        return r;
    }

    std::size_t n, batch, stride;
    LuPivoting pivoting;
    BatchedProducts products;
    Buffer<T> a, work;
    Buffer<int> moves, pivots, order, info;
    Buffer<T> right;
    bool factored = false;
};

template <class T>
BatchedLu<T>::BatchedLu(std::size_t n, std::size_t batch, LuPivoting pivoting, BatchedProducts products) {
    refuse<T>(n, batch, pivoting, products);
    impl_ = std::make_unique<Impl>(n, batch, pivoting, products);
}
template <class T> BatchedLu<T>::~BatchedLu() = default;
template <class T> BatchedLu<T>::BatchedLu(BatchedLu&&) noexcept = default;
template <class T> BatchedLu<T>& BatchedLu<T>::operator=(BatchedLu&&) noexcept = default;

template <class T> std::size_t BatchedLu<T>::size() const {
    return impl_->n;
}
template <class T> std::size_t BatchedLu<T>::batch() const {
    return impl_->batch;
}
template <class T> T* BatchedLu<T>::device_matrices() {
    return impl_->a.data();
}
template <class T> std::size_t BatchedLu<T>::stride() const {
    return impl_->stride;
}
template <class T> std::size_t BatchedLu<T>::distance() const {
    return impl_->stride * impl_->n;
}

template <class T> void BatchedLu<T>::load(std::span<const T> by_columns) {
    Impl& m = *impl_;
    if (by_columns.size() != m.n * m.n * m.batch)
        throw InvalidInput(fmt::format("batched LU on the GPU: {} elements for {} matrices of n = {}; give {}",
                                       by_columns.size(), m.batch, m.n, m.n * m.n * m.batch));
    m.factored = false;
    if (m.empty()) return;
    check(cudaMemcpy2D(m.a.data(), m.stride * sizeof(T), by_columns.data(), m.n * sizeof(T), m.n * sizeof(T),
                       m.n * m.batch, cudaMemcpyHostToDevice),
          "cudaMemcpy2D to device");
}

template <class T> void BatchedLu<T>::start_factor() {
    Impl& m = *impl_;
    m.factored = true;
    if (!m.empty()) batched::launch_factor(m.place(), m.pivoting, m.products, nullptr);
}
template <class T> BatchedLuReport BatchedLu<T>::finish_factor() {
    check(cudaStreamSynchronize(nullptr), "batched LU");
    return impl_->report(0);
}
template <class T> BatchedLuReport BatchedLu<T>::factor() {
    Timer timer;
    timer.start();
    start_factor();
    const double seconds = timer.stop();
    return impl_->report(seconds);
}

template <class T> void BatchedLu<T>::start_solve(T* rhs) {
    Impl& m = *impl_;
    if (!m.factored) throw InvalidInput("batched LU on the GPU: nothing is factored yet; call factor() first");
    if (!m.empty()) batched::launch_substitute(m.place(), m.pivoting == LuPivoting::partial, rhs, nullptr);
}
template <class T> std::vector<T> BatchedLu<T>::solve(std::span<const T> b) {
    Impl& m = *impl_;
    if (b.size() != m.n * m.batch)
        throw InvalidInput(fmt::format("batched LU on the GPU: {} elements for {} right-hand sides of n = {}; give {}",
                                       b.size(), m.batch, m.n, m.n * m.batch));
    std::vector<T> x(b.size());
    if (m.right.size() != b.size()) m.right.allocate(b.size());
    if (!m.empty()) m.right.upload(b);
    start_solve(m.right.data());
    if (!m.empty()) m.right.download(x);
    return x;
}

template <class T> std::vector<T> BatchedLu<T>::factors() const {
    const Impl& m = *impl_;
    std::vector<T> values(m.n * m.n * m.batch);
    if (!m.empty())
        check(cudaMemcpy2D(values.data(), m.n * sizeof(T), m.a.data(), m.stride * sizeof(T), m.n * sizeof(T),
                           m.n * m.batch, cudaMemcpyDeviceToHost),
              "cudaMemcpy2D from device");
    return values;
}
template <class T> std::vector<std::int32_t> BatchedLu<T>::pivots() const {
    std::vector<std::int32_t> values(impl_->n * impl_->batch);
    if (!impl_->empty()) impl_->pivots.download(values);
    for (std::int32_t& p : values) --p;
    return values;
}

template class BatchedLu<float>;
template class BatchedLu<double>;

} // namespace mantissa::gpu
