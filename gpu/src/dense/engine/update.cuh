// What follows a panel: its rows of U, and the trailing matrix. An element takes its products in ascending order in a
// register, so that its sequence of roundings is the definition's.
#pragma once

#include "problem.cuh"

namespace mantissa::gpu::lu {

#ifdef __CUDACC__

inline constexpr int kTile = 64; ///< rows and columns of the trailing matrix that a block takes

/// Rows begin .. end of U, columns first .. column_end: 32 columns a block, from the top row down.
template <class Sums>
__global__ __launch_bounds__(kThreads) void form_rows(const __grid_constant__ Problem<Sums> p, int begin, int end,
                                                      int first, int column_end) {
    using W = typename Sums::W;
    using Op = typename Sums::Op;
    if (over(p, begin)) return;
    __shared__ Op l[kPanel][kPanel + 1], u[kPanel];
    const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) >> 5;
    const int depth = end - begin, column = first + static_cast<int>(blockIdx.x) * 32 + lane;
    constexpr int kEach = kPanel / kWarps;
    W w[kEach];
    int row[kEach];
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
        const int i = warp + e * kWarps;
        if (i >= depth) continue;
        row[e] = static_cast<int>(p.row_at[begin + i]);
        if (column < column_end) w[e] = p.row(row[e])[column];
        if (lane < i) l[i][lane] = p.factor_row(row[e])[begin + lane];
    }
    __syncthreads();
    for (int k = 0; k < depth; ++k) {
#pragma unroll
        for (int e = 0; e < kEach; ++e)
            if (warp + e * kWarps == k && column < column_end) {
                Marks marks;
                u[lane] = static_cast<Op>(p.sums.rounded(w[e], marks));
                note(p.fault, marks, begin + k);
                p.factor_row(row[e])[column] = u[lane];
            }
        __syncthreads();
        if (column < column_end) {
            Marks marks;
#pragma unroll
            for (int e = 0; e < kEach; ++e) {
                const int i = warp + e * kWarps;
                if (i > k && i < depth) w[e] = p.sums.subtract(w[e], l[i][k], u[lane], marks);
            }
            note(p.fault, marks, begin + k);
        }
        __syncthreads();
    }
}

/// Positions and columns of a part of the trailing matrix.
struct Part {
    int row_begin, row_end, column_begin, column_end;
};

/// A 64 x 64 tile: 16 elements a thread, at rows y + 16 a and columns x + 16 b.
template <class Sums> struct Tile {
    using W = typename Sums::W;
    using Op = typename Sums::Op;
    static constexpr int kEach = kTile / 16;
    struct Shared {
        Op l[kPanel][kTile + 1], u[kPanel][kTile];
        int row[kTile];
    };
    const Problem<Sums>& p;
    const Part& part;
    Shared& s;
    int x = static_cast<int>(threadIdx.x) & 15, y = static_cast<int>(threadIdx.x) >> 4;
    int i0 = part.row_begin + static_cast<int>(blockIdx.y) * kTile, rows = min(kTile, part.row_end - i0),
        j0 = part.column_begin + static_cast<int>(blockIdx.x) * kTile, columns = min(kTile, part.column_end - j0);
    W w[kEach][kEach];

    __device__ void load_rows() {
        const int t = static_cast<int>(threadIdx.x);
        if (t < kTile) s.row[t] = t < rows ? static_cast<int>(p.row_at[i0 + t]) : -1;
        __syncthreads();
    }
    /// L's columns and U's rows begin .. begin + depth; beyond the edges what leaves no mark.
    __device__ void load_factors(int begin, int depth) {
        const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) >> 5;
        constexpr Op kNothing = Sums::kWindow ? std::numeric_limits<Op>::quiet_NaN() : Op(0);
        for (int i = warp; i < kTile; i += kWarps)
            s.l[lane][i] = i >= rows ? kNothing : lane < depth ? p.factor_row(s.row[i])[begin + lane] : Op(0);
        for (int m = warp; m < kPanel; m += kWarps) {
            const Op* from = m < depth ? p.factor_row(static_cast<int>(p.row_at[begin + m])) + j0 : nullptr;
            for (int j = lane; j < kTile; j += 32) s.u[m][j] = m < depth && j < columns ? from[j] : Op(0);
        }
        __syncthreads();
    }
    template <class Action> __device__ __forceinline__ void each(Action&& action) {
#pragma unroll
        for (int a = 0; a < kEach; ++a)
#pragma unroll
            for (int b = 0; b < kEach; ++b) action(a, b, y + 16 * a, x + 16 * b);
    }
    __device__ void load() {
        each([&](int a, int b, int i, int j) { w[a][b] = i < rows && j < columns ? p.row(s.row[i])[j0 + j] : W(0); });
    }
    __device__ void store() {
        each([&](int a, int b, int i, int j) {
            if (i < rows && j < columns) p.row(s.row[i])[j0 + j] = w[a][b];
        });
    }
    template <class Action> __device__ __forceinline__ void products(int m, Action&& action) {
        Op l[kEach], u[kEach];
#pragma unroll
        for (int a = 0; a < kEach; ++a) {
            l[a] = s.l[m][y + 16 * a];
            u[a] = s.u[m][x + 16 * a];
        }
#pragma unroll
        for (int a = 0; a < kEach; ++a)
#pragma unroll
            for (int b = 0; b < kEach; ++b) action(a, b, l[a], u[b]);
    }
    template <bool Exact> __device__ void apply(int begin, int depth) {
        int first = INT_MAX; // the column of the first product outside the window
        for (int m = 0; m < depth; ++m) {
            Marks marks;
            products(
                m, [&](int a, int b, Op l, Op u) { w[a][b] = p.sums.template subtract<Exact>(w[a][b], l, u, marks); });
            if (marks.outside) first = min(first, begin + m);
        }
        if (first != INT_MAX) note(p.fault, FaultRank::overflow, first);
    }
    __device__ void apply(int begin, int depth) {
        if constexpr (Sums::kWindow) apply<true>(begin, depth);
        else if (p.sums.exact_product) apply<true>(begin, depth);
        else apply<false>(begin, depth);
    }
    __device__ bool fast(int depth);
    __device__ void apply_fast(int depth);
};

