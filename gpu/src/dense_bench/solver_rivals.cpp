#include "solver_rivals.hpp"

#include <cusolverDn.h>

#include <fmt/format.h>

#include "../vendor_library.hpp"

namespace mantissa::gpu {

namespace {

template <class Function> Function call(const char* name) {
    return cusolver().function<Function>(name);
}

void expect(cusolverStatus_t status, const char* name) {
    if (status != CUSOLVER_STATUS_SUCCESS) throw DeviceError(name, fmt::format("status {}", static_cast<int>(status)));
}

} // namespace

template <class T> struct CusolverLu<T>::Impl {
    static constexpr bool kSingle = sizeof(T) == 4;
    // The functions for T: the header has their types, the library their addresses.
    using Size =
        std::conditional_t<kSingle, decltype(&cusolverDnSgetrf_bufferSize), decltype(&cusolverDnDgetrf_bufferSize)>;
    using Factor = std::conditional_t<kSingle, decltype(&cusolverDnSgetrf), decltype(&cusolverDnDgetrf)>;
    using Solve = std::conditional_t<kSingle, decltype(&cusolverDnSgetrs), decltype(&cusolverDnDgetrs)>;
    Size size = call<Size>(kSingle ? "cusolverDnSgetrf_bufferSize" : "cusolverDnDgetrf_bufferSize");
    Factor factor = call<Factor>(kSingle ? "cusolverDnSgetrf" : "cusolverDnDgetrf");
    Solve solve = call<Solve>(kSingle ? "cusolverDnSgetrs" : "cusolverDnDgetrs");

    cusolverDnHandle_t handle = nullptr;
    int n = 0;
    Buffer<T> work;
    Buffer<int> pivots, info;
};

template <class T> CusolverLu<T>::CusolverLu(std::size_t n, bool pivoting) : impl_(std::make_unique<Impl>()) {
    Impl& i = *impl_;
    i.n = static_cast<int>(n);
    expect(call<decltype(&cusolverDnCreate)>("cusolverDnCreate")(&i.handle), "cusolverDnCreate");
    int elements = 0;
    expect(i.size(i.handle, i.n, i.n, nullptr, i.n, &elements), "cusolverDn getrf_bufferSize");
    i.work.allocate(static_cast<std::size_t>(elements));
    i.info.allocate(1);
    if (pivoting) i.pivots.allocate(n);
}

template <class T> CusolverLu<T>::~CusolverLu() {
    if (impl_->handle != nullptr)
        static_cast<void>(call<decltype(&cusolverDnDestroy)>("cusolverDnDestroy")(impl_->handle));
}

template <class T> void CusolverLu<T>::factor(T* a) {
    Impl& i = *impl_;
    expect(i.factor(i.handle, i.n, i.n, a, i.n, i.work.data(), i.pivots.data(), i.info.data()), "cusolverDn getrf");
}

template <class T> void CusolverLu<T>::solve(const T* a, T* b) {
    Impl& i = *impl_;
    expect(i.solve(i.handle, CUBLAS_OP_N, i.n, 1, a, i.n, i.pivots.data(), b, i.n, i.info.data()), "cusolverDn getrs");
}

template class CusolverLu<float>;
template class CusolverLu<double>;

} // namespace mantissa::gpu
