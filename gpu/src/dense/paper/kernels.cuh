// The paper's fragment programs and the quads that they are drawn over. A quad is a rectangle of elements; a program
// fetches from the source surface and gives one element of the target.
#pragma once

#include "dense/full/grid_meeting.cuh"
#include "mantissa/gpu/lu_paper.hpp"

namespace mantissa::gpu::dense {

struct PaperParams {
    void* surface[2];            ///< by rows of `pitch` words
    int n, pitch;                ///< pitch: n, or n and the right-hand sides
    unsigned long long* counts;  ///< [kPaperPasses][4]: fragments, bytes, divisions, mads
    unsigned long long* barrier; ///< zero
    unsigned* rows;              ///< pivot's row of each step, where pivoted
    unsigned* columns;
    void* best_value; ///< [blocks]: what each found in the search
    unsigned* best_place;
    int* end; ///< LuEnd, and the step
};

#ifdef __CUDACC__

struct Quad {
    int row, rows, column, columns;
};

/// A load that hits the nearest cache and that no compiler leaves out.
__device__ __forceinline__ float fetch_again(const float* from) {
    float v;
    asm volatile("ld.global.ca.f32 %0, [%1];" : "=f"(v) : "l"(from));
    return v;
}
__device__ __forceinline__ double fetch_again(const double* from) {
    double v;
    asm volatile("ld.global.ca.f64 %0, [%1];" : "=d"(v) : "l"(from));
    return v;
}

/// What a thread counts, and where it fetches.
template <class T, bool Count, bool OneTexel> struct Fragments {
    const T* source;
    T* target;
    long long pitch;
    unsigned long long fragments = 0, bytes = 0, divisions = 0, mads = 0;

    /// `texel`: which of the three fetches of a program.
    __device__ __forceinline__ T fetch(int row, int column, int texel) {
        if constexpr (Count) bytes += sizeof(T);
        if constexpr (OneTexel) return fetch_again(source + texel);
        else return source[row * pitch + column];
    }
    __device__ __forceinline__ void write(int row, int column, T value) {
        if constexpr (Count) bytes += sizeof(T), ++fragments;
        target[row * pitch + column] = value;
    }
    __device__ __forceinline__ T divide(T a, T b) {
        if constexpr (Count) ++divisions;
        return a / b;
    }
    __device__ __forceinline__ T mad(T a, T b, T c) { // c - a b, each rounded
        if constexpr (Count) ++mads;
        if constexpr (sizeof(T) == 4) return __fsub_rn(c, __fmul_rn(a, b));
        else return __dsub_rn(c, __dmul_rn(a, b));
    }
    __device__ void flush(unsigned long long* to) {
        if constexpr (Count) {
            for (unsigned long long* x : {&fragments, &bytes, &divisions, &mads}) {
                for (int d = 16; d > 0; d >>= 1) *x += __shfl_xor_sync(~0u, *x, d);
                if ((threadIdx.x & 31) == 0 && *x != 0) atomicAdd(to, *x);
                ++to;
                *x = 0;
            }
        }
    }
};

/// Draws `program(row, column)` over a quad: a warp takes a few rows of 128 columns, or, where the quad is
/// narrow, 256 rows of one column.
template <class Surface, class Program>
__device__ __forceinline__ void render(Surface& s, const Quad& q, const Program& program) {
    const int lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x >> 5);
    const int warp = (threadIdx.x >> 5) * gridDim.x + blockIdx.x; // neighbours on different multiprocessors
    using T = decltype(program(0, 0));
    if (q.columns <= 2) {
        const int groups = (q.rows + 255) / 256;
        for (int unit = warp; unit < groups * q.columns; unit += warps) {
            const int column = q.column + unit / groups, first = q.row + unit % groups * 256 + lane;
            T v[8];
#pragma unroll
            for (int e = 0; e < 8; ++e)
                if (first + 32 * e < q.row + q.rows) v[e] = program(first + 32 * e, column);
#pragma unroll
            for (int e = 0; e < 8; ++e)
                if (first + 32 * e < q.row + q.rows) s.write(first + 32 * e, column, v[e]);
        }
        return;
    }
    if (q.rows <= 2) { // the same across
        const int groups = (q.columns + 255) / 256;
        for (int unit = warp; unit < groups * q.rows; unit += warps) {
            const int row = q.row + unit / groups, first = q.column + unit % groups * 256 + lane;
            T v[8];
#pragma unroll
            for (int e = 0; e < 8; ++e)
                if (first + 32 * e < q.column + q.columns) v[e] = program(row, first + 32 * e);
#pragma unroll
            for (int e = 0; e < 8; ++e)
                if (first + 32 * e < q.column + q.columns) s.write(row, first + 32 * e, v[e]);
        }
        return;
    }
    constexpr int kRows = 32 / sizeof(T);
    const int aligned = q.column & ~31; // tiles begin where a row's lines of memory do
    const int across = (q.column + q.columns - aligned + 127) / 128, down = (q.rows + kRows - 1) / kRows;
    const int last_row = q.row + q.rows, last = q.column + q.columns;
    for (int unit = warp; unit < across * down; unit += warps) {
        const int row = q.row + unit / across * kRows, begin = aligned + unit % across * 128, column = begin + lane;
        if (row + kRows <= last_row && begin >= q.column && begin + 128 <= last) {
            T v[kRows][4];
#pragma unroll
            for (int r = 0; r < kRows; ++r)
#pragma unroll
                for (int c = 0; c < 4; ++c) v[r][c] = program(row + r, column + 32 * c);
#pragma unroll
            for (int r = 0; r < kRows; ++r)
#pragma unroll
                for (int c = 0; c < 4; ++c) s.write(row + r, column + 32 * c, v[r][c]);
        } else {
#pragma unroll 1
            for (int j = column; j < min(last, begin + 128); j += 32) {
                if (j < q.column) continue;
                T v[kRows];
#pragma unroll
                for (int r = 0; r < kRows; ++r)
                    if (row + r < last_row) v[r] = program(row + r, j);
#pragma unroll
                for (int r = 0; r < kRows; ++r)
                    if (row + r < last_row) s.write(row + r, j, v[r]);
            }
        }
    }
}

