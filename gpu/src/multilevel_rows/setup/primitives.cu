// Sums and orders by CUB, and what follows from them.
#include "primitives.hpp"

#include <bit>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace mantissa::gpu::multilevel_rows {

namespace {

/// Calls a function of CUB twice, as it wants: for the size of its memory and for its work.
template <class Call> void with_memory(Arena& scratch, const char* name, const Call& call) {
    std::size_t bytes = 0;
    check(call(nullptr, bytes), name);
    check(call(scratch.get<std::byte>(bytes), bytes), name);
}

__global__ void number(std::uint32_t size, std::uint32_t* to) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) to[i] = i;
}
/// Where each key begins; what follows the last one, at `size`.
__global__ void find_begins(const std::uint32_t* key, std::uint32_t size, std::uint32_t keys, std::uint32_t* begin) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size && (i == 0 || key[i] != key[i - 1])) begin[key[i]] = i;
    if (i == size && (size == 0 || key[size - 1] != keys)) begin[keys] = size;
}
__global__ void name_rows(const std::uint32_t* begin, std::uint32_t rows, std::uint32_t* row_of) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    for (std::uint32_t k = begin[row]; k < begin[row + 1]; ++k) row_of[k] = row;
}
__global__ void gather(const std::uint32_t* position, std::uint32_t size, const std::uint32_t* row_of,
                       const double* value, std::uint32_t* row, double* to) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    row[i] = row_of[position[i]];
    to[i] = value[position[i]];
}

} // namespace

std::uint32_t sum_counts(const std::uint32_t* counts, std::uint32_t size, std::uint32_t* to, Arena& scratch) {
    // (An exclusive sum over size + 1 elements: the last one is read, and is of no account.)
    with_memory(scratch, "cub::DeviceScan", [&](void* memory, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, counts, to, static_cast<std::size_t>(size) + 1);
    });
    return one_from_device(to + size);
}

Ordered order_by(const std::uint32_t* keys_of, std::uint32_t size, std::uint32_t keys, Arena& scratch) {
    auto* const positions = scratch.get<std::uint32_t>(size);
    number<<<blocks_of(size), kThreadsOfSetup>>>(size, positions);
    const Ordered ordered{scratch.get<std::uint32_t>(size), scratch.get<std::uint32_t>(size),
                          scratch.get<std::uint32_t>(std::size_t{keys} + 1)};
    with_memory(scratch, "cub::DeviceRadixSort", [&](void* memory, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(memory, bytes, keys_of, ordered.key,
                                               static_cast<const std::uint32_t*>(positions), ordered.position,
                                               static_cast<std::size_t>(size), 0, std::bit_width(keys));
    });
    find_begins<<<blocks_of(std::size_t{size} + 1), kThreadsOfSetup>>>(ordered.key, size, keys, ordered.begin);
    check(cudaGetLastError(), "order_by");
    return ordered;
}

std::uint32_t* rows_of_entries(const std::uint32_t* begin, std::uint32_t rows, std::uint32_t entries, Arena& scratch) {
    auto* const row_of = scratch.get<std::uint32_t>(entries);
    name_rows<<<blocks_of(rows), kThreadsOfSetup>>>(begin, rows, row_of);
    check(cudaGetLastError(), "rows_of_entries");
    return row_of;
}

Matrix<double> transposed(const Matrix<double>& a, Arena& keep, Arena& scratch) {
    const Ordered ordered = order_by(a.column, a.entries, a.columns, scratch);
    Matrix<double> t = new_matrix<double>(keep, a.columns, a.rows, a.entries);
    const std::uint32_t* const row_of = rows_of_entries(a.begin, a.rows, a.entries, scratch);
    gather<<<blocks_of(a.entries), kThreadsOfSetup>>>(ordered.position, a.entries, row_of, a.value, t.column, t.value);
    check(
        cudaMemcpyAsync(t.begin, ordered.begin, (std::size_t{t.rows} + 1) * sizeof *t.begin, cudaMemcpyDeviceToDevice),
        "cudaMemcpy");
    check(cudaGetLastError(), "transposed");
    return t;
}

} // namespace mantissa::gpu::multilevel_rows