/// WordSums: do all sums and products of the tile stay below 2^50 and 2^51 units, and products inside the window?
template <> inline __device__ bool Tile<WordSums>::fast(int depth) {
    const int m = static_cast<int>(threadIdx.x) >> 3, part8 = static_cast<int>(threadIdx.x) & 7;
    double l = 0, u = 0;
    bool good = true;
    for (int k = part8; k < kTile; k += 8) {
        l = fmax(l, fabs(s.l[m][k]));
        u = fmax(u, fabs(s.u[m][k]));
        good = good && (k >= rows || isfinite(s.l[m][k])) && isfinite(s.u[m][k]);
    }
#pragma unroll
    for (int mask = 4; mask > 0; mask >>= 1) {
        l = fmax(l, __shfl_xor_sync(~0u, l, mask));
        u = fmax(u, __shfl_xor_sync(~0u, u, mask));
    }
    const double most = l * u * p.sums.unit;
    good = good && most < p.sums.limit && most * kPanel < 0x1p50;
    each([&](int a, int b, int, int) { good = good && w[a][b] < (1LL << 50) && w[a][b] > -(1LL << 50); });
    return __syncthreads_and(static_cast<int>(good)) != 0;
}

/// WordSums in double, whose whole numbers hold every sum here. m is 2^52 with the product's sign: l u + m, rounded
/// toward zero, is m and the product truncated, for beyond 2^52 doubles are whole numbers.
template <> inline __device__ void Tile<WordSums>::apply_fast(int depth) {
    constexpr int kSign = static_cast<int>(0x80000000u), kShift = 0x43300000; // of 2^52: the high word
    double v[kEach][kEach];
    each([&](int a, int b, int, int) { v[a][b] = static_cast<double>(w[a][b]); });
    for (int m = 0; m < depth; ++m) {
        double l[kEach], u[kEach];
        int sign[kEach], shift[kEach];
#pragma unroll
        for (int a = 0; a < kEach; ++a) {
            l[a] = s.l[m][y + 16 * a];
            sign[a] = __double2hiint(l[a]) & kSign;
            u[a] = s.u[m][x + 16 * a] * p.sums.unit;
            shift[a] = (__double2hiint(u[a]) & kSign) | kShift;
        }
#pragma unroll
        for (int a = 0; a < kEach; ++a)
#pragma unroll
            for (int b = 0; b < kEach; ++b) {
                const double beyond = __hiloint2double(sign[a] ^ shift[b], 0);
                v[a][b] = __dsub_rn(v[a][b], __dsub_rn(__fma_rz(l[a], u[b], beyond), beyond));
            }
    }
    each([&](int a, int b, int, int) { w[a][b] = __double2ll_rn(v[a][b]); });
}

template <class Sums>
__global__ __launch_bounds__(kThreads) void update_part(const __grid_constant__ Problem<Sums> p, int begin, int depth,
                                                        Part part) {
    if (over(p, begin)) return;
    __shared__ typename Tile<Sums>::Shared shared;
    Tile<Sums> tile{p, part, shared};
    tile.load_rows();
    tile.load();
    tile.load_factors(begin, depth);
    if constexpr (std::is_same_v<Sums, WordSums>) {
        if (tile.fast(depth)) tile.apply_fast(depth);
        else tile.apply(begin, depth);
    } else {
        tile.apply(begin, depth);
    }
    tile.store();
}

/// order=blocked in a floating format: the panel's products as one sum.
template <class Sums>
__global__ __launch_bounds__(kThreads) void update_by_sum(const __grid_constant__ Problem<Sums> p, int begin, int depth,
                                                          Part part) {
    using W = typename Sums::W;
    using Op = typename Sums::Op;
    if (over(p, begin)) return;
    __shared__ typename Tile<Sums>::Shared shared;
    Tile<Sums> tile{p, part, shared};
    tile.load_rows();
    for (int done = 0; done < depth; done += kPanel) {
        const int chunk = min(kPanel, depth - done);
        tile.load_factors(begin + done, chunk);
        for (int m = 0; m < chunk; ++m)
            tile.products(m, [&](int a, int b, Op l, Op u) {
                W& s = tile.w[a][b];
                s = done + m == 0 ? p.sums.first_term(l, u) : p.sums.next_term(s, l, u);
            });
        __syncthreads();
    }
    tile.each([&](int a, int b, int i, int j) {
        if (i >= tile.rows || j >= tile.columns) return;
        W& w = p.row(shared.row[i])[tile.j0 + j];
        w = p.sums.sum.sub(w, tile.w[a][b]);
    });
}

#endif

} // namespace mantissa::gpu::lu
