// The given matrix on the device, and as the first level has it.
#include "mantissa/multilevel/aggregation.hpp"
#include "primitives.hpp"
#include "staging.hpp"
#include "steps.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

__global__ void find_scales(const GivenMatrix a, double* scale, std::uint32_t* entries, std::uint32_t* without) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= a.rows) return;
    double s = 0;
    std::uint32_t count = 0;
    for (std::uint64_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
        const double v = a.value[k];
        if (a.column[k] == row && v > 0) s = 1 / sqrt(v);
        count += v != 0 ? 1 : 0;
    }
    scale[row] = s;
    entries[row] = count;
    if (s == 0) atomicMin(without, row);
}
__global__ void write_scaled(const GivenMatrix a, const double* scale, const Matrix<double> to) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= a.rows) return;
    std::uint32_t at = to.begin[row];
    const double s = scale[row];
    for (std::uint64_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
        const std::uint32_t column = a.column[k];
        const double v = a.value[k];
        if (v == 0) continue;
        to.column[at] = column;
        to.value[at++] = column == row ? 1.0 : s * scale[column] * v;
    }
}
__global__ void invert_scales(const double* scale, std::uint32_t rows, double* kernel) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) kernel[row] = 1.0 / scale[row];
}
__global__ void find_asymmetry(const Matrix<double> a, std::uint32_t* found) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= a.rows) return;
    for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
        const std::uint32_t other = a.column[k];
        if (other == row) continue;
        std::uint32_t low = a.begin[other], high = a.begin[other + 1];
        while (low < high) {
            const std::uint32_t middle = low + (high - low) / 2;
            if (a.column[middle] < row) low = middle + 1;
            else high = middle;
        }
        if (low == a.begin[other + 1] || a.column[low] != row || a.value[low] != a.value[k]) *found = 1;
    }
}
__global__ void narrow_begins(const GivenMatrix a, std::uint32_t* begin) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row <= a.rows) begin[row] = static_cast<std::uint32_t>(a.begin[row]);
}

} // namespace

GivenMatrix given_on_device(const CompressedRows& a, Arena& keep, int threads) {
    multilevel::require_numbered_entries(a.nonzeros());
    const auto bring = [&]<class T>(const std::vector<T>& from) {
        T* const to = keep.get<T>(from.size());
        copy_staged(std::as_bytes(std::span(from)), reinterpret_cast<std::byte*>(to), threads);
        return to;
    };
    return {static_cast<std::uint32_t>(a.rows()), a.nonzeros(), bring(a.row_begin()), bring(a.column()),
            bring(a.value())};
}

Matrix<double> as_matrix(const GivenMatrix& given, Arena& keep) {
    Matrix<double> a{given.rows,
                     given.rows,
                     static_cast<std::uint32_t>(given.entries),
                     keep.get<std::uint32_t>(std::size_t{given.rows} + 1),
                     given.column,
                     given.value};
    narrow_begins<<<blocks_of(std::size_t{given.rows} + 1), kThreadsOfSetup>>>(given, a.begin);
    check(cudaGetLastError(), "as_matrix");
    return a;
}

Matrix<double> scaled(const GivenMatrix& given, double*& scale, Arena& keep, Arena& scratch) {
    scale = keep.get<double>(given.rows);
    auto* const entries = scratch.get<std::uint32_t>(std::size_t{given.rows} + 1);
    auto* const without = scratch.get<std::uint32_t>(1);
    check(cudaMemsetAsync(without, 0xff, sizeof *without), "cudaMemset");
    find_scales<<<blocks_of(given.rows), kThreadsOfSetup>>>(given, scale, entries, without);
    check(cudaGetLastError(), "find_scales");
    if (const std::uint32_t row = one_from_device(without); row != kNone) multilevel::refuse_diagonal(row);
    Matrix<double> a = new_matrix<double>(keep, given.rows, given.rows, static_cast<std::uint32_t>(given.entries));
    a.entries = sum_counts(entries, given.rows, a.begin, scratch);
    write_scaled<<<blocks_of(given.rows), kThreadsOfSetup>>>(given, scale, a);
    check(cudaGetLastError(), "write_scaled");
    return a;
}

double* first_kernel(const double* scale, std::uint32_t rows, Arena& keep) {
    auto* const kernel = keep.get<double>(rows);
    invert_scales<<<blocks_of(rows), kThreadsOfSetup>>>(scale, rows, kernel);
    check(cudaGetLastError(), "first_kernel");
    return kernel;
}

bool is_symmetric(const Matrix<double>& a, Arena& scratch) {
    auto* const found = scratch.zeros<std::uint32_t>(1);
    find_asymmetry<<<blocks_of(a.rows), kThreadsOfSetup>>>(a, found);
    check(cudaGetLastError(), "is_symmetric");
    return one_from_device(found) == 0;
}

} // namespace mantissa::gpu::multilevel_rows
