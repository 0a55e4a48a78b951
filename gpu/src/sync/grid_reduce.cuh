// Sums over the whole grid of a cooperative launch that double as its barrier, and packets that carry single values
// between blocks.
//
// A packet is one 16-byte access {value, tag}: its tag tells that its value has arrived, so data that travel in
// packets need no fence. Two buffers alternate: a block can write round k+2 only when all blocks have read round k.
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

inline constexpr int kSumWords = 3 * kSums;

/// Where a block keeps what it needs between rounds, in shared memory.
struct GridState {
    unsigned long long previous[2][kSumWords]; ///< the words as the last round but one left them
    int exponent[kSums];                       ///< |sum| is expected near or below 2^exponent
};

/// A sum in flight: 144 bits in three words of 48, from 2^(exponent+46) down to 2^(exponent-95). Every block adds its
/// part as an integer, so the total is exact and does not depend on the order; the top byte of each word counts the
/// blocks, so a word tells by itself when it is complete. Words are never reset: a round is the difference to the
/// round before in the same buffer.
struct GridReduce {
    unsigned long long* words; ///< [2][kSumWords], zero before the launch

    static constexpr int kChunk = 48, kBelow = 95;
    static constexpr unsigned long long kMask = (1ull << kChunk) - 1;
    static constexpr unsigned long long kLimit = 1ull << 45; ///< a part this large marks the sum as no number

    /// Called by all threads of a block: adds up the block's sums and publishes them. With `fenced`, everything the
    /// block wrote before is visible to blocks that have waited for this round.
    __device__ __forceinline__ void publish(const double (&sum)[kSums], Tag tag, double (*scratch)[kSums],
                                            const GridState& state, bool fenced) const {
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
        if (warp != 0) return;
#pragma unroll
        for (int k = 0; k < kSums; ++k) s[k] = lane < warps ? scratch[lane][k] : 0.0;
#pragma unroll
        for (int d = 16; d > 0; d >>= 1)
#pragma unroll
            for (int k = 0; k < kSums; ++k) s[k] += __shfl_xor_sync(~0u, s[k], d);
        if (fenced) __threadfence();
        if (lane >= kSumWords) return;
        const int k = lane / 3, word = lane % 3;
        const double x = scalbn(k == 0 ? s[0] : k == 1 ? s[1] : s[2], kBelow - state.exponent[k]);
        constexpr double kUnit = static_cast<double>(1ull << kChunk);
        double high = floor(x * (1 / kUnit) * (1 / kUnit));
        const bool bad = !(fabs(high) < static_cast<double>(kLimit));
        if (bad) high = static_cast<double>(kLimit);
        const double rest = bad ? 0.0 : x - high * kUnit * kUnit;
        const double middle = floor(rest * (1 / kUnit));
        const double low = rest - middle * kUnit;
        const unsigned long long part =
            word == 0 ? static_cast<unsigned long long>(static_cast<long long>(high) + (1ll << (kChunk - 1)))
                      : static_cast<unsigned long long>(word == 1 ? middle : low);
        asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(words + (tag & 1) * kSumWords + lane),
                     "l"(part + (1ull << 56))
                     : "memory");
    }

    /// Called by warp 0: waits for all blocks and returns the grid's sums, the same bits in every lane and block.
    __device__ __forceinline__ void collect(double (&sum)[kSums], Tag tag, GridState& state, bool fenced) const {
        const int lane = threadIdx.x & 31;
        unsigned long long round = 0;
        if (lane < kSumWords) {
            const unsigned long long before = state.previous[tag & 1][lane];
            const unsigned long long* const word = words + (tag & 1) * kSumWords + lane;
            unsigned long long now;
            do {
                asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(word) : "memory");
                round = now - before;
            } while ((round >> 56) != gridDim.x);
            state.previous[tag & 1][lane] = now;
            round &= (1ull << 56) - 1;
        }
        __syncwarp();
        if (fenced) __threadfence();
#pragma unroll
        for (int k = 0; k < kSums; ++k) {
            long long high = static_cast<long long>(__shfl_sync(~0u, round, 3 * k)) -
                             static_cast<long long>(gridDim.x) * (1ll << (kChunk - 1));
            unsigned long long middle = __shfl_sync(~0u, round, 3 * k + 1), low = __shfl_sync(~0u, round, 3 * k + 2);
            middle += low >> kChunk;
            low &= kMask;
            high += static_cast<long long>(middle >> kChunk);
            middle &= kMask;
            // As a magnitude, so that the conversion loses nothing to cancellation.
            const bool negative = high < 0;
            if (negative) {
                low = (0 - low) & kMask;
                middle = (0 - middle - (low != 0 ? 1 : 0)) & kMask;
                high = -high - (low != 0 || middle != 0 ? 1 : 0);
            }
            constexpr double kUnit = static_cast<double>(1ull << kChunk);
            const double x =
                (static_cast<double>(high) * kUnit + static_cast<double>(middle)) * kUnit + static_cast<double>(low);
            sum[k] = high < static_cast<long long>(kLimit / 2) ? scalbn(negative ? -x : x, state.exponent[k] - kBelow)
                                                               : __longlong_as_double(0x7FF8000000000000ll);
        }
        __syncwarp(); // one lane may change `state` after this
    }
};

#endif

} // namespace mantissa::gpu
