// How large a level's eigenvalues are: Gershgorin's bounds and some steps of Lanczos's method. Sums have the blocks and
// the order of numerics/src/multilevel/blocked_sums.hpp: a thread of a block adds up what all of its threads found.
#include <cmath>

#include "mantissa/multilevel/aggregation.hpp"
#include "primitives.hpp"
#include "steps.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

using mantissa::multilevel::kLanczosSteps, mantissa::multilevel::kRowsOfSum;

constexpr unsigned kThreadsOfSum = 512;

/// A sum over rows: blocks' own, how many blocks have theirs, and the whole one.
struct BlockedSum {
    double *blocks, *total;
    unsigned* ready; ///< 0 before and after
};

/// The sum of `count` numbers in order, for thread 0.
__device__ double in_order(const double* term, std::uint32_t count, double sum) {
    std::uint32_t i = 0;
    for (; i + 16 <= count; i += 16) {
        double t[16];
#pragma unroll
        for (int k = 0; k < 16; ++k) t[k] = term[i + k];
#pragma unroll
        for (int k = 0; k < 16; ++k) sum += t[k];
    }
    for (; i < count; ++i) sum += term[i];
    return sum;
}

/// *sum.total = finish(the sum of term(row) over all rows). A block for each kRowsOfSum rows.
template <class Term, class FinishSum>
__device__ void add_blocked(std::uint32_t rows, const BlockedSum& sum, const Term& term, const FinishSum& finish) {
    __shared__ double terms[kRowsOfSum];
    __shared__ bool is_last;
    const std::uint32_t first = blockIdx.x * kRowsOfSum,
                        count = min(static_cast<std::uint32_t>(kRowsOfSum), rows - first);
    for (std::uint32_t i = threadIdx.x; i < count; i += kThreadsOfSum) terms[i] = term(first + i);
    __syncthreads();
    if (threadIdx.x == 0) {
        sum.blocks[blockIdx.x] = in_order(terms, count, 0);
        __threadfence();
        is_last = atomicInc(sum.ready, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    double total = 0;
    for (std::uint32_t at = 0; at < gridDim.x; at += kRowsOfSum) {
        const std::uint32_t some = min(static_cast<std::uint32_t>(kRowsOfSum), gridDim.x - at);
        for (std::uint32_t i = threadIdx.x; i < some; i += kThreadsOfSum) terms[i] = __ldcg(sum.blocks + at + i);
        __syncthreads();
        if (threadIdx.x == 0) total = in_order(terms, some, total);
        __syncthreads();
    }
    if (threadIdx.x == 0) *sum.total = finish(total);
}
struct Plain {
    __device__ double operator()(double x) const { return x; }
};
struct Root {
    __device__ double operator()(double x) const { return sqrt(x); }
};

/// Numbers from -1 to 1 that look random (the mixer of splitmix64).
__device__ double scattered(std::uint64_t i) {
    i = (i + 1) * 0x9e3779b97f4a7c15ULL;
    i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9ULL;
    i = (i ^ (i >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<double>((i ^ (i >> 31)) >> 11) * 0x1p-52 - 1;
}

/// The largest of all threads' values; what is no number is none of them.
__device__ void raise(unsigned long long* to, double value) {
    if (!(value >= 0)) value = 0;
    for (int d = 16; d > 0; d >>= 1) value = fmax(value, __shfl_xor_sync(~0u, value, d));
    if ((threadIdx.x & 31) == 0 && value > 0)
        atomicMax(to, static_cast<unsigned long long>(__double_as_longlong(value)));
}
/// Bounds by Gershgorin: of the matrix, and of the one that |function| scales.
__global__ void __launch_bounds__(kThreadsOfSetup)
    find_bounds(const Matrix<double> a, const double* function, unsigned long long* bounds) {
    double most = 0, most_scaled = 0;
    for (std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x; row < a.rows; row += gridDim.x * blockDim.x) {
        double plain = 0, by_function = 0;
        for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
            plain += fabs(a.value[k]);
            by_function += fabs(a.value[k] * function[a.column[k]]);
        }
        by_function = by_function / fabs(function[row]);
        most = most < plain ? plain : most;
        most_scaled = most_scaled < by_function ? by_function : most_scaled;
    }
    raise(bounds, most);
    raise(bounds + 1, most_scaled);
}

__global__ void __launch_bounds__(kThreadsOfSum)
    begin_lanczos(std::uint32_t rows, double* v, double* before, const BlockedSum sum) {
    add_blocked(
        rows, sum,
        [&](std::uint32_t i) {
            before[i] = 0;
            v[i] = scattered(i);
            return v[i] * v[i];
        },
        Root{});
}
__global__ void divide(std::uint32_t rows, double* v, const double* by) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) v[i] /= *by;
}
constexpr std::uint32_t kLongRow = 64; ///< entries, from which a block sums a row's products and not a thread
constexpr unsigned kThreadsOfLongRow = 128, kMostBlocksOfLongRows = 2048;

__global__ void list_long_rows(std::uint32_t rows, const std::uint32_t* begin, std::uint32_t* list,
                               std::uint32_t* listed) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && begin[row + 1] - begin[row] >= kLongRow) list[atomicAdd(listed, 1U)] = row;
}
/// w = A v of long rows: the products side by side, their sum in order.
__global__ void __launch_bounds__(kThreadsOfLongRow)
    long_products(const Matrix<double> a, const double* v, double* w, const std::uint32_t* list,
                  const std::uint32_t* listed) {
    constexpr std::uint32_t kTogether = 1024;
    __shared__ double products[kTogether];
    for (std::uint32_t index = blockIdx.x; index < *listed; index += gridDim.x) {
        const std::uint32_t row = list[index], end = a.begin[row + 1];
        double sum = 0;
        for (std::uint32_t at = a.begin[row]; at < end; at += kTogether) {
            const std::uint32_t some = min(kTogether, end - at);
            for (std::uint32_t i = threadIdx.x; i < some; i += kThreadsOfLongRow)
                products[i] = a.value[at + i] * v[a.column[at + i]];
            __syncthreads();
            if (threadIdx.x == 0) sum = in_order(products, some, sum);
            __syncthreads();
        }
        if (threadIdx.x == 0) w[row] = sum;
    }
}
/// w = A v - back before, and v.w; of long rows w has A v.
__global__ void __launch_bounds__(kThreadsOfSum)
    lanczos_product(const Matrix<double> a, const double* v, const double* before, const double* back, double* w,
                    const BlockedSum sum) {
    const double share = back == nullptr ? 0.0 : *back;
    add_blocked(
        a.rows, sum,
        [&](std::uint32_t row) {
            const std::uint32_t begin = a.begin[row], end = a.begin[row + 1];
            double s = 0;
            if (end - begin >= kLongRow) s = w[row];
            else
                for (std::uint32_t k = begin; k < end; ++k) s += a.value[k] * v[a.column[k]];
            const double x = s - share * before[row];
            w[row] = x;
            return x * v[row];
        },
        Plain{});
}
/// w -= along v, and its norm.
__global__ void __launch_bounds__(kThreadsOfSum)
    lanczos_rest(std::uint32_t rows, const double* v, const double* along, double* w, const BlockedSum sum) {
    const double share = *along;
    add_blocked(
        rows, sum,
        [&](std::uint32_t i) {
            const double x = w[i] - share * v[i];
            w[i] = x;
            return x * x;
        },
        Root{});
}

} // namespace

