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

/// Do a thread's registers not suffice? What the product does not need is then in shared memory, or out of the way
/// before it: on an H200 double is 2 to 12 % faster so, and float 3 to 13 % slower.
template <class T> inline constexpr bool kRegistersShort = sizeof(T) == 8;

/// What a block's threads share.
struct SparseShared {
    SparseExchange exchange;
    double alpha, beta;
    unsigned int stop, again, tries; ///< again: the sums were not near what they were expected to be
};

/// Rows that a warp has finished, one to a lane until there are 32: what is done for each row is then done for 32 at
/// once, however few rows a slice has.
template <class T, bool Jacobi> struct FinishedRows {
    T sum, own, inverse; ///< the lane's row: its product, p and the inverse of the diagonal
    std::uint32_t count; ///< lanes that have one

    /// The products' sums of the rows that are held.
    __device__ __forceinline__ void add_to(PairOfSums& sums) {
        if ((threadIdx.x & 31) < count) {
            const auto wide = static_cast<double>(sum);
            sums.add(0, __dmul_rn(static_cast<double>(own), wide));
            sums.add(1, __dmul_rn(wide, static_cast<double>(Jacobi ? sum * inverse : sum)));
        }
        count = 0;
    }
    /// A slice's rows, as `end` says (slice_end()), from what its lanes have summed.
    __device__ __forceinline__ void take(std::uint32_t end, T part, const T* p, const T* inverses, T* q,
                                         PairOfSums& sums) {
        const std::uint32_t log_lanes = end >> 29, rows = (end >> 24 & 31) + 1;
        for (std::uint32_t d = (1u << log_lanes) / 2; d > 0; d >>= 1) part += __shfl_xor_sync(~0u, part, d);
        if (count + rows > 32) add_to(sums);
        const std::uint32_t number = (threadIdx.x & 31) - count;
        const T mine = __shfl_sync(~0u, part, static_cast<int>(number << log_lanes & 31));
        if (number < rows) {
            const std::uint32_t row = (end & 0xFFFFFF) + number;
            sum = mine;
            q[row] = mine;
            own = p[row]; // (wanted when the rows' sums are added: nobody waits for it here)
            if constexpr (Jacobi) inverse = inverses[row];
        }
        count += rows;
    }
};

__device__ __forceinline__ void unpack(uint4 piece, std::uint16_t (&to)[8]) {
    const std::uint32_t word[4] = {piece.x, piece.y, piece.z, piece.w};
#pragma unroll
    for (int k = 0; k < 8; ++k) to[k] = static_cast<std::uint16_t>(word[k / 2] >> (k % 2 * 16));
}
__device__ __forceinline__ void unpack(uint4 piece, std::uint32_t (&to)[4]) {
    to[0] = piece.x, to[1] = piece.y, to[2] = piece.z, to[3] = piece.w;
}
__device__ __forceinline__ void unpack(uint4 piece, float (&to)[4]) {
    to[0] = __uint_as_float(piece.x), to[1] = __uint_as_float(piece.y);
    to[2] = __uint_as_float(piece.z), to[3] = __uint_as_float(piece.w);
}
__device__ __forceinline__ void unpack(uint4 piece, double (&to)[2]) {
    to[0] = __hiloint2double(static_cast<int>(piece.y), static_cast<int>(piece.x));
    to[1] = __hiloint2double(static_cast<int>(piece.w), static_cast<int>(piece.z));
}
/// A thread's eight columns or values of a chunk, from the pieces that begin at `from`.
template <class V> __device__ __forceinline__ void read_pieces(const unsigned char* from, V (&to)[kChunkSteps]) {
    constexpr int kEach = 16 / sizeof(V);
#pragma unroll
    for (int g = 0; g < static_cast<int>(kChunkSteps) / kEach; ++g) {
        V piece[kEach];
        unpack(*reinterpret_cast<const uint4*>(from + (g * 32 + (threadIdx.x & 31)) * 16), piece);
#pragma unroll
        for (int k = 0; k < kEach; ++k) to[g * kEach + k] = piece[k];
    }
}

