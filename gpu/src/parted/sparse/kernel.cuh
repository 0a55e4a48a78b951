// Pipelined CG on sparse rows over parts: one kernel for a whole solve. An iteration is an update of the vectors, whose
// boundary elements go straight into the other parts' memory; a barrier over the part's blocks; the product, rows that
// wait for other parts last; and one sum over all parts.
#pragma once

#include "stream.cuh"
#include "sums.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

__device__ __forceinline__ float multiply_add(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
}
__device__ __forceinline__ double multiply_add(double a, double b, double c) {
    return __fma_rn(a, b, c);
}

/// What a block's threads share.
struct SparseShared {
    SparseExchange exchange;
    double alpha, beta;
    unsigned int stop, again, tries; ///< again: the sums were not near what they were expected to be
};

/// Chunks of one kind: row sums, q and the products' sums.
template <class T, bool Jacobi, bool Narrow>
__device__ __forceinline__ void product_of(const SparsePart<T>& a, ChunkStream& stream, std::uint32_t left,
                                           PairOfSums& sums) {
    using Index = std::conditional_t<Narrow, std::uint16_t, std::uint32_t>;
    const int lane = threadIdx.x & 31;
    constexpr std::uint32_t kStep = 32 * (sizeof(Index) + sizeof(T));
    T sum = 0;
    const T* const p = a.p;
    const T* const inverses = a.inverse;
    T* const q = a.q;
    while (left > 0) {
        const std::uint32_t count = min(left, kChunkSteps);
        left -= count;
        stream.wait();
        const unsigned char* const chunk = stream.ring + stream.stage * stream.stage_bytes;
        const uint2 head = *reinterpret_cast<const uint2*>(chunk); // first column, ends
        const T* const from = p + head.x;
        if (head.y == 0 && count == kChunkSteps) { // within a slice
            // The chunk is read before the gathers begin: its place need not wait for them.
            T value[kChunkSteps], x[kChunkSteps];
            Index column[kChunkSteps];
#pragma unroll
            for (int k = 0; k < static_cast<int>(kChunkSteps); ++k) {
                const unsigned char* const step = chunk + kChunkHead + k * kStep;
                column[k] = reinterpret_cast<const Index*>(step)[lane];
                value[k] = reinterpret_cast<const T*>(step + 32 * sizeof(Index))[lane];
            }
            stream.release();
#pragma unroll
            for (int k = 0; k < static_cast<int>(kChunkSteps); ++k) x[k] = from[column[k]];
#pragma unroll
            for (int k = 0; k < static_cast<int>(kChunkSteps); ++k) sum = multiply_add(value[k], x[k], sum);
            continue;
        }
        std::uint32_t end[kChunkSteps];
#pragma unroll
        for (int k = 0; k < static_cast<int>(kChunkSteps); k += 4) {
            const uint4 word = *reinterpret_cast<const uint4*>(chunk + 16 + 4 * k);
            end[k] = word.x;
            end[k + 1] = word.y;
            end[k + 2] = word.z;
            end[k + 3] = word.w;
        }
        T value[kChunkSteps], x[kChunkSteps], own[kChunkSteps], inverse[kChunkSteps];
#pragma unroll
        for (int k = 0; k < static_cast<int>(kChunkSteps); ++k) {
            const unsigned char* const step = chunk + kChunkHead + k * kStep;
            if (k < count) {
                x[k] = from[reinterpret_cast<const Index*>(step)[lane]];
                value[k] = reinterpret_cast<const T*>(step + 32 * sizeof(Index))[lane];
            }
            if ((head.y >> k & 1) == 0) continue;
            const int log_lanes = static_cast<int>(end[k] >> 29);
            const std::uint32_t number = lane >> log_lanes, rows = (end[k] >> 24 & 31) + 1;
            if (number < rows) {
                own[k] = p[(end[k] & 0xFFFFFF) + number];
                if constexpr (Jacobi) inverse[k] = inverses[(end[k] & 0xFFFFFF) + number];
            }
        }
        stream.release();
#pragma unroll
        for (int k = 0; k < static_cast<int>(kChunkSteps); ++k) {
            if (k < count) sum = multiply_add(value[k], x[k], sum);
            if ((head.y >> k & 1) != 0) {
                const int log_lanes = static_cast<int>(end[k] >> 29);
                for (int d = (1 << log_lanes) / 2; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
                const std::uint32_t number = lane >> log_lanes, rows = (end[k] >> 24 & 31) + 1;
                if ((lane & ((1 << log_lanes) - 1)) == 0 && number < rows) {
                    q[(end[k] & 0xFFFFFF) + number] = sum;
                    const auto wide = static_cast<double>(sum);
                    sums.add(0, __dmul_rn(static_cast<double>(own[k]), wide));
                    sums.add(1, __dmul_rn(wide, static_cast<double>(Jacobi ? sum * inverse[k] : sum)));
                }
                sum = 0;
            }
        }
    }
}

/// x += alpha p, r -= alpha q, p = z + beta p of the block's rows, and the elements that other parts wait for. `again`:
/// the sums alone.
template <class T, bool Jacobi>
__device__ __forceinline__ void update_of(const SparsePart<T>& a, double step, double factor, bool again,
                                          PairOfSums& sums) {
    const T alpha = static_cast<T>(step), beta = static_cast<T>(factor);
    const std::uint32_t end = a.block_row[blockIdx.x + 1];
    constexpr int kAtOnce = 4; // rows of a thread whose loads are under way together
    constexpr std::uint32_t kStride = kPartedWarps * 32;
    T *const px = a.x, *const pr = a.r, *const pp = a.p, *const pq = a.q;
    for (std::uint32_t first = a.block_row[blockIdx.x] + threadIdx.x; first < end; first += kAtOnce * kStride) {
        T x[kAtOnce], r[kAtOnce], p[kAtOnce], q[kAtOnce], inverse[kAtOnce];
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
            const std::uint32_t i = first + k * kStride;
            if (i >= end) continue;
            x[k] = px[i];
            r[k] = pr[i];
            p[k] = pp[i];
            q[k] = pq[i];
            if constexpr (Jacobi) inverse[k] = a.inverse[i];
        }
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
            const std::uint32_t i = first + k * kStride;
            if (i >= end) continue;
            const T left = again ? r[k] : multiply_add(-alpha, q[k], r[k]), z = Jacobi ? left * inverse[k] : left;
            if (!again) {
                px[i] = multiply_add(alpha, p[k], x[k]);
                pr[i] = left;
                pp[i] = multiply_add(beta, p[k], z);
            }
            const auto wide = static_cast<double>(left);
            sums.add(0, __dmul_rn(wide, static_cast<double>(z)));
            if constexpr (Jacobi) sums.add(1, __dmul_rn(wide, wide));
        }
    }
    if (a.sends_to == 0 || again) return;
    __syncthreads();
    const std::uint32_t last = a.block_send[blockIdx.x + 1];
    for (std::uint32_t i = a.block_send[blockIdx.x] + threadIdx.x; i < last; i += kPartedWarps * 32) {
        const SparseSend s = a.send[i];
        a.ghosts[s.row_and_peer >> 24][s.place] = a.p[s.row_and_peer & 0xFFFFFF];
    }
}

