// LU with full pivoting of a matrix in device memory. The search for a pivot needs every element as it is after all
// steps so far, but not in memory: a pass reads the elements, applies the steps that are pending and looks for the
// largest, and only the pass after kPending steps writes back. So a step costs
//
//     w bytes read an element, and w written every kPending steps, for words of w bytes
//
// and not 2 w. The bits are those of one update after the other.
//
// Between two write-backs rows and columns stay in their places; positions of the first kPending of them, the front,
// are kept beside. The write-back moves what is left of the front to where the pivots were, as the exchanges demand.
#pragma once

#include <type_traits>

#include "mantissa/lu/factor.hpp"
#include "packets.cuh"
#include "timed_grid_barrier.cuh"

namespace mantissa::gpu::dense {

template <class T> struct DelayedLuParams {
    T* a;            ///< by columns, destroyed; rows n .. pitch are zero
    long long pitch; ///< a multiple of 16 bytes
    int n, tail;     ///< ends where at most `tail` steps are left
    T* factors;      ///< out: by columns, rows and columns in the matrix' order
    T* l;            ///< [pending][pitch], zero
    T* u;            ///< [pitch][pending]
    int* rows;       ///< which row of the matrix a place holds; in: the identity
    int* columns;
    int* row_position; ///< out: where a row of the matrix ends up
    int* column_position;
    Packet16* keys;              ///< [2][blocks][blocks]
    unsigned long long* barrier; ///< zero
    int* end;                    ///< out: LuEnd, or -1: a block was late; and the step
};

#ifdef __CUDACC__

/// `kPending`: steps between write-backs; `kAhead`: columns that a thread loads at a time; `kStages`: groups of
/// so many that are on their way to shared memory, or 0: straight to registers.
template <class T, int kPending, int kAhead, int kStages, int kThreads> class DelayedLu {
    using N = Word<T>;
    static constexpr int kWarps = kThreads / 32;

public:
    static constexpr int kVector = 16 / sizeof(T); ///< rows of a thread
    static constexpr int kColumns = 512;           ///< of a strip at a time
    static constexpr int kSlots = kStages > 0 ? kStages : 1;
    static constexpr std::size_t kShared = kColumns * (kPending * sizeof(T) + 4) + kStages * kAhead * kThreads * 16;

    struct Shared {
        int row_position[kPending], column_position[kPending]; ///< of the front
        int row_done[kPending], column_done[kPending];         ///< places of the pending steps' pivots
        T of_warp[kWarps];
        unsigned long long candidate;
        Key scratch[kWarps];
        int row, column; ///< the pivot's place
    };

    __device__ __forceinline__ DelayedLu(const DelayedLuParams<T>& params, Shared& shared, unsigned char* strip)
        : p_(params), s_(shared), barrier_(params.barrier), u_(reinterpret_cast<T*>(strip)),
          to_(reinterpret_cast<int*>(u_ + kColumns * kPending)), ring_(reinterpret_cast<Group*>(to_ + kColumns)) {}

    __device__ __forceinline__ void run() {
        reset_front();
        int end = 0;
        for (;;) {
            choose_strip();
            T most = 0, tie = 0;
            int where = 0;
            for (int begin = column0_; begin < column1_; begin += kColumns) {
                fill_strip(begin, min(column1_, begin + kColumns));
                pass<0>(begin, min(column1_, begin + kColumns), most, tie, where);
            }
            const T best = candidate(most, tie, where);
            if (pending_ == kPending) {
                move_names();
                __syncthreads();
            }
            Key won;
            end = exchange(best, won) ? 0 : -1;
            if (pending_ == kPending) {
                first_ += kPending;
                pending_ = 0;
                reset_front();
            }
            if (end == 0 && pending_ == 0 && p_.n - first_ <= p_.tail) break;
            if (end == 0 && won.magnitude() == 0) end = static_cast<int>(LuEnd::singular);
            if (end == 0 && won.magnitude() >= N::kInfinity) end = static_cast<int>(LuEnd::not_finite);
            if (end != 0) break;
            find_place(won.place);
            form(won.number<T>());
            advance(won.place);
            if (!barrier_.wait()) {
                end = -1;
                break;
            }
        }
        if (blockIdx.x == 0) finish(end);
    }

private:
    const DelayedLuParams<T>& p_;
    Shared& s_;
    TimedGridBarrier barrier_;
    struct alignas(16) Group {
        T x[kVector];
    };
    T* const u_;        ///< [column][pending], of some columns of the strip
    int* const to_;     ///< [column]: where it goes at a write-back, or -1
    Group* const ring_; ///< [stage][column][thread]: elements on their way from memory
    int first_ = 0, pending_ = 0;
    unsigned round_ = 0;
    int row0_ = 0, row1_ = 0, column0_ = 0, column1_ = 0; ///< the block's strip

    __device__ __forceinline__ void finish(int end) const {
        for (int i = first_ + threadIdx.x; i < p_.n && end != 0; i += kThreads) {
            if (!done(s_.row_done, i)) p_.row_position[__ldcg(p_.rows + i)] = position(s_.row_position, i);
            if (!done(s_.column_done, i)) p_.column_position[__ldcg(p_.columns + i)] = position(s_.column_position, i);
        }
        if (threadIdx.x == 0) p_.end[1] = first_ + pending_, p_.end[0] = end;
    }

    __device__ __forceinline__ void reset_front() {
        __syncthreads();
        if (threadIdx.x < kPending)
            s_.row_position[threadIdx.x] = s_.column_position[threadIdx.x] = first_ + threadIdx.x;
        __syncthreads();
    }
    /// How many of the pending steps have this place as their pivot's.
    __device__ __forceinline__ bool done(const int (&places)[kPending], int place) const {
        bool is = false;
        for (int d = 0; d < pending_; ++d) is |= places[d] == place;
        return is;
    }
    __device__ __forceinline__ int position(const int (&front)[kPending], int place) const {
        return place < first_ + kPending ? front[place - first_] : place;
    }

    /// Bands of rows, as many blocks for each, each with a range of columns.
    __device__ __forceinline__ void choose_strip() {
        const int left = p_.n - first_, bands = (left + kThreads * kVector - 1) / (kThreads * kVector);
        const int height = ((left + bands - 1) / bands + kVector - 1) / kVector * kVector;
        const int chunks = gridDim.x / bands, width = (left + chunks - 1) / chunks;
        const int band = blockIdx.x / chunks, chunk = blockIdx.x % chunks;
        row0_ = min(p_.n, first_ + band * height);
        row1_ = min(p_.n, row0_ + height);
        column0_ = band < bands ? min(p_.n, first_ + chunk * width) : p_.n;
        column1_ = min(p_.n, column0_ + width);
    }
    __device__ __forceinline__ void fill_strip(int begin, int last) {
        __syncthreads();
        for (int e = threadIdx.x; e < (last - begin) * kPending; e += kThreads) {
            const int j = begin + e / kPending, d = e % kPending;
            const bool gone = done(s_.column_done, j);
            u_[e] = gone || d >= pending_ ? T(0) : __ldcg(p_.u + static_cast<long long>(j) * kPending + d);
            if (d == 0) to_[j - begin] = gone ? -1 : position(s_.column_position, j);
        }
        __syncthreads();
    }

    /// The instance for the steps that are pending.
    template <int D> __device__ __forceinline__ void pass(int begin, int last, T& most, T& tie, int& where) {
        if (pending_ == D) pass_with<D>(begin, last, most, tie, where);
        else if constexpr (D < kPending) pass<D + 1>(begin, last, most, tie, where);
    }

    /// Elements as they are after the pending steps: the largest magnitude, the first column of the group that has it,
    /// and `tie` = it where another group has it as well. After kPending steps they are written.
    template <int D> __device__ __forceinline__ void pass_with(int begin, int last, T& most, T& tie, int& where) {
        const int i = row0_ + threadIdx.x * kVector;
        if (i >= row1_) return;
        const T* const first = p_.a + begin * p_.pitch + i;
        const int groups = (last - begin) / kAhead;
        // Columns are asked for kStages groups ahead; a thread waits for its own alone.
        const auto ask = [&](int g) {
            if (g < groups) {
#pragma unroll
                for (int c = 0; c < kAhead; ++c) {
                    const auto to = static_cast<unsigned>(
                        __cvta_generic_to_shared(ring_ + (g % kSlots * kAhead + c) * kThreads + threadIdx.x));
                    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),
                                 "l"(first + (g * kAhead + c) * p_.pitch)
                                 : "memory");
                }
            }
            asm volatile("cp.async.commit_group;" ::: "memory");
        };
        if constexpr (kStages > 0) {
#pragma unroll
            for (int g = 0; g < kStages; ++g) ask(g);
        }
        T l[kVector][D > 0 ? D : 1];
        bool plain = i >= first_ + kPending, gone[kVector];
#pragma unroll
        for (int v = 0; v < kVector; ++v) {
            gone[v] = false;
#pragma unroll
            for (int d = 0; d < D; ++d) gone[v] |= s_.row_done[d] == i + v;
            plain &= !gone[v];
#pragma unroll
            for (int d = 0; d < D; ++d) l[v][d] = gone[v] ? T(0) : __ldcg(p_.l + d * p_.pitch + i + v);
        }
        const auto columns = [&]<int C>(std::integral_constant<int, C>, int j0, Group(&g)[C]) {
            T largest = 0;
#pragma unroll
            for (int c = 0; c < C; ++c) {
                const T* const u = u_ + (j0 + c - begin) * kPending;
#pragma unroll
                for (int d = 0; d < D; ++d) {
                    const T ud = u[d];
#pragma unroll
                    for (int v = 0; v < kVector; ++v) g[c].x[v] = N::update(g[c].x[v], l[v][d], ud);
                }
#pragma unroll
                for (int v = 0; v < kVector; ++v) {
                    largest = N::max(largest, g[c].x[v]);
                    if (D == 0 && !isfinite(g[c].x[v])) largest = N::of(N::kInfinity);
                }
            }
            if constexpr (D == kPending) {
#pragma unroll
                for (int c = 0; c < C; ++c) {
                    const int to = to_[j0 + c - begin];
                    if (to < 0) continue;
                    T* const column = p_.a + to * p_.pitch;
                    if (plain) *reinterpret_cast<Group*>(column + i) = g[c];
                    else {
#pragma unroll
                        for (int v = 0; v < kVector; ++v)
                            if (!gone[v]) column[position(s_.row_position, i + v)] = g[c].x[v];
                    }
                }
            }
            if (largest > most) most = largest, where = j0;
            else if (largest == most) tie = most;
        };
#pragma unroll 1
        for (int g = 0; g < groups; ++g) {
            Group x[kAhead];
            if constexpr (kStages > 0) {
                asm volatile("cp.async.wait_group %0;" ::"n"(kSlots - 1) : "memory");
#pragma unroll
                for (int c = 0; c < kAhead; ++c) x[c] = ring_[(g % kSlots * kAhead + c) * kThreads + threadIdx.x];
                ask(g + kStages);
            } else {
#pragma unroll
                for (int c = 0; c < kAhead; ++c)
                    x[c] = *reinterpret_cast<const Group*>(first + (g * kAhead + c) * p_.pitch);
            }
            columns(std::integral_constant<int, kAhead>{}, begin + g * kAhead, x);
        }
#pragma unroll 1
        for (int j = begin + groups * kAhead; j < last; ++j) {
            Group x[1] = {*reinterpret_cast<const Group*>(p_.a + j * p_.pitch + i)};
            columns(std::integral_constant<int, 1>{}, j, x);
        }
        if constexpr (kStages > 0) asm volatile("cp.async.wait_all;" ::: "memory");
    }
    /// The block's largest magnitude; its place and sign in s_.candidate (place in the upper half). Warps look again at
    /// the groups of those of their threads that have it.
    __device__ __forceinline__ T candidate(T most, T tie, int where) {
        const int lane = threadIdx.x & 31;
        __syncthreads();
        if (threadIdx.x == 0) s_.candidate = ~0ull;
        const T of_warp = N::warp_max(most);
        if (lane == 0) s_.of_warp[threadIdx.x >> 5] = of_warp;
        __syncthreads();
        const T best = N::warp_max(lane < kWarps ? s_.of_warp[lane] : T(0));
        unsigned have = __ballot_sync(~0u, most == best && best > 0);
        for (; have != 0; have &= have - 1) {
            const int who = __ffs(have) - 1;
            const bool all = __shfl_sync(~0u, tie == best ? 1 : 0, who) != 0;
            const int begin = all ? column0_ : __shfl_sync(~0u, where, who);
            const int last = all ? column1_ : min(column1_, begin + kAhead);
            const int i = row0_ + static_cast<int>((threadIdx.x & ~31u) + who) * kVector;
            for (int e = lane; e < (last - begin) * kVector; e += 32)
                look_at(i + e % kVector, begin + e / kVector, best);
        }
        __syncthreads();
        return best;
    }
    __device__ __forceinline__ void look_at(int i, int j, T best) {
        if (done(s_.row_done, i) || done(s_.column_done, j)) return;
        const int row = position(s_.row_position, i), column = position(s_.column_position, j);
        T x;
        if (pending_ == kPending) x = __ldcg(p_.a + column * p_.pitch + row);
        else {
            x = __ldcg(p_.a + j * p_.pitch + i);
            T l[kPending], u[kPending];
#pragma unroll
            for (int d = 0; d < kPending; ++d) {
                l[d] = d < pending_ ? __ldcg(p_.l + d * p_.pitch + i) : T(0);
                u[d] = d < pending_ ? __ldcg(p_.u + static_cast<long long>(j) * kPending + d) : T(0);
            }
#pragma unroll
            for (int d = 0; d < kPending; ++d)
                if (d < pending_) x = N::update(x, l[d], u[d]);
        }
        if (N::abs(x) == best)
            atomicMin(&s_.candidate,
                      static_cast<unsigned long long>(place_of(row, column)) << 32 | (signbit(x) ? 1u : 0u));
    }

    /// After a write-back places hold other rows and columns.
    __device__ __forceinline__ void move_names() const {
        if (blockIdx.x != 0 || threadIdx.x >= 2) return;
        const bool of_rows = threadIdx.x == 0;
        int* const names = of_rows ? p_.rows : p_.columns;
        const int(&gone)[kPending] = of_rows ? s_.row_done : s_.column_done;
        const int(&to)[kPending] = of_rows ? s_.row_position : s_.column_position;
        int was[kPending];
#pragma unroll
        for (int f = 0; f < kPending; ++f) was[f] = __ldcg(names + first_ + f);
#pragma unroll
        for (int f = 0; f < kPending; ++f)
            if (!done(gone, first_ + f)) names[to[f]] = was[f];
    }

    __device__ __forceinline__ bool exchange(T best, Key& won) {
        const unsigned tag = ++round_;
        Packet16* const keys = p_.keys + (round_ & 1) * gridDim.x * gridDim.x;
        __threadfence();
        __syncthreads();
        put_key(keys, N::bits(best) | s_.candidate << 63, static_cast<unsigned>(s_.candidate >> 32), tag);
        const bool in_time = best_of_grid<T, kThreads>(keys, tag, kSpins, s_.scratch, won);
        __threadfence();
        return in_time;
    }

    /// Where the pivot of a position is.
    __device__ __forceinline__ void find_place(unsigned place) {
        if (threadIdx.x < 2) {
            const bool of_rows = threadIdx.x == 0;
            const int at = static_cast<int>(of_rows ? place & 0xFFFF : place >> 16);
            const int(&gone)[kPending] = of_rows ? s_.row_done : s_.column_done;
            const int(&front)[kPending] = of_rows ? s_.row_position : s_.column_position;
            int found = at;
            for (int f = 0; f < kPending; ++f)
                if (front[f] == at && !done(gone, first_ + f)) found = first_ + f;
            (of_rows ? s_.row : s_.column) = found;
        }
        __syncthreads();
    }

    /// The step's column of L and row of U. In memory, where they were, are zeros from now on: so nothing changes
    /// there, and no search finds it.
    __device__ __forceinline__ void form(T pivot) {
        const int p = s_.row, q = s_.column, t = pending_, left = p_.n - first_;
        T l_pivot[kPending], u_pivot[kPending];
#pragma unroll
        for (int d = 0; d < kPending; ++d) {
            l_pivot[d] = d < t ? __ldcg(p_.l + d * p_.pitch + p) : T(0);
            u_pivot[d] = d < t ? __ldcg(p_.u + static_cast<long long>(q) * kPending + d) : T(0);
        }
        const int row = __ldcg(p_.rows + p), column = __ldcg(p_.columns + q);
        for (int e = blockIdx.x * kThreads + threadIdx.x; e < 2 * left; e += gridDim.x * kThreads) {
            if (e < left) {
                const int i = first_ + e;
                T x = 0;
                if (i != p && !done(s_.row_done, i)) {
                    const int name = __ldcg(p_.rows + i);
                    T& place = p_.a[q * p_.pitch + i];
                    x = __ldcg(&place);
                    T l[kPending];
#pragma unroll
                    for (int d = 0; d < kPending; ++d) l[d] = d < t ? __ldcg(p_.l + d * p_.pitch + i) : T(0);
#pragma unroll
                    for (int d = 0; d < kPending; ++d)
                        if (d < t) x = N::update(x, l[d], u_pivot[d]);
                    x = N::divide(x, pivot);
                    place = 0;
                    p_.factors[column * p_.pitch + name] = x;
                }
                p_.l[t * p_.pitch + i] = x;
            } else {
                const int j = first_ + e - left;
                if (done(s_.column_done, j)) continue;
                const int name = __ldcg(p_.columns + j);
                T& place = p_.a[j * p_.pitch + p];
                T x = __ldcg(&place), u[kPending];
#pragma unroll
                for (int d = 0; d < kPending; ++d)
                    u[d] = d < t ? __ldcg(p_.u + static_cast<long long>(j) * kPending + d) : T(0);
#pragma unroll
                for (int d = 0; d < kPending; ++d)
                    if (d < t) x = N::update(x, l_pivot[d], u[d]);
                if (j == q) x = pivot;
                place = 0;
                p_.u[static_cast<long long>(j) * kPending + t] = x;
                p_.factors[name * p_.pitch + row] = x;
            }
        }
        if (blockIdx.x == 0 && threadIdx.x == 0) p_.row_position[row] = p_.column_position[column] = first_ + t;
    }

    /// The row and the column at the step's position go where the pivot's were.
    __device__ __forceinline__ void advance(unsigned place) {
        __syncthreads();
        if (threadIdx.x < 2) {
            const bool of_rows = threadIdx.x == 0;
            const int at = static_cast<int>(of_rows ? place & 0xFFFF : place >> 16), k = first_ + pending_;
            const int pivot = of_rows ? s_.row : s_.column;
            int(&gone)[kPending] = of_rows ? s_.row_done : s_.column_done;
            int(&front)[kPending] = of_rows ? s_.row_position : s_.column_position;
            for (int f = 0; f < kPending; ++f)
                if (front[f] == k && first_ + f != pivot && !done(gone, first_ + f)) front[f] = at;
            gone[pending_] = pivot;
        }
        ++pending_;
    }
};