/// Chunks of one kind: row sums and q.
template <class T, bool Jacobi, bool Narrow>
__device__ __forceinline__ void product_of(const SparsePart<T>& a, ChunkStream<kRegistersShort<T>>& stream,
                                           std::uint32_t chunks, FinishedRows<T, Jacobi>& finished, PairOfSums& sums) {
    using Index = std::conditional_t<Narrow, std::uint16_t, std::uint32_t>;
    constexpr int kSteps = static_cast<int>(kChunkSteps);
    T sum = 0;
    const T* const p = a.p;
    const T* const inverses = a.inverse;
    T* const q = a.q;
    for (; chunks > 0; --chunks) {
        stream.wait();
        const unsigned char* const chunk = stream.ring + stream.stage * stream.stage_bytes;
        const uint2 head = *reinterpret_cast<const uint2*>(chunk); // first column, ends
        const T* const from = p + head.x;
        // The chunk is read before the gathers begin: its place need not wait for them.
        T value[kSteps], x[kSteps];
        Index column[kSteps];
        std::uint32_t end[kSteps];
        read_pieces(chunk + column_place(0, 0, Narrow), column);
        read_pieces(chunk + value_place(0, 0, Narrow, sizeof(T)), value);
#pragma unroll
        for (int k = 0; k < kSteps; k += 4) {
            const uint4 word = *reinterpret_cast<const uint4*>(chunk + 16 + 4 * k);
            end[k] = word.x, end[k + 1] = word.y, end[k + 2] = word.z, end[k + 3] = word.w;
        }
        stream.release();
#pragma unroll
        for (int k = 0; k < kSteps; ++k) x[k] = from[column[k]];
#pragma unroll
        for (int k = 0; k < kSteps; ++k) {
            sum = multiply_add(value[k], x[k], sum);
            if ((head.y >> k & 1) == 0) continue;
            finished.take(end[k], sum, p, inverses, q, sums);
            sum = 0;
        }
    }
}

/// The block's rows and what it sends: from the first to one past the last. Read once: after a barrier these loads
/// would come from the second-level cache again in every iteration.
struct BlockShare {
    std::uint32_t row, last_row, send, last_send;
};
template <class T> __device__ __forceinline__ BlockShare share_of(const SparsePart<T>& a) {
    BlockShare s{a.block_row[blockIdx.x], a.block_row[blockIdx.x + 1], 0, 0};
    if (a.sends_to == 0) return s;
    s.send = a.block_send[blockIdx.x];
    s.last_send = a.block_send[blockIdx.x + 1];
    return s;
}

/// The thread's first element to send, if it has one.
template <class T> __device__ __forceinline__ SparseSend first_send(const SparsePart<T>& a, const BlockShare& share) {
    const std::uint32_t send = share.send + threadIdx.x;
    return send < share.last_send ? a.send[send] : SparseSend{};
}

/// x += alpha p, r -= alpha q, p = z + beta p of the block's rows, and the elements that other parts wait for. `again`:
/// the sums alone. `held`: first_send(), where a thread has the registers to hold it.
template <class T, bool Jacobi>
__device__ __forceinline__ void update_of(const SparsePart<T>& a, const BlockShare& share, const SparseSend& held,
                                          double step, double factor, bool again, PairOfSums& sums) {
    const T alpha = static_cast<T>(step), beta = static_cast<T>(factor);
    const std::uint32_t end = share.last_row;
    constexpr int kAtOnce = 4; // rows of a thread whose loads are under way together
    constexpr std::uint32_t kStride = kPartedWarps * 32;
    T *const px = a.x, *const pr = a.r, *const pp = a.p, *const pq = a.q;
    SparseSend own = held;
    if constexpr (kRegistersShort<T>) own = first_send(a, share); // on its way with the vectors' elements
    for (std::uint32_t first = share.row + threadIdx.x; first < end; first += kAtOnce * kStride) {
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
    const std::uint32_t send = share.send + threadIdx.x;
    for (std::uint32_t i = send; i < share.last_send; i += kPartedWarps * 32) {
        const SparseSend s = i == send ? own : a.send[i];
        a.ghosts[s.row_and_peer >> 24][s.place] = pp[s.row_and_peer & 0xFFFFFF];
    }
}

/// A barrier over the part's blocks. (A flag for each block, which all blocks look at, took 0.75 us longer on an H200
/// than one word that they add to.)
__device__ __forceinline__ void meet(const PeerView& view, unsigned long long* met, unsigned long long goal,
                                     unsigned int& dead) {
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("red.release.gpu.global.add.u64 [%0], 1;" ::"l"(met) : "memory");
        const bool ok = wait_until(view, kMaxParts, [&] {
            unsigned long long now;
            asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(met) : "memory");
            return now >= goal;
        });
        if (!ok) dead = 1;
    }
    __syncthreads();
}