/// A barrier over the part's blocks; behind it block 0 tells the other parts that their elements are there.
__device__ __forceinline__ void meet(const PeerView& view, unsigned long long* met, unsigned long long goal,
                                     unsigned long long round, std::uint32_t sends_to, unsigned int& dead) {
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(met) : "memory");
        const bool ok = wait_until(view, kMaxParts, [&] {
            unsigned long long now;
            asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(met) : "memory");
            return now >= goal;
        });
        if (!ok) dead = 1;
        if (blockIdx.x == 0 && sends_to != 0) {
            fence_system();
            for (int p = 0; p < view.parts; ++p)
                if ((sends_to >> p & 1) != 0) raise_flag(view, p, view.me, round);
        }
    }
    __syncthreads();
}

/// The scalars of the next iteration, or the end. Thread 0 of each block, all alike.
template <class T, bool Jacobi>
__device__ __forceinline__ void decide(const SparsePart<T>& a, SparseShared& shared, std::uint32_t made,
                                       PartedStatus& status) {
    SparseExchange& e = shared.exchange;
    const double rho = e.sum[0], rr = Jacobi ? e.sum[1] : rho, pq = e.sum[2], qq = e.sum[3];
    // Sums near what they were expected to be are exact to far below their last bit; else they are formed again. (Both
    // are properties of the sum alone, whatever it was formed from.)
    shared.again = 0;
    for (int k = 0; k < kSparseSums; ++k) {
        const double size = fabs(e.sum[k]);
        const bool bad = !(size < scalbn(1.0, e.exponent[k] + 12)),
                   low = size > 0 && size < scalbn(1.0, e.exponent[k] - 24);
        if ((bad || low) && shared.tries < 12) shared.again = 1;
        if (bad && !(size < 1e300)) e.exponent[k] += 24;
        else if (size > 0 && size < 1e300) e.exponent[k] = ilogb(size) + 1;
    }
    shared.tries = shared.again != 0 ? shared.tries + 1 : 0;
    if (shared.again != 0 && e.dead == 0) return;
    const double step = rho / pq;
    double sigma = step * (step * qq - pq);
    if (sigma < 0) {
        sigma = 0;
        ++status.guards;
    }
    const bool finite = isfinite(rho) && isfinite(rr) && isfinite(pq) && isfinite(qq);
    const bool reached = finite && rr <= a.goal, indefinite = finite && !reached && !(pq > 0);
    shared.stop = !finite || reached || indefinite || made >= a.limit || e.dead != 0;
    shared.alpha = step;
    shared.beta = sigma / rho;
    status.rr = rr;
    status.rho = rho;
    status.iterations = made;
    status.ended = e.dead == 0;
    status.end = reached      ? CgEnd::converged
                 : indefinite ? CgEnd::indefinite
                 : finite     ? CgEnd::passes
                              : CgEnd::not_finite;
}