template <class T, int kPending, int kAhead, int kStages, int kThreads>
__global__ void __launch_bounds__(kThreads, 1) delayed_lu(const DelayedLuParams<T> p) {
    extern __shared__ __align__(16) unsigned char strip[];
    __shared__ typename DelayedLu<T, kPending, kAhead, kStages, kThreads>::Shared shared;
    DelayedLu<T, kPending, kAhead, kStages, kThreads>(p, shared, strip).run();
}

/// The factors of the tail, rows and columns of a after `first`, into those of the whole.
template <class T>
__global__ void embed_tail(const T* a, long long pitch, int first, int n, const int* rows, const int* columns,
                           T* factors, const int* tail_rows, const int* tail_columns, int* row_position,
                           int* column_position, const int* end) {
    if (end[0] != 0) return; // there was no tail
    for (int j = first + blockIdx.y; j < n; j += gridDim.y)
        for (int i = first + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
            factors[columns[j] * pitch + rows[i]] = a[j * pitch + i];
            if (j == first) row_position[rows[i]] = first + tail_rows[i - first];
            if (i == first) column_position[columns[j]] = first + tail_columns[j - first];
        }
}

/// out at positions: from the factors by rows and columns of the matrix.
template <class T>
__global__ void into_positions(const T* factors, long long pitch, int n, const int* row_position,
                               const int* column_position, T* out, long long out_pitch) {
    for (int j = blockIdx.y; j < n; j += gridDim.y)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            out[column_position[j] * out_pitch + row_position[i]] = factors[j * pitch + i];
}

static __global__ void count_up(int* names, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) names[i] = i;
}

#endif

} // namespace mantissa::gpu::dense
