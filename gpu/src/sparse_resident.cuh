// Jacobi CG of one or three right-hand sides in one cooperative launch, for matrices that fit the multiprocessors'
// shared memory: a block keeps its rows of the matrix there and its rows of x, r and p in registers. An iteration
// exchanges the dot products (packets, no fence) and then p, through memory; nothing else leaves the chip.
//
// The recurrence, its scalars and its ends are those of sparse_several.cuh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "grid_barrier.cuh"
#include "grid_reduce.cuh"
#include "sparse_several.cuh"

namespace mantissa::gpu {

inline constexpr int kResidentSolveThreads = 512;
inline constexpr int kResidentSolveDepth = 8;        ///< most rows of a thread
inline constexpr std::uint32_t kPacketsAtOnce = 160; ///< blocks whose packets a warp asks for together
inline constexpr std::uint32_t kOwnRow = 1U << 31;   ///< a column of the block's own rows, counted from its first

/// Threads that share a row: of the product by its entries, of the vectors by its columns.
template <int N> inline constexpr int kResidentLanes = N == 1 ? 2 : 4;
template <int N> inline constexpr std::uint32_t kResidentRows = kResidentSolveThreads / kResidentLanes<N>;

/// How a block's rows lie in its shared memory: p, values, columns, begins of rows.
struct ResidentShape {
    std::uint32_t most_rows, most_entries; ///< of a block, both multiples of 4
    template <class T> [[nodiscard]] std::size_t bytes(int stride) const {
        return sizeof(T) * (static_cast<std::size_t>(most_rows) * static_cast<std::size_t>(stride) + most_entries) +
               4 * (static_cast<std::size_t>(most_entries) + most_rows + 4);
    }
};

/// What several_resident works on. Vectors have Several<T, N>::kStride places a row, zero where there is no column.
template <int N, class T> struct ResidentSolve {
    const std::uint32_t *part, *row; ///< first of each block's rows, and the end; which row of the system each is
    const std::uint32_t *begin,
        *column;                  ///< compressed rows in that order; kOwnRow and its number, or a row in that order
    const T *value, *inverse, *r; ///< 1 / a_ii; the residual of x = 0; both as the system has them
    T *x, *p;                     ///< gets the solution; the direction in the rows' order, given if `again`
    Packet* packet;               ///< zeros, 4 N for each block
    unsigned long long* meetings; ///< zero
    SeveralState<N>* state;
    ResidentShape shape;
    bool again;
};

#ifdef __CUDACC__

/// A block's rows in its shared memory.
template <class T> struct ResidentRows {
    T *own, *value; ///< p of its rows; entries
    std::uint32_t *column, *begin;
    int rows;
};

template <int N, class T>
__device__ __forceinline__ ResidentRows<T> load_rows(const ResidentSolve<N, T>& s, unsigned char* memory) {
    ResidentRows<T> a;
    a.own = reinterpret_cast<T*>(memory);
    a.value = a.own + static_cast<std::size_t>(s.shape.most_rows) * Several<T, N>::kStride;
    a.column = reinterpret_cast<std::uint32_t*>(a.value + s.shape.most_entries);
    a.begin = a.column + s.shape.most_entries;
    const std::uint32_t first = s.part[blockIdx.x], rows = s.part[blockIdx.x + 1] - first;
    const std::uint32_t entry = s.begin[first], entries = s.begin[first + rows] - entry;
    for (std::uint32_t k = threadIdx.x; k < entries; k += kResidentSolveThreads) {
        a.value[k] = s.value[entry + k];
        a.column[k] = s.column[entry + k];
    }
    for (std::uint32_t k = threadIdx.x; k <= rows; k += kResidentSolveThreads) a.begin[k] = s.begin[first + k] - entry;
    a.rows = static_cast<int>(rows);
    return a;
}

/// How a row's threads share it. A row's places are read 16 bytes a thread, in double by two of them, so that each
/// entry asks once for a sector; when all entries are added up, each thread has a column.
template <int N, class T> struct ResidentLane {
    static constexpr int kLanes = kResidentLanes<N>, kStride = Several<T, N>::kStride;
    static constexpr int kWide = N == 1 ? 1 : static_cast<int>(16 / sizeof(T));
    static constexpr int kParts = kStride / kWide, kSlots = kLanes / kParts;
    int part = static_cast<int>(threadIdx.x) % kParts, slot = static_cast<int>(threadIdx.x) % kLanes / kParts;
    /// Of one column the second thread only helps with the product.
    [[nodiscard]] __device__ __forceinline__ int column() const { return N == 1 ? 0 : part * kWide + slot; }
    [[nodiscard]] __device__ __forceinline__ bool counts() const { return N != 1 || slot == 0; }
};

/// This thread's column of row `row` of A p.
template <int N, class T>
__device__ __forceinline__ T resident_product(const ResidentRows<T>& a, const T* p, int row,
                                              const ResidentLane<N, T>& lane) {
    using Lane = ResidentLane<N, T>;
    using Wide = Vector<T, Lane::kWide>;
    constexpr int kAtOnce = 4, kSlots = Lane::kSlots, kWide = Lane::kWide;
    std::uint32_t k = 0, end = 0;
    if (row < a.rows) {
        k = a.begin[row] + static_cast<std::uint32_t>(lane.slot);
        end = a.begin[row + 1];
    }
    T sum[kWide] = {};
    for (; k < end; k += kAtOnce * kSlots) {
        Wide v[kAtOnce];
        T value[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
            if (k + i * kSlots < end) {
                const std::uint32_t column = a.column[k + i * kSlots];
                const T* const from = (column & kOwnRow) != 0 ? a.own : p;
                v[i] = *reinterpret_cast<const Wide*>(
                    from + static_cast<std::size_t>(column & ~kOwnRow) * Lane::kStride + lane.part * kWide);
                value[i] = a.value[k + i * kSlots];
            }
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
            if (k + i * kSlots < end)
#pragma unroll
                for (int j = 0; j < kWide; ++j) sum[j] += value[i] * v[i].x[j];
    }
    __syncwarp();
#pragma unroll
    for (int d = Lane::kParts; d < Lane::kLanes; d <<= 1)
#pragma unroll
        for (int j = 0; j < kWide; ++j) sum[j] += __shfl_xor_sync(~0u, sum[j], d);
    T mine = sum[0];
#pragma unroll
    for (int j = 1; j < kWide; ++j)
        if (lane.slot == j) mine = sum[j];
    return mine;
}

/// Sums over all blocks, [kind][column] for four kinds, of what every thread has of its column. All blocks add them in
/// the same order.
template <int N, class T>
__device__ __forceinline__ void exchange_sums(double (&sum)[4], const ResidentLane<N, T>& mine, Packet* packet, Tag tag,
                                              double (&total)[4 * N]) {
    constexpr int kLanes = ResidentLane<N, T>::kLanes;
    constexpr int kWarps = kResidentSolveThreads / 32, kRounds = kPacketsAtOnce / 32;
    __shared__ double scratch[4][N][kWarps];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
    for (int d = kLanes; d < 32; d *= 2)
#pragma unroll
        for (int m = 0; m < 4; ++m) sum[m] += __shfl_xor_sync(~0u, sum[m], d);
    if (lane < kLanes && mine.counts() && mine.column() < N)
#pragma unroll
        for (int m = 0; m < 4; ++m) scratch[m][mine.column()][warp] = sum[m];
    __syncthreads();
    static_assert(4 * N <= kWarps);
    if (warp < 4 * N) {
        double s = lane < kWarps ? scratch[warp / N][warp % N][lane] : 0;
        s = warp_sum(s);
        Packet* const all = packet + static_cast<std::size_t>(warp) * gridDim.x;
        if (lane == 0) put_packet(all + blockIdx.x, s, tag);
        s = 0;
        for (std::uint32_t first = lane; first < gridDim.x; first += kPacketsAtOnce) {
            Packet got[kRounds];
            bool complete = false;
            for (bool again = false; !complete; again = true) { // those of a round are under way together
                complete = true;
#pragma unroll
                for (int k = 0; k < kRounds; ++k)
                    if (first + 32 * k < gridDim.x && (!again || got[k].tag != tag))
                        got[k] = get_packet(all + first + 32 * k);
#pragma unroll
                for (int k = 0; k < kRounds; ++k)
                    complete = complete && (first + 32 * k >= gridDim.x || got[k].tag == tag);
            }
#pragma unroll
            for (int k = 0; k < kRounds; ++k)
                if (first + 32 * k < gridDim.x) s += got[k].value;
        }
        __syncwarp();
        s = warp_sum(s);
        if (lane == 0) total[warp] = s;
    }
    __syncthreads();
}

/// A column's scalars and where it stands, kept by one thread.
struct ResidentColumn {
    double goal, rr = 0;
    std::uint32_t iterations = 0;
    bool done = false;
    CgEnd end = CgEnd::passes;

    /// From r.z, r.r of the last update, p.q and q.z.
    __device__ ColumnStep step(double rho, double now, double pq, double qq, std::uint32_t limit) {
        const double inverse = 1 / pq, alpha = rho * inverse;
        const bool finite = isfinite(rho) && isfinite(pq) && isfinite(qq);
        const bool reached = finite && now <= goal, indefinite = finite && !reached && !(pq > 0);
        if (!done && (!finite || reached || indefinite || iterations >= limit)) {
            done = true;
            rr = now;
            end = reached      ? CgEnd::converged
                  : indefinite ? CgEnd::indefinite
                  : finite     ? CgEnd::passes
                               : CgEnd::not_finite;
        }
        if (!done) ++iterations;
        return {alpha, fmax((alpha * qq - pq) * inverse, 0.0), done}; // (alpha / rho is 1 / pq: one division)
    }
};

/// The whole solve. Grid: as many blocks as `part` has, all at work together. K rows a thread.
template <int N, int K, class T>
__global__ void __launch_bounds__(kResidentSolveThreads, 1) several_resident(const ResidentSolve<N, T> s) {
    constexpr int kStride = Several<T, N>::kStride, kApart = static_cast<int>(kResidentRows<N>);
    extern __shared__ __align__(16) unsigned char resident_memory[];
    __shared__ double total[4 * N];
    __shared__ ColumnStep steps[kStride];
    const ResidentRows<T> a = load_rows(s, resident_memory);
    const ResidentLane<N, T> lane;
    GridBarrier barrier(s.meetings);
    const int own = static_cast<int>(threadIdx.x) / kResidentLanes<N>, column = lane.column();
    const std::size_t first = s.part[blockIdx.x];
    const int rows = lane.counts() ? a.rows : 0; // whose vectors this thread keeps
    const auto row = [&](int k) { return own + k * kApart; };
    const auto place = [&](int k) {
        return static_cast<std::size_t>(s.row[first + static_cast<std::size_t>(row(k))]) * kStride + column;
    };
    const auto keep_p = [&](int k, T p) {
        a.own[row(k) * kStride + column] = p;
        s.p[(first + static_cast<std::size_t>(row(k))) * kStride + column] = p;
    };

    const auto p_of = [&](int k) { return a.own[row(k) * kStride + column]; };
    T x[K], r[K], q[K], inverse[K];
    double rho = 0, rr = 0;
#pragma unroll
    for (int k = 0; k < K; ++k) {
        x[k] = r[k] = inverse[k] = 0;
        if (row(k) >= rows) continue;
        inverse[k] = s.inverse[s.row[first + static_cast<std::size_t>(row(k))]];
        r[k] = s.r[place(k)];
        const T z = r[k] * inverse[k];
        keep_p(k, s.again ? s.p[(first + static_cast<std::size_t>(row(k))) * kStride + column] : z);
        rho += static_cast<double>(r[k]) * static_cast<double>(z);
        rr += static_cast<double>(r[k]) * static_cast<double>(r[k]);
    }
    ResidentColumn mine;
    if (threadIdx.x < N) mine.goal = s.state->goal[threadIdx.x];
    if (threadIdx.x < kStride) steps[threadIdx.x] = {0, 0, true};
    const std::uint32_t limit = s.state->limit;

    for (Tag tag = 1;; ++tag) {
        barrier.wait(); // p is there
        double sum[4] = {rho, rr, 0, 0};
#pragma unroll
        for (int k = 0; k < K; ++k) {
            q[k] = resident_product<N>(a, s.p, row(k), lane);
            if (row(k) >= rows) continue;
            sum[2] += static_cast<double>(p_of(k)) * static_cast<double>(q[k]);
            sum[3] += static_cast<double>(q[k]) * static_cast<double>(q[k] * inverse[k]);
        }
        exchange_sums<N>(sum, lane, s.packet, tag, total);
        if (threadIdx.x < N) {
            const int j = static_cast<int>(threadIdx.x);
            steps[j] = mine.step(total[j], total[N + j], total[2 * N + j], total[3 * N + j], limit);
        }
        __syncthreads();
        bool all_done = true;
#pragma unroll
        for (int j = 0; j < N; ++j) all_done = all_done && steps[j].frozen;
        if (all_done) break;
        if (!steps[column].frozen) {
            const T alpha = static_cast<T>(steps[column].alpha), beta = static_cast<T>(steps[column].beta);
            rho = rr = 0;
#pragma unroll
            for (int k = 0; k < K; ++k) {
                if (row(k) >= rows) continue;
                r[k] -= alpha * q[k];
                const T z = r[k] * inverse[k], p = p_of(k);
                x[k] += alpha * p;
                keep_p(k, z + beta * p);
                rho += static_cast<double>(r[k]) * static_cast<double>(z);
                rr += static_cast<double>(r[k]) * static_cast<double>(r[k]);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < K; ++k)
        if (row(k) < rows) s.x[place(k)] = x[k];
    if (blockIdx.x == 0 && threadIdx.x < N) {
        s.state->iterations[threadIdx.x] = mine.iterations;
        s.state->rr[threadIdx.x] = mine.rr;
        s.state->end[threadIdx.x] = mine.end;
        s.state->done[threadIdx.x] = 1;
        s.state->all_done = 1;
    }
}

#endif

} // namespace mantissa::gpu
