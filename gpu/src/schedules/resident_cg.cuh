// Pipelined CG for grids that fit the chip: the state of a tile lives in the registers and the shared memory of one
// block for the whole solve. One block on each multiprocessor, one exchange per iteration.
//
// A tile keeps r and p on the ring of points around it as well and updates them as its owner does, from the owner's q.
// So the ring of q and the three dot products are all that travels between blocks, in packets that need no fence:
//
//     traffic per iteration: 16 B for each boundary point and 48 B a block, through L2; device memory: none
#pragma once

#include "schedules/cg_control.cuh"

namespace mantissa::gpu {

inline constexpr int kResidentThreads = 512;
inline constexpr int kResidentWarps = kResidentThreads / 32;

/// The tile of a block whose threads hold `depth` rows of one column each.
constexpr int resident_tile_columns(int depth) {
    return depth >= 8 ? 64 : 32;
}
constexpr int resident_tile_rows(int depth) {
    return kResidentThreads / resident_tile_columns(depth) * depth;
}

struct ResidentParams {
    int columns, rows; ///< interior points
    int tiles_across;
    long long pitch, origin; ///< element (x, y) of a global array is at origin + y * pitch + x
    double centre, east, north, diagonal;
    const double* b;
    double* x;                   ///< the iterate; mixed: zero at the start, or what the launch before left
    double* p;                   ///< null, or where p goes at the end (not mixed), or comes from (mixed)
    const ControlResult* before; ///< mixed: of the launch that this one continues, with p; or null
    unsigned long long* words;   ///< of GridReduce
    Packet* halo[2];             ///< q of boundary points, indexed like a global array
    Tag first_tag;
    ControlParams ask;
    ControlResult* result;
};

#ifdef __CUDACC__

/// What a row of x adds to the defects of its own points and of the rows beside it. x is zero outside the grid. Loads
/// skip L1, where another block's writes do not show.
struct DefectRow {
    double inner, outer;
};
__device__ __forceinline__ DefectRow defect_row(const ResidentParams& a, const double* x) {
    const double here = __ldcg(x), sides = __dadd_rn(__ldcg(x - 1), __ldcg(x + 1));
    return {__fma_rn(a.centre, here, __dmul_rn(a.east, sides)), __fma_rn(a.north, here, __dmul_rn(a.diagonal, sides))};
}

/// The defect b - A x of a point in double precision; owner and neighbours of a point round alike.
__device__ __forceinline__ double point_defect(double b, const DefectRow& below, const DefectRow& row,
                                               const DefectRow& above) {
    return __dadd_rn(b, -__dadd_rn(row.inner, __dadd_rn(below.outer, above.outer)));
}

/// Where a thread stands: its R rows of one column of its block's tile, and its point of the ring around the tile, if
/// it has one.
template <class T, int R> struct ResidentPlace {
    static constexpr bool kSharedU = sizeof(T) * R > 64; ///< u in shared memory, else in registers
    static constexpr bool kOwnP = sizeof(T) * R <= 64;   ///< a copy of my p in registers
    static constexpr int tx = resident_tile_columns(R), ty = resident_tile_rows(R), sp = tx + 2;
    static constexpr int across = tx / 32; ///< warps

    const ResidentParams& a;
    T* const ps; ///< shared: p of the tile and its ring, (ty+2) x (tx+2)
    T* const us; ///< shared: ty x tx
    int tid, lane, warp;
    int lx, ly;        ///< my column, and the first of my rows
    unsigned in, edge; ///< my rows inside the grid, and of those the ones on the tile's boundary
    long long own;     ///< my first point in a global array
    T* mine;           ///< and in ps
    bool ring;
    long long ring_at; ///< my point of the ring in a global array
    T* ring_p;         ///< and in ps

    __device__ __forceinline__ ResidentPlace(const ResidentParams& params, unsigned char* shared_bytes)
        : a(params), ps(reinterpret_cast<T*>(shared_bytes)), us(ps + (ty + 2) * sp), tid(threadIdx.x), lane(tid & 31),
          warp(tid >> 5), lx((warp % across) * 32 + lane), ly((warp / across) * R) {
        const int x0 = (blockIdx.x % a.tiles_across) * tx, y0 = (blockIdx.x / a.tiles_across) * ty;
        const bool column_in = x0 + lx < a.columns;
        in = edge = 0;
#pragma unroll
        for (int k = 0; k < R; ++k) {
            const int y = ly + k;
            in |= column_in && y0 + y < a.rows ? 1u << k : 0u;
            edge |= lx == 0 || lx == tx - 1 || y == 0 || y == ty - 1 ? 1u << k : 0u;
        }
        edge &= in;
        own = a.origin + static_cast<long long>(y0 + ly) * a.pitch + x0 + lx;
        mine = ps + (ly + 1) * sp + lx + 1;
        find_ring(x0, y0);
    }

    /// x0, y0: the tile's first point.
    __device__ __forceinline__ void find_ring(int x0, int y0) {
        int rx = 0, ry = 0;
        const int place = tid - 32; // warp 0 has the scalars to wait for
        ring = place >= 0 && place < 2 * (sp + ty);
        if (place < sp) rx = place - 1, ry = -1;
        else if (place < 2 * sp) rx = place - sp - 1, ry = ty;
        else if (place < 2 * sp + ty) rx = -1, ry = place - 2 * sp;
        else rx = tx, ry = place - 2 * sp - ty;
        const int rgx = x0 + rx, rgy = y0 + ry;
        ring = ring && rgx >= 0 && rgx < a.columns && rgy >= 0 && rgy < a.rows;
        ring_at = a.origin + static_cast<long long>(rgy) * a.pitch + rgx;
        ring_p = ps + (ry + 1) * sp + rx + 1;
    }

    [[nodiscard]] __device__ __forceinline__ bool is_in(int k) const {
        return (in >> k & 1) != 0;
    }
    [[nodiscard]] __device__ __forceinline__ T* shared_u(int k) const {
        return us + (ly + k) * tx + lx;
    }
};

/// The stencil's coefficients, and sums of them for rows by differences.
template <class T> struct ResidentStencil {
    T cc, ce, cn, cd, csum, cside;

    __device__ __forceinline__ explicit ResidentStencil(const ResidentParams& a)
        : cc(static_cast<T>(a.centre)), ce(static_cast<T>(a.east)), cn(static_cast<T>(a.north)),
          cd(static_cast<T>(a.diagonal)), csum(static_cast<T>(a.centre + 2 * a.east + 2 * a.north + 4 * a.diagonal)),
          cside(static_cast<T>(a.east + 2 * a.diagonal)) {}
};

/// The dot products of R rows. Float products are added eight rows at a time, then in double.
template <class T, int R> struct ResidentDots {
    double (&sum)[kSums];
    T rr = 0, pq = 0, qq = 0;

    __device__ __forceinline__ explicit ResidentDots(double (&to)[kSums]) : sum(to) {}
    /// Row k; the rows come in order.
    __device__ __forceinline__ void add(int k, T r, T p, T q) {
        rr += r * r;
        pq += p * q;
        qq += q * q;
        if (sizeof(T) == 4 ? k % 8 == 7 || k == R - 1 : k == R - 1) {
            sum[0] += rr;
            sum[1] += pq;
            sum[2] += qq;
            rr = pq = qq = 0;
        }
    }
};

/// A thread's part of the vectors, in registers, and what a pass does with it.
template <class T, int R, bool Mixed> struct ResidentTile : ResidentPlace<T, R> {
    using Place = ResidentPlace<T, R>;
    using Place::a, Place::ps, Place::us, Place::tid, Place::lane, Place::lx, Place::ly;
    using Place::in, Place::edge, Place::own, Place::mine, Place::ring, Place::ring_at, Place::ring_p;
    using Place::is_in, Place::shared_u;
    using Place::kSharedU, Place::kOwnP, Place::tx, Place::ty, Place::sp, Place::across;

    T r[R], q[R], u[kSharedU ? 1 : R], own_p[kOwnP ? R : 1];
    T ring_r = 0, ring_q = 0;

    /// r = b, or zero where mixed; zeros for the others.
    __device__ __forceinline__ ResidentTile(const ResidentParams& params, unsigned char* shared_bytes)
        : Place(params, shared_bytes) {
        for (int i = tid; i < (ty + 2) * sp + (kSharedU || Mixed ? ty * tx : 0); i += kResidentThreads) ps[i] = 0;
#pragma unroll
        for (int k = 0; k < R; ++k) {
            r[k] = !Mixed && is_in(k) ? static_cast<T>(a.b[own + k * a.pitch]) : T(0);
            q[k] = 0;
            if constexpr (!kSharedU) u[k] = 0;
            if constexpr (kOwnP) own_p[k] = 0;
        }
        if (!Mixed && ring) ring_r = static_cast<T>(a.b[ring_at]);
    }

    [[nodiscard]] __device__ __forceinline__ T p_of(int k) const {
        if constexpr (kOwnP) return own_p[k];
        else return mine[k * sp];
    }
    __device__ __forceinline__ void set_p(int k, T p) {
        mine[k * sp] = p;
        if constexpr (kOwnP) own_p[k] = p;
    }

    /// p as the launch before left it, in units of `unit`.
    __device__ __forceinline__ void load_p(double unit) {
        const double inverse = 1 / unit;
#pragma unroll
        for (int k = 0; k < R; ++k)
            if (is_in(k)) set_p(k, static_cast<T>(a.p[own + k * a.pitch] * inverse));
        if (ring) *ring_p = static_cast<T>(a.p[ring_at] * inverse);
    }

    /// x += scale (u + alpha p), in memory.
    __device__ __forceinline__ void add_correction(const PassScalars& s) {
        // Through shared memory, so that the loops over rows need not be unrolled.
        if constexpr (!kSharedU) {
#pragma unroll
            for (int k = 0; k < R; ++k) *shared_u(k) = u[k];
        }
#pragma unroll
        for (int k = 0; k < R; ++k)
            if (is_in(k)) {
                const double uk = *shared_u(k);
                const long long i = own + k * a.pitch;
                a.x[i] = __ldcg(a.x + i) + s.scale * (uk + s.alpha * static_cast<double>(mine[k * sp]));
            }
        __syncthreads();
    }

    /// r = (b - A x) / scale from everybody's x, with the sums r.r and r.p.
    __device__ __forceinline__ void form_defect(double scale, double (&sum)[kSums]) {
        const double inverse = 1 / scale;
        // By way of u's place, which is free now, so that the loop stays small.
        if (in != 0) {
            const double* const x = a.x + own;
            DefectRow below = defect_row(a, x - a.pitch), row = defect_row(a, x);
#pragma unroll 4
            for (int k = 0; k < R; ++k) {
                if (!is_in(k)) break; // my rows inside the grid come first
                const DefectRow above = defect_row(a, x + (k + 1) * a.pitch);
                const double d = point_defect(a.b[own + k * a.pitch], below, row, above);
                *shared_u(k) = static_cast<T>(d * inverse);
                below = row;
                row = above;
            }
        }
#pragma unroll
        for (int k = 0; k < R; ++k)
            if (is_in(k)) {
                r[k] = *shared_u(k);
                sum[0] += static_cast<double>(r[k]) * static_cast<double>(r[k]);
                sum[1] += static_cast<double>(r[k]) * static_cast<double>(mine[k * sp]);
            }
        if (ring) {
            const double* const x = a.x + ring_at;
            ring_r = static_cast<T>(
                point_defect(a.b[ring_at], defect_row(a, x - a.pitch), defect_row(a, x), defect_row(a, x + a.pitch)) *
                inverse);
        }
    }

    /// u, r and p of the next pass, r and p on the ring as well.
    __device__ __forceinline__ void update(const PassScalars& s) {
        const T alpha = static_cast<T>(s.alpha), beta = static_cast<T>(s.beta), gamma = static_cast<T>(s.gamma);
        const bool first = s.first;
#pragma unroll
        for (int k = 0; k < R; ++k) {
            const T p = p_of(k);
            if constexpr (kSharedU) {
                T* const uk = shared_u(k);
                *uk = first ? T(0) : fused(alpha, p, *uk);
            } else {
                u[k] = first ? T(0) : fused(alpha, p, u[k]);
            }
            r[k] = fused(-alpha, q[k], r[k]);
            set_p(k, fused(beta, p, Mixed ? gamma * r[k] : r[k]));
        }
        if (ring) {
            ring_r = fused(-alpha, ring_q, ring_r);
            *ring_p = fused(beta, *ring_p, Mixed ? gamma * ring_r : ring_r);
        }
        __syncthreads();
    }

    /// p of the row above my row k.
    [[nodiscard]] __device__ __forceinline__ T p_above(int k) const {
        if constexpr (kOwnP) return k + 1 < R ? own_p[k + 1 < R ? k + 1 : 0] : mine[(k + 1) * sp];
        else return mine[(k + 1) * sp];
    }

    /// q = A p and the dot products.
    __device__ __forceinline__ void rows(const ResidentStencil<T>& c, double (&sum)[kSums]) {
        if constexpr (sizeof(T) == 8) rows_by_sums(c, sum);
        else rows_by_differences(c, sum);
    }
    __device__ __forceinline__ void rows_by_sums(const ResidentStencil<T>& c, double (&sum)[kSums]) {
        ResidentDots<T, R> dots(sum);
        T sides = mine[-sp - 1] + mine[-sp + 1];
        T outer_below = c.cn * mine[-sp] + c.cd * sides;
        T here = p_of(0);
        sides = mine[-1] + mine[1];
        T inner_here = c.cc * here + c.ce * sides;
        T outer_here = c.cn * here + c.cd * sides;
#pragma unroll
        for (int k = 0; k < R; ++k) {
            const T* const row = mine + (k + 1) * sp;
            const T above = p_above(k);
            sides = row[-1] + row[1];
            const T outer_above = c.cn * above + c.cd * sides;
            const T v = inner_here + (outer_below + outer_above);
            q[k] = is_in(k) ? v : T(0);
            dots.add(k, r[k], here, q[k]);
            inner_here = c.cc * above + c.ce * sides;
            outer_below = outer_here;
            outer_here = outer_above;
            here = above;
        }
    }
    /// Differences first: a smooth p leaves no cancellation behind, which is worth six bits of row sum.
    __device__ __forceinline__ void rows_by_differences(const ResidentStencil<T>& c, double (&sum)[kSums]) {
        ResidentDots<T, R> dots(sum);
        const T left = mine[-sp - 1], middle = mine[-sp], right = mine[-sp + 1];
        T low = mine[-1], here = p_of(0), high = mine[1];
        T below = c.cd * ((low - left) + (high - right)) + c.cn * (here - middle);
#pragma unroll
        for (int k = 0; k < R; ++k) {
            const T* const row = mine + (k + 1) * sp;
            const T next_low = row[-1], next_high = row[1], next = p_above(k);
            const T above = c.cd * ((next_low - low) + (next_high - high)) + c.cn * (next - here);
            const T v = c.csum * here + (c.cside * ((high - here) - (here - low)) + (above - below));
            q[k] = is_in(k) ? v : T(0);
            dots.add(k, r[k], here, q[k]);
            below = above;
            low = next_low, here = next, high = next_high;
        }
    }

    /// q of the tile's boundary points goes to the neighbours.
    __device__ __forceinline__ void send_boundary(Tag tag) const {
        Packet* const halo = a.halo[tag & 1];
        const auto send = [&](int k) { put_packet(halo + own + k * a.pitch, static_cast<double>(q[k]), tag); };
        if constexpr (R >= 4) {
            if (ly == 0 && is_in(0)) send(0);
            if (ly + R == ty && is_in(R - 1)) send(R - 1);
            // A side column belongs to one lane of a warp: its rows are dealt to the lanes, so that they leave at once.
            const auto send_side = [&](int from) {
                T value = 0;
#pragma unroll
                for (int k = 0; k < R; ++k) {
                    const T v = __shfl_sync(~0u, q[k], from);
                    if (lane == k) value = v;
                }
                const unsigned rows_in = __shfl_sync(~0u, in, from);
                if (lane < R && (rows_in >> lane & 1) != 0)
                    put_packet(halo + own + (from - lane) + lane * a.pitch, static_cast<double>(value), tag);
            };
            if (across == 1 || lx < 32) send_side(0);
            if (across == 1 || lx >= tx - 32) send_side(31);
        } else {
#pragma unroll
            for (int k = 0; k < R; ++k)
                if (edge >> k & 1) send(k);
        }
    }
    /// Waits for q of my point of the ring.
    __device__ __forceinline__ void receive_ring(Tag tag) {
        ring_q = static_cast<T>(wait_packet(a.halo[tag & 1] + ring_at, tag));
    }

    /// x = u + alpha p, and p where it is wanted, into memory.
    __device__ __forceinline__ void store(const PassScalars& s) const {
        const T alpha = static_cast<T>(s.alpha);
#pragma unroll
        for (int k = 0; k < R; ++k)
            if (is_in(k)) {
                const T uk = kSharedU ? *shared_u(k) : u[kSharedU ? 0 : k];
                a.x[own + k * a.pitch] = static_cast<double>(uk + alpha * mine[k * sp]);
                if (a.p != nullptr) a.p[own + k * a.pitch] = static_cast<double>(mine[k * sp]);
            }
    }
};

/// A restart: what the inner solve has found goes to x, and r becomes the new defect.
template <class T, int R>
__device__ __forceinline__ void restart_resident(ResidentTile<T, R, true>& tile, ControlBlock& block) {
    if (block.tag != tile.a.first_tag) {
        tile.add_correction(block.scalars);
        block.meet();
    }
    block.rescale();
    double sum[kSums] = {};
    tile.form_defect(block.scalars.scale, sum);
    block.publish(sum, false);
    if (tile.warp == 0) {
        block.collect(sum, false);
        if (tile.lane == 0) block.control.after_defect(sum, block.scalars, block.state);
    }
    block.next();
}

/// R: rows of a thread. (Twice the threads with half the rows spill, and take 6.0 us a pass in float at level 10
/// for 5.1.)
template <class T, int R, bool Mixed>
__global__ void __launch_bounds__(kResidentThreads, 1) resident_cg(const ResidentParams a) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    __shared__ double scratch[kResidentWarps][kSums];
    __shared__ GridState state;
    __shared__ PassScalars s;
    __shared__ Control control; // thread 0's
    ResidentTile<T, R, Mixed> tile(a, shared_bytes);
    const ResidentStencil<T> stencil(a);
    ControlBlock block{{a.words}, scratch, state, s, control, a.first_tag};
    // p goes on in units of the last residual norm, where it fits a float. (A norm of zero leaves nothing to go on
    // with.)
    const double unit = Mixed && a.before != nullptr && a.before->final_norm > 0 ? a.before->final_norm : 1.0;
    if (tile.tid == 0) control.reset(a.ask, s, state, Mixed, a.before, unit);
    __syncthreads();
    if constexpr (Mixed)
        if (a.p != nullptr) tile.load_p(unit);

    while (!s.stop) {
        if constexpr (Mixed) {
            if (s.restart) {
                restart_resident(tile, block);
                if (s.stop) break;
            }
        }
        tile.update(s);
        double sum[kSums] = {};
        tile.rows(stencil, sum);
        tile.send_boundary(block.tag);
        block.publish(sum, false);
        if (tile.warp == 0) {
            block.collect(sum, false);
            if (tile.lane == 0) control.after_pass(sum, s, state, Mixed);
        } else if (tile.ring) {
            tile.receive_ring(block.tag);
        }
        block.next();
    }
    if constexpr (!Mixed) tile.store(s);
    if (blockIdx.x == 0 && tile.tid == 0) *a.result = control.result;
}

#endif

} // namespace mantissa::gpu