/// The warp's stream, its places in shared memory behind SparseShared.
template <class T> __device__ __forceinline__ ChunkStream stream_of(const SparsePart<T>& a, unsigned char* ring) {
    __shared__ unsigned long long arrived[kPartedWarps * kMaxStages];
    const std::uint32_t warp = threadIdx.x >> 5, number = blockIdx.x * kPartedWarps + warp;
    ChunkStream s{};
    const uint2 steps = a.warp_steps[number];
    s.first_steps = steps.x;
    s.second_steps = steps.y;
    s.first_chunks = (steps.x + kChunkSteps - 1) / kChunkSteps;
    s.second_chunks = (steps.y + kChunkSteps - 1) / kChunkSteps;
    s.first_step_bytes = 32 * ((a.narrow[0] != 0 ? 2 : 4) + static_cast<std::uint32_t>(sizeof(T)));
    s.second_step_bytes = 32 * ((a.narrow[1] != 0 ? 2 : 4) + static_cast<std::uint32_t>(sizeof(T)));
    const std::uint32_t bytes = kChunkHead + kChunkSteps * s.first_step_bytes;
    s.first = a.stream + std::size_t{number} * bytes;
    s.apart = std::size_t{gridDim.x} * kPartedWarps * bytes;
    s.second = a.stream + a.warp_offset[number];
    s.stages = a.stages;
    s.stage_bytes = a.stage_bytes;
    s.ring = ring + std::size_t{warp} * a.stages * a.stage_bytes;
    s.arrived = arrived + warp * kMaxStages;
    s.kept = a.kept;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(s.stays_policy));
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(s.goes_policy));
    if ((threadIdx.x & 31) == 0) {
        for (std::uint32_t i = 0; i < a.stages; ++i)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(s.arrived + i)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncwarp();
    s.begin();
    return s;
}

