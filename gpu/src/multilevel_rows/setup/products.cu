// The prolongation, and the products with it.
#include "mantissa/multilevel/aggregation.hpp"
#include "sums_of_rows.cuh"

namespace mantissa::gpu::multilevel_rows {

namespace {

/// Rows of (1 - omega D^-1 F) T: an unknown's own value of its aggregate's function, then those that it is joined with.
struct SmoothedRows {
    Matrix<double> a;
    const std::uint32_t *link, *column; ///< column: aggregates of nodes
    const double *value, *step;         ///< the function on them; -omega / D
    double own;                         ///< 1 - omega
    __device__ std::uint32_t begin(std::uint32_t row) const { return column[row] == kNone ? 0 : a.begin[row]; }
    __device__ std::uint32_t end(std::uint32_t row) const { return column[row] == kNone ? 0 : a.begin[row + 1] + 1; }
    __device__ Term term(std::uint32_t row, std::uint32_t k) const {
        if (k == a.begin[row]) return {row, row + 1, own};
        const std::uint32_t other = link[k - 1];
        if (other == kNone || column[other] == kNone) return {};
        return {other, other + 1, step[row] * a.value[k - 1]};
    }
    __device__ bool keeps(std::uint32_t, std::uint32_t) const { return true; }
};

/// Rows of a P.
struct RowsTimesProlongation {
    Matrix<double> a;
    const std::uint32_t *p_begin, *column;
    const double* value;
    __device__ std::uint32_t begin(std::uint32_t row) const { return a.begin[row]; }
    __device__ std::uint32_t end(std::uint32_t row) const { return a.begin[row + 1]; }
    __device__ Term term(std::uint32_t, std::uint32_t k) const {
        const std::uint32_t j = a.column[k];
        return {p_begin[j], p_begin[j + 1], a.value[k]};
    }
    __device__ bool keeps(std::uint32_t, std::uint32_t) const { return true; }
};

/// Rows of R (a P) from the diagonal on.
struct UpperRows {
    Matrix<double> r;
    const std::uint32_t *start, *length, *column;
    const double* value;
    __device__ std::uint32_t begin(std::uint32_t row) const { return r.begin[row]; }
    __device__ std::uint32_t end(std::uint32_t row) const { return r.begin[row + 1]; }
    __device__ Term term(std::uint32_t row, std::uint32_t k) const {
        constexpr std::uint32_t kLong = 64; // elements, of which those below the diagonal are passed over
        const std::uint32_t j = r.column[k], end = start[j] + length[j];
        std::uint32_t first = start[j];
        if (length[j] > kLong)
            for (std::uint32_t beyond = end; first < beyond;) {
                const std::uint32_t middle = first + (beyond - first) / 2;
                if (column[middle] < row) first = middle + 1;
                else beyond = middle;
            }
        return {first, end, r.value[k]};
    }
    __device__ bool keeps(std::uint32_t row, std::uint32_t c) const { return c >= row; }
};

/// A node's neighbours, and theirs.
struct NodesInReach {
    const std::uint32_t *row_begin, *column;
    const double* value; ///< anything
    __device__ std::uint32_t begin(std::uint32_t row) const { return row_begin[row]; }
    __device__ std::uint32_t end(std::uint32_t row) const {
        return row_begin[row + 1] == row_begin[row] ? row_begin[row] : row_begin[row + 1] + 1;
    }
    __device__ Term term(std::uint32_t row, std::uint32_t k) const {
        const std::uint32_t node = k == row_begin[row] ? row : column[k - 1];
        return {row_begin[node], row_begin[node + 1], 1};
    }
    __device__ bool keeps(std::uint32_t row, std::uint32_t c) const { return c != row; }
};

/// -omega over the diagonal, which takes the weak couplings.
__global__ void find_steps(const Matrix<double> a, const Coarsening c, const double* kernel, double omega,
                           double* step) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= a.rows || c.of[row] == kNone) return;
    double diagonal = 1;
    const double here = kernel[row];
    for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
        const std::uint32_t j = a.column[k];
        if (c.link[k] == kNone && j != row && c.alone[j] == 0 && here != 0) diagonal += a.value[k] * (kernel[j] / here);
    }
    if (!(diagonal >= mantissa::multilevel::kLeastDiagonal)) diagonal = 1;
    step[row] = -omega / diagonal;
}
__global__ void __launch_bounds__(kThreadsOfSetup)
    count_additions(std::uint32_t rows, const std::uint32_t* a, const std::uint32_t* p, unsigned long long* sum) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long mine = 0;
    if (row < rows) mine = static_cast<unsigned long long>(a[row + 1] - a[row]) * (p[row + 1] - p[row]);
    for (int d = 16; d > 0; d >>= 1) mine += __shfl_xor_sync(~0U, mine, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(sum, mine);
}
__global__ void join_rows(const ScatteredRows from, const Matrix<double> to) {
    const std::uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= from.rows) return;
    for (std::uint32_t k = 0; k < from.length[row]; ++k) {
        to.column[to.begin[row] + k] = from.column[from.start[row] + k];
        to.value[to.begin[row] + k] = from.value[from.start[row] + k];
    }
}

} // namespace

ScatteredRows smoothed(const SetupLevel& level, const Coarsening& c, Arena& scratch) {
    const double omega = 4 / (3 * level.largest);
    auto* const step = scratch.get<double>(level.a.rows);
    find_steps<<<blocks_of(level.a.rows), kThreadsOfSetup>>>(level.a, c, level.kernel, omega, step);
    check(cudaGetLastError(), "find_steps");
    return add_up(SmoothedRows{level.a, c.link, c.of, c.value, step, 1 - omega}, level.a.rows, c.aggregates,
                  level.a.entries, scratch);
}

ScatteredRows nodes_in_reach(const Matrix<double>& neighbours, Arena& scratch) {
    auto* const any = scratch.zeros<double>(neighbours.entries);
    return add_up(NodesInReach{neighbours.begin, neighbours.column, any}, neighbours.rows, neighbours.rows,
                  4 * std::uint64_t{neighbours.entries}, scratch);
}

std::uint64_t additions(const Matrix<double>& a, const Matrix<double>& p, Arena& scratch) {
    auto* const sum = scratch.zeros<unsigned long long>(1);
    count_additions<<<blocks_of(a.rows), kThreadsOfSetup>>>(a.rows, a.begin, p.begin, sum);
    check(cudaGetLastError(), "count_additions");
    return one_from_device(sum);
}

ScatteredRows times_prolongation(const Matrix<double>& a, const Matrix<double>& p, std::uint64_t additions,
                                 Arena& scratch) {
    return add_up(RowsTimesProlongation{a, p.begin, p.column, p.value}, a.rows, p.columns, additions, scratch);
}

ScatteredRows upper_triangle(const Matrix<double>& r, const ScatteredRows& ap, Arena& scratch) {
    return add_up(UpperRows{r, ap.start, ap.length, ap.column, ap.value}, r.rows, ap.columns, ap.entries, scratch);
}

Matrix<double> joined(const ScatteredRows& rows, Arena& keep, Arena& scratch) {
    Matrix<double> whole = new_matrix<double>(keep, rows.rows, rows.columns, static_cast<std::uint32_t>(rows.entries));
    sum_counts(rows.length, rows.rows, whole.begin, scratch);
    join_rows<<<blocks_of(rows.rows), kThreadsOfSetup>>>(rows, whole);
    check(cudaGetLastError(), "joined");
    return whole;
}

} // namespace mantissa::gpu::multilevel_rows
