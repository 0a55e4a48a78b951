// cuSOLVER's dense LU: what Lu takes where it is the faster one, and what the factorisations here are compared with.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

/// Empty where cuSOLVER can be had; else one line: built without it, or why it is not loaded.
std::string why_no_cusolver();

/// cusolverDn<S|D>getrf and getrs on matrices and vectors that are on the device, by columns. The calls go to the
/// default stream. Throws DeviceError where the library is not to be had or refuses.
template <class T> class CusolverLu {
public:
    /// Columns are `stride` elements apart; 0: n.
    CusolverLu(std::size_t n, bool pivoting, std::size_t stride = 0);
    ~CusolverLu();
    CusolverLu(const CusolverLu&) = delete;
    CusolverLu& operator=(const CusolverLu&) = delete;

    void factor(T* a);
    /// b becomes x, by the factors in `a`.
    void solve(const T* a, T* b);

    /// The list of exchanges, from 1 as LAPACK has it: n elements on the device; of none without pivoting.
    [[nodiscard]] Buffer<int>& pivots();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

extern template class CusolverLu<float>;
extern template class CusolverLu<double>;

} // namespace mantissa::gpu