/// After the barrier, one warp of the part tells the other parts that their elements are there. What it says it puts
/// after the stores of all blocks, and waits a microsecond for that: the block's other warps do not, and the wait
/// counts as the warp's product, so that PartedSparse::balance() gives the block fewer rows.
__device__ __forceinline__ void tell(const PeerView& view, unsigned long long round, std::uint32_t sends_to) {
    if (blockIdx.x != 0 || threadIdx.x != (kPartedWarps - 1) * 32) return;
    for (int p = 0; p < view.parts; ++p)
        if ((sends_to >> p & 1) != 0) raise_flag(view, p, view.me, round);
}

/// Sums near what they were expected to be are exact to far below their last bit; else they are formed again. (Both are
/// properties of the sum alone, whatever it was formed from.) Called by warp 0, a lane for each sum.
__device__ __forceinline__ void look_at_sums(SparseShared& shared) {
    SparseExchange& e = shared.exchange;
    const int k = static_cast<int>(threadIdx.x) % kSparseSums;
    const double size = fabs(e.sum[k]);
    const bool bad = !(size < power_of_two(e.exponent[k] + 12)),
               low = size > 0 && size < power_of_two(e.exponent[k] - 24);
    const bool again = __any_sync(~0u, bad || low) && shared.tries < 12;
    __syncwarp();
    if (threadIdx.x < kSparseSums) {
        if (bad && !(size < 1e300)) e.exponent[k] += 24;
        else if (size > 0 && size < 1e300) e.exponent[k] = exponent_above(size);
    }
    if (threadIdx.x == 0) {
        shared.again = again ? 1 : 0;
        shared.tries = again ? shared.tries + 1 : 0;
    }
    __syncwarp();
}

/// The scalars of the next iteration, or the end. Thread 0 of each block, all alike.
template <class T, bool Jacobi>
__device__ __forceinline__ void decide(const SparsePart<T>& a, SparseShared& shared, std::uint32_t made,
                                       PartedStatus& status) {
    const SparseExchange& e = shared.exchange;
    const double rho = e.sum[0], rr = Jacobi ? e.sum[1] : rho, pq = e.sum[2], qq = e.sum[3];
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
    if (a.window == nullptr || blockIdx.x != 0 || made % kLookEvery != 0) return;
    volatile SolveWindow* const seen = a.window;
    seen->residual = sqrt(rr);
    seen->passes = made;
    shared.exchange.leave = seen->stop;
}

/// Where the chunks of warp `number` come from.
template <class T> __device__ __forceinline__ ChunkSource source_of(const SparsePart<T>& a, std::uint32_t number) {
    ChunkSource s{};
    s.first_bytes = chunk_bytes(a.narrow[0] != 0, sizeof(T));
    s.second_bytes = chunk_bytes(a.narrow[1] != 0, sizeof(T));
    s.first = a.stream + std::size_t{number} * s.first_bytes;
    s.apart = std::size_t{gridDim.x} * kPartedWarps * s.first_bytes;
    s.second = a.stream + a.warp_offset[number];
    s.kept = a.kept;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(s.stays_policy));
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(s.goes_policy));
    return s;
}

