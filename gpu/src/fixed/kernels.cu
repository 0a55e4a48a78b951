#include "kernels.hpp"

#include "memory.cuh"
#include "resident.cuh"

namespace mantissa::gpu {

namespace {

template <int K, int C, FixedRow Row> const void* by_u(FixedU u) {
    if (u == FixedU::short_words) return reinterpret_cast<const void*>(fixed_resident<K, C, Row, int>);
    if (u == FixedU::long_words) return reinterpret_cast<const void*>(fixed_resident<K, C, Row, long long>);
    return nullptr;
}
template <int K, int C> const void* by_row(FixedRow row, FixedU u) {
    if (row == FixedRow::box) return by_u<K, C, FixedRow::box>(u);
    if (row == FixedRow::stencil) return by_u<K, C, FixedRow::stencil>(u);
    if (row == FixedRow::bands) return by_u<K, C, FixedRow::bands>(u);
    return nullptr;
}

/// Rows of a block and columns of a thread that there are kernels for, the fastest first.
constexpr int kShapes[][2] = {{1, 1}, {2, 1}, {4, 1}, {8, 2}};

} // namespace

const void* fixed_resident_kernel(const ResidentShape& shape, FixedRow row, FixedU u) {
    if (shape.rows == 1) return by_row<1, 1>(row, u);
    if (shape.rows == 2) return by_row<2, 1>(row, u);
    if (shape.rows == 4) return by_row<4, 1>(row, u);
    return shape.rows == 8 ? by_row<8, 2>(row, u) : nullptr;
}

ResidentShape fixed_resident_shape(int columns, int rows, int multiprocessors) {
    for (const auto& [k, c] : kShapes) {
        const int blocks = (rows + k - 1) / k, threads = ((columns + c - 1) / c + 31) / 32 * 32 + 32;
        if (blocks <= multiprocessors && blocks < 256 && threads <= kFixedThreads)
            return {k, c, threads, static_cast<unsigned>(blocks)};
    }
    return {};
}

const void* fixed_memory_kernel(FixedU u) {
    switch (u) {
    case FixedU::short_words:
        return reinterpret_cast<const void*>(fixed_memory<int>);
    case FixedU::long_words:
        return reinterpret_cast<const void*>(fixed_memory<long long>);
    default:
        return reinterpret_cast<const void*>(fixed_memory<double>);
    }
}

} // namespace mantissa::gpu
