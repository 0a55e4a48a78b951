// cuSOLVER's solvers of dense systems in mixed precision, which ours is compared with.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace mantissa::gpu {

/// One of cusolverDn<DD|DS|DX|DH>gesv: factors in double, float, TF32 or half, refined to double accuracy. Throws
/// DeviceError where the library is not to be had or refuses.
class CusolverGesv {
public:
    /// `kind` is "DD", "DS", "DX" or "DH".
    CusolverGesv(const std::string& kind, std::size_t n);
    ~CusolverGesv();
    CusolverGesv(const CusolverGesv&) = delete;
    CusolverGesv& operator=(const CusolverGesv&) = delete;

    /// Device memory, by columns without padding; `a` may be overwritten.
    void solve(double* a, double* b, double* x);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace mantissa::gpu
