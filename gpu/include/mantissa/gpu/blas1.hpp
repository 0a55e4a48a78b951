// Level-1 vector operations on the device. Sums have the order of mantissa/blas1_order.hpp, so results are the same
// from run to run, on any device, and on the processor (mantissa/blas1.hpp).
#pragma once

#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

/// Operations on device memory in T, float or double, one kernel each, on a stream. Vectors need no more than a T's
/// alignment; those aligned to 16 bytes are read 16 bytes at a time. One object serves one stream at a time: sums keep
/// their parts in it. Every call only launches; faults of the launch throw DeviceError.
template <class T> class Blas1 {
public:
    Blas1();
    ~Blas1();
    Blas1(Blas1&&) noexcept;
    Blas1(const Blas1&) = delete;

    /// y = y + a x, n elements. x may be y.
    void axpy(std::size_t n, T a, const T* x, T* y, cudaStream_t stream = nullptr) const;
    /// *result = x.y, 0 where n is 0.
    void dot(std::size_t n, const T* x, const T* y, T* result, cudaStream_t stream = nullptr) const;
    /// *result = sqrt(x.x) wherever that is a T, without overflow or underflow on the way.
    void nrm2(std::size_t n, const T* x, T* result, cudaStream_t stream = nullptr) const;

private:
    Buffer<unsigned char> parts_; ///< of a sum, on their way from block to block
};
extern template class Blas1<float>;
extern template class Blas1<double>;

} // namespace mantissa::gpu
