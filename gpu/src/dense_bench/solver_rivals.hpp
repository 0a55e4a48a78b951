// cuSOLVER's dense LU, which the factorisations here are compared with.
#pragma once

#include <cstddef>
#include <memory>

#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

/// cusolverDn<S|D>getrf and getrs on matrices and vectors that are on the device, by columns, without padding. The
/// calls go to the default stream. Throws DeviceError where the library is not to be had or refuses.
template <class T> class CusolverLu {
public:
    CusolverLu(std::size_t n, bool pivoting);
    ~CusolverLu();
    CusolverLu(const CusolverLu&) = delete;
    CusolverLu& operator=(const CusolverLu&) = delete;

    void factor(T* a);
    /// b becomes x, by the factors in `a`.
    void solve(const T* a, T* b);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

extern template class CusolverLu<float>;
extern template class CusolverLu<double>;

} // namespace mantissa::gpu
