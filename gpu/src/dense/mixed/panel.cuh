// The panel of 32 columns, factored with partial pivoting by one cluster of blocks that keeps it in registers.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>

#include "hopper.cuh"

namespace mantissa::gpu::mixed {

constexpr int kPanel = 32;  // columns of a panel
constexpr int kBlock = 256; // columns of a block of panels, whose other columns follow the panel's row swaps at once
constexpr int kMaxCluster = 16;

/// What the factorisation leaves for the host to read once.
struct FactorState {
    int singular; ///< first column without a pivot, -1 when there is none
    int touched;  ///< length of the list of rows the current block moved beside its own 256
};

struct PanelTask {
    float* a; ///< the matrix, row after row
    long ld;
    int k;            ///< first row and column of the panel
    int block;        ///< first column of its block
    int rows;         ///< rows from k on
    int* permutation; ///< for each row, the row of the matrix given that stands there
    int* source;      ///< for each row, the row that stood there when the block began
    int* touched;     ///< rows after the block's own that it moved
    FactorState* state;
};

/// Rows R per thread, T threads a block, up to 16 blocks a cluster: each row's 32 words live in registers. A step finds
/// the candidate of a block by two warp reductions and sends its row to all blocks of the cluster, whose barriers count
/// what has come: one trip through the cluster a column, and no memory.
/// Rows stay where they are until all 32 pivots are known; registers rotate, so that the column at work is always the
/// first and no register is indexed at run time.
template <int R, int T> class Panel {
    static constexpr int kWarps = T / 32;
    struct alignas(16) Slot {
        float row[kPanel];
        unsigned key, index; ///< one above the bits of the magnitude, 0 without a row; the row
    };
    struct Shared {
        Slot slot[2][kMaxCluster];
        alignas(16) float candidate[kPanel];
        std::uint64_t barrier[2];
        unsigned warp_key[2][kWarps];
        int warp_row[2][kWarps];
        int pivot[kPanel];
        int move_to[kPanel]; ///< where a row of the top 32 that is no pivot goes
        int move_row[2 * kPanel], move_from[2 * kPanel];
        int moves;
    };

public:
    using SharedWords = Shared;
    __device__ __forceinline__ Panel(const PanelTask& task, Shared& shared)
        : task_(task), s_(shared), cluster_(cooperative_groups::this_cluster()),
          rank_(static_cast<int>(cluster_.block_rank())), blocks_(static_cast<int>(cluster_.num_blocks())),
          per_block_((task.rows + blocks_ - 1) / blocks_), thread_(static_cast<int>(threadIdx.x)), warp_(thread_ / 32),
          lane_(thread_ & 31) {}

    __device__ __forceinline__ void run() {
        load();
        if (thread_ == 0) {
            barrier_init(s_.barrier, 1);
            barrier_init(s_.barrier + 1, 1);
            fence_barriers();
        }
        float first[R];
#pragma unroll
        for (int r = 0; r < R; ++r) first[r] = a_[r][0];
        offer(0, first);
        cluster_.sync();
#pragma unroll 1
        for (int e = 0; e < 8; ++e) step<32>(e);
#pragma unroll 1
        for (int e = 0; e < 8; ++e) step<24>(8 + e);
#pragma unroll 1
        for (int e = 0; e < 8; ++e) step<16>(16 + e);
#pragma unroll 1
        for (int e = 0; e < 8; ++e) step<8>(24 + e);
        list_moves();
        store();
        cluster_.sync();
        for (int chunk = rank_; chunk < kBlock / 16; chunk += blocks_) move_chunk(chunk);
    }

private:
    [[nodiscard]] __device__ __forceinline__ int local(int r) const {
        return r * T + thread_;
    }
    [[nodiscard]] __device__ __forceinline__ int index(int r) const {
        return rank_ * per_block_ + local(r);
    }
    [[nodiscard]] __device__ __forceinline__ bool present(int r) const {
        return local(r) < per_block_ && index(r) < task_.rows;
    }

    __device__ __forceinline__ void load() {
#pragma unroll
        for (int r = 0; r < R; ++r) {
            place_[r] = -1;
            original_[r] = came_from_[r] = 0;
            if (present(r)) {
                const float4* from =
                    reinterpret_cast<const float4*>(task_.a + (task_.k + index(r)) * task_.ld + task_.k);
#pragma unroll
                for (int q = 0; q < 8; ++q) {
                    const float4 v = from[q];
                    a_[r][4 * q] = v.x, a_[r][4 * q + 1] = v.y, a_[r][4 * q + 2] = v.z, a_[r][4 * q + 3] = v.w;
                }
                original_[r] = task_.permutation[task_.k + index(r)];
                came_from_[r] = task_.k == task_.block ? task_.k + index(r) : task_.source[task_.k + index(r)];
            } else {
                place_[r] = kPanel; // takes no part
#pragma unroll
                for (int q = 0; q < kPanel; ++q) a_[r][q] = 0.0F;
            }
        }
    }

    /// The warp's best row of the column that is next; ties go to the lowest row.
    __device__ __forceinline__ void offer(int j, const float (&column)[R]) {
        unsigned key = 0;
        int at = 0x7fffffff;
#pragma unroll
        for (int r = R - 1; r >= 0; --r) {
            const unsigned mine = place_[r] < 0 ? __float_as_uint(fabsf(column[r])) + 1U : 0U;
            if (mine >= key) key = mine, at = local(r);
        }
        const unsigned best = __reduce_max_sync(0xffffffffU, key);
        const int row = __reduce_min_sync(0xffffffffU, key == best ? at : 0x7fffffff);
        if (lane_ == 0) s_.warp_key[j & 1][warp_] = best, s_.warp_row[j & 1][warp_] = row;
    }

    /// Column j. Rows of a warp, and of a block, are in one piece, so that the first of equal keys is the lowest row.
    template <int W> __device__ __forceinline__ void step(int j) {
        const int buffer = j & 1;
        if (thread_ == 0) barrier_expect(s_.barrier + buffer, static_cast<unsigned>(blocks_) * (W * 4 + 8));
        __syncthreads();
        const unsigned key = lane_ < kWarps ? s_.warp_key[buffer][lane_] : 0U;
        unsigned best = __reduce_max_sync(0xffffffffU, key);
        const int owner = __ffs(static_cast<int>(__ballot_sync(0xffffffffU, lane_ < kWarps && key == best))) - 1;
        if (warp_ == owner) send_candidate<W>(j, best, s_.warp_row[buffer][owner]);
        barrier_wait_cluster(s_.barrier + buffer, static_cast<unsigned>(j / 2) & 1U);
        const unsigned theirs = lane_ < blocks_ ? s_.slot[buffer][lane_].key : 0U;
        best = __reduce_max_sync(0xffffffffU, theirs);
        const int from = __ffs(static_cast<int>(__ballot_sync(0xffffffffU, lane_ < blocks_ && theirs == best))) - 1;
        const int row = static_cast<int>(s_.slot[buffer][from].index);
        if (thread_ == 0) {
            s_.pivot[j] = row;
            if (rank_ == 0 && best <= 1U && task_.state->singular < 0) task_.state->singular = task_.k + j;
        }
        eliminate<W>(j, row, best <= 1U, s_.slot[buffer][from].row);
    }

    /// The warp that has the block's candidate sends its row to all blocks.
    template <int W> __device__ __forceinline__ void send_candidate(int j, unsigned key, int row) {
        publish<W>(row);
        __syncwarp();
        Slot* const slot = &s_.slot[j & 1][rank_];
        std::uint64_t* const barrier = s_.barrier + (j & 1);
        for (int item = lane_; item < blocks_ * (W / 4); item += 32) {
            const int to = item / (W / 4), part = item % (W / 4), left = W - (j & 7) - 4 * part;
            // Words after the columns left are multipliers already: they rotate, and nothing is subtracted from them.
            float4 words = reinterpret_cast<const float4*>(s_.candidate)[part];
            if (left < 4) words.w = 0.0F;
            if (left < 3) words.z = 0.0F;
            if (left < 2) words.y = 0.0F;
            if (left < 1) words.x = 0.0F;
            send(slot->row + 4 * part, static_cast<unsigned>(to), words, barrier);
        }
        if (lane_ < blocks_)
            send(&slot->key, static_cast<unsigned>(lane_), key, static_cast<unsigned>(rank_ * per_block_ + row),
                 barrier);
    }

    template <int W> __device__ __forceinline__ void publish(int row) {
#pragma unroll
        for (int r = 0; r < R; ++r)
            if (local(r) == row) {
#pragma unroll
                for (int q = 0; q < W / 4; ++q)
                    reinterpret_cast<float4*>(s_.candidate)[q] =
                        make_float4(a_[r][4 * q], a_[r][4 * q + 1], a_[r][4 * q + 2], a_[r][4 * q + 3]);
            }
    }

    /// Subtracts the pivot row's multiple from the rows left, and rotates the W words at work by one.
    template <int W> __device__ __forceinline__ void eliminate(int j, int pivot, bool none, const float* u) {
        const float inverse = none ? 0.0F : 1.0F / u[0];
        float multiple[R], last[R];
#pragma unroll
        for (int r = 0; r < R; ++r) {
            const bool chosen = present(r) && index(r) == pivot;
            const bool left = place_[r] < 0 && !chosen;
            if (chosen) place_[r] = j;
            multiple[r] = left ? a_[r][0] * inverse : 0.0F;
            last[r] = left ? multiple[r] : a_[r][0];
        }
        // The next column first: the search for its pivot runs beside the rest.
        float next[R];
#pragma unroll
        for (int r = 0; r < R; ++r) next[r] = fmaf(-multiple[r], u[1], a_[r][1]);
        offer(j + 1, next);
#pragma unroll
        for (int r = 0; r < R; ++r) a_[r][0] = next[r];
#pragma unroll
        for (int q = 2; q < W; ++q) {
            const float v = u[q];
#pragma unroll
            for (int r = 0; r < R; ++r) a_[r][q - 1] = fmaf(-multiple[r], v, a_[r][q]);
        }
#pragma unroll
        for (int r = 0; r < R; ++r) a_[r][W - 1] = last[r];
    }

    /// As LAPACK's swaps leave them up to order: pivots on top, and the rows they drive out where pivots came from.
    __device__ __forceinline__ void list_moves() {
        __syncthreads();
        if (warp_ == 0) {
            const int pivot = s_.pivot[lane_];
            const unsigned chosen = __reduce_or_sync(0xffffffffU, pivot < kPanel ? 1U << pivot : 0U);
            const unsigned below = __ballot_sync(0xffffffffU, pivot >= kPanel);
            const int count = __popc(below), nth = __popc(below & ((1U << lane_) - 1U));
            s_.move_row[lane_] = lane_;
            s_.move_from[lane_] = pivot;
            if (pivot >= kPanel) {
                const int driven_out = static_cast<int>(__fns(~chosen, 0, nth + 1));
                s_.move_to[driven_out] = pivot;
                s_.move_row[kPanel + nth] = pivot;
                s_.move_from[kPanel + nth] = driven_out;
            }
            if (lane_ == 0) s_.moves = kPanel + count;
            if (rank_ == 0) {
                const bool far = pivot >= kPanel && task_.k + pivot >= task_.block + kBlock;
                const unsigned all = __ballot_sync(0xffffffffU, far);
                const int first = task_.k == task_.block ? 0 : task_.state->touched;
                __syncwarp();
                if (far) task_.touched[first + __popc(all & ((1U << lane_) - 1U))] = task_.k + pivot;
                if (lane_ == 0) task_.state->touched = first + __popc(all);
            }
        }
        __syncthreads();
    }

    __device__ __forceinline__ void store() {
#pragma unroll
        for (int r = 0; r < R; ++r) {
            if (!present(r)) continue;
            int to = index(r);
            if (place_[r] >= 0) to = place_[r];
            else if (to < kPanel) to = s_.move_to[to];
            float4* const out = reinterpret_cast<float4*>(task_.a + (task_.k + to) * task_.ld + task_.k);
#pragma unroll
            for (int phase = 0; phase < 4; ++phase)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const int q = 24 - 8 * phase + 4 * half;
                    out[2 * phase + half] = make_float4(a_[r][q], a_[r][q + 1], a_[r][q + 2], a_[r][q + 3]);
                }
            task_.permutation[task_.k + to] = original_[r];
            task_.source[task_.k + to] = came_from_[r];
        }
    }

