// Jacobi CG of one or three right-hand sides in one cooperative launch, for matrices that fit the multiprocessors'
// shared memory: a block keeps its rows of the matrix there and its rows of x, r and p in registers. An iteration
// exchanges the dot products (packets, no fence) and then p, through memory; nothing else leaves the chip.
//
// The recurrence, its scalars and its ends are those of sparse_several.cuh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sparse/sparse_resident.hpp"
#include "sparse/sparse_several.cuh"
#include "sync/grid_barrier.cuh"
#include "sync/grid_reduce.cuh"

namespace mantissa::gpu {

/// Of a block. Three right-hand sides need the registers of fewer: with 512 threads, three sums and as many vectors do
/// not fit, and what lies in memory instead took a third of an iteration.
template <int N> inline constexpr int kResidentThreads = N == 1 ? 512 : 384;
template <int N> inline constexpr int kResidentDepth = N == 1 ? 8 : 11; ///< most rows of a thread
/// Whether rows that read no ghosts are multiplied while the blocks meet.
template <int N> inline constexpr bool kResidentEarly = N != 1;
inline constexpr std::uint32_t kPacketsAtOnce = 160; ///< blocks whose packets a warp asks for together

/// Threads that share a row: of the product by its entries, of the vectors by its columns.
template <int N> inline constexpr int kResidentLanes = N == 1 ? 2 : 4;
template <int N> inline constexpr std::uint32_t kResidentRows = kResidentThreads<N> / kResidentLanes<N>;

/// A slice is the rows that a warp takes together; a step of it has an entry for each thread, kSlots of each row.
template <int N, class T> struct ResidentSlice {
    static constexpr int kWide = N == 1 ? 1 : static_cast<int>(16 / sizeof(T)); ///< places of p that a thread reads
    static constexpr int kParts = Several<T, N>::kStride / kWide;               ///< and how often, for one entry
    static constexpr int kSlots = kResidentLanes<N>;
    static constexpr std::uint32_t kRows = 32 / kSlots, kStep = 32;
    /// Places of p side by side in the 32 banks of shared memory; as many entries' are read at once.
    static constexpr std::uint32_t kBankGroups = 128 / (sizeof(T) * Several<T, N>::kStride);
    /// Thread m of the g-th kBankGroups that read at once. (Of two parts one half of the threads begins with the other
    /// one, so that a read has the threads of two groups, neighbours in turn.)
    static constexpr std::uint32_t thread(std::uint32_t g, std::uint32_t m) {
        return g / kParts * kParts * kBankGroups + m * kParts + g % kParts;
    }
};

/// What several_resident works on. Vectors have Several<T, N>::kStride places a row, zero where there is no column.
template <int N, class T> struct ResidentSolve {
    const std::uint32_t *part, *row; ///< first of each block's rows, and the end; which row of the system each is
    const std::uint32_t *slices,
        *begin;                  ///< first of each block's slices, and the end; their first entries, step by step
    const std::uint16_t* column; ///< columns counted in the block's own rows, and after them in its ghosts
    const std::uint32_t *ghosts, *ghost; ///< first of each block's ghosts, and the end; rows in that order
    const std::uint32_t* early;   ///< each block's rounds of rows that are no ghosts and read none, its first ones
    const T *value, *inverse, *r; ///< 1 / a_ii; the residual of x = 0; both as the system has them
    T *x, *p;                     ///< gets the solution; the direction in the rows' order, given if `again`
    Packet* packet;               ///< zeros, 4 N for each block
    unsigned long long* barrier;  ///< zero
    SeveralState<N>* state;
    ResidentShape shape;
    bool again;
};

#ifdef __CUDACC__

/// A block's part in its shared memory.
template <class T> struct ResidentRows {
    T *p, *value, *inverse; ///< p of the rows, then of the ghosts
    std::uint32_t *begin, *ghost;
    std::uint16_t* column;
    int rows, ghosts, slices;
};

template <int N, class T>
__device__ __forceinline__ ResidentRows<T> load_rows(const ResidentSolve<N, T>& s, unsigned char* memory) {
    ResidentRows<T> a;
    a.p = reinterpret_cast<T*>(memory);
    a.value = a.p + static_cast<std::size_t>(s.shape.most_places) * Several<T, N>::kStride;
    a.inverse = a.value + s.shape.most_entries;
    a.begin = reinterpret_cast<std::uint32_t*>(a.inverse + s.shape.most_rows);
    a.ghost = a.begin + s.shape.most_slices + 1;
    a.column = reinterpret_cast<std::uint16_t*>(a.ghost + s.shape.most_ghosts);
    const std::uint32_t first = s.part[blockIdx.x], rows = s.part[blockIdx.x + 1] - first;
    const std::uint32_t slice = s.slices[blockIdx.x], slices = s.slices[blockIdx.x + 1] - slice;
    const std::uint32_t entry = s.begin[slice], entries = s.begin[slice + slices] - entry;
    const std::uint32_t ghost = s.ghosts[blockIdx.x], ghosts = s.ghosts[blockIdx.x + 1] - ghost;
    for (std::uint32_t k = threadIdx.x; k < entries; k += kResidentThreads<N>) {
        a.value[k] = s.value[entry + k];
        a.column[k] = s.column[entry + k];
    }
    for (std::uint32_t k = threadIdx.x; k <= slices; k += kResidentThreads<N>) a.begin[k] = s.begin[slice + k] - entry;
    for (std::uint32_t k = threadIdx.x; k < rows; k += kResidentThreads<N>) a.inverse[k] = s.inverse[s.row[first + k]];
    for (std::uint32_t k = threadIdx.x; k < ghosts; k += kResidentThreads<N>) a.ghost[k] = s.ghost[ghost + k];
    a.rows = static_cast<int>(rows);
    a.ghosts = static_cast<int>(ghosts);
    a.slices = static_cast<int>(slices);
    __syncthreads();
    return a;
}

/// How a row's threads share it. A row's places are read 16 bytes a thread, in double by two of them, so that each
/// entry asks once for a sector; when all entries are added up, each thread has a column.
template <int N, class T> struct ResidentLane {
    static constexpr int kLanes = kResidentLanes<N>, kStride = Several<T, N>::kStride;
    static constexpr int kWide = ResidentSlice<N, T>::kWide, kParts = ResidentSlice<N, T>::kParts;
    int part = static_cast<int>(threadIdx.x) % kParts, slot = static_cast<int>(threadIdx.x) % kLanes / kParts;
    /// Of one column the second thread only helps with the product.
    [[nodiscard]] __device__ __forceinline__ int column() const { return N == 1 ? 0 : part * kWide + slot; }
    [[nodiscard]] __device__ __forceinline__ bool counts() const { return N != 1 || slot == 0; }
};

/// Asks for p of the ghosts, which other blocks have written. After land_ghosts() it is there.
template <int N, class T> __device__ __forceinline__ void ask_for_ghosts(const ResidentRows<T>& a, const T* p) {
    using Lane = ResidentLane<N, T>;
    using Wide = Vector<T, Lane::kWide>;
    for (int k = static_cast<int>(threadIdx.x); k < a.ghosts * Lane::kParts; k += kResidentThreads<N>) {
        const int ghost = k / Lane::kParts, part = k % Lane::kParts;
        T* const to = a.p + (a.rows + ghost) * Lane::kStride + part * Lane::kWide;
        const T* const from = p + static_cast<std::size_t>(a.ghost[ghost]) * Lane::kStride + part * Lane::kWide;
        if constexpr (sizeof(Wide) == 16)
            asm volatile(
                "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
                "l"(from)
                : "memory");
        else *reinterpret_cast<Wide*>(to) = *reinterpret_cast<const Wide*>(from);
    }
}
__device__ __forceinline__ void land_ghosts() {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
}

/// This thread's column of its row in slice `slice` of A p. A warp's entries of a step are neighbours in shared memory.
template <int N, class T>
__device__ __forceinline__ T resident_product(const ResidentRows<T>& a, int slice, const ResidentLane<N, T>& lane) {
    using Lane = ResidentLane<N, T>;
    using Wide = Vector<T, Lane::kWide>;
    constexpr int kAtOnce = Lane::kParts == 2 ? 3 : 4, kWide = Lane::kWide, kParts = Lane::kParts;
    constexpr std::uint32_t kStep = ResidentSlice<N, T>::kStep;
    std::uint32_t k = 0, end = 0;
    if (slice < a.slices) {
        k = a.begin[slice];
        end = a.begin[slice + 1];
    }
    const std::uint32_t own = threadIdx.x & 31;
    T sum[kParts][kWide] = {}; // of part lane.part, then of the other one
#pragma unroll 1
    for (; k < end; k += kAtOnce * kStep) {
        Wide v[kAtOnce][kParts];
        T value[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
            if (k + i * kStep < end) {
                const T* const from = a.p + a.column[k + i * kStep + own] * Lane::kStride;
#pragma unroll
                for (int h = 0; h < kParts; ++h)
                    v[i][h] = *reinterpret_cast<const Wide*>(from + (lane.part ^ h) * kWide);
                value[i] = a.value[k + i * kStep + own];
            }
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
            if (k + i * kStep < end)
#pragma unroll
                for (int h = 0; h < kParts; ++h)
#pragma unroll
                    for (int j = 0; j < kWide; ++j) sum[h][j] += value[i] * v[i][h].x[j];
    }
    __syncwarp();
    // The thread beside has begun with the other part. Then each of kWide threads takes a column.
    if constexpr (kParts == 2)
#pragma unroll
        for (int j = 0; j < kWide; ++j) sum[0][j] += __shfl_xor_sync(~0u, sum[1][j], 1);
    if constexpr (kParts == 2 && kWide == 2 && Lane::kLanes == 4) {
        const bool second = lane.slot != 0;
        const T other = __shfl_xor_sync(~0u, second ? sum[0][0] : sum[0][1], 2);
        return (second ? sum[0][1] : sum[0][0]) + other;
    } else {
#pragma unroll
        for (int d = kParts; d < Lane::kLanes; d <<= 1)
#pragma unroll
            for (int j = 0; j < kWide; ++j) sum[0][j] += __shfl_xor_sync(~0u, sum[0][j], d);
        T mine = sum[0][0];
#pragma unroll
        for (int j = 1; j < kWide; ++j)
            if (lane.slot == j) mine = sum[0][j];
        return mine;
    }
}

/// Sums over all blocks, [kind][column] for four kinds, of what every thread has of its column. All blocks add them in
/// the same order.
template <int N, class T>
__device__ __forceinline__ void exchange_sums(double (&sum)[4], const ResidentLane<N, T>& mine, Packet* packet, Tag tag,
                                              double (&total)[4 * N]) {
    constexpr int kLanes = ResidentLane<N, T>::kLanes;
    constexpr int kWarps = kResidentThreads<N> / 32, kRounds = kPacketsAtOnce / 32;
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
#pragma unroll 1
        for (std::uint32_t first = lane; first < gridDim.x; first += kPacketsAtOnce) {
            // All loads of a round are under way together: none hangs on a condition, the last block's packet fills up.
            Packet got[kRounds];
            bool complete;
            do {
#pragma unroll
                for (int k = 0; k < kRounds; ++k) got[k] = get_packet(all + min(first + 32 * k, gridDim.x - 1));
                complete = true;
#pragma unroll
                for (int k = 0; k < kRounds; ++k) complete = complete && got[k].tag == tag;
            } while (!complete);
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
__global__ void __launch_bounds__(kResidentThreads<N>, 1) several_resident(const ResidentSolve<N, T> s) {
    constexpr int kStride = Several<T, N>::kStride, kApart = static_cast<int>(kResidentRows<N>);
    extern __shared__ __align__(16) unsigned char resident_memory[];
    __shared__ double total[4 * N];
    __shared__ ColumnStep steps[kStride];
    const ResidentRows<T> a = load_rows(s, resident_memory);
    const ResidentLane<N, T> lane;
    GridBarrier barrier(s.barrier);
    const int own = static_cast<int>(threadIdx.x) / kResidentLanes<N>, column = lane.column();
    const std::size_t first = s.part[blockIdx.x];
    const int rows = lane.counts() ? a.rows : 0; // whose vectors this thread keeps
    const auto row = [&](int k) { return own + k * kApart; };
    const auto place = [&](int k) {
        return static_cast<std::size_t>(s.row[first + static_cast<std::size_t>(row(k))]) * kStride + column;
    };
    const auto keep_p = [&](int k, T p) {
        a.p[row(k) * kStride + column] = p;
        s.p[(first + static_cast<std::size_t>(row(k))) * kStride + column] = p;
    };

    const auto p_of = [&](int k) { return a.p[row(k) * kStride + column]; };
    const auto inverse = [&](int k) { return a.inverse[row(k)]; };
    T x[K], r[K], q[K];
    double rho = 0, rr = 0;
#pragma unroll
    for (int k = 0; k < K; ++k) {
        x[k] = r[k] = 0;
        if (row(k) >= rows) continue;
        r[k] = s.r[place(k)];
        const T z = r[k] * inverse(k);
        keep_p(k, s.again ? s.p[(first + static_cast<std::size_t>(row(k))) * kStride + column] : z);
        rho += static_cast<double>(r[k]) * static_cast<double>(z);
        rr += static_cast<double>(r[k]) * static_cast<double>(r[k]);
    }
    ResidentColumn mine;
    if (threadIdx.x < N) mine.goal = s.state->goal[threadIdx.x];
    if (threadIdx.x < kStride) steps[threadIdx.x] = {0, 0, true};
    const std::uint32_t limit = s.state->limit;

    // Where rows without ghosts come first, they are multiplied between the two halves of the barrier. (In
    // solves that have none, the mere question in every round of rows took up to 5 % of the time.)
    const int early = kResidentEarly<N> ? static_cast<int>(s.early[blockIdx.x]) : 0;
    const auto meet = [&] { // all blocks have written p
        barrier.await();
        ask_for_ghosts<N>(a, s.p);
    };
    barrier.arrive();
    for (Tag tag = 1;; ++tag) {
        double sum[4] = {rho, rr, 0, 0};
        const auto multiply = [&](int k, T& qk) {
            qk = resident_product<N>(a, row(k) / static_cast<int>(ResidentSlice<N, T>::kRows), lane);
            if (row(k) >= rows) return;
            sum[2] += static_cast<double>(p_of(k)) * static_cast<double>(qk);
            sum[3] += static_cast<double>(qk) * static_cast<double>(qk * inverse(k));
        };
        if (early == 0) {
            meet();
            land_ghosts();
        }
#pragma unroll
        for (int k = 0; k < K; ++k) {
            if constexpr (kResidentEarly<N>) {
                if (k != 0 && k == early) land_ghosts();
                if (k + 1 == early) meet(); // the last rows without ghosts are multiplied while these come
            }
            multiply(k, q[k]);
        }
        if (early == K) land_ghosts();
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
                const T z = r[k] * inverse(k), p = p_of(k);
                x[k] += alpha * p;
                if (k < early) a.p[row(k) * kStride + column] = z + beta * p; // which no other block reads
                else keep_p(k, z + beta * p);
                rho += static_cast<double>(r[k]) * static_cast<double>(z);
                rr += static_cast<double>(r[k]) * static_cast<double>(r[k]);
            }
        }
        barrier.arrive();
    }
#pragma unroll
    for (int k = 0; k < K; ++k)
        if (row(k) < rows) {
            s.x[place(k)] = x[k];
            if (k < early) keep_p(k, p_of(k));
        }
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
