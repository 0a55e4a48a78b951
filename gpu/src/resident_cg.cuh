// Pipelined CG for grids that fit the chip: the state of a tile lives in the registers and the shared memory of one
// block for the whole solve. One block on each multiprocessor, one exchange per iteration.
//
// A tile keeps r and p on the ring of points around it as well and updates them as its owner does, from the owner's q.
// So the ring of q and the three dot products are all that travels between blocks, in packets that need no fence:
//
//     traffic per iteration: 16 B for each boundary point and 48 B a block, through L2; device memory: none
#pragma once

#include "cg_control.cuh"

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

/// One fused operation, named so that owners and neighbours of a point round alike.
__device__ __forceinline__ float fused(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
}
__device__ __forceinline__ double fused(double a, double b, double c) {
    return __fma_rn(a, b, c);
}

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

/// R: rows of a thread. (Twice the threads with half the rows spill, and take 6.0 us a pass in float at level 10
/// for 5.1.)
template <class T, int R, bool Mixed>
__global__ void __launch_bounds__(kResidentThreads, 1) resident_cg(const ResidentParams a) {
    constexpr bool kSharedU = sizeof(T) * R > 64; // else in registers
    constexpr bool kOwnP = sizeof(T) * R <= 64;   // a copy of my p in registers
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    __shared__ double scratch[kResidentWarps][kSums];
    __shared__ GridState state;
    __shared__ PassScalars s;
    __shared__ Control control; // thread 0's
    constexpr int tx = resident_tile_columns(R), ty = resident_tile_rows(R), sp = tx + 2;
    T* const ps = reinterpret_cast<T*>(shared_bytes); // (ty+2) x (tx+2)
    T* const us = ps + (ty + 2) * sp;                 // ty x tx
    const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
    constexpr int across = tx / 32;
    const int lx = (warp % across) * 32 + lane, ly = (warp / across) * R;
    const int x0 = (blockIdx.x % a.tiles_across) * tx, y0 = (blockIdx.x / a.tiles_across) * ty;
    const bool column_in = x0 + lx < a.columns;
    unsigned in = 0, edge = 0; // my rows inside the grid, and on the tile's boundary
#pragma unroll
    for (int k = 0; k < R; ++k) {
        const int y = ly + k;
        in |= column_in && y0 + y < a.rows ? 1u << k : 0u;
        edge |= lx == 0 || lx == tx - 1 || y == 0 || y == ty - 1 ? 1u << k : 0u;
    }
    edge &= in;
    const long long own = a.origin + static_cast<long long>(y0 + ly) * a.pitch + x0 + lx;
    T* const mine = ps + (ly + 1) * sp + lx + 1;

    // My point of the ring, if I have one.
    int rx = 0, ry = 0;
    const int place = tid - 32; // warp 0 has the scalars to wait for
    bool ring = place >= 0 && place < 2 * (sp + ty);
    if (place < sp) rx = place - 1, ry = -1;
    else if (place < 2 * sp) rx = place - sp - 1, ry = ty;
    else if (place < 2 * sp + ty) rx = -1, ry = place - 2 * sp;
    else rx = tx, ry = place - 2 * sp - ty;
    const int rgx = x0 + rx, rgy = y0 + ry;
    ring = ring && rgx >= 0 && rgx < a.columns && rgy >= 0 && rgy < a.rows;
    const long long ring_at = a.origin + static_cast<long long>(rgy) * a.pitch + rgx;
    T ring_r = 0, ring_q = 0;

    for (int i = tid; i < (ty + 2) * sp + (kSharedU || Mixed ? ty * tx : 0); i += kResidentThreads) ps[i] = 0;
    T r[R], q[R], u[kSharedU ? 1 : R], own_p[kOwnP ? R : 1];
#pragma unroll
    for (int k = 0; k < R; ++k) {
        r[k] = !Mixed && (in >> k & 1) ? static_cast<T>(a.b[own + k * a.pitch]) : T(0);
        q[k] = 0;
        if constexpr (!kSharedU) u[k] = 0;
        if constexpr (kOwnP) own_p[k] = 0;
    }
    if (!Mixed && ring) ring_r = static_cast<T>(a.b[ring_at]);

    const T cc = static_cast<T>(a.centre), ce = static_cast<T>(a.east), cn = static_cast<T>(a.north),
            cd = static_cast<T>(a.diagonal);
    const T csum = static_cast<T>(a.centre + 2 * a.east + 2 * a.north + 4 * a.diagonal);
    const T cside = static_cast<T>(a.east + 2 * a.diagonal);
    const GridReduce grid{a.words};
    Tag tag = a.first_tag;
    // p goes on in units of the last residual norm, where it fits a float. (A norm of zero leaves nothing to go on
    // with.)
    const double unit = Mixed && a.before != nullptr && a.before->final_norm > 0 ? a.before->final_norm : 1.0;
    if (tid == 0) control.reset(a.ask, s, state, Mixed, a.before, unit);
    __syncthreads();
    if constexpr (Mixed) {
        if (a.p != nullptr) {
            const double inverse = 1 / unit;
#pragma unroll
            for (int k = 0; k < R; ++k)
                if (in >> k & 1) {
                    const T p = static_cast<T>(a.p[own + k * a.pitch] * inverse);
                    mine[k * sp] = p;
                    if constexpr (kOwnP) own_p[k] = p;
                }
            if (ring) ps[(ry + 1) * sp + rx + 1] = static_cast<T>(a.p[ring_at] * inverse);
        }
    }

    while (!s.stop) {
        if constexpr (Mixed) {
            if (s.restart) {
                // x += scale (u + alpha p), then the new defect from everybody's x.
                const bool begin = tag == a.first_tag;
                double none[kSums] = {};
                if (!begin) {
                    // Through shared memory, so that the loops over rows need not be unrolled.
                    if constexpr (!kSharedU) {
#pragma unroll
                        for (int k = 0; k < R; ++k) us[(ly + k) * tx + lx] = u[k];
                    }
#pragma unroll
                    for (int k = 0; k < R; ++k)
                        if (in >> k & 1) {
                            const double uk = us[(ly + k) * tx + lx];
                            const long long i = own + k * a.pitch;
                            a.x[i] = __ldcg(a.x + i) + s.scale * (uk + s.alpha * static_cast<double>(mine[k * sp]));
                        }
                    __syncthreads();
                    grid.publish(none, tag, scratch, state, true);
                    if (warp == 0) grid.collect(none, tag, state, true);
                    ++tag;
                }
                if (tid == 0) {
                    s.scale = control.next_scale();
                    control.expect(state, 1.0);
                }
                __syncthreads();
                const double inverse = 1 / s.scale;
                double sum[kSums] = {};
                // By way of u's place, which is free now, so that the loop stays small.
                if (in != 0) {
                    const double* const x = a.x + own;
                    DefectRow below = defect_row(a, x - a.pitch), row = defect_row(a, x);
#pragma unroll 4
                    for (int k = 0; k < R; ++k) {
                        if ((in >> k & 1) == 0) break; // my rows inside the grid come first
                        const DefectRow above = defect_row(a, x + (k + 1) * a.pitch);
                        const double d = point_defect(a.b[own + k * a.pitch], below, row, above);
                        us[(ly + k) * tx + lx] = static_cast<T>(d * inverse);
                        below = row;
                        row = above;
                    }
                }
#pragma unroll
                for (int k = 0; k < R; ++k)
                    if (in >> k & 1) {
                        r[k] = us[(ly + k) * tx + lx];
                        sum[0] += static_cast<double>(r[k]) * static_cast<double>(r[k]);
                        sum[1] += static_cast<double>(r[k]) * static_cast<double>(mine[k * sp]);
                    }
                if (ring) {
                    const double* const x = a.x + ring_at;
                    ring_r = static_cast<T>(point_defect(a.b[ring_at], defect_row(a, x - a.pitch), defect_row(a, x),
                                                         defect_row(a, x + a.pitch)) *
                                            inverse);
                }
                grid.publish(sum, tag, scratch, state, false);
                if (warp == 0) {
                    grid.collect(sum, tag, state, false);
                    if (lane == 0) control.after_defect(sum, s, state);
                }
                ++tag;
                __syncthreads();
                if (s.stop) break;
            }
        }
        const T alpha = static_cast<T>(s.alpha), beta = static_cast<T>(s.beta), gamma = static_cast<T>(s.gamma);
        const bool first = s.first;
        // The updates, in my tile and on its ring.
#pragma unroll
        for (int k = 0; k < R; ++k) {
            T p;
            if constexpr (kOwnP) p = own_p[k];
            else p = mine[k * sp];
            if constexpr (kSharedU) {
                T* const uk = us + (ly + k) * tx + lx;
                *uk = first ? T(0) : fused(alpha, p, *uk);
            } else {
                u[k] = first ? T(0) : fused(alpha, p, u[k]);
            }
            r[k] = fused(-alpha, q[k], r[k]);
            p = fused(beta, p, Mixed ? gamma * r[k] : r[k]);
            mine[k * sp] = p;
            if constexpr (kOwnP) own_p[k] = p;
        }
        if (ring) {
            T* const p = ps + (ry + 1) * sp + rx + 1;
            ring_r = fused(-alpha, ring_q, ring_r);
            *p = fused(beta, *p, Mixed ? gamma * ring_r : ring_r);
        }
        __syncthreads();
        // q = A p and the dot products.
        double sum[kSums] = {};
        {
            // Float products are added eight rows at a time, then in double.
            T rr = 0, pq = 0, qq = 0;
            const auto fold = [&](int k) {
                if (sizeof(T) == 4 ? k % 8 == 7 || k == R - 1 : k == R - 1) {
                    sum[0] += rr;
                    sum[1] += pq;
                    sum[2] += qq;
                    rr = pq = qq = 0;
                }
            };
            T left = mine[-sp - 1], mid = mine[-sp], right = mine[-sp + 1];
            if constexpr (sizeof(T) == 8) {
                T outer_below, inner_here, outer_here;
                T sides = left + right;
                outer_below = cn * mid + cd * sides;
                T here = kOwnP ? own_p[0] : mine[0];
                sides = mine[-1] + mine[1];
                inner_here = cc * here + ce * sides;
                outer_here = cn * here + cd * sides;
#pragma unroll
                for (int k = 0; k < R; ++k) {
                    const T* const row = mine + (k + 1) * sp;
                    T above;
                    if constexpr (kOwnP) above = k + 1 < R ? own_p[k + 1 < R ? k + 1 : 0] : row[0];
                    else above = row[0];
                    sides = row[-1] + row[1];
                    const T outer_above = cn * above + cd * sides;
                    T v = inner_here + (outer_below + outer_above);
                    if (!(in >> k & 1)) v = 0;
                    q[k] = v;
                    rr += r[k] * r[k];
                    pq += here * v;
                    qq += v * v;
                    fold(k);
                    inner_here = cc * above + ce * sides;
                    outer_below = outer_here;
                    outer_here = outer_above;
                    here = above;
                }
            } else {
                // Differences first: a smooth p leaves no cancellation behind, which is worth six bits of row sum.
                T l = mine[-1], here = kOwnP ? own_p[0] : mine[0], h = mine[1];
                T below = cd * ((l - left) + (h - right)) + cn * (here - mid);
#pragma unroll
                for (int k = 0; k < R; ++k) {
                    const T* const row = mine + (k + 1) * sp;
                    const T ln = row[-1], hn = row[1];
                    T next;
                    if constexpr (kOwnP) next = k + 1 < R ? own_p[k + 1 < R ? k + 1 : 0] : row[0];
                    else next = row[0];
                    const T above = cd * ((ln - l) + (hn - h)) + cn * (next - here);
                    T v = csum * here + (cside * ((h - here) - (here - l)) + (above - below));
                    if (!(in >> k & 1)) v = 0;
                    q[k] = v;
                    rr += r[k] * r[k];
                    pq += here * v;
                    qq += v * v;
                    fold(k);
                    below = above;
                    l = ln, here = next, h = hn;
                }
            }
        }
        // Boundary points of the tile go to the neighbours.
        Packet* const halo = a.halo[tag & 1];
        const auto send = [&](int k) { put_packet(halo + own + k * a.pitch, static_cast<double>(q[k]), tag); };
        if constexpr (R >= 4) {
            if (ly == 0 && (in & 1) != 0) send(0);
            if (ly + R == ty && (in >> (R - 1) & 1) != 0) send(R - 1);
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
        grid.publish(sum, tag, scratch, state, false);
        if (warp == 0) {
            grid.collect(sum, tag, state, false);
            if (lane == 0) control.after_pass(sum, s, state, Mixed);
        } else if (ring) {
            ring_q = static_cast<T>(wait_packet(a.halo[tag & 1] + ring_at, tag));
        }
        ++tag;
        __syncthreads();
        if (s.stop) break;
    }
    if constexpr (!Mixed) {
        const T alpha = static_cast<T>(s.alpha);
#pragma unroll
        for (int k = 0; k < R; ++k)
            if (in >> k & 1) {
                const T uk = kSharedU ? us[(ly + k) * tx + lx] : u[kSharedU ? 0 : k];
                a.x[own + k * a.pitch] = static_cast<double>(uk + alpha * mine[k * sp]);
                if (a.p != nullptr) a.p[own + k * a.pitch] = static_cast<double>(mine[k * sp]);
            }
    }
    if (blockIdx.x == 0 && tid == 0) *a.result = control.result;
}

#endif

} // namespace mantissa::gpu
