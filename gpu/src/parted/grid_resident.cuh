// Pipelined CG over parts of a grid whose state stays on the chips: r in registers, p in shared memory, u in shared
// memory or, where that is full, in memory (which it leaves only for the second-level cache, every other pass).
//
// A block has a tile. It keeps r and p on the ring of points around the tile as well and updates them as their owner
// does, from the owner's q, which travels in packets: to blocks of the same part through its memory, to the neighbour
// part straight into that one's (see ../resident_cg.cuh). Tiles of one size more rows than fit with q form q twice.
#pragma once

#include "grid_part.hpp"
#include "grid_point.cuh"
#include "part_block.cuh"

namespace mantissa::gpu {

inline constexpr int kChipThreads = 512;

/// A tile whose threads hold up to R rows of one column each.
template <class T, int R> struct ChipShape {
    static constexpr int tx = R >= 8 ? 64 : 32, ty = kChipThreads / tx * R, sp = tx + 2, across = tx / 32;
    static constexpr bool kKeepQ = sizeof(T) * R <= 128, kSharedU = kKeepQ;
    static constexpr int kRing = (2 * (sp + ty) + kChipThreads - 33) / (kChipThreads - 32); ///< ring points of a thread
    static constexpr int kSides = (R + 31) / 32;
    static constexpr int kValues = (ty + 2) * sp + (kSharedU ? ty * tx : 0); ///< of p and u
    static constexpr std::size_t kRingFrom = (sizeof(T) * kValues + 15) / 16 * 16;
    static constexpr int kSharedR = sizeof(T) * R >= 128 ? R * 3 / 8 : 0; ///< rows of r for which registers are short
    static constexpr std::size_t kRFrom = kRingFrom + kRing * kChipThreads * (2 * sizeof(T) + 8);
    static constexpr std::size_t kBytes = kRFrom + kSharedR * kChipThreads * sizeof(T);
};

#ifdef __CUDACC__

/// A point of the ring around a tile, in shared memory.
template <class T> struct RingPoint {
    T r, q;
    int at;    ///< in a global array, or -1
    int place; ///< in ps
};

template <class T, int R> struct ChipTile : ChipShape<T, R> {
    using Shape = ChipShape<T, R>;
    using Shape::kValues, Shape::kRingFrom, Shape::kRFrom, Shape::kSharedR;
    using Shape::tx, Shape::ty, Shape::sp, Shape::across, Shape::kKeepQ, Shape::kSharedU, Shape::kRing, Shape::kSides;

    const GridPart<T>& a;
    T* const ps; ///< shared: p of the tile and its ring, (ty+2) x sp
    T* mine;     ///< my first point in ps
    T* my_u;     ///< and of u
    int tid, lane;
    int lx, ly; ///< my column, and the first of my rows
    int count;  ///< my rows in the tile
    int y0, height;
    long long own; ///< my first point in a global array
    T* rs;         ///< shared: r of my first kSharedR rows
    T r[R - kSharedR], q[kKeepQ ? R : 1];
    RingPoint<T>* ring; ///< my points of the ring, kRing of them
    T csum, cside, cn, cd;

    __device__ __forceinline__ ChipTile(const GridPart<T>& part, unsigned char* bytes)
        : a(part), ps(reinterpret_cast<T*>(bytes)), tid(static_cast<int>(threadIdx.x)), lane(tid & 31),
          csum(static_cast<T>(part.row_sum)), cside(static_cast<T>(part.side_sum)), cn(static_cast<T>(part.north)),
          cd(static_cast<T>(part.diagonal)) {
        const int warp = tid >> 5;
        lx = (warp % across) * 32 + lane;
        ly = (warp / across) * R;
        const int tile_x = static_cast<int>(blockIdx.x) % a.strips, tile_y = static_cast<int>(blockIdx.x) / a.strips;
        const int x0 = tile_x * tx;
        y0 = tile_y * a.segment_rows;
        height = max(0, min(a.segment_rows, a.rows - y0));
        count = x0 + lx < a.columns ? max(0, min(R, height - ly)) : 0;
        own = a.origin + static_cast<long long>(y0 + ly) * a.pitch + x0 + lx;
        mine = ps + (ly + 1) * sp + lx + 1;
        my_u = kSharedU ? ps + (ty + 2) * sp + ly * tx + lx : a.u + own;
        for (int i = tid; i < kValues; i += kChipThreads) ps[i] = 0;
        ring = reinterpret_cast<RingPoint<T>*>(bytes + kRingFrom) + tid;
        rs = reinterpret_cast<T*>(bytes + kRFrom) + tid;
#pragma unroll
        for (int k = 0; k < R; ++k) {
            set_r(k, k < count ? a.r[0][own + k * a.pitch] : T(0));
            if constexpr (kKeepQ) q[k] = 0;
        }
#pragma unroll
        for (int i = 0; i < kRing; ++i) find_ring(i, x0);
    }

    // (k is a constant wherever these stand)
    [[nodiscard]] __device__ __forceinline__ T r_of(int k) const {
        return k < kSharedR ? rs[k * kChipThreads] : r[k < kSharedR ? 0 : k - kSharedR];
    }
    __device__ __forceinline__ void set_r(int k, T value) {
        if (k < kSharedR) rs[k * kChipThreads] = value;
        else r[k < kSharedR ? 0 : k - kSharedR] = value;
    }
    __device__ __forceinline__ void find_ring(int i, int x0) {
        RingPoint<T>& point = ring[i * kChipThreads];
        point = {T(0), T(0), -1, 0};
        const int place = tid - 32 + i * (kChipThreads - 32); // warp 0 has the scalars to wait for
        if (tid < 32 || place >= 2 * (sp + height) || height == 0) return;
        int rx = 0, ry = 0;
        if (place < sp) rx = place - 1, ry = -1;
        else if (place < 2 * sp) rx = place - sp - 1, ry = height;
        else if (place < 2 * sp + height) rx = -1, ry = place - 2 * sp;
        else rx = tx, ry = place - 2 * sp - height;
        const int x = x0 + rx, y = y0 + ry;
        if (x < 0 || x >= a.columns || y < -a.before || y >= a.rows + a.after) return;
        point.at = static_cast<int>(a.origin + static_cast<long long>(y) * a.pitch + x);
        point.place = (ry + 1) * sp + rx + 1;
        point.r = a.r[0][point.at];
    }

    /// each(k, p, q) for my rows in order, q = A p.
    template <class Each> __device__ __forceinline__ void walk(Each&& each) const {
        const T left = mine[-sp - 1], middle = mine[-sp], right = mine[-sp + 1];
        T low = mine[-1], here = mine[0], high = mine[1];
        T below = weighted_step(cn, cd, plus(low, -left), plus(here, -middle), plus(high, -right));
#pragma unroll
        for (int k = 0; k < R; ++k) {
            const T* const row = mine + (k + 1) * sp;
            const T next_low = row[-1], next = row[0], next_high = row[1];
            const T above = weighted_step(cn, cd, plus(next_low, -low), plus(next, -here), plus(next_high, -high));
            each(k, here, point_product(csum, cside, here, plus(here, -low), plus(high, -here), below, above));
            below = above;
            low = next_low, here = next, high = next_high;
        }
    }

    /// Says to the compiler that these change, so that it keeps no addresses of single rows in registers over passes.
    __device__ __forceinline__ void forget_addresses() {
        asm volatile("" : "+l"(own), "+l"(my_u), "+r"(count), "+r"(height));
    }
    /// In batches, so that loads are under way together.
    __device__ __forceinline__ void update_u(T carry, T alpha, bool fresh) {
        constexpr int kBatch = R < 8 ? R : 8, kStep = kSharedU ? tx : 0;
        const long long step = kSharedU ? kStep : a.pitch;
#pragma unroll
        for (int k0 = 0; k0 < R; k0 += kBatch) {
            T u[kBatch];
#pragma unroll
            for (int i = 0; i < kBatch; ++i) u[i] = k0 + i < count && !fresh ? my_u[(k0 + i) * step] : T(0);
#pragma unroll
            for (int i = 0; i < kBatch; ++i) {
                const T next = next_u(u[i], carry, alpha, mine[(k0 + i) * sp], r_of(k0 + i));
                if (k0 + i < count) my_u[(k0 + i) * step] = next;
            }
        }
    }
    /// u, r and p of the next pass, r and p on the ring as well.
    __device__ __forceinline__ void update(const PassScalars& s) {
        forget_addresses();
        const T alpha = static_cast<T>(s.alpha), beta = static_cast<T>(s.beta), gamma = static_cast<T>(s.gamma),
                carry = static_cast<T>(s.carry);
        if (s.update_u) update_u(carry, alpha, s.fresh);
        if constexpr (kKeepQ) {
#pragma unroll
            for (int k = 0; k < R; ++k) {
                set_r(k, fused(-alpha, q[k], r_of(k)));
                if (k < count) mine[k * sp] = next_p(beta, mine[k * sp], gamma, r_of(k));
            }
        } else {
            walk([&](int k, T, T product) { set_r(k, k < count ? fused(-alpha, product, r_of(k)) : T(0)); });
            __syncthreads();
#pragma unroll
            for (int k = 0; k < R; ++k)
                if (k < count) mine[k * sp] = next_p(beta, mine[k * sp], gamma, r_of(k));
        }
#pragma unroll
        for (int i = 0; i < kRing; ++i) {
            RingPoint<T>& point = ring[i * kChipThreads];
            if (point.at < 0) continue;
            point.r = fused(-alpha, point.q, point.r);
            ps[point.place] = next_p(beta, ps[point.place], gamma, point.r);
        }
        __syncthreads();
    }

    /// Collects what leaves the tile while its rows are walked, then sends it.
    struct Border {
        T first, last, side[kSides];
    };
    __device__ __forceinline__ void note(Border& b, int k, T value) const {
        if constexpr (!kKeepQ) { // registers are short: each value leaves by itself
            const bool top = (ly == 0 && k == 0) || ly + k == height - 1;
            if (k < count && (top || lane == (lx < 32 ? 0 : 31))) put(k, value);
            return;
        }
        if (k == 0) b.first = value;
        if (k == count - 1) b.last = value;
        // A side column belongs to one lane of a warp: its rows are dealt to the lanes, so that they leave at once.
        const T v = __shfl_sync(~0u, value, lx < 32 ? 0 : 31);
        if (lane == k % 32) b.side[k / 32] = v;
        if constexpr (across == 1) {
            // (both sides are in the warp: the other one is sent by its own lane)
            if (lane == 31 && k < count) put(k, value);
        }
    }
    __device__ __forceinline__ void put(int k, T value) const {
        const long long i = own + k * a.pitch;
        put_at(i, y0 + ly + k, value);
    }
    __device__ __forceinline__ void put_at(long long i, int y, T value) const {
        const auto bits = static_cast<unsigned long long>(__double_as_longlong(static_cast<double>(value)));
        put_peer_packet(a.halo[buffer] + i, bits, round);
        if (y == 0 && a.before > 0) put_peer_packet(a.low_halo[buffer] + i, bits, round);
        if (y == a.rows - 1 && a.after > 0) put_peer_packet(a.high_halo[buffer] + i, bits, round);
    }
    __device__ __forceinline__ void send(const Border& b) const {
        if constexpr (!kKeepQ) return;
        if (count > 0 && ly == 0) put(0, b.first);
        if (count > 0 && ly + count == height) put(count - 1, b.last);
        // My column's rows of the side: `count` of the side's lane.
        const int from = lx < 32 ? 0 : 31, rows = __shfl_sync(~0u, count, from);
#pragma unroll
        for (int i = 0; i < kSides; ++i) {
            const int k = i * 32 + lane;
            if (k < rows) put_at(own + (from - lane) + k * a.pitch, y0 + ly + k, b.side[i]);
        }
    }
    unsigned long long round = 0; ///< of what is sent and received
    int buffer = 0;

    /// q = A p, its sums, and what of it neighbours want.
    __device__ __forceinline__ void rows(OrderFree<T>& sums) {
        forget_addresses();
        Border border{};
        walk([&](int k, T p, T product) {
            if constexpr (kKeepQ) q[k] = k < count ? product : T(0);
            note(border, k, product);
            if (k >= count) return;
            sums.add(0, r_of(k), r_of(k));
            sums.add(1, p, product);
            sums.add(2, product, product);
        });
        send(border);
    }
    /// Waits for my points of the ring: their q, or r after a defect.
    __device__ __forceinline__ bool receive(T RingPoint<T>::*what) const {
        bool ok = true;
#pragma unroll
        for (int i = 0; i < kRing; ++i) {
            RingPoint<T>& point = ring[i * kChipThreads];
            if (point.at < 0) continue;
            const PeerPacket* const from = a.halo[buffer] + point.at;
            PeerPacket packet{};
            ok = wait_until(a.view, kMaxParts,
                            [&] {
                                packet = get_peer_packet(from);
                                return packet.round == round;
                            }) &&
                 ok;
            point.*what = static_cast<T>(__longlong_as_double(static_cast<long long>(packet.value)));
        }
        return ok;
    }

    /// x += scale (u + alpha p + carry (p - r)), in memory; rows at the part's ends to the neighbours too.
    __device__ __forceinline__ void correct(const PassScalars& s) const {
#pragma unroll
        for (int k = 0; k < R; ++k) {
            if (k >= count) continue;
            const T* const u = my_u + (kSharedU ? k * tx : k * a.pitch);
            const long long i = own + k * a.pitch;
            const double x = corrected(__ldcg(a.x + i), s, s.fresh ? 0.0 : static_cast<double>(*u),
                                       static_cast<double>(mine[k * sp]), static_cast<double>(r_of(k)));
            a.x[i] = x;
            const int y = y0 + ly + k;
            if (y == 0 && a.before > 0) a.low_x[i] = x;
            if (y == a.rows - 1 && a.after > 0) a.high_x[i] = x;
        }
    }

    /// r = (b - A x) / scale from everybody's x, with the sums r.r and r.p, and what of r neighbours want. Loads of x
    /// skip L1, where another block's writes do not show. x is zero outside the grid.
    __device__ __forceinline__ void defect(double scale, OrderFree<T>& sums) {
        forget_addresses();
        const double inverse = 1 / scale, north = a.north, diagonal = a.diagonal, row_sum = a.row_sum,
                     side_sum = a.side_sum;
        Border border{};
        const double* x = a.x + own - a.pitch;
        const bool any = count > 0;
        const auto at = [&](int d) { return any ? __ldcg(x + d) : 0.0; };
        const double left = at(-1), middle = at(0), right = at(1);
        x += a.pitch;
        double low = at(-1), here = at(0), high = at(1);
        double below = weighted_step(north, diagonal, plus(low, -left), plus(here, -middle), plus(high, -right));
#pragma unroll
        for (int k = 0; k < R; ++k) {
            x += a.pitch;
            const bool in = k < count;
            const double next_low = in ? __ldcg(x - 1) : 0.0, next = in ? __ldcg(x) : 0.0,
                         next_high = in ? __ldcg(x + 1) : 0.0;
            const double above =
                weighted_step(north, diagonal, plus(next_low, -low), plus(next, -here), plus(next_high, -high));
            if (in) {
                const double product =
                    point_product(row_sum, side_sum, here, plus(here, -low), plus(high, -here), below, above);
                set_r(k, static_cast<T>(times(plus(a.b[own + k * a.pitch], -product), inverse)));
                sums.add(0, r_of(k), r_of(k));
                sums.add(1, r_of(k), mine[k * sp]);
            }
            note(border, k, r_of(k));
            below = above;
            low = next_low, here = next, high = next_high;
        }
        send(border);
    }
};

#endif

} // namespace mantissa::gpu