/// The warp's stream, its places in shared memory after SparseShared. `source`: source_of(), in shared memory where
/// registers are short.
template <class T>
__device__ __forceinline__ ChunkStream<kRegistersShort<T>> stream_of(const SparsePart<T>& a, unsigned char* ring,
                                                                     const ChunkSource& source) {
    __shared__ unsigned long long arrived[kPartedWarps * kMaxStages];
    const std::uint32_t warp = threadIdx.x >> 5, number = blockIdx.x * kPartedWarps + warp;
    const uint2 steps = a.warp_steps[number];
    ChunkStream<kRegistersShort<T>> s{source};
    s.first_chunks = (steps.x + kChunkSteps - 1) / kChunkSteps;
    s.second_chunks = (steps.y + kChunkSteps - 1) / kChunkSteps;
    s.stages = a.stages;
    s.stage_bytes = a.stage_bytes;
    s.ring = ring + std::size_t{warp} * a.stages * a.stage_bytes;
    s.arrived = arrived + warp * kMaxStages;
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
    __shared__ ChunkSource sources[kRegistersShort<T> ? kPartedWarps : 1];
    __shared__ BlockShare block_share;
    const bool clock_here = blockIdx.x == 0 && threadIdx.x == 0;
    SparseExchange& exchange = shared.exchange;
    if (threadIdx.x == 0) {
        a = parts[blockIdx.y];
        block_share = share_of(a);
        for (auto& buffer : exchange.previous)
            for (auto& part : buffer)
                for (auto& word : part) word = 0;
        for (int k = 0; k < kSparseSums; ++k) exchange.exponent[k] = a.exponent[k];
        exchange.dead = exchange.leave = 0;
        shared.alpha = shared.beta = 0;
        shared.stop = shared.again = shared.tries = 0;
        status = {};
        clocks = {};
    }
    __syncthreads();
    ChunkSource source = source_of(a, blockIdx.x * kPartedWarps + (threadIdx.x >> 5));
    if constexpr (kRegistersShort<T>) {
        if ((threadIdx.x & 31) == 0) sources[threadIdx.x >> 5] = source;
        __syncwarp();
    }
    ChunkStream stream = stream_of(a, ring, kRegistersShort<T> ? sources[threadIdx.x >> 5] : source);
    const std::conditional_t<kRegistersShort<T>, const BlockShare&, BlockShare> share = block_share;
    const SparseSend held = kRegistersShort<T> ? SparseSend{} : first_send(a, share);
    const unsigned long long started = clock_here ? nanoseconds() : 0;
    unsigned long long first = 0;
    long long before = clock64();
    const auto mark = [&](SparsePhase phase) {
        if ((threadIdx.x & 31) != 0) return;
        const long long now = clock64();
        const auto spent = static_cast<unsigned long long>(now - before);
        if (phase == SparsePhase::product || phase == SparsePhase::ghosts) clocks.product[threadIdx.x >> 5] += spent;
        if (threadIdx.x == 0) clocks.phase[static_cast<int>(phase)] += spent;
        before = now;
    };
    std::uint32_t made = 0; // iterations
    for (std::uint32_t pass = 0;; ++pass) {
        const unsigned long long round = a.round + pass;
        const bool again = shared.again != 0;
        if (pass != 0 && !again) ++made;
        PairOfSums updated(exchange.exponent[0], exchange.exponent[1]);
        update_of<T, Jacobi>(a, share, held, shared.alpha, shared.beta, again, updated);
        if constexpr (kRegistersShort<T>) exchange.keep(updated, 0);
        mark(SparsePhase::update);
        meet(a.view, a.met, (pass + 1ull) * gridDim.x, exchange.dead);
        mark(SparsePhase::meet);
        if (a.sends_to != 0) tell(a.view, round, a.sends_to);
        __syncwarp();
        PairOfSums multiplied(exchange.exponent[2], exchange.exponent[3]);
        FinishedRows<T, Jacobi> finished{};
        if (a.narrow[0] != 0) product_of<T, Jacobi, true>(a, stream, stream.first_chunks, finished, multiplied);
        else product_of<T, Jacobi, false>(a, stream, stream.first_chunks, finished, multiplied);
        mark(SparsePhase::product);
        if (stream.second_chunks != 0) {
            const int lane = threadIdx.x & 31;
            if (lane < a.view.parts && (a.receives_from >> lane & 1) != 0 && !wait_flag(a.view, lane, lane, round))
                exchange.dead = 1;
            __syncwarp();
            mark(SparsePhase::ghosts);
            if (a.narrow[1] != 0) product_of<T, Jacobi, true>(a, stream, stream.second_chunks, finished, multiplied);
            else product_of<T, Jacobi, false>(a, stream, stream.second_chunks, finished, multiplied);
            mark(SparsePhase::product);
        }
        finished.add_to(multiplied);
        if constexpr (kRegistersShort<T>) exchange.keep(multiplied, 2);
        else exchange.keep(updated, multiplied);
        exchange.template publish<Jacobi>(a.view, a.words, round, [&] { mark(SparsePhase::warps); });
        if (threadIdx.x < 32) {
            exchange.template collect<Jacobi>(a.view, a.words[a.view.me], a.terms, round);
            look_at_sums(shared);
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