/// A pivot's magnitude and place; the greater counts, of equal ones the lowest column, then the lowest row.
template <class T> struct Found {
    T value;
    unsigned place; ///< column, row: 16 bits each
    __device__ __forceinline__ void take(T v, unsigned p) {
        if (v > value || (v == value && p < place)) value = v, place = p;
    }
    __device__ __forceinline__ void over_warp() {
        for (int d = 16; d > 0; d >>= 1) take(__shfl_xor_sync(~0u, value, d), __shfl_xor_sync(~0u, place, d));
    }
};

inline constexpr int kPaperThreads = 512;

/// The whole block's best, in every thread.
template <class T> __device__ __forceinline__ Found<T> over_block(Found<T> f) {
    __shared__ Found<T> of_warp[kPaperThreads / 32];
    f.over_warp();
    __syncthreads();
    if ((threadIdx.x & 31) == 0) of_warp[threadIdx.x >> 5] = f;
    __syncthreads();
    f = threadIdx.x % 32 < kPaperThreads / 32 ? of_warp[threadIdx.x % 32] : Found<T>{-1, ~0u};
    f.over_warp();
    return f;
}

/// The largest magnitude of a square or a column from (k, k) on. NaN is passed over.
template <class T, class Surface>
__device__ __forceinline__ Found<T> search_pivot(const PaperParams& p, Surface& s, int k, bool full,
                                                 GridMeeting& meeting, bool& in_time) {
    Found<T> best{-1, ~0u};
    if (full) {
        constexpr int kRows = 16;
        const int across = (p.n - k + 63) / 64, down = (p.n - k + kRows - 1) / kRows;
        const int lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x >> 5);
        for (int unit = (threadIdx.x >> 5) * gridDim.x + blockIdx.x; unit < across * down; unit += warps) {
            const int row = k + unit / across * kRows;
            T v[2][kRows], most = -1;
#pragma unroll
            for (int c = 0; c < 2; ++c)
#pragma unroll
                for (int r = 0; r < kRows; ++r) {
                    const int column = k + unit % across * 64 + 32 * c + lane;
                    v[c][r] = column < p.n && row + r < p.n ? fabs(s.fetch(row + r, column, 0)) : T(-1);
                    most = v[c][r] > most ? v[c][r] : most;
                }
            if (most < best.value || most < 0) continue;
#pragma unroll
            for (int c = 0; c < 2; ++c)
#pragma unroll
                for (int r = 0; r < kRows; ++r)
                    if (v[c][r] == most)
                        best.take(most, static_cast<unsigned>(k + unit % across * 64 + 32 * c + lane) << 16 |
                                            static_cast<unsigned>(row + r));
        }
    } else {
        for (int row = k + blockIdx.x * blockDim.x + threadIdx.x; row < p.n; row += gridDim.x * blockDim.x)
            best.take(fabs(s.fetch(row, k, 0)), static_cast<unsigned>(k) << 16 | static_cast<unsigned>(row));
    }
    best = over_block(best);
    T* const values = static_cast<T*>(p.best_value);
    if (threadIdx.x == 0) values[blockIdx.x] = best.value, p.best_place[blockIdx.x] = best.place;
    in_time = meeting.wait();
    best = {-1, ~0u};
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) best.take(__ldcg(values + b), __ldcg(p.best_place + b));
    return over_block(best);
}

