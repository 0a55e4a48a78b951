// Times of the level-1 operations here, of cuBLAS's and of a copy, taken in turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mantissa::gpu {

enum class Blas1Operation : std::uint8_t { axpy, dot, nrm2 };
std::string to_string(Blas1Operation operation);
/// Bytes of T that an operation moves for each element: axpy 3 T, dot 2 T, nrm2 1 T. All have two operations an
/// element.
int moved_elements(Blas1Operation operation);

struct Blas1Round {
    Blas1Operation operation = Blas1Operation::axpy;
    bool single_precision = true;
    std::size_t n = 0;
    std::size_t footprint = 0; ///< bytes of all the vectors that a batch of launches goes through in turn
    double ours = 0, cublas = 0;
    double copy = 0;         ///< of a copy that moves as many bytes, half of them read
    bool same_bits = false;  ///< ours and the processor's
    double cublas_error = 0; ///< of cuBLAS against ours: of the largest element, or of the number
    double processor = 0;    ///< seconds of the processor's
    int processor_threads = 0;
};

/// Seconds are medians of `repeats` captured batches of launches, ours, cuBLAS's and the copy's in turn, each launch a
/// 20th. Vectors that the cache would hold from one launch to the next are rotated as far as a batch reaches.
/// `threads`: of the processor's version, where the vector is long enough for them.
std::vector<Blas1Round> blas1_rounds(const std::vector<std::size_t>& sizes, int repeats, int threads,
                                     const std::function<void(const std::string&)>& say);

/// cuBLAS's matrix product in T, n x n x n: operations a second.
double gemm_rate(bool single_precision, int n, int repeats);

/// What the device could do by its data: multiply-adds of float and double (2 operations each) and bytes of memory a
/// second.
struct DevicePeaks {
    double single_operations = 0, double_operations = 0, bytes = 0;
};
DevicePeaks device_peaks();

} // namespace mantissa::gpu
