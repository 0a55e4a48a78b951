// Rows in slices, or copied as they are.
#include "layout.hpp"

#include "primitives.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

/// A slice takes as many entries of each row as its longest one has.
__global__ void find_widths(const std::uint32_t* begin, std::uint32_t rows, std::uint32_t* width) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    std::uint32_t longest = row < rows ? begin[row + 1] - begin[row] : 0;
    for (int d = 16; d > 0; d >>= 1) longest = max(longest, __shfl_xor_sync(~0U, longest, d));
    if (row < rows && row % kSlice == 0) width[row / kSlice] = longest;
}
template <class V, class From>
__global__ void fill_slices(const Matrix<From> a, const std::uint32_t* slice, std::uint32_t* column, V* value) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= a.rows) return;
    const std::uint32_t width = slice[row / kSlice + 1] - slice[row / kSlice], filled = a.begin[row + 1] - a.begin[row];
    std::size_t to = std::size_t{slice[row / kSlice]} * kSlice + row % kSlice;
    for (std::uint32_t k = 0; k < width; ++k, to += kSlice) {
        // (What is none reads an element that the row reads anyhow.)
        const std::uint32_t from = a.begin[row] + (k < filled ? k : 0);
        column[to] = filled == 0 ? 0 : a.column[from];
        value[to] = k < filled ? static_cast<V>(a.value[from]) : V{};
    }
}
template <class V, class From> __global__ void convert(std::uint32_t size, const From* from, V* to) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) to[i] = static_cast<V>(from[i]);
}
} // namespace

template <class V, class From> LaidRows<V> lay_out(const Matrix<From>& a, Arena& keep, Arena& scratch) {
    constexpr std::uint32_t kLeastRows = 131072; // (fewer threads do not hide the memory's latency)
    constexpr double kMostPadding = 1.7;
    LaidRows<V> laid;
    laid.view.rows = a.rows;
    if (a.rows == 0) return laid;
    laid.mean = static_cast<double>(a.entries) / a.rows;
    if (a.rows >= kLeastRows) {
        const std::uint32_t slices = (a.rows + kSlice - 1) / kSlice;
        auto* const width = scratch.get<std::uint32_t>(std::size_t{slices} + 1);
        find_widths<<<blocks_of(a.rows), kThreadsOfSetup>>>(a.begin, a.rows, width);
        auto* const slice = keep.get<std::uint32_t>(std::size_t{slices} + 1);
        const std::size_t room = std::size_t{sum_counts(width, slices, slice, scratch)} * kSlice;
        if (static_cast<double>(room) <= kMostPadding * a.entries) {
            auto* const column = keep.get<std::uint32_t>(room);
            auto* const value = keep.get<V>(room);
            fill_slices<<<blocks_of(a.rows), kThreadsOfSetup>>>(a, slice, column, value);
            check(cudaGetLastError(), "fill_slices");
            laid.view = {slice, column, value, a.rows};
            laid.sliced = true;
            return laid;
        }
    }
    auto* const value = keep.get<V>(a.entries);
    convert<<<blocks_of(a.entries), kThreadsOfSetup>>>(a.entries, a.value, value);
    check(cudaGetLastError(), "convert");
    laid.view = {keep.copy_on_device(a.begin, std::size_t{a.rows} + 1), keep.copy_on_device(a.column, a.entries), value,
                 a.rows};
    return laid;
}

template LaidRows<double> lay_out(const Matrix<double>&, Arena&, Arena&);
template LaidRows<std::int32_t> lay_out(const Matrix<std::int32_t>&, Arena&, Arena&);
template LaidRows<std::int16_t> lay_out(const Matrix<std::int32_t>&, Arena&, Arena&);

} // namespace mantissa::gpu::multilevel_rows
