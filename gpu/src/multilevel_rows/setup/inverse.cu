// The last level's inverse: the operations of dense_inverse() (numerics/src/multilevel/setup/dense_inverse.cpp), each
// element's in that order.
#include "mantissa/multilevel/aggregation.hpp"
#include "primitives.hpp"
#include "steps.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

constexpr unsigned kSide = 32; ///< of a block of threads

__global__ void fill_dense(const Matrix<double> a, double* dense) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= a.rows) return;
    for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k)
        dense[std::size_t{row} * a.rows + a.column[k]] = a.value[k];
}
/// The lower triangle of m becomes W = L^-1, column by column: step k finds column k of L and row k of W, and takes
/// them off what is left of m, and off the rows of W below. One block.
__global__ void __launch_bounds__(kSide* kSide) invert_factor(std::uint32_t n, double* m, std::uint32_t* singular) {
    __shared__ double of_l[multilevel::kCoarsest], beside[multilevel::kCoarsest]; // column k; row k of W, column k of L
    const std::uint32_t thread = threadIdx.y * kSide + threadIdx.x;
    for (std::uint32_t k = 0; k < n; ++k) {
        const double pivot = m[std::size_t{k} * n + k];
        if (!(pivot > 0)) {
            if (thread == 0) *singular = 1;
            return;
        }
        const double root = sqrt(pivot);
        __syncthreads();
        for (std::uint32_t i = thread; i < n; i += kSide * kSide) {
            if (i > k) of_l[i] = beside[i] = m[std::size_t{i} * n + k] / root;
            else m[std::size_t{k} * n + i] = beside[i] = (i == k ? 1 : m[std::size_t{k} * n + i]) / root;
        }
        __syncthreads();
        for (std::uint32_t i = k + 1 + threadIdx.y; i < n; i += kSide)
            for (std::uint32_t j = threadIdx.x; j <= i; j += kSide) {
                double& x = m[std::size_t{i} * n + j];
                x = (j == k ? 0.0 : x) - of_l[i] * beside[j];
            }
        __syncthreads();
    }
}
/// W^T W
__global__ void multiply_factors(std::uint32_t n, const double* w, double* inverse) {
    const std::uint32_t at = blockIdx.x * blockDim.x + threadIdx.x, i = at / n, j = at % n;
    if (i >= n) return;
    double sum = 0;
    for (std::uint32_t k = max(i, j); k < n; ++k) sum += w[std::size_t{k} * n + j] * w[std::size_t{k} * n + i];
    inverse[at] = sum;
}
__global__ void judge_inverse(std::uint32_t n, const double* inverse, std::uint32_t* singular) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    double sum = 0;
    for (std::uint32_t j = 0; j < n; ++j) sum += fabs(inverse[std::size_t{j} * n + row]); // (it is symmetric)
    if (!(sum <= multilevel::kMostInverse)) *singular = 1;
}

} // namespace

std::vector<double> dense_inverse(const Matrix<double>& a, Arena& scratch) {
    const std::uint32_t n = a.rows;
    const std::size_t elements = std::size_t{n} * n;
    auto* const dense = scratch.zeros<double>(elements);
    auto* const inverse = scratch.get<double>(elements);
    auto* const singular = scratch.zeros<std::uint32_t>(1);
    fill_dense<<<blocks_of(n), kThreadsOfSetup>>>(a, dense);
    invert_factor<<<1, dim3(kSide, kSide)>>>(n, dense, singular);
    multiply_factors<<<blocks_of(elements), kThreadsOfSetup>>>(n, dense, inverse);
    judge_inverse<<<blocks_of(n), kThreadsOfSetup>>>(n, inverse, singular);
    check(cudaGetLastError(), "dense_inverse");
    if (one_from_device(singular) != 0) return {};
    return from_device(inverse, elements);
}

} // namespace mantissa::gpu::multilevel_rows
