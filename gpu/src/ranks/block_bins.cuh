// A block's order-free sums (bins.hpp): kept by warps, merged once, added to the words by atomics.
#pragma once

#include "bins.hpp"

namespace mantissa::gpu {

/// `Sums` sums of a block of `Warps` warps. All lanes of a warp make the same calls.
template <int Sums, int Warps> class BlockBins {
public:
    struct Shared {
        int top[Sums][Warps];
        long long count[Sums][Warps][kBinsKept];
        unsigned lost[Sums][Warps];
    };

    /// Adds terms to sum k. A lane may add 2^20, a block 2^22 (of at most 2^40 units each, in 63 bits).
    template <int Terms> __device__ __forceinline__ void add(int k, const double (&term)[Terms]) {
        std::uint32_t key = 0;
#pragma unroll
        for (int j = 0; j < Terms; ++j) key = max(key, size_key(term[j]));
        key = __reduce_max_sync(~0u, key);
        if (key == 0) return;
        if (is_lost(key)) {
            lost_[k] = 1;
            return;
        }
        raise(k, top_of(key));
        double rest[Terms];
#pragma unroll
        for (int j = 0; j < Terms; ++j) rest[j] = term[j];
#pragma unroll
        for (int b = 0; b < kBinsKept; ++b) {
            const int bin = top_[k] - b;
            const double rounder = rounder_of(bin);
            double sum = 0; // exact: a few multiples of the unit, below 2^43 of it
#pragma unroll
            for (int j = 0; j < Terms; ++j) {
                const double digits = __dadd_rn(__dadd_rn(rest[j], rounder), -rounder);
                sum = __dadd_rn(sum, digits);
                rest[j] = __dadd_rn(rest[j], -digits);
            }
            count_[k][b] += units_of(sum, bin);
        }
    }

    /// Adds all sums to their words. Called by all threads of the block, once.
    __device__ __forceinline__ void publish(Shared& shared, std::uint64_t* const (&words)[Sums]) {
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
        for (int k = 0; k < Sums; ++k) {
#pragma unroll
            for (int b = 0; b < kBinsKept; ++b) {
                long long sum = count_[k][b];
                for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
                if (lane == 0) shared.count[k][warp][b] = sum;
            }
            if (lane == 0) {
                shared.top[k][warp] = top_[k];
                shared.lost[k][warp] = lost_[k];
            }
        }
        __syncthreads();
        if (threadIdx.x < Sums * kBinsKept)
            one_bin(shared, threadIdx.x / kBinsKept, threadIdx.x % kBinsKept, words[threadIdx.x / kBinsKept]);
    }

private:
    static constexpr int kNone = -1000;

    __device__ __forceinline__ void raise(int k, int top) {
        if (top <= top_[k]) return;
        if (top_[k] != kNone)
            for (int step = min(top - top_[k], kBinsKept); step > 0; --step) { // the lowest bin goes
                count_[k][2] = count_[k][1];
                count_[k][1] = count_[k][0];
                count_[k][0] = 0;
            }
        top_[k] = top;
    }

    /// Bin `b` below the block's highest one.
    static __device__ __forceinline__ void one_bin(const Shared& shared, int k, int b, std::uint64_t* words) {
        int top = kNone;
        unsigned lost = 0;
        for (int w = 0; w < Warps; ++w) {
            top = max(top, shared.top[k][w]);
            lost |= shared.lost[k][w];
        }
        const auto to = [&](int at, std::uint64_t value) {
            atomicAdd(reinterpret_cast<unsigned long long*>(words + at), static_cast<unsigned long long>(value));
        };
        if (b == 0 && lost != 0) to(kLostWord, 1);
        if (top == kNone) return;
        if (b == 0) to(bin_word(top, kTopWord), 1);
        long long sum = 0;
        for (int w = 0; w < Warps; ++w) {
            const int from = shared.top[k][w] - (top - b); // which of that warp's bins this is
            if (from >= 0 && from < kBinsKept) sum += shared.count[k][w][from];
        }
        if (sum == 0) return;
        to(bin_word(top - b, kLowWord), static_cast<std::uint64_t>(sum) & 0xFFFFFFFFu);
        to(bin_word(top - b, kHighWord), static_cast<std::uint64_t>(sum >> 32));
    }

    int top_[Sums] = {};
    long long count_[Sums][kBinsKept] = {};
    unsigned lost_[Sums] = {};

public:
    __device__ __forceinline__ BlockBins() {
#pragma unroll
        for (int k = 0; k < Sums; ++k) top_[k] = kNone;
    }
};

} // namespace mantissa::gpu
