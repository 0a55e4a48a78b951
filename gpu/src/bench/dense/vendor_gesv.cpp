#include "vendor_gesv.hpp"

#include <cusolverDn.h>

#include <fmt/format.h>

#include "mantissa/gpu/device.hpp"
#include "vendor_library.hpp"

namespace mantissa::gpu {

namespace {

void expect(cusolverStatus_t status, const std::string& name) {
    if (status != CUSOLVER_STATUS_SUCCESS) throw DeviceError(name, fmt::format("status {}", static_cast<int>(status)));
}

} // namespace

struct CusolverGesv::Impl {
    // All kinds have DD's types.
    std::string name;
    decltype(&cusolverDnDDgesv) function = nullptr;
    cusolverDnHandle_t handle = nullptr;
    int n = 0;
    std::size_t bytes = 0;
    Buffer<unsigned char> work;
    Buffer<int> pivots, info;
};

CusolverGesv::CusolverGesv(const std::string& kind, std::size_t n) : impl_(std::make_unique<Impl>()) {
    Impl& i = *impl_;
    i.name = "cusolverDn" + kind + "gesv";
    i.function = cusolver().function<decltype(&cusolverDnDDgesv)>(i.name.c_str());
    i.n = static_cast<int>(n);
    i.pivots.allocate(n);
    i.info.allocate(1);
    expect(cusolver().function<decltype(&cusolverDnCreate)>("cusolverDnCreate")(&i.handle), "cusolverDnCreate");
    const std::string size = i.name + "_bufferSize";
    expect(cusolver().function<decltype(&cusolverDnDDgesv_bufferSize)>(size.c_str())(
               i.handle, i.n, 1, nullptr, i.n, nullptr, nullptr, i.n, nullptr, i.n, nullptr, &i.bytes),
           size);
    i.work.allocate(i.bytes);
}

CusolverGesv::~CusolverGesv() {
    if (impl_->handle != nullptr)
        static_cast<void>(cusolver().function<decltype(&cusolverDnDestroy)>("cusolverDnDestroy")(impl_->handle));
}

void CusolverGesv::solve(double* a, double* b, double* x) {
    Impl& i = *impl_;
    int iterations = 0;
    expect(i.function(i.handle, i.n, 1, a, i.n, i.pivots.data(), b, i.n, x, i.n, i.work.data(), i.bytes, &iterations,
                      i.info.data()),
           i.name);
}

} // namespace mantissa::gpu
