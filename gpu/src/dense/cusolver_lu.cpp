#include "cusolver_lu.hpp"

#ifdef MANTISSA_CUSOLVER // set by the build where it found the library
#include <cusolverDn.h>
#endif

#include <fmt/format.h>

#include "../vendor_library.hpp"

namespace mantissa::gpu {

#ifdef MANTISSA_CUSOLVER // set by the build where it found the library

std::string why_no_cusolver() {
    try {
        static_cast<void>(cusolver());
        return {};
    } catch (const DeviceError& e) {
        return e.what();
    }
}

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
    int n = 0, stride = 0;
    Buffer<T> work;
    Buffer<int> pivots, info;
};

template <class T>
CusolverLu<T>::CusolverLu(std::size_t n, bool pivoting, std::size_t stride) : impl_(std::make_unique<Impl>()) {
    Impl& i = *impl_;
    i.n = static_cast<int>(n);
    i.stride = static_cast<int>(stride == 0 ? n : stride);
    expect(call<decltype(&cusolverDnCreate)>("cusolverDnCreate")(&i.handle), "cusolverDnCreate");
    int elements = 0;
    expect(i.size(i.handle, i.n, i.n, nullptr, i.stride, &elements), "cusolverDn getrf_bufferSize");
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
    expect(i.factor(i.handle, i.n, i.n, a, i.stride, i.work.data(), i.pivots.data(), i.info.data()),
           "cusolverDn getrf");
}

template <class T> void CusolverLu<T>::solve(const T* a, T* b) {
    Impl& i = *impl_;
    expect(i.solve(i.handle, CUBLAS_OP_N, i.n, 1, a, i.stride, i.pivots.data(), b, i.n, i.info.data()),
           "cusolverDn getrs");
}

template <class T> Buffer<int>& CusolverLu<T>::pivots() {
    return impl_->pivots;
}

#else

std::string why_no_cusolver() {
    return "this program was built without cuSOLVER";
}

template <class T> struct CusolverLu<T>::Impl { Buffer<int> pivots; };
template <class T> CusolverLu<T>::CusolverLu(std::size_t, bool, std::size_t) {
    throw DeviceError("cuSOLVER", why_no_cusolver());
}
template <class T> CusolverLu<T>::~CusolverLu() = default;
template <class T> void CusolverLu<T>::factor(T*) {}
template <class T> void CusolverLu<T>::solve(const T*, T*) {}
template <class T> Buffer<int>& CusolverLu<T>::pivots() {
    return impl_->pivots;
}

#endif

template class CusolverLu<float>;
template class CusolverLu<double>;

} // namespace mantissa::gpu
