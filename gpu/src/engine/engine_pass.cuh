// Pipelined-CG passes in a DatapathSpec's arithmetic: many passes in one cooperative launch.
//
//     device memory per element and pass, in elements of storage: read u p q r, write u r p; read p r, write q
//     where blocks keep their vectors: write r p q, and read q of the elements around
//
// Grid barriers: those of the dot products (engine_dots.cuh), and one more between the updates and the rows, where
// blocks do not keep their vectors.
#pragma once

#include <type_traits>

#include "engine/engine_dots.cuh"
#include "engine/engine_near.cuh"
#include "engine/engine_params.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

/// u, r and p of the next pass, in device memory: of the elements i, i + kEngineThreads, ... of a thread below `stop`.
/// then(at): when those of `at` have been written.
template <class Unit, class Element, class T, class Then>
__device__ __forceinline__ void update_elements(const EngineParams<Unit, Element>& a, T alpha, T beta, long long i,
                                                long long stop, Then&& then) {
    T u[kAhead], r[kAhead], p[kAhead], q[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
        const long long at = i + k * kEngineThreads;
        if (at < stop) u[k] = a.u[at], r[k] = get(a.r, at), p[k] = get(a.p, at), q[k] = get(a.q, at);
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
        const long long at = i + k * kEngineThreads;
        if (at >= stop) break;
        a.u[at] = a.u_unit.add(u[k], a.u_unit.mul(alpha, p[k]));
        r[k] = a.r_unit.add(r[k], -a.r_unit.mul(alpha, q[k]));
        put(a.r, at, r[k]);
        put(a.p, at, a.p_unit.add(r[k], a.p_unit.mul(beta, p[k])));
        then(at);
    }
}
/// The same of a block's own elements.
template <class Unit, class Element, class T>
__device__ __forceinline__ void update_vectors(const EngineParams<Unit, Element>& a, T alpha, T beta) {
    for_own(a, [&](long long i, long long stop) { update_elements(a, alpha, beta, i, stop, [](long long) {}); });
}

/// The scalars after pass `pass` and whether the run ends there, by one thread.
template <class Unit, class Element>
__device__ __forceinline__ void step_scalars(const EngineParams<Unit, Element>& a, std::uint64_t pass, double rho,
                                             double pq, double qq, bool overflow, EngineResult& run) {
    RunEnd now = RunEnd::passes;
    Scalars next;
    const bool guarded = a.scalar.way == DoubleUnit::Way::truncate
                             ? engine_scalars(TruncatingUnit(a.scalar), rho, pq, qq, overflow, next, now)
                             : engine_scalars(a.scalar, rho, pq, qq, overflow, next, now);
    if (guarded) ++run.guards;
    if (now == RunEnd::passes && pass >= a.rho_stop_from && next.rho < a.rho_stop) now = RunEnd::rho_reached;
    run.scalars = next;
    run.passes = pass;
    run.end = now;
}

/// Near: blocks keep their vectors.
template <class Unit, class Element, DotWay Way, bool Near>
__global__ void __launch_bounds__(kEngineThreads, 1) engine_run(const __grid_constant__ EngineParams<Unit, Element> a) {
    using T = typename Unit::Carrier;
    extern __shared__ __align__(16) unsigned char shared_bytes[]; // with DotWay::binades
    BinadeShared& shared = *reinterpret_cast<BinadeShared*>(shared_bytes);
    __shared__ EngineResult run; // so far; passes and guards are thread 0's
    __shared__ double closing[3];
    __shared__ std::conditional_t<Near, T, char> around[Near ? kTile + 2 * kMostMargin : 1];
    __shared__ unsigned long long scratch[6][16];
    __shared__ unsigned long long previous[2][kEngineWords];
    const int tid = threadIdx.x, lane = tid & 31;
    if (tid == 0) {
        run.scalars = a.start;
        run.end = RunEnd::passes;
        run.passes = run.guards = 0;
        for (auto& buffer : previous)
            for (auto& w : buffer) w = 0;
    }
    __syncthreads();
    GridBarrier barrier(a.words + 2 * kEngineWords);
    std::conditional_t<Near, NearVectors<Unit, Element>, FarVectors> near = [&] {
        if constexpr (Near) return NearVectors<Unit, Element>(a, around);
        else return FarVectors{};
    }();
    if constexpr (Way == DotWay::binades)
        if (tid == 0) // the first pass's, before its barriers
            for (int way = blockIdx.x; way < 3 * a.partials; way += gridDim.x) lanes_of(a, 1)[way] = awaited();
    for (std::uint64_t pass = 1; pass <= a.passes; ++pass) {
        Element* const q_now = Near && (pass & 1) != 0 ? a.q_odd : a.q;
        const T alpha = a.operand.from_double(run.scalars.alpha), beta = a.operand.from_double(run.scalars.beta);
        unsigned long long* const words = a.words + (pass & 1) * kEngineWords;
        if constexpr (Near) {
            near.update(alpha, beta);
            near.rows(q_now);
            if constexpr (Way != DotWay::fixed) near.store(false);
        } else {
            update_vectors(a, alpha, beta);
            barrier.wait();
        }
        if constexpr (Way == DotWay::fixed) {
            add_fixed(a, near, words, scratch);
            barrier.wait();
            if constexpr (Near) near.fetch(q_now);
        } else if constexpr (Way == DotWay::binades) {
            sum_binades(a, near, barrier, shared, q_now, pass);
            close_binades(a, pass, closing);
        } else {
            sum_lanes(a, near, barrier, q_now);
        }
        // Every block forms the scalars for itself.
        if (tid < 32) {
            double sum = 0;
            bool overflow = false;
            if constexpr (Way == DotWay::fixed) sum = fixed_total(a, words, previous[pass & 1], overflow);
            else if constexpr (Way == DotWay::binades) sum = lane < 3 ? closing[lane] : 0.0;
            else if (lane < 3) sum = a.scalar.convert(__ldcg(a.lanes + lane * a.partials));
            const double rho = __shfl_sync(~0u, sum, 0), pq = __shfl_sync(~0u, sum, 1), qq = __shfl_sync(~0u, sum, 2);
            if (lane == 0) step_scalars(a, pass, rho, pq, qq, overflow, run);
        }
        __syncthreads();
        if (run.end != RunEnd::passes) break;
    }
    if constexpr (Near) near.store(true);
    if (blockIdx.x == 0 && tid == 0) *a.result = run;
}

#endif

} // namespace mantissa::gpu
