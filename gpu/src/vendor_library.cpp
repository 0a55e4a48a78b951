#include "vendor_library.hpp"

#include <dlfcn.h>

#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

namespace {

std::string reason() {
    const char* const text = ::dlerror();
    return text == nullptr ? "no reason given" : text;
}

} // namespace

VendorLibrary::VendorLibrary(const char* name, const char* path)
    : handle_(::dlopen(name, RTLD_NOW | RTLD_LOCAL)), name_(name) {
    if (handle_ != nullptr) return;
    const std::string first = reason();
    handle_ = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr)
        throw DeviceError("loading " + name_, first + "; install the CUDA toolkit's libraries, or name their folder in "
                                                      "LD_LIBRARY_PATH");
}

void* VendorLibrary::symbol(const char* name) const {
    static_cast<void>(::dlerror());
    void* const found = ::dlsym(handle_, name);
    if (found == nullptr) throw DeviceError(std::string("finding ") + name + " in " + name_, reason());
    return found;
}

#ifdef MANTISSA_CUBLAS
const VendorLibrary& cublas() {
    static const VendorLibrary library(MANTISSA_CUBLAS, MANTISSA_CUBLAS_PATH);
    return library;
}
#endif

#ifdef MANTISSA_CUSPARSE
const VendorLibrary& cusparse() {
    static const VendorLibrary library(MANTISSA_CUSPARSE, MANTISSA_CUSPARSE_PATH);
    return library;
}
#endif

#ifdef MANTISSA_CUSOLVER
const VendorLibrary& cusolver() {
    static const VendorLibrary library(MANTISSA_CUSOLVER, MANTISSA_CUSOLVER_PATH);
    return library;
}
#endif

} // namespace mantissa::gpu
