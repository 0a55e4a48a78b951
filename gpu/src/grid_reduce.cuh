// Sums over the whole grid of a cooperative launch that double as its barrier.
//
// Every block publishes its three partial sums as 16-byte packets {value, tag}; every block reads all packets of a
// round and adds them in block order, so all blocks hold the same bits and no atomic addition is needed. A packet is
// one 128-bit access, so its tag tells that its value has arrived: data that travel in packets need no fence. Two
// buffers alternate: a block can publish round k+2 only when all blocks have read round k.
#pragma once

#include <cstdint>

namespace mantissa::gpu {

using Tag = unsigned long long;

struct alignas(16) Packet {
    double value;
    Tag tag;
};

inline constexpr int kSums = 3;

#ifdef __CUDACC__

__device__ __forceinline__ void put_packet(Packet* to, double value, Tag tag) {
    asm volatile("{ .reg .b128 t; mov.b128 t, {%1, %2}; st.relaxed.gpu.global.b128 [%0], t; }" ::"l"(to),
                 "l"(__double_as_longlong(value)), "l"(tag)
                 : "memory");
}

__device__ __forceinline__ Packet get_packet(const Packet* from) {
    long long value;
    Tag tag;
    asm volatile("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2]; mov.b128 {%0, %1}, t; }"
                 : "=l"(value), "=l"(tag)
                 : "l"(from)
                 : "memory");
    return {__longlong_as_double(value), tag};
}

__device__ __forceinline__ double wait_packet(const Packet* from, Tag tag) {
    Packet p = get_packet(from);
    while (p.tag != tag) p = get_packet(from);
    return p.value;
}

__device__ __forceinline__ double warp_sum(double x) {
    for (int d = 16; d > 0; d >>= 1) x += __shfl_xor_sync(~0u, x, d);
    return x;
}

/// Blocks of a launch, at most; one block on each multiprocessor and some to spare.
inline constexpr int kMaxBlocks = 192;

struct GridReduce {
    Packet* slots; ///< [2][kMaxBlocks][kSums]

    /// Called by all threads of a block: adds up the block's sums and publishes them. With `fenced`, everything the
    /// block wrote before is visible to blocks that have waited for this round.
    __device__ __forceinline__ void publish(const double (&sum)[kSums], Tag tag, double (*scratch)[kSums], bool fenced) {
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
        double s[kSums];
#pragma unroll
        for (int k = 0; k < kSums; ++k) s[k] = sum[k];
#pragma unroll
        for (int d = 16; d > 0; d >>= 1)
#pragma unroll
            for (int k = 0; k < kSums; ++k) s[k] += __shfl_xor_sync(~0u, s[k], d);
        if (lane < kSums) scratch[warp][lane] = lane == 0 ? s[0] : lane == 1 ? s[1] : s[2];
        __syncthreads();
        if (warp == 0) {
#pragma unroll
            for (int k = 0; k < kSums; ++k) s[k] = lane < warps ? scratch[lane][k] : 0.0;
#pragma unroll
            for (int d = 16; d > 0; d >>= 1)
#pragma unroll
                for (int k = 0; k < kSums; ++k) s[k] += __shfl_xor_sync(~0u, s[k], d);
            if (fenced) __threadfence();
            if (lane < kSums)
                put_packet(slots + ((tag & 1) * kMaxBlocks + blockIdx.x) * kSums + lane,
                           lane == 0 ? s[0] : lane == 1 ? s[1] : s[2], tag);
        }
    }

    /// Called by warps 0, 1 and 2: each waits for all blocks and adds one sum up, the same bits in every block; they
    /// meet, and warp 0 returns true with the totals in place.
    __device__ __forceinline__ bool collect(double (&total)[kSums], Tag tag, volatile double* scratch, bool fenced) {
        const int lane = threadIdx.x & 31, k = threadIdx.x >> 5;
        const Packet* round = slots + (tag & 1) * kMaxBlocks * kSums + k;
        constexpr int kEach = kMaxBlocks / 32;
        Packet got[kEach];
        const int blocks = gridDim.x;
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            const int block = lane + 32 * i;
            if (block < blocks) got[i] = get_packet(round + block * kSums);
            else got[i] = {0.0, tag};
        }
        double sum = 0;
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            while (got[i].tag != tag) got[i] = get_packet(round + (lane + 32 * i) * kSums);
            sum += got[i].value;
        }
        sum = warp_sum(sum);
        if (fenced) __threadfence();
        if (lane == 0) scratch[k] = sum;
        asm volatile("bar.sync 1, 96;" ::: "memory");
        if (k != 0) return false;
#pragma unroll
        for (int i = 0; i < kSums; ++i) total[i] = scratch[i];
        return true;
    }
};

#endif

} // namespace mantissa::gpu
