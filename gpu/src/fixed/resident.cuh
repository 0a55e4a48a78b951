// Passes in fixed-point words with the whole system on the chip. A block has K grid rows, a thread C columns of them;
// u, r, p and q stay in its registers, and so do r, p and q of the rows beside the block's, which are updated here as
// by their owners. Of the vectors only q of a block's first and last row goes to its neighbours, in packets {word, tag}
// that need no fence; the exchange of the sums (sums.cuh) is the one barrier of a pass.
#pragma once

#include <type_traits>

#include "sums.cuh"

namespace mantissa::gpu {

/// Threads of a block at most: a warp has no columns, it sends the sums and forms the scalars.
inline constexpr int kFixedThreads = 640;
/// Bytes of shared memory.
constexpr std::size_t resident_bytes(int k, int c, FixedRow row, int threads) {
    return sizeof(int) * static_cast<std::size_t>((row == FixedRow::box ? k : k + 2) * (c * (threads - 32) + 2));
}

#ifdef __CUDACC__

/// A thread's words.
template <int K, int C, FixedRow Row, class U> struct ResidentWords {
    static constexpr bool kHeld = Row == FixedRow::bands && K * C <= 4; ///< coefficients in registers
    static constexpr bool kBox = Row == FixedRow::box;
    const FixedParams& a;
    int* const shared; ///< rows of p, or of its sums over three grid rows; a zero before and after each
    const int across;  ///< threads with columns
    const int width;
    const int first; ///< grid row
    U u[K][C];
    int r[K][C], p[K + 2][C], q[K][C]; ///< p with the rows beside
    int beside_r[2][C], beside_q[2][C];
    int coefficient[kHeld ? K : 1][kHeld ? C : 1][kBands];
    unsigned inside; ///< bits of my elements
    bool there[2];   ///< is there a block before, after?
    unsigned long long *to[2], *from[2];
    long long parity;
    unsigned long long u_apart = 0;
    unsigned r_apart = 0, p_apart = 0, q_apart = 0;

    __device__ __forceinline__ ResidentWords(const FixedParams& params, int* rows_shared)
        : a(params), shared(rows_shared), across(static_cast<int>(blockDim.x) - 32), width(C * across + 2),
          first(static_cast<int>(blockIdx.x) * K) {
        for (int i = static_cast<int>(threadIdx.x); i < (kBox ? K : K + 2) * width; i += static_cast<int>(blockDim.x))
            shared[i] = 0;
#pragma unroll
        for (int c = 0; c < C; ++c) {
#pragma unroll
            for (int k = 0; k < K; ++k) {
                const bool there = exists(first + k, c);
                const long long i = there ? at(first + k, c) : 0;
                u[k][c] = there ? static_cast<const U*>(a.u_words)[i] : U(0);
                r[k][c] = there ? a.r_words[i] : 0;
                p[k + 1][c] = there ? a.p_words[i] : 0;
                q[k][c] = there ? a.q_words[i] : 0;
                if constexpr (kHeld)
#pragma unroll
                    for (int b = 0; b < kBands; ++b) coefficient[k][c][b] = there ? a.band[b][i] : 0;
            }
#pragma unroll
            for (int side = 0; side < 2; ++side) {
                const int y = side == 0 ? first - 1 : first + K;
                const bool there = exists(y, c);
                const long long i = there ? at(y, c) : 0;
                beside_r[side][c] = there ? a.r_words[i] : 0;
                beside_q[side][c] = there ? a.q_words[i] : 0;
                p[side == 0 ? 0 : K + 1][c] = there ? a.p_words[i] : 0;
            }
        }
        find_inside();
        find_packets();
        __syncthreads();
    }

    [[nodiscard]] __device__ __forceinline__ bool worker() const {
        return static_cast<int>(threadIdx.x) < across;
    }
    [[nodiscard]] __device__ __forceinline__ int column(int c) const {
        return static_cast<int>(threadIdx.x) + c * across;
    }
    [[nodiscard]] __device__ __forceinline__ bool exists(int y, int c) const {
        return worker() && y >= 0 && y < a.rows && column(c) < a.columns;
    }
    [[nodiscard]] __device__ __forceinline__ long long at(int y, int c) const {
        return static_cast<long long>(y) * a.columns + column(c);
    }

    /// u, r and p of the next pass. Long: where products may be beyond 32-bit sums.
    template <bool Long> __device__ __forceinline__ void update(const FixedFactors& f) {
        const WordScale su = f.u, sr = f.r, sp = f.p;
        using Sum = std::conditional_t<Long, long long, int>;
        const auto next = [&](int& mine_r, int& mine_p, int mine_q, unsigned& of_r, unsigned& of_p) {
            const Sum x = mine_r - static_cast<Sum>(sr.times(mine_q));
            mine_r = short_word(static_cast<int>(x), a.r.bits);
            const Sum y = mine_r + static_cast<Sum>(sp.times(mine_p));
            mine_p = short_word(static_cast<int>(y), a.p.bits);
            of_r |= folded(x);
            of_p |= folded(y);
        };
        unsigned unused = 0;
#pragma unroll
        for (int c = 0; c < C; ++c) {
#pragma unroll
            for (int k = 0; k < K; ++k) {
                using SumU = std::conditional_t<Long, long long, U>;
                const SumU v = u[k][c] + static_cast<SumU>(su.times(p[k + 1][c]));
                u[k][c] = short_word(static_cast<U>(v), a.u.bits);
                u_apart |= sizeof(U) == 4 ? folded(v) : sign_apart(v);
                next(r[k][c], p[k + 1][c], q[k][c], r_apart, p_apart);
            }
            next(beside_r[0][c], p[0][c], beside_q[0][c], unused, unused);
            next(beside_r[1][c], p[K + 1][c], beside_q[1][c], unused, unused);
        }
        share();
    }
    __device__ __forceinline__ static unsigned folded(int x) {
        return sign_apart(x);
    }
    __device__ __forceinline__ static unsigned folded(long long x) {
        const unsigned long long bits = sign_apart(x);
        return static_cast<unsigned>(bits) | (bits >> 32 != 0 ? 1u << 31 : 0u);
    }
    __device__ __forceinline__ void next_vectors(const FixedFactors& f) {
        if (f.wide) update<true>(f);
        else update<false>(f);
    }

    /// For the threads beside: sums of p over three grid rows, or p.
    __device__ __forceinline__ void share() const {
#pragma unroll
        for (int c = 0; c < C; ++c)
#pragma unroll
            for (int k = 0; k < (kBox ? K : K + 2); ++k) {
                if constexpr (kBox) shared[k * width + 1 + column(c)] = three(k, c);
                else shared[k * width + 1 + column(c)] = p[k][c];
            }
    }
    [[nodiscard]] __device__ __forceinline__ int three(int k, int c) const {
        return p[k][c] + p[k + 1][c] + p[k + 2][c];
    }
    /// q = A p, after a barrier.
    __device__ __forceinline__ void rows() {
        if constexpr (kBox) box_rows();
        else product_rows();
    }
    __device__ __forceinline__ void box_rows() {
        const int half = static_cast<int>(a.row_half);
#pragma unroll
        for (int c = 0; c < C; ++c)
#pragma unroll
            for (int k = 0; k < K; ++k) {
                const int* const here = shared + k * width + column(c);
                const int box = here[0] + three(k, c) + here[2];
                keep(k, c, (a.box_centre * p[k + 1][c] + a.box_around * box + half) >> a.row_shift);
            }
    }
    __device__ __forceinline__ void product_rows() {
#pragma unroll
        for (int c = 0; c < C; ++c) {
            int side[K + 2][2];
#pragma unroll
            for (int k = 0; k < K + 2; ++k) {
                const int* const here = shared + k * width + column(c);
                side[k][0] = here[0];
                side[k][1] = here[2];
            }
#pragma unroll
            for (int k = 0; k < K; ++k) {
                const long long i = exists(first + k, c) ? at(first + k, c) : 0;
                long long sum = a.row_half;
#pragma unroll
                for (int b = 0; b < kBands; ++b) {
                    const int y = k + b / 3;
                    const int x = b % 3 == 1 ? p[y][c] : side[y][b % 3 / 2];
                    if constexpr (Row == FixedRow::stencil)
                        sum += static_cast<long long>(static_cast<int>(a.stencil[b])) * x;
                    else if constexpr (kHeld) sum += static_cast<long long>(coefficient[k][c][b]) * x;
                    else sum += static_cast<long long>(__ldg(a.band[b] + i)) * x;
                }
                keep(k, c, static_cast<int>(sum >> a.row_shift));
            }
        }
    }
    __device__ __forceinline__ void keep(int k, int c, int sum) {
        const int bit = k * C + c;
        const int x = sum & (static_cast<int>(inside << (31 - bit)) >> 31);
        q_apart |= sign_apart(x);
        q[k][c] = short_word(x, a.q.bits);
    }
    /// Rows that are not the identity's.
    __device__ __forceinline__ void find_inside() {
        inside = 0;
#pragma unroll
        for (int c = 0; c < C; ++c)
#pragma unroll
            for (int k = 0; k < K; ++k) {
                const int y = first + k;
                const bool is =
                    exists(y, c) &&
                    (Row == FixedRow::bands || (y > 0 && y < a.rows - 1 && column(c) > 0 && column(c) < a.columns - 1));
                inside |= is ? 1u << (k * C + c) : 0u;
            }
    }

    /// Has a word overflowed?
    [[nodiscard]] __device__ __forceinline__ bool overflow() const {
        return ((u_apart >> a.u.bits) | (r_apart >> a.r.bits) | (p_apart >> a.p.bits) | (q_apart >> a.q.bits)) != 0;
    }

    __device__ __forceinline__ void dots(long long (&sum)[3]) const {
        sum[0] = sum[1] = sum[2] = 0;
#pragma unroll
        for (int c = 0; c < C; ++c)
#pragma unroll
            for (int k = 0; k < K; ++k) {
                sum[0] += static_cast<long long>(r[k][c]) * r[k][c];
                sum[1] += static_cast<long long>(p[k + 1][c]) * q[k][c];
                sum[2] += static_cast<long long>(q[k][c]) * q[k][c];
            }
    }

    /// Packets: [pass & 1][first row, last row][block][column].
    __device__ __forceinline__ void find_packets() {
        const auto line = [&](int last, int block) {
            return a.packets + (static_cast<long long>(last) * gridDim.x + block) * a.columns + threadIdx.x;
        };
        const int block = static_cast<int>(blockIdx.x);
        parity = 2ll * gridDim.x * a.columns;
        there[0] = block > 0;
        there[1] = block + 1 < static_cast<int>(gridDim.x);
        to[0] = line(0, block);
        to[1] = line(1, block);
        from[0] = line(1, block - 1);
        from[1] = line(0, block + 1);
    }
    __device__ __forceinline__ void send(std::uint64_t pass) const {
        const auto tag = static_cast<unsigned long long>(a.first_tag + static_cast<unsigned>(pass)) << 32;
        const long long shift = (pass & 1) != 0 ? parity : 0;
#pragma unroll
        for (int c = 0; c < C; ++c)
#pragma unroll
            for (int side = 0; side < 2; ++side)
                if (there[side] && column(c) < a.columns)
                    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to[side] + shift + c * across),
                                 "l"(tag | static_cast<unsigned>(q[side == 0 ? 0 : K - 1][c]))
                                 : "memory");
    }
    __device__ __forceinline__ void receive(std::uint64_t pass) {
        const unsigned tag = a.first_tag + static_cast<unsigned>(pass);
        const long long shift = (pass & 1) != 0 ? parity : 0;
#pragma unroll
        for (int c = 0; c < C; ++c)
#pragma unroll
            for (int side = 0; side < 2; ++side) {
                if (!there[side] || column(c) >= a.columns) continue;
                unsigned long long x;
                do
                    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                                 : "=l"(x)
                                 : "l"(from[side] + shift + c * across)
                                 : "memory");
                while (static_cast<unsigned>(x >> 32) != tag);
                beside_q[side][c] = static_cast<int>(static_cast<unsigned>(x));
            }
    }

    /// Everything into memory.
    __device__ __forceinline__ void store() const {
#pragma unroll
        for (int c = 0; c < C; ++c)
#pragma unroll
            for (int k = 0; k < K; ++k) {
                if (!exists(first + k, c)) continue;
                const long long i = at(first + k, c);
                static_cast<U*>(a.u_words)[i] = u[k][c];
                a.r_words[i] = r[k][c];
                a.p_words[i] = p[k + 1][c];
                a.q_words[i] = q[k][c];
            }
        note_apart(a, 0, u_apart);
        note_apart(a, 1, r_apart);
        note_apart(a, 2, p_apart);
        note_apart(a, 3, q_apart);
    }
};

