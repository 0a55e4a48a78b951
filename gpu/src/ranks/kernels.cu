#include <algorithm>

#include "block_bins.cuh"
#include "kernels.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

namespace {

constexpr int kThreads = 256, kEach = 4; ///< elements of a thread at once

__device__ __forceinline__ bool stands_still(const RankCgState* state) {
    return state != nullptr && state->status != RankCgStatus::running;
}

// Products and sums are rounded one by one, as the host's are: no fused operations.
__device__ __forceinline__ double preconditioned(const RankVectors& v, double r, std::uint32_t i) {
    return v.inverse == nullptr ? r : __dmul_rn(r, v.inverse[i]);
}

__global__ void direction(RankVectors v, Direction what, const RankCgState* state) {
    if (stands_still(state)) return;
    const bool alone = what == Direction::restart || (what == Direction::next && state->restart != 0);
    for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < v.owned; i += gridDim.x * kThreads) {
        if (what == Direction::iterate) {
            v.p[i] = v.x[i];
            continue;
        }
        const double z = preconditioned(v, v.r[i], i);
        v.p[i] = alone ? z : __dadd_rn(z, __dmul_rn(state->beta, v.p[i]));
    }
}

__global__ void pack(const double* p, const std::uint32_t* from, double* to, std::uint32_t count,
                     const RankCgState* state) {
    if (stands_still(state)) return;
    for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads)
        to[i] = p[from[i]];
}

/// A thread forms a row, its products in the order of the entries.
__global__ void multiply(RankRows rows, RankVectors v, std::uint64_t* pq, const RankCgState* state) {
    __shared__ BlockBins<1, kThreads / 32>::Shared shared;
    if (stands_still(state)) return;
    BlockBins<1, kThreads / 32> sums;
    const std::uint32_t lane = threadIdx.x & 31;
    // (whole warps go on or stop: places are a multiple of 32)
    for (std::uint32_t place = blockIdx.x * kThreads + threadIdx.x; place < rows.places;
         place += gridDim.x * kThreads) {
        const std::uint32_t row = rows.row[place], length = rows.length[place];
        const std::uint64_t begin = rows.begin[place / 32] + lane;
        double q = 0;
        for (std::uint32_t k = 0; k < length; ++k) {
            const std::uint64_t at = begin + 32ull * k;
            q = __dadd_rn(q, __dmul_rn(rows.value[at], v.p[rows.column[at]]));
        }
        double term[1] = {0};
        if (row != kNoRow) {
            v.q[row] = q;
            term[0] = __dmul_rn(v.p[row], q);
        }
        sums.add<1>(0, term);
    }
    std::uint64_t* const to[1] = {pq};
    sums.publish(shared, to);
}

__global__ void update(RankVectors v, Update what, RankSums to, const RankCgState* state) {
    __shared__ BlockBins<2, kThreads / 32>::Shared shared;
    if (stands_still(state)) return;
    const double alpha = what == Update::advance ? state->alpha : 0;
    BlockBins<2, kThreads / 32> sums;
    constexpr std::uint32_t kTile = kThreads * kEach;
    for (std::uint32_t base = blockIdx.x * kTile; base < v.owned; base += gridDim.x * kTile) {
        double rr[kEach], rz[kEach];
#pragma unroll
        for (int k = 0; k < kEach; ++k) {
            const std::uint32_t i = base + k * kThreads + threadIdx.x;
            rr[k] = rz[k] = 0;
            if (i >= v.owned) continue;
            double r = 0;
            if (what == Update::advance) {
                v.x[i] = __dadd_rn(v.x[i], __dmul_rn(alpha, v.p[i]));
                r = __dadd_rn(v.r[i], -__dmul_rn(alpha, v.q[i]));
            } else {
                r = what == Update::begin ? v.b[i] : __dadd_rn(v.b[i], -v.q[i]);
            }
            v.r[i] = r;
            rr[k] = __dmul_rn(r, r);
            if (v.inverse != nullptr) rz[k] = __dmul_rn(r, preconditioned(v, r, i));
        }
        sums.add<kEach>(0, rr);
        if (v.inverse != nullptr) sums.add<kEach>(1, rz);
    }
    std::uint64_t* const words[2] = {to.rr, to.rz};
    sums.publish(shared, words);
}

__device__ __forceinline__ void clear(std::uint64_t* words) {
    for (int i = threadIdx.x; i < kSumWords; i += blockDim.x) words[i] = 0;
}

/// A sum's words, brought by all threads at once: one after the other they would take a microsecond each.
__device__ __forceinline__ void bring(std::uint64_t (&here)[kSumWords], const std::uint64_t* words) {
    for (int i = threadIdx.x; i < kSumWords; i += blockDim.x) here[i] = words[i];
}