template <class T, PaperPivot Pivot, bool Count, bool OneTexel>
__global__ void __launch_bounds__(kPaperThreads, 1) paper_lu_kernel(const PaperParams p) {
    Fragments<T, Count, OneTexel> s{static_cast<const T*>(p.surface[0]), static_cast<T*>(p.surface[1]), p.pitch};
    GridMeeting meeting(p.barrier);
    const auto flush = [&](PaperPass pass) { s.flush(p.counts + 4 * static_cast<int>(pass)); };
    const auto turn = [&] {
        T* const was = const_cast<T*>(s.source);
        s.source = s.target;
        s.target = was;
    };
    const int n = p.n;
    for (int k = 0; k < n; ++k) {
        if constexpr (Pivot != PaperPivot::none) {
            bool in_time;
            const Found<T> f = search_pivot<T>(p, s, k, Pivot == PaperPivot::full, meeting, in_time);
            flush(PaperPass::search);
            if (!in_time) return;
            const int row = static_cast<int>(f.place & 0xFFFF), column = static_cast<int>(f.place >> 16);
            if (f.value >= 0 && blockIdx.x == 0 && threadIdx.x == 0)
                p.rows[k] = static_cast<unsigned>(row), p.columns[k] = static_cast<unsigned>(column);
            if (f.value >= 0 && (row != k || column != k)) {
                // To the target with the places changed, and back.
                const auto at = [](int i, int a, int b) { return i == a ? b : i == b ? a : i; };
                for (int way = 0; way < 2; ++way) {
                    const auto place = [&](int i, int j) {
                        return way == 0 ? s.fetch(at(i, k, row), at(j, k, column), 0) : s.fetch(i, j, 0);
                    };
                    if (row != k) {
                        render(s, {k, 1, 0, n}, place);
                        render(s, {row, 1, 0, n}, place);
                    }
                    if (column != k) {
                        render(s, {0, n, k, 1}, place);
                        render(s, {0, n, column, 1}, place);
                    }
                    turn();
                    if (!meeting.wait()) return;
                }
                flush(PaperPass::exchange);
            }
        }
        // (1) row k, and (2) column k divided, to the target
        render(s, {k, 1, k, n - k}, [&](int i, int j) { return s.fetch(i, j, 0); });
        flush(PaperPass::copy_row);
        render(s, {k, n - k, k, 1}, [&](int i, int j) {
            const T a = s.fetch(i, j, 0), pivot = s.fetch(k, k, 1);
            const T q = s.divide(a, pivot);
            return i == k ? a : q;
        });
        flush(PaperPass::normalize);
        const T pivot = *const_cast<const volatile T*>(s.source + static_cast<long long>(k) * s.pitch + k);
        if (!OneTexel && (pivot == 0 || !isfinite(pivot))) {
            if (blockIdx.x == 0 && threadIdx.x == 0)
                p.end[0] = static_cast<int>(pivot == 0 ? LuEnd::singular : LuEnd::not_finite), p.end[1] = k;
            return;
        }
        if (!meeting.wait()) return;
        // (3) column k to the source
        turn();
        render(s, {k, n - k, k, 1}, [&](int i, int j) { return s.fetch(i, j, 0); });
        flush(PaperPass::copy_back);
        turn();
        if (!meeting.wait()) return;
        // (4) what is right of and below it
        render(s, {k + 1, n - k - 1, k + 1, n - k - 1},
               [&](int i, int j) { return s.mad(s.fetch(i, k, 1), s.fetch(k, j, 2), s.fetch(i, j, 0)); });
        flush(PaperPass::eliminate);
        turn();
        if (!meeting.wait()) return;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) p.end[0] = static_cast<int>(LuEnd::factored), p.end[1] = n;
}

