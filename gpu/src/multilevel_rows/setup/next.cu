// The next level's matrix from its upper triangle: the mirror image beside it, without tiny entries that others lead
// around, scaled.
#include "mantissa/multilevel/aggregation.hpp"
#include "primitives.hpp"
#include "steps.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

constexpr unsigned kLanesOfRow = 8;

/// Both triangles, which share the diagonal: where the rows of each begin, and where the diagonal is.
struct Triangles {
    Matrix<double> upper;
    Ordered lower; ///< the upper one's entries by columns
    const std::uint32_t* row_of;
    /// Of row `row`: entries in front of the diagonal, and where the whole row begins.
    __device__ std::uint32_t below(std::uint32_t row) const { return lower.begin[row + 1] - lower.begin[row] - 1; }
    __device__ std::uint32_t begin(std::uint32_t row) const { return lower.begin[row] + upper.begin[row] - row; }
};

__global__ void write_whole(const Triangles t, const Matrix<double> whole) {
    const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k <= whole.rows) whole.begin[k] = t.begin(k);
    if (k >= t.upper.entries) return;
    const std::uint32_t row = t.row_of[k];
    const std::uint32_t to = t.begin(row) + t.below(row) + (k - t.upper.begin[row]);
    whole.column[to] = t.upper.column[k];
    whole.value[to] = t.upper.value[k];
    const std::uint32_t mirrored = t.lower.position[k], column = t.lower.key[k];
    if (t.row_of[mirrored] == column) return;
    const std::uint32_t there = t.begin(column) + (k - t.lower.begin[column]);
    whole.column[there] = t.row_of[mirrored];
    whole.value[there] = t.upper.value[mirrored];
}
__global__ void find_diagonals(const Matrix<double> upper, double* diagonal) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < upper.rows) diagonal[row] = upper.value[upper.begin[row]];
}

/// Which entries a level does without (numerics/src/multilevel/setup/galerkin.cpp).
struct Dropping {
    Matrix<double> a;
    const double *diagonal, *function;
    /// What an entry is between unknowns for which the function is 1: of an M-matrix above zero.
    __device__ double conductance(std::uint32_t row, std::uint32_t column, double v) const {
        return -v * (function[row] * function[column]);
    }
    __device__ std::uint32_t length(std::uint32_t row) const { return a.begin[row + 1] - a.begin[row]; }
    __device__ bool is_tiny(std::uint32_t row, std::uint32_t column, double v) const {
        using mantissa::multilevel::kTiny, mantissa::multilevel::kLongRow;
        const double here = fabs(function[row]), there = fabs(function[column]);
        return fabs(v) * there < kTiny * (diagonal[row] * here) &&
               fabs(v) * here < kTiny * (diagonal[column] * there) && max(length(row), length(column)) <= kLongRow;
    }
    /// Are both joined to a third unknown by far more?
    __device__ bool has_way_around(std::uint32_t row, std::uint32_t column, double v) const {
        const double least = mantissa::multilevel::kWayAround * fabs(conductance(row, column, v));
        std::uint32_t at = a.begin[row];
        for (std::uint32_t k = a.begin[column]; k < a.begin[column + 1]; ++k) {
            const std::uint32_t third = a.column[k];
            if (third == column) continue;
            while (at < a.begin[row + 1] && a.column[at] < third) ++at;
            const bool joined = third != row && at < a.begin[row + 1] && a.column[at] == third;
            const double to_row = joined ? conductance(row, third, a.value[at]) : 0.0;
            if (to_row >= least && conductance(column, third, a.value[k]) >= least) return true;
        }
        return false;
    }
};
/// stays[k] of each entry, how many of each row, and the scales; `singular` where a diagonal entry is not above zero.
__global__ void __launch_bounds__(kThreadsOfSetup)
    choose_entries(const Dropping drop, std::uint8_t* stays, std::uint32_t* entries, double* scale,
                   std::uint32_t* singular) {
    const Matrix<double>& a = drop.a;
    const std::uint32_t row = (blockIdx.x * kThreadsOfSetup + threadIdx.x) / kLanesOfRow,
                        lane = threadIdx.x % kLanesOfRow;
    const unsigned mask = ((1U << kLanesOfRow) - 1) << (threadIdx.x % 32 / kLanesOfRow * kLanesOfRow);
    if (row >= a.rows) return;
    const std::uint32_t begin = a.begin[row], end = a.begin[row + 1];
    std::uint32_t count = 0;
    for (std::uint32_t k = begin + lane; k < end; k += kLanesOfRow) {
        const std::uint32_t column = a.column[k];
        const double v = a.value[k];
        const bool drops = column != row && drop.is_tiny(row, column, v) && drop.has_way_around(row, column, v);
        stays[k] = drops ? 0 : 1;
        count += drops ? 0 : 1;
    }
    for (unsigned d = kLanesOfRow / 2; d > 0; d >>= 1) count += __shfl_xor_sync(mask, count, d);
    __syncwarp(mask);
    if (lane != 0) return;
    double diagonal = drop.diagonal[row];
    if (count != end - begin)
        for (std::uint32_t k = begin; k < end; ++k)
            if (stays[k] == 0) diagonal += a.value[k] * (drop.function[a.column[k]] / drop.function[row]);
    entries[row] = count;
    const bool good = diagonal > 0 && isfinite(diagonal);
    scale[row] = good ? 1 / sqrt(diagonal) : 0;
    if (!good) *singular = 1;
}
__global__ void write_next(const Matrix<double> whole, const std::uint8_t* stays, const double* scale,
                           const Matrix<double> to) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= whole.rows) return;
    std::uint32_t at = to.begin[row];
    const double here = scale[row];
    for (std::uint32_t k = whole.begin[row]; k < whole.begin[row + 1]; ++k) {
        if (stays[k] == 0) continue;
        const std::uint32_t column = whole.column[k];
        to.column[at] = column;
        to.value[at++] = column == row ? 1.0 : here * scale[column] * whole.value[k];
    }
}
__global__ void scale_columns(const Matrix<double> p, const double* scale) {
    const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < p.entries) p.value[k] *= scale[p.column[k]];
}
__global__ void scale_rows(const Matrix<double> r, const double* scale, double* kernel) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= r.rows) return;
    const double s = scale[row];
    for (std::uint32_t k = r.begin[row]; k < r.begin[row + 1]; ++k) r.value[k] *= s;
    kernel[row] /= s;
}

} // namespace