__global__ void form_alpha(RankSums sums, RankCgState* state) {
    __shared__ std::uint64_t pq_words[kSumWords];
    if (stands_still(state)) return;
    bring(pq_words, sums.pq);
    clear(sums.rr);
    clear(sums.rz);
    __syncthreads();
    if (threadIdx.x != 0) return;
    const double pq = total_of(pq_words);
    if (!isfinite(pq)) state->status = RankCgStatus::not_finite;
    else if (!(pq > 0)) state->status = RankCgStatus::indefinite;
    else state->alpha = __ddiv_rn(state->rho, pq);
}

__global__ void form_beta(RankSums sums, RankCgState* state, double* history) {
    __shared__ std::uint64_t words[2][kSumWords];
    __shared__ double total[2];
    if (stands_still(state)) return;
    const bool jacobi = state->jacobi != 0;
    bring(words[0], sums.rr);
    if (jacobi) bring(words[1], sums.rz);
    clear(sums.pq);
    __syncthreads();
    if (threadIdx.x == 0) total[0] = total_of(words[0]);
    if (threadIdx.x == 32 && jacobi) total[1] = total_of(words[1]); // (another warp, at the same time)
    __syncthreads();
    if (threadIdx.x != 0) return;
    const double rr = total[0], rz = jacobi ? total[1] : rr;
    const double norm = __dsqrt_rn(rr);
    state->residual = __ddiv_rn(norm, state->norm);
    history[state->iterations - state->first] = state->residual;
    ++state->iterations;
    state->restart = 0;
    if (!isfinite(rr) || !isfinite(rz)) state->status = RankCgStatus::not_finite;
    else if (norm <= state->target) state->status = RankCgStatus::reached;
    else if (state->iterations == state->limit) state->status = RankCgStatus::limit;
    state->beta = __ddiv_rn(rz, state->rho);
    state->rho = rz;
}

/// Blocks for `elements`, `each` of them in a thread's hands at once; no more than are on the chip together.
template <class Kernel> unsigned blocks_for(Kernel* kernel, std::uint32_t elements, int each) {
    static const unsigned most = [&] { // (one for each type of kernel; GPUs of a machine are alike)
        int blocks = 0, device = 0, processors = 0;
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kThreads, 0), "cudaOccupancy");
        check(cudaGetDevice(&device), "cudaGetDevice");
        check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
        return static_cast<unsigned>(std::max(1, blocks * processors));
    }();
    const std::uint32_t tile = kThreads * static_cast<std::uint32_t>(each);
    return std::clamp((elements + tile - 1) / tile, 1u, most);
}

} // namespace

void launch_direction(const RankVectors& v, Direction what, const RankCgState* state, cudaStream_t stream) {
    direction<<<blocks_for(direction, v.owned, 1), kThreads, 0, stream>>>(v, what, state);
    check(cudaGetLastError(), "direction of CG over ranks");
}
void launch_pack(const RankVectors& v, const std::uint32_t* from, double* to, std::uint32_t count,
                 const RankCgState* state, cudaStream_t stream) {
    if (count == 0) return;
    pack<<<blocks_for(pack, count, 1), kThreads, 0, stream>>>(v.p, from, to, count, state);
    check(cudaGetLastError(), "packing of CG over ranks");
}
void launch_rows(const RankRows& rows, const RankVectors& v, std::uint64_t* pq, const RankCgState* state,
                 cudaStream_t stream) {
    if (rows.places == 0) return;
    multiply<<<blocks_for(multiply, rows.places, 1), kThreads, 0, stream>>>(rows, v, pq, state);
    check(cudaGetLastError(), "product of CG over ranks");
}
void launch_update(const RankVectors& v, Update what, const RankSums& sums, const RankCgState* state,
                   cudaStream_t stream) {
    update<<<blocks_for(update, v.owned, kEach), kThreads, 0, stream>>>(v, what, sums, state);
    check(cudaGetLastError(), "update of CG over ranks");
}
void launch_alpha(const RankSums& sums, RankCgState* state, cudaStream_t stream) {
    form_alpha<<<1, kThreads, 0, stream>>>(sums, state);
    check(cudaGetLastError(), "alpha of CG over ranks");
}
void launch_beta(const RankSums& sums, RankCgState* state, double* history, cudaStream_t stream) {
    form_beta<<<1, kThreads, 0, stream>>>(sums, state, history);
    check(cudaGetLastError(), "beta of CG over ranks");
}

} // namespace mantissa::gpu
