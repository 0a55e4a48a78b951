// A part's pass in floating vectors whose dot products are sums in a fixed window: the functions of the session on one
// device (../engine_pass.cuh).
#pragma once

#include "engine/engine_pass.cuh"
#include "run.cuh"

namespace mantissa::gpu {

template <class Unit, class ElementType> struct FloatPass {
    using Params = EngineParams<Unit, ElementType>;
    using Element = ElementType;
    using T = typename Unit::Carrier;
    static constexpr int kThreads = kEngineThreads;
    struct Shared {
        EngineResult run;
        unsigned long long scratch[6][16];
    };

#ifdef __CUDACC__
    const Params& a;
    Shared& shared;
    UnitSum sum[3];

    __device__ FloatPass(const Params& params, Shared& s) : a(params), shared(s) {
        if (threadIdx.x != 0) return;
        s.run.scalars = a.start;
        s.run.end = RunEnd::passes;
        s.run.passes = s.run.guards = 0;
    }
    /// work(i): for i, i + kThreads, ... kAhead elements of a thread, below `end`.
    template <class Work> __device__ __forceinline__ static void each(long long begin, long long end, Work&& work) {
        constexpr long long kTile = static_cast<long long>(kAhead) * kThreads;
        for (long long i = begin + blockIdx.x * kTile + threadIdx.x; i < end; i += gridDim.x * kTile) work(i);
    }
    /// Whether this thread wrote into another part's memory.
    __device__ __forceinline__ bool update(const HaloSend<Element>& halo, long long begin, long long end) {
        const T alpha = a.operand.from_double(shared.run.scalars.alpha),
                beta = a.operand.from_double(shared.run.scalars.beta);
        bool sent = false;
        each(begin, end, [&](long long i) {
            update_elements(a, alpha, beta, i, end,
                            [&](long long at) { sent |= send_element(halo, at, [&] { return a.p[at]; }); });
        });
        return sent;
    }
    __device__ __forceinline__ void rows(long long begin, long long end) {
        each(begin, end, [&](long long i) {
            T r[kAhead], p[kAhead], q[kAhead];
            load_rows(a, i, end, true, r, p, q);
            if (a.exact_product) add_terms<true>(a, sum, r, p, q);
            else add_terms<false>(a, sum, r, p, q);
        });
    }
    __device__ __forceinline__ void send(unsigned long long* words) {
        ::mantissa::gpu::send(sum, words, shared.scratch);
        for (UnitSum& s : sum) s = {};
    }
    /// By the first warp.
    __device__ __forceinline__ void close(std::uint64_t pass, const unsigned long long* total) {
        const int lane = static_cast<int>(threadIdx.x), dot = lane % 3;
        bool outside = false;
        const double value = window_total(a.window, a.scalar.format, total[2 * dot], total[2 * dot + 1], outside);
        outside = __any_sync(~0u, outside || total[6] != 0);
        const double rho = __shfl_sync(~0u, value, 0), pq = __shfl_sync(~0u, value, 1), qq = __shfl_sync(~0u, value, 2);
        if (lane == 0) step_scalars(a, pass, rho, pq, qq, outside, shared.run);
    }
    __device__ __forceinline__ void finish() {
        if (blockIdx.x == 0 && threadIdx.x == 0) *a.result = shared.run;
    }
#endif
};

} // namespace mantissa::gpu