Matrix<double> next_matrix(const Matrix<double>& upper, const double* function, double*& scale, Arena& keep,
                           Arena& scratch) {
    const std::uint32_t rows = upper.rows;
    const Triangles triangles{upper, order_by(upper.column, upper.entries, rows, scratch),
                              rows_of_entries(upper.begin, rows, upper.entries, scratch)};
    const std::uint64_t entries = 2 * std::uint64_t{upper.entries} - rows;
    mantissa::multilevel::require_numbered_entries(entries);
    const Matrix<double> whole = new_matrix<double>(scratch, rows, rows, static_cast<std::uint32_t>(entries));
    write_whole<<<blocks_of(std::size_t{upper.entries} + 1), kThreadsOfSetup>>>(triangles, whole);
    auto* const diagonal = scratch.get<double>(rows);
    find_diagonals<<<blocks_of(rows), kThreadsOfSetup>>>(upper, diagonal);
    auto* const stays = scratch.get<std::uint8_t>(entries);
    auto* const counts = scratch.get<std::uint32_t>(std::size_t{rows} + 1);
    auto* const singular = scratch.zeros<std::uint32_t>(1);
    scale = scratch.get<double>(rows);
    choose_entries<<<blocks_of(std::size_t{rows} * kLanesOfRow), kThreadsOfSetup>>>({whole, diagonal, function}, stays,
                                                                                    counts, scale, singular);
    check(cudaGetLastError(), "choose_entries");
    if (one_from_device(singular) != 0) return {};
    Matrix<double> next = new_matrix<double>(keep, rows, rows, static_cast<std::uint32_t>(entries));
    next.entries = sum_counts(counts, rows, next.begin, scratch);
    write_next<<<blocks_of(rows), kThreadsOfSetup>>>(whole, stays, scale, next);
    check(cudaGetLastError(), "write_next");
    return next;
}

void scale_ways(Matrix<double>& p, Matrix<double>& r, double* next_kernel, const double* scale) {
    scale_columns<<<blocks_of(p.entries), kThreadsOfSetup>>>(p, scale);
    scale_rows<<<blocks_of(r.rows), kThreadsOfSetup>>>(r, scale, next_kernel);
    check(cudaGetLastError(), "scale_ways");
}

} // namespace mantissa::gpu::multilevel_rows
