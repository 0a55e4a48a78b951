// LU with full pivoting of a matrix that stays on the chip: in the registers and the shared memory of all
// multiprocessors, from the first step to the last. A block has whole columns, so the pivot's row is everywhere at
// hand, and only the pivot's column travels. Rows and columns are never moved: each keeps its position in a register
// or beside its slot.
//
//     a step: one exchange of keys through L2; the winner's column is in L2 by then, for it was close to the last
//     step's pivot; traffic to device memory: what a step finishes, once
#pragma once

#include "mantissa/lu/factor.hpp"
#include "packets.cuh"
#include "timed_grid_barrier.cuh"

namespace mantissa::gpu::dense {

inline constexpr int kResidentLuThreads = 512;
inline constexpr int kResidentSlots = 64; ///< columns of a block, at most

template <class T> struct ResidentLuParams {
    T* a; ///< by columns; in: the matrix; out: the factors, rows and columns in the matrix' order
    long long pitch;
    int n;
    int* row_position; ///< out: where a row of the matrix ends up
    int* column_position;
    Packet16* keys;    ///< [2][blocks][blocks]
    Packet16* columns; ///< [2][blocks][packets of a column]
    int* end;          ///< LuEnd, or -1: a block was late; and the step. Not zero at the start: nothing is done
    T eager;           ///< a block publishes its candidate at once where it is at least so many of the last pivot
};

#ifdef __CUDACC__

/// Threads own R rows each; `Kept` columns of a block are in registers, the others in shared memory.
template <class T, int R, int Kept> class ResidentLu {
    using N = Word<T>;
    using Column = Words<T, R>;
    static constexpr int kThreads = kResidentLuThreads, kWarps = kThreads / 32;
    static constexpr int kGroup = R >= 4 ? 2 : 4; ///< columns in registers that are updated together

public:
    struct Shared {
        alignas(16) T u[kResidentSlots]; ///< the pivot's row, by slot
        T of_warp[kWarps];               ///< the largest magnitude of a warp
        unsigned candidate[kWarps];      ///< and its element: column, row, sign, slot: 12, 12, 1 and 6 bits
        int column[kResidentSlots];      ///< of a slot, in the matrix
        int position[kResidentSlots];    ///< of that column
        Key scratch[kWarps];
        int pivot_row, left; ///< in the matrix: the pivot's row, and the column that has left this block
    };
    static constexpr int kPackets = Column::kPackets * kThreads; ///< of a column

    __device__ __forceinline__ ResidentLu(const ResidentLuParams<T>& params, Shared& shared, T* others)
        : p_(params), s_(shared), others_(others + threadIdx.x) {}

    __device__ __forceinline__ void run() {
        load();
        int end = 0, k = 0;
        T last = 0;
        for (; k < p_.n && end == 0; ++k) {
            end = step(k, last);
            if (end != 0) break;
        }
        if (k == p_.n) write_step(k);
        store(end, k);
    }

private:
    const ResidentLuParams<T>& p_;
    Shared& s_;
    T* const others_; ///< [slot][row][thread]
    T a_[Kept][R];
    int position_[R];     ///< of my rows
    unsigned active_ = 0; ///< columns in registers
    int count_ = 0;       ///< columns in shared memory
    T most_ = 0;          ///< the largest magnitude I have
    int where_ = 0;       ///< the slot that has it
    T tie_ = 0;           ///< it, where a second slot has it
    T best_ = 0;          ///< and that of my block
    T l_[R];              ///< of the last step
    T pivot_ = 0;
    bool mine_ = false; ///< the last step's pivot was in this block

    __device__ __forceinline__ T& other(int slot, int r) const { return others_[(slot * R + r) * kThreads]; }
    __device__ __forceinline__ int row(int r) const { return r * kThreads + static_cast<int>(threadIdx.x); }

    __device__ __forceinline__ void load() {
        const int blocks = gridDim.x, b = blockIdx.x;
        const int mine = b < p_.n ? (p_.n - 1 - b) / blocks + 1 : 0;
        active_ = mine >= Kept ? (1u << Kept) - 1 : (1u << mine) - 1;
        count_ = max(0, mine - Kept);
        bool finite = true;
        T largest = 0;
        const auto element = [&](int c, int r) {
            const T v =
                c < mine && row(r) < p_.n ? p_.a[static_cast<long long>(b + c * blocks) * p_.pitch + row(r)] : T(0);
            largest = N::max(largest, v);
            finite = finite && isfinite(v);
            return v;
        };
#pragma unroll
        for (int r = 0; r < R; ++r) position_[r] = row(r);
#pragma unroll
        for (int c = 0; c < Kept; ++c) {
            largest = 0;
#pragma unroll
            for (int r = 0; r < R; ++r) a_[c][r] = element(c, r);
            note(c, largest);
        }
        for (int c = 0; c < count_; ++c) {
            largest = 0;
#pragma unroll
            for (int r = 0; r < R; ++r) other(c, r) = element(Kept + c, r);
            note(Kept + c, largest);
        }
        for (int c = threadIdx.x; c < kResidentSlots; c += kThreads) s_.column[c] = s_.position[c] = b + c * blocks;
        if (__syncthreads_or(!finite)) most_ = N::of(N::kInfinity);
    }

    /// One step; LuEnd, or -1. What the step before finished goes to memory while this one waits for the others' keys.
    __device__ __forceinline__ int step(int k, T& last) {
        const unsigned tag = static_cast<unsigned>(k) + 1;
        const int parity = k & 1, blocks = gridDim.x, b = blockIdx.x;
        const unsigned candidate = find();
        const T most = best_;
        const int slot = static_cast<int>(candidate & (kResidentSlots - 1));
        Packet16* const keys = p_.keys + parity * blocks * blocks;
        put_key(keys, N::bits(most) | static_cast<unsigned long long>(candidate >> 6) << 63,
                place_of(candidate >> 7 & 0xFFF, candidate >> 19), tag);
        Packet16* const columns = p_.columns + static_cast<long long>(parity * blocks) * kPackets + threadIdx.x;
        const bool eager = candidate != ~0u && most >= p_.eager * last;
        if (eager) publish(slot, columns + static_cast<long long>(b) * kPackets, tag);
        if (k > 0) write_step(k);
        Key won;
        if (!best_of_grid<T, kThreads>(keys, tag, kSpins, s_.scratch, won)) return -1;
        if (won.magnitude() == 0) return static_cast<int>(LuEnd::singular);
        if (won.magnitude() >= N::kInfinity) return static_cast<int>(LuEnd::not_finite);
        mine_ = won.block == b;
        if (mine_ && !eager) publish(slot, columns + static_cast<long long>(b) * kPackets, tag);
        last = N::of(won.magnitude());
        pivot_ = won.number<T>();
        const int pivot_row = static_cast<int>(won.place & 0xFFFF), pivot_column = static_cast<int>(won.place >> 16);
        const Packet16* const theirs = columns + static_cast<long long>(won.block) * kPackets;
        constexpr bool kAskFirst = Column::kPackets <= 2; // registers
        typename Column::Asked asked;
        if constexpr (kAskFirst) asked = Column::ask(theirs, kThreads);
        const Divisor<T> by(pivot_);
        take_row(pivot_row, mine_, slot);
        if constexpr (!kAskFirst) asked = Column::ask(theirs, kThreads);
        move_names(k, pivot_column, slot);
        const bool here = Column::collect(l_, asked, theirs, kThreads, tag, kSpins);
#pragma unroll
        for (int r = 0; r < R; ++r) {
            l_[r] = by.divide(l_[r]);
            if (position_[r] == pivot_row) l_[r] = 0, position_[r] = k;
            else if (position_[r] == k) position_[r] = pivot_row;
        }
        if (__syncthreads_or(!here)) return -1;
        if (mine_) leave(slot);
        update(l_);
        return 0;
    }

    /// The column that was at place k is where the pivot's was; the last slot's goes where the pivot's column leaves
    /// one.
    __device__ __forceinline__ void move_names(int k, int pivot_column, int slot) {
        const int t = static_cast<int>(threadIdx.x), end = Kept + count_ - 1;
        const bool moves = mine_ && count_ > 0 && slot != end;
        if (t > end || (moves && t == end)) return;
        const int position = s_.position[moves && t == slot ? end : t];
        s_.position[t] = position == k ? pivot_column : position;
    }

    /// What step k - 1 finished goes to memory: by the last warp the row of U, by all the column of L.
    __device__ __forceinline__ void write_step(int k) const {
        if (mine_) {
#pragma unroll
            for (int r = 0; r < R; ++r)
                if (position_[r] >= k && row(r) < p_.n) p_.a[s_.left * p_.pitch + row(r)] = l_[r];
        }
        if (threadIdx.x < kThreads - 32) return;
        const int lane = threadIdx.x & 31;
        for (int c = lane; c < Kept + count_; c += 32)
            if (c >= Kept || (active_ >> c & 1) != 0) p_.a[s_.column[c] * p_.pitch + s_.pivot_row] = s_.u[c];
        if (mine_ && lane == 0) {
            p_.a[s_.left * p_.pitch + s_.pivot_row] = pivot_;
            p_.column_position[s_.left] = k - 1;
        }
    }

    /// The block's candidate as in Shared, its magnitude in best_; ~0 without one. A thread looks at the column where
    /// it found its largest, and at all where it found it twice.
    __device__ __forceinline__ unsigned find() {
        const int lane = threadIdx.x & 31;
        const T of_warp = N::warp_max(most_);
        unsigned best = ~0u;
        if (most_ == of_warp && of_warp > 0) {
            best_ = most_;
            if (tie_ == most_) {
#pragma unroll 1
                for (int c = 0; c < Kept + count_; ++c)
                    if (c >= Kept || (active_ >> c & 1)) best = min(best, look(c));
            } else best = look(where_);
        }
        best = __reduce_min_sync(~0u, best);
        if (lane == 0) s_.of_warp[threadIdx.x >> 5] = of_warp, s_.candidate[threadIdx.x >> 5] = best;
        __syncthreads();
        const T theirs = lane < kWarps ? s_.of_warp[lane] : T(0);
        best_ = N::warp_max(theirs);
        return __reduce_min_sync(~0u, lane < kWarps && theirs == best_ ? s_.candidate[lane] : ~0u);
    }
    [[nodiscard]] __device__ __forceinline__ unsigned look(int slot) const {
        T v[R];
        column(slot, v);
        unsigned best = ~0u;
#pragma unroll
        for (int r = 0; r < R; ++r)
            if (N::abs(v[r]) == best_)
                best = min(best, static_cast<unsigned>(s_.position[slot]) << 19 |
                                     static_cast<unsigned>(position_[r]) << 7 | (signbit(v[r]) ? 1u << 6 : 0u) |
                                     static_cast<unsigned>(slot));
        return best;
    }
    /// Registers have no index: the way to a column in them forks, log2(Kept) times.
    __device__ __forceinline__ void column(int slot, T (&v)[R]) const {
        if (slot < Kept) {
            from_register<0, Kept>(slot, v);
        } else {
#pragma unroll
            for (int r = 0; r < R; ++r) v[r] = other(slot - Kept, r);
        }
    }
    template <int From, int To> __device__ __forceinline__ void from_register(int slot, T (&v)[R]) const {
        if constexpr (To - From == 1) {
#pragma unroll
            for (int r = 0; r < R; ++r) v[r] = a_[From][r];
        } else if (slot < (From + To) / 2) from_register<From, (From + To) / 2>(slot, v);
        else from_register<(From + To) / 2, To>(slot, v);
    }

    __device__ __forceinline__ void publish(int slot, Packet16* to, unsigned tag) const {
        T v[R];
        column(slot, v);
        Column::publish(v, to, kThreads, tag);
    }

    /// The pivot's row out of my columns: to shared memory, and zeros in its place, which no step changes again. Where
    /// the pivot's column is mine, `slot`, the last column of shared memory takes its slot.
    __device__ __forceinline__ void take_row(int pivot_row, bool mine, int slot) {
        int own = -1;
#pragma unroll
        for (int r = 0; r < R; ++r)
            if (position_[r] == pivot_row) own = r;
        const unsigned owner = __ballot_sync(~0u, own >= 0);
        if (owner == 0) return;
        const int which = __shfl_sync(~0u, own, __ffs(owner) - 1);
#pragma unroll
        for (int r = 0; r < R; ++r)
            if (r == which && own >= 0) {
#pragma unroll
                for (int c = 0; c < Kept; ++c) s_.u[c] = a_[c][r], a_[c][r] = 0;
            }
        if (own < 0) return;
        for (int c = 0; c < count_; ++c) s_.u[Kept + c] = other(c, which), other(c, which) = 0;
        s_.pivot_row = row(which);
        if (!mine) return;
        s_.left = s_.column[slot];
        if (count_ == 0) s_.u[slot] = 0; // its column is zero from here on
        const int end = Kept + count_ - 1;
        if (count_ > 0 && slot != end) {
            s_.u[slot] = s_.u[end];
            s_.column[slot] = s_.column[end];
        }
    }

    /// The column of `slot` is done; the last one of shared memory takes its place.
    __device__ __forceinline__ void leave(int slot) {
        if (count_ == 0) {
            active_ &= ~(1u << slot);
#pragma unroll
            for (int c = 0; c < Kept; ++c)
                if (c == slot) {
#pragma unroll
                    for (int r = 0; r < R; ++r) a_[c][r] = 0;
                }
            return;
        }
        --count_;
        if (slot < Kept) {
#pragma unroll
            for (int c = 0; c < Kept; ++c)
                if (c == slot) {
#pragma unroll
                    for (int r = 0; r < R; ++r) a_[c][r] = other(count_, r);
                }
        } else if (slot - Kept != count_) {
#pragma unroll
            for (int r = 0; r < R; ++r) other(slot - Kept, r) = other(count_, r);
        }
    }

    __device__ __forceinline__ void note(int slot, T largest) {
        if (largest > most_) most_ = largest, where_ = slot;
        else if (largest == most_) tie_ = largest;
    }
    __device__ __forceinline__ void update(const T (&l)[R]) {
        most_ = tie_ = 0;
        // No fork for a column: what has left is zero, and stays so.
#pragma unroll
        for (int c0 = 0; c0 < Kept; c0 += kGroup)
            if ((active_ >> c0 & ((1u << kGroup) - 1)) != 0) {
                T u[kGroup], largest[kGroup];
#pragma unroll
                for (int c = 0; c < kGroup && c0 + c < Kept; ++c) u[c] = s_.u[c0 + c];
#pragma unroll
                for (int c = 0; c < kGroup && c0 + c < Kept; ++c) {
                    largest[c] = 0;
#pragma unroll
                    for (int r = 0; r < R; ++r) {
                        a_[c0 + c][r] = N::update(a_[c0 + c][r], l[r], u[c]);
                        largest[c] = N::max(largest[c], a_[c0 + c][r]);
                    }
                }
#pragma unroll
                for (int c = 0; c < kGroup && c0 + c < Kept; ++c) note(c0 + c, largest[c]);
            }
#pragma unroll 2
        for (int c = 0; c < count_; ++c) {
            const T u = s_.u[Kept + c];
            T v[R], largest = 0;
#pragma unroll
            for (int r = 0; r < R; ++r) v[r] = other(c, r);
#pragma unroll
            for (int r = 0; r < R; ++r) {
                v[r] = N::update(v[r], l[r], u);
                largest = N::max(largest, v[r]);
            }
#pragma unroll
            for (int r = 0; r < R; ++r) other(c, r) = v[r];
            note(Kept + c, largest);
        }
    }

    /// Positions, the end, and, where it came early, what is left of the matrix.
    __device__ __forceinline__ void store(int end, int k) const {
#pragma unroll
        for (int r = 0; r < R; ++r)
            if (blockIdx.x == 0 && row(r) < p_.n) p_.row_position[row(r)] = position_[r];
        if (blockIdx.x == 0 && threadIdx.x == 0) p_.end[1] = k, p_.end[0] = end;
        if (end == 0) return;
        const auto rest = [&](int slot, int r, T v) {
            if (row(r) < p_.n && position_[r] >= k) p_.a[s_.column[slot] * p_.pitch + row(r)] = v;
        };
#pragma unroll
        for (int c = 0; c < Kept; ++c)
            if (active_ >> c & 1) {
                if (threadIdx.x == 0) p_.column_position[s_.column[c]] = s_.position[c];
#pragma unroll
                for (int r = 0; r < R; ++r) rest(c, r, a_[c][r]);
            }
        for (int c = 0; c < count_; ++c) {
            if (threadIdx.x == 0) p_.column_position[s_.column[Kept + c]] = s_.position[Kept + c];
#pragma unroll
            for (int r = 0; r < R; ++r) rest(Kept + c, r, other(c, r));
        }
    }
};

template <class T, int R, int Kept>
__global__ void __launch_bounds__(kResidentLuThreads, 1) resident_lu(const ResidentLuParams<T> p) {
    extern __shared__ __align__(16) unsigned char others[];
    __shared__ typename ResidentLu<T, R, Kept>::Shared shared;
    if (p.end[0] != 0) return;
    ResidentLu<T, R, Kept>(p, shared, reinterpret_cast<T*>(others)).run();
}

#endif

} // namespace mantissa::gpu::dense