template <class T, bool Jacobi>
__global__ void __launch_bounds__(kPartedWarps * 32, 1) sparse_part(const SparsePart<T>* parts) {
    extern __shared__ __align__(128) unsigned char ring[];
    // (as bytes: a shared variable has no constructor)
    __shared__ __align__(16) unsigned char parameters[sizeof(SparsePart<T>)];
    SparsePart<T>& a = *reinterpret_cast<SparsePart<T>*>(parameters);
    __shared__ SparseShared shared;
    __shared__ PartedStatus status;
    __shared__ BlockClocks clocks;
    const bool clock_here = blockIdx.x == 0 && threadIdx.x == 0;
    SparseExchange& exchange = shared.exchange;
    if (threadIdx.x == 0) {
        a = parts[blockIdx.y];
        for (auto& buffer : exchange.previous)
            for (auto& part : buffer)
                for (auto& word : part) word = 0;
        for (int k = 0; k < kSparseSums; ++k) exchange.exponent[k] = a.exponent[k];
        exchange.dead = 0;
        shared.alpha = shared.beta = 0;
        shared.stop = shared.again = shared.tries = 0;
        status = {};
        clocks = {};
    }
    __syncthreads();
    ChunkStream stream = stream_of(a, ring);
    const unsigned long long started = clock_here ? nanoseconds() : 0;
    unsigned long long first = 0;
    long long before = clock64();
    const auto mark = [&](SparsePhase phase) {
        if ((threadIdx.x & 31) != 0) return;
        const long long now = clock64();
        const auto spent = static_cast<unsigned long long>(now - before);
        if (phase == SparsePhase::product) clocks.product[threadIdx.x >> 5] += spent;
        if (threadIdx.x == 0) clocks.phase[static_cast<int>(phase)] += spent;
        before = now;
    };
    std::uint32_t made = 0; // iterations
    for (std::uint32_t pass = 0;; ++pass) {
        const unsigned long long round = a.round + pass;
        const bool again = shared.again != 0;
        if (pass != 0 && !again) ++made;
        PairOfSums updated(exchange.exponent[0], exchange.exponent[1]);
        update_of<T, Jacobi>(a, shared.alpha, shared.beta, again, updated);
        mark(SparsePhase::update);
        meet(a.view, a.met, (pass + 1ull) * gridDim.x, round, a.sends_to, exchange.dead);
        mark(SparsePhase::meet);
        PairOfSums multiplied(exchange.exponent[2], exchange.exponent[3]);
        if (a.narrow[0] != 0) product_of<T, Jacobi, true>(a, stream, stream.first_steps, multiplied);
        else product_of<T, Jacobi, false>(a, stream, stream.first_steps, multiplied);
        mark(SparsePhase::product);
        if (stream.second_steps != 0) {
            const int lane = threadIdx.x & 31;
            if (lane < a.view.parts && (a.receives_from >> lane & 1) != 0 && !wait_flag(a.view, lane, lane, round))
                exchange.dead = 1;
            __syncwarp();
            mark(SparsePhase::ghosts);
            if (a.narrow[1] != 0) product_of<T, Jacobi, true>(a, stream, stream.second_steps, multiplied);
            else product_of<T, Jacobi, false>(a, stream, stream.second_steps, multiplied);
            mark(SparsePhase::product);
        }
        exchange.publish(a.view, a.words, updated, multiplied, round, [&] { mark(SparsePhase::warps); });
        if (threadIdx.x < 32) {
            exchange.collect(a.view, a.words[a.view.me], a.terms, round);
            if (threadIdx.x == 0) decide<T, Jacobi>(a, shared, made, status);
        }
        __syncthreads();
        mark(SparsePhase::reduction);
        if (clock_here && made == 0 && shared.again == 0) first = nanoseconds();
        if (shared.stop != 0 || pass > 2 * a.limit + 60) break;
    }
    stream.drain();
    __syncthreads();
    if (threadIdx.x == 0) a.clocks[blockIdx.x] = clocks;
    if (!clock_here) return;
    const unsigned long long now = nanoseconds();
    status.nanoseconds = now - first;
    status.all = now - started;
    *a.status = status;
}

#endif

} // namespace mantissa::gpu