    /// Sixteen other columns of the block: rows move, and the top 32 of columns to the right become rows of U.
    __device__ __forceinline__ void move_chunk(int chunk) {
        const int column = task_.block + 16 * chunk;
        if (column >= task_.k && column < task_.k + kPanel) return;
        float* const a = task_.a + static_cast<long>(task_.k) * task_.ld + column;
        constexpr int kItems = (2 * kPanel * 8 + T - 1) / T;
        float2 v[kItems];
#pragma unroll
        for (int i = 0; i < kItems; ++i) {
            const int item = i * T + thread_, m = item / 8;
            if (m < s_.moves) v[i] = *reinterpret_cast<const float2*>(a + s_.move_from[m] * task_.ld + 2 * (item & 7));
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kItems; ++i) {
            const int item = i * T + thread_, m = item / 8;
            if (m < s_.moves) *reinterpret_cast<float2*>(a + s_.move_row[m] * task_.ld + 2 * (item & 7)) = v[i];
        }
        __syncthreads();
        if (column < task_.k) return;
        // A warp takes a column, a lane a row: x_i -= l_iq x_q for q = 0..31.
        float l[kPanel];
        const float4* const from = reinterpret_cast<const float4*>(task_.a + (task_.k + lane_) * task_.ld + task_.k);
#pragma unroll
        for (int q = 0; q < 8; ++q) {
            const float4 w = __ldcg(from + q);
            l[4 * q] = w.x, l[4 * q + 1] = w.y, l[4 * q + 2] = w.z, l[4 * q + 3] = w.w;
        }
        constexpr int kTogether = kWarps >= 16 ? 1 : 16 / kWarps;
        float x[kTogether];
#pragma unroll
        for (int i = 0; i < kTogether; ++i)
            x[i] = warp_ + i * kWarps < 16 ? a[lane_ * task_.ld + warp_ + i * kWarps] : 0.0F;
#pragma unroll
        for (int q = 0; q < kPanel - 1; ++q)
#pragma unroll
            for (int i = 0; i < kTogether; ++i) {
                const float above = __shfl_sync(0xffffffffU, x[i], q);
                if (lane_ > q) x[i] = fmaf(-l[q], above, x[i]);
            }
#pragma unroll
        for (int i = 0; i < kTogether; ++i)
            if (warp_ + i * kWarps < 16) a[lane_ * task_.ld + warp_ + i * kWarps] = x[i];
    }

    const PanelTask& task_;
    Shared& s_;
    cooperative_groups::cluster_group cluster_;
    int rank_, blocks_, per_block_, thread_, warp_, lane_;
    float a_[R][kPanel];
    int place_[R]; ///< the step that chose the row, -1 before, 32 when there is no such row
    int original_[R], came_from_[R];
};

template <int R, int T> __global__ void __launch_bounds__(T, 1) factor_panel(const PanelTask task) {
    __shared__ __align__(16) typename Panel<R, T>::SharedWords shared;
    begin_after_earlier();
    Panel<R, T>(task, shared).run();
}

} // namespace mantissa::gpu::mixed