/// [A B] to [I X]. Columns that are done are never looked at again, so they need not be drawn.
template <class T, bool Count, bool OneTexel>
__global__ void __launch_bounds__(kPaperThreads, 1) paper_gauss_jordan_kernel(const PaperParams p) {
    Fragments<T, Count, OneTexel> s{static_cast<const T*>(p.surface[0]), static_cast<T*>(p.surface[1]), p.pitch};
    GridMeeting meeting(p.barrier);
    const auto flush = [&](PaperPass pass) { s.flush(p.counts + 4 * static_cast<int>(pass)); };
    const auto turn = [&] {
        T* const was = const_cast<T*>(s.source);
        s.source = s.target;
        s.target = was;
    };
    for (int k = 0; k < p.n; ++k) {
        const int first = k + 1, width = p.pitch - first;
        const T pivot = *const_cast<const volatile T*>(s.source + static_cast<long long>(k) * s.pitch + k);
        if (!OneTexel && (pivot == 0 || !isfinite(pivot))) {
            if (blockIdx.x == 0 && threadIdx.x == 0)
                p.end[0] = static_cast<int>(pivot == 0 ? LuEnd::singular : LuEnd::not_finite), p.end[1] = k;
            return;
        }
        // (1) row k divided, to the target, and (2) back
        render(s, {k, 1, first, width}, [&](int i, int j) { return s.divide(s.fetch(i, j, 0), s.fetch(k, k, 1)); });
        flush(PaperPass::normalize);
        if (!meeting.wait()) return;
        turn();
        render(s, {k, 1, first, width}, [&](int i, int j) { return s.fetch(i, j, 0); });
        flush(PaperPass::copy_back);
        turn();
        if (!meeting.wait()) return;
        // (3) column k out of all rows
        render(s, {0, p.n, first, width}, [&](int i, int j) {
            const T a = s.fetch(i, j, 0), l = s.fetch(i, k, 1), u = s.fetch(k, j, 2);
            const T v = s.mad(l, u, a);
            return i == k ? a : v;
        });
        flush(PaperPass::eliminate);
        turn();
        if (!meeting.wait()) return;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) p.end[0] = static_cast<int>(LuEnd::factored), p.end[1] = p.n;
}

#endif

} // namespace mantissa::gpu::dense