double largest_eigenvalue(const Matrix<double>& a, const double* function, Arena& scratch) {
    const std::uint32_t rows = a.rows;
    auto* const bounds = scratch.zeros<unsigned long long>(2);
    find_bounds<<<std::min(1024U, blocks_of(rows)), kThreadsOfSetup>>>(a, function, bounds);
    const auto blocks = static_cast<unsigned>((std::size_t{rows} + kRowsOfSum - 1) / kRowsOfSum);
    // Norm of the first vector; v.A v of each step; what each step leaves.
    auto* const scalars = scratch.get<double>(1 + 2 * kLanczosSteps);
    double *const along = scalars + 1, *const rest = along + kLanczosSteps;
    auto* const block_sums = scratch.get<double>(blocks);
    auto* const ready = scratch.zeros<unsigned>(1);
    double *v = scratch.get<double>(rows), *w = scratch.get<double>(rows), *before = scratch.get<double>(rows);
    begin_lanczos<<<blocks, kThreadsOfSum>>>(rows, v, before, {block_sums, scalars, ready});
    divide<<<blocks_of(rows), kThreadsOfSetup>>>(rows, v, scalars);
    auto* const listed = scratch.zeros<std::uint32_t>(1);
    auto* const list = scratch.get<std::uint32_t>(a.entries / kLongRow + 1);
    list_long_rows<<<blocks_of(rows), kThreadsOfSetup>>>(rows, a.begin, list, listed);
    const std::uint32_t long_rows = one_from_device(listed);
    for (int step = 0; step < kLanczosSteps; ++step) {
        if (long_rows != 0)
            long_products<<<std::min(long_rows, kMostBlocksOfLongRows), kThreadsOfLongRow>>>(a, v, w, list, listed);
        lanczos_product<<<blocks, kThreadsOfSum>>>(a, v, before, step == 0 ? nullptr : rest + step - 1, w,
                                                   {block_sums, along + step, ready});
        lanczos_rest<<<blocks, kThreadsOfSum>>>(rows, v, along + step, w, {block_sums, rest + step, ready});
        divide<<<blocks_of(rows), kThreadsOfSetup>>>(rows, w, rest + step);
        std::swap(before, v);
        std::swap(v, w);
    }
    check(cudaGetLastError(), "largest_eigenvalue");
    const std::vector<double> bound = from_device(reinterpret_cast<const double*>(bounds), 2),
                              scalar = from_device(scalars, 1 + 2 * kLanczosSteps);
    // A function with a zero bounds nothing.
    const double least = std::isfinite(bound[1]) ? std::min(bound[0], bound[1]) : bound[0];
    return mantissa::multilevel::largest_by_lanczos(least, std::span(scalar).subspan(1, kLanczosSteps),
                                                    std::span(scalar).subspan(1 + kLanczosSteps));
}

} // namespace mantissa::gpu::multilevel_rows