/// That products may leave so that a sum is below 2^30 (2^62 in long words of u), for sign_apart().
template <class U> constexpr FactorLimits resident_limits() {
    return {sizeof(U) == 4 ? 30 : 61, 30};
}

/// The sums of a pass and what follows from them, by the warp without columns.
template <class U>
__device__ __forceinline__ void exchange_sums(const FixedParams& a, FixedExchange& exchange, std::uint64_t pass,
                                              bool over, FixedFactors& factors, FixedResult& run) {
    unsigned long long* const words = a.sums + (pass & 1) * kFixedSums;
    send_limbs(a.limbs, exchange, over, words);
    if ((threadIdx.x & 31) != 0) return;
    double unit[3];
#pragma unroll
    for (int k = 0; k < 3; ++k) unit[k] = a.sum_unit[k];
    PassSums sums;
    const bool overflow = a.limbs == 2 ? collect<2>(words, exchange.previous[pass & 1], sums)
                                       : collect<3>(words, exchange.previous[pass & 1], sums);
    if (a.quick.scalar.nearest) close_pass<true>(a, pass, sums, unit, overflow, resident_limits<U>(), factors, run);
    else close_pass<false>(a, pass, sums, unit, overflow, resident_limits<U>(), factors, run);
}

template <int K, int C, FixedRow Row, class U>
__global__ void __launch_bounds__(kFixedThreads, 1) fixed_resident(const __grid_constant__ FixedParams a) {
    extern __shared__ int shared_rows[];
    __shared__ FixedExchange exchange;
    __shared__ FixedFactors factors;
    __shared__ FixedResult run;
    if (threadIdx.x == 0) {
        exchange = {};
        run = {};
        run.scalars = a.start;
        form_any_factors(a, a.start, resident_limits<U>(), factors);
        run.beyond = !factors.fits;
    }
    ResidentWords<K, C, Row, U> mine(a, shared_rows); // (all threads meet in it)
    const bool worker = mine.worker();
    for (std::uint64_t pass = 1; pass <= a.passes && !run.beyond; ++pass) {
        bool over = false;
        if (worker) mine.next_vectors(factors);
        __syncthreads();
        if (worker) {
            mine.rows();
            mine.send(pass);
            long long sum[3];
            mine.dots(sum);
            add_limbs(a.limbs, exchange, sum);
            over = mine.overflow();
        }
        const bool any = __syncthreads_or(static_cast<int>(over)) != 0;
        if (worker) mine.receive(pass);
        else exchange_sums<U>(a, exchange, pass, any, factors, run);
        __syncthreads();
        if (run.end != RunEnd::passes) break;
    }
    mine.store();
    if (blockIdx.x == 0 && threadIdx.x == 0) *a.result = run;
}

#endif

} // namespace mantissa::gpu
