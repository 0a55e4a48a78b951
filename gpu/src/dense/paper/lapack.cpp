#include "lapack.hpp"

#include <dlfcn.h>

#include <chrono>

namespace mantissa::gpu::dense {

namespace {

template <class Work> double seconds_of(Work&& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

Lapack::Lapack() {
    for (const char* file : {"libopenblas.so.0", "libmkl_rt.so.2", "liblapack.so.3"}) {
        handle_ = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (handle_ == nullptr) continue;
        if (dlsym(handle_, "sgetrf_") == nullptr || dlsym(handle_, "sgetc2_") == nullptr) {
            handle_ = nullptr;
            continue;
        }
        name_ = file;
        if (void* const config = dlsym(handle_, "openblas_get_config"); config != nullptr)
            name_ = reinterpret_cast<char* (*)()>(config)();
        return;
    }
}

std::optional<double> Lapack::getrf(std::vector<float> a, int n) const {
    if (handle_ == nullptr) return std::nullopt;
    using Getrf = void (*)(const int*, const int*, float*, const int*, int*, int*);
    const auto getrf = reinterpret_cast<Getrf>(dlsym(handle_, "sgetrf_"));
    std::vector<int> pivots(static_cast<std::size_t>(n));
    int info = 0;
    return seconds_of([&] { getrf(&n, &n, a.data(), &n, pivots.data(), &info); });
}

std::optional<double> Lapack::getc2(std::vector<float> a, int n) const {
    if (handle_ == nullptr) return std::nullopt;
    using Getc2 = void (*)(const int*, float*, const int*, int*, int*, int*);
    const auto getc2 = reinterpret_cast<Getc2>(dlsym(handle_, "sgetc2_"));
    std::vector<int> rows(static_cast<std::size_t>(n)), columns(static_cast<std::size_t>(n));
    int info = 0;
    return seconds_of([&] { getc2(&n, a.data(), &n, rows.data(), columns.data(), &info); });
}

} // namespace mantissa::gpu::dense
