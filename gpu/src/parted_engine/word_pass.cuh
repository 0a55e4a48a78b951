// A part's pass in fixed-point words: the functions of the session on one device (../fixed/memory.cuh).
#pragma once

#include "../fixed/memory.cuh"
#include "run.cuh"

namespace mantissa::gpu {

/// U: int, long long or double.
template <class U> struct WordPass {
    using Params = FixedParams;
    using Element = int;
    static constexpr int kThreads = kMemoryThreads;
    struct Shared {
        FixedFactors factors;
        FixedResult run;
    };

#ifdef __CUDACC__
    const Params& a;
    Shared& shared;
    FixedFound found;
    UnitSum sum[3];

    __device__ WordPass(const Params& params, Shared& s) : a(params), shared(s) {
        if (threadIdx.x != 0) return;
        s.run = {};
        s.run.scalars = a.start;
        form_factors(a, a.start, {62, 62}, s.factors);
    }
    template <class Work> __device__ __forceinline__ static void each(long long begin, long long end, Work&& work) {
        const long long step = static_cast<long long>(gridDim.x) * kThreads;
        for (long long i = begin + static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x; i < end; i += step)
            work(i);
    }
    /// Whether this thread wrote into another part's memory.
    __device__ __forceinline__ bool update(const HaloSend<int>& halo, long long begin, long long end) {
        bool sent = false;
        const auto send = [&](long long i) { sent |= send_element(halo, i, [&] { return a.p_words[i]; }); };
        if (shared.factors.fits && a.r.point >= a.p.point)
            each(begin, end, [&](long long i) {
                fixed_update<true, U>(a, shared.factors, i, found);
                send(i);
            });
        else
            each(begin, end, [&](long long i) {
                fixed_update<false, U>(a, shared.factors, i, found);
                send(i);
            });
        return sent;
    }
    __device__ __forceinline__ void rows(long long begin, long long end) {
        each(begin, end, [&](long long i) {
            const int q = form_q(a, i, found), r = a.r_words[i], p = a.p_words[i];
            sum[0].add(static_cast<long long>(r) * r);
            sum[1].add(static_cast<long long>(p) * q);
            sum[2].add(static_cast<long long>(q) * q);
        });
    }
    __device__ __forceinline__ void send(unsigned long long* words) {
        add_to_grid(sum, found.overflow, words);
        for (UnitSum& s : sum) s = {};
    }
    /// By the first warp.
    __device__ __forceinline__ void close(std::uint64_t pass, const unsigned long long* total) {
        if (threadIdx.x != 0) return;
        double value[3];
        for (int k = 0; k < 3; ++k)
            value[k] = total_into(a.scalar, (Wide{static_cast<long long>(total[2 * k + 1])} << 32) + total[2 * k],
                                  sum_point(a, k));
        step_fixed(a, pass, value[0], value[1], value[2], total[6] != 0, shared.run);
        form_factors(a, shared.run.scalars, {62, 62}, shared.factors);
    }
    __device__ __forceinline__ void finish() {
        note_apart(a, 0, found.u_apart);
        note_apart(a, 1, found.r_apart);
        note_apart(a, 2, found.p_apart);
        note_apart(a, 3, found.q_apart);
        if (blockIdx.x == 0 && threadIdx.x == 0) *a.result = shared.run;
    }
#endif
};

} // namespace mantissa::gpu
