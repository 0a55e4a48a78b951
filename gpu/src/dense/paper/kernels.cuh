// The paper's fragment programs and the quads that they are drawn over. A quad is a rectangle of elements; a program
// fetches from the source surface and gives one element of the target.
#pragma once

#include "dense/full/packets.cuh"
#include "dense/full/timed_grid_barrier.cuh"
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
    unsigned long long fragments = 0, bytes = 0, divisions = 0, mads = 0, looked = 0;

    /// `texel`: which of the three fetches of a program.
    __device__ __forceinline__ T fetch(int row, int column, int texel) {
        if constexpr (Count) bytes += sizeof(T);
        if constexpr (OneTexel) return fetch_again(source + texel);
        else return source[row * pitch + column];
    }
    /// Of the target, for a search.
    __device__ __forceinline__ T fetch_back(int row, int column) {
        if constexpr (Count) looked += sizeof(T);
        return target[row * pitch + column];
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
            for (unsigned long long* x : {&fragments, &bytes, &divisions, &mads}) add(*x, to++);
        }
    }
    /// Bytes of a search, apart.
    __device__ void flush_looks(unsigned long long* to) {
        if constexpr (Count) add(looked, to + 1);
    }

private:
    static __device__ void add(unsigned long long& x, unsigned long long* to) {
        for (int d = 16; d > 0; d >>= 1) x += __shfl_xor_sync(~0u, x, d);
        if ((threadIdx.x & 31) == 0 && x != 0) atomicAdd(to, x);
        x = 0;
    }
};

/// A pivot's magnitude and place; the greater counts, of equal ones the lowest column, then the lowest row. NaN is
/// passed over.
template <class T> struct Found {
    T value = -1;         ///< -1: none
    unsigned place = ~0u; ///< column, row: 16 bits each
    __device__ __forceinline__ void take(T v, unsigned p) {
        if (v > value || (v == value && p < place)) value = v, place = p;
    }
    __device__ __forceinline__ void over_warp() {
        const T most = Word<T>::warp_max(value < 0 ? T(0) : value);
        place = __reduce_min_sync(~0u, value == most ? place : ~0u);
        value = place == ~0u ? T(-1) : most;
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
    f = threadIdx.x % 32 < kPaperThreads / 32 ? of_warp[threadIdx.x % 32] : Found<T>{};
    f.over_warp();
    return f;
}

/// Looks at nothing.
struct NoLook {
    static constexpr bool kLooks = false;
};

/// The search for a pivot as draw() carries it along: fetches again what the thread has just written to the target. So
/// no block waits for another between the pass that writes and the search, though every element is fetched for it.
template <class T, class Surface, bool Full> struct PivotLook {
    static constexpr bool kLooks = true;
    Surface& s;
    int first; ///< the column that is searched, or the first of all
    Found<T>& best;
    /// Whether a tile from column `begin` on has anything to look at.
    [[nodiscard]] __device__ __forceinline__ bool wants(int begin) const { return Full || begin <= first; }
    [[nodiscard]] __device__ __forceinline__ T value(int row, int column) const {
        return Full || column == first ? fabs(s.fetch_back(row, column)) : T(-1);
    }
    __device__ __forceinline__ void take(T v, int row, int column) const {
        best.take(v, static_cast<unsigned>(column) << 16 | static_cast<unsigned>(row));
    }
};

/// `program(row, column)` for up to C x R elements from `at` on, steps (down, along) apart, where `inside`; `put` has
/// them one by one, and `look` sees them again then.
template <class T, int R, int C, class Inside, class Program, class Put, class Look>
__device__ __forceinline__ void draw_tile(int row, int column, int down, int along, const Inside& inside,
                                          const Program& program, const Put& put, const Look& look) {
    T v[R][C];
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
        for (int c = 0; c < C; ++c)
            if (inside(row + r * down, column + c * along)) v[r][c] = program(row + r * down, column + c * along);
#pragma unroll
    for (int r = 0; r < R; ++r)
#pragma unroll
        for (int c = 0; c < C; ++c)
            if (inside(row + r * down, column + c * along)) put(row + r * down, column + c * along, v[r][c]);
    if constexpr (Look::kLooks) {
        T most = -1;
#pragma unroll
        for (int r = 0; r < R; ++r)
#pragma unroll
            for (int c = 0; c < C; ++c) {
                v[r][c] =
                    inside(row + r * down, column + c * along) ? look.value(row + r * down, column + c * along) : T(-1);
                most = v[r][c] > most ? v[r][c] : most;
            }
        if (most < 0 || most < look.best.value) return;
#pragma unroll
        for (int r = 0; r < R; ++r)
#pragma unroll
            for (int c = 0; c < C; ++c)
                if (v[r][c] == most) look.take(most, row + r * down, column + c * along);
    }
}

/// Draws `program(row, column)` over a quad, into `put`: a warp takes a few rows of 128 columns, or, where the quad is
/// narrow, 256 rows of one column.
template <class T, class Program, class Put, class Look>
__device__ __forceinline__ void draw(const Quad& q, const Program& program, const Put& put, const Look& look) {
    const int lane = threadIdx.x & 31, warps = gridDim.x * (blockDim.x >> 5);
    const int warp = (threadIdx.x >> 5) * gridDim.x + blockIdx.x; // neighbours on different multiprocessors
    const int last_row = q.row + q.rows, last = q.column + q.columns;
    if (q.columns <= 2) {
        const int groups = (q.rows + 255) / 256;
        const auto inside = [&](int i, int) { return i < last_row; };
        for (int unit = warp; unit < groups * q.columns; unit += warps)
            draw_tile<T, 8, 1>(q.row + unit % groups * 256 + lane, q.column + unit / groups, 32, 0, inside, program,
                               put, look);
        return;
    }
    if (q.rows <= 2) { // the same across
        const int groups = (q.columns + 255) / 256;
        const auto inside = [&](int, int j) { return j < last; };
        for (int unit = warp; unit < groups * q.rows; unit += warps)
            draw_tile<T, 1, 8>(q.row + unit / groups, q.column + unit % groups * 256 + lane, 0, 32, inside, program,
                               put, look);
        return;
    }
    constexpr int kRows = 32 / sizeof(T);
    const int aligned = q.column & ~31; // tiles begin where a row's lines of memory do
    const int across = (last - aligned + 127) / 128, down = (q.rows + kRows - 1) / kRows;
    const auto everywhere = [](int, int) { return true; };
    const auto above_end = [&](int i, int) { return i < last_row; };
    for (int unit = warp; unit < across * down; unit += warps) {
        const int row = q.row + unit / across * kRows, begin = aligned + unit % across * 128, column = begin + lane;
        bool looks = false;
        if constexpr (Look::kLooks) looks = look.wants(begin);
        if (row + kRows <= last_row && begin >= q.column && begin + 128 <= last) {
            if (looks) draw_tile<T, kRows, 4>(row, column, 1, 32, everywhere, program, put, look);
            else draw_tile<T, kRows, 4>(row, column, 1, 32, everywhere, program, put, NoLook{});
        } else {
#pragma unroll 1
            for (int j = column; j < min(last, begin + 128); j += 32) {
                if (j < q.column) continue;
                if (looks) draw_tile<T, kRows, 1>(row, j, 1, 0, above_end, program, put, look);
                else draw_tile<T, kRows, 1>(row, j, 1, 0, above_end, program, put, NoLook{});
            }
        }
    }
}

/// A pass: `program` over a quad, to the target.
template <class Surface, class Program, class Look = NoLook>
__device__ __forceinline__ void render(Surface& s, const Quad& q, const Program& program, const Look& look = {}) {
    using T = decltype(program(0, 0));
    draw<T>(
        q, program, [&](int i, int j, T v) { s.write(i, j, v); }, look);
}

/// What this block found goes where all blocks look for it after the next barrier.
template <class T> __device__ __forceinline__ void publish(const PaperParams& p, const Found<T>& found) {
    const Found<T> best = over_block(found);
    if (threadIdx.x == 0) static_cast<T*>(p.best_value)[blockIdx.x] = best.value, p.best_place[blockIdx.x] = best.place;
}
template <class T> __device__ __forceinline__ Found<T> best_of_blocks(const PaperParams& p) {
    const T* const values = static_cast<const T*>(p.best_value);
    Found<T> best;
    for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) best.take(__ldcg(values + b), __ldcg(p.best_place + b));
    return over_block(best);
}

/// Rows k and `row`, and columns k and `column`, to the target, with their places changed where `crossed`. A thread has
/// the same pairs of places each time, so it need not wait for others between the way there and the way back.
template <class Surface>
__device__ __forceinline__ void exchange(Surface& s, int n, int k, int row, int column, bool crossed) {
    const int lane = threadIdx.x & 31, threads = gridDim.x * blockDim.x;
    const int warp = (threadIdx.x >> 5) * gridDim.x + blockIdx.x, half = (n + 31) & ~31;
    for (int t = 32 * warp + lane; t < 2 * half; t += threads) {
        const bool along_row = t < half;
        const int at = along_row ? t : t - half;
        // The four places that both exchanges touch belong to the rows.
        if (at >= n || (along_row ? row == k : column == k || (row != k && (at == k || at == row)))) continue;
        const int crossing = at == k ? column : at == column ? k : at;
        const int i0 = along_row ? k : at, j0 = along_row ? at : k;
        const int i1 = along_row ? row : at, j1 = along_row ? crossing : column;
        const auto a = s.fetch(i0, j0, 0), b = s.fetch(i1, j1, 0);
        s.write(i0, j0, crossed ? b : a);
        s.write(i1, j1, crossed ? a : b);
    }
}

template <class T, PaperPivot Pivot, bool Count, bool OneTexel>
__global__ void __launch_bounds__(kPaperThreads, 1) paper_lu_kernel(const PaperParams p) {
    Fragments<T, Count, OneTexel> s{static_cast<const T*>(p.surface[0]), static_cast<T*>(p.surface[1]), p.pitch};
    TimedGridBarrier barrier(p.barrier);
    const auto flush = [&](PaperPass pass) { s.flush(p.counts + 4 * static_cast<int>(pass)); };
    const auto turn = [&] {
        T* const was = const_cast<T*>(s.source);
        s.source = s.target;
        s.target = was;
    };
    const int n = p.n;
    constexpr bool kPivots = Pivot != PaperPivot::none, kFull = Pivot == PaperPivot::full;
    using Surface = Fragments<T, Count, OneTexel>;
    if constexpr (kPivots) { // later searches ride on the elimination
        Found<T> found;
        draw<T>(
            {0, n, 0, kFull ? n : 1}, [&](int i, int j) { return fabs(s.fetch(i, j, 0)); },
            [&](int i, int j, T v) { found.take(v, place_of(i, j)); }, NoLook{});
        flush(PaperPass::search);
        publish(p, found);
        if (!barrier.wait()) return;
    }
    for (int k = 0; k < n; ++k) {
        if constexpr (kPivots) {
            const Found<T> f = best_of_blocks<T>(p);
            const int row = static_cast<int>(f.place & 0xFFFF), column = static_cast<int>(f.place >> 16);
            if (f.value >= 0 && blockIdx.x == 0 && threadIdx.x == 0)
                p.rows[k] = static_cast<unsigned>(row), p.columns[k] = static_cast<unsigned>(column);
            if (f.value >= 0 && (row != k || column != k)) {
                for (const bool crossed : {true, false}) {
                    exchange(s, n, k, row, column, crossed);
                    turn();
                }
                flush(PaperPass::exchange);
                if (!barrier.wait()) return;
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
        if (!barrier.wait()) return;
        // (3) column k to the source
        turn();
        render(s, {k, n - k, k, 1}, [&](int i, int j) { return s.fetch(i, j, 0); });
        flush(PaperPass::copy_back);
        turn();
        if (!barrier.wait()) return;
        // (4) what is right of and below it
        const Quad rest{k + 1, n - k - 1, k + 1, n - k - 1};
        const auto eliminate = [&](int i, int j) {
            return s.mad(s.fetch(i, k, 1), s.fetch(k, j, 2), s.fetch(i, j, 0));
        };
        if constexpr (kPivots) {
            Found<T> found;
            render(s, rest, eliminate, PivotLook<T, Surface, kFull>{s, k + 1, found});
            s.flush_looks(p.counts + 4 * static_cast<int>(PaperPass::search));
            publish(p, found);
        } else render(s, rest, eliminate);
        flush(PaperPass::eliminate);
        turn();
        if (!barrier.wait()) return;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) p.end[0] = static_cast<int>(LuEnd::factored), p.end[1] = n;
}

/// [A B] to [I X]. Columns that are done are never looked at again, so they need not be drawn.
template <class T, bool Count, bool OneTexel>
__global__ void __launch_bounds__(kPaperThreads, 1) paper_gauss_jordan_kernel(const PaperParams p) {
    Fragments<T, Count, OneTexel> s{static_cast<const T*>(p.surface[0]), static_cast<T*>(p.surface[1]), p.pitch};
    TimedGridBarrier barrier(p.barrier);
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
        if (!barrier.wait()) return;
        turn();
        render(s, {k, 1, first, width}, [&](int i, int j) { return s.fetch(i, j, 0); });
        flush(PaperPass::copy_back);
        turn();
        if (!barrier.wait()) return;
        // (3) column k out of all rows
        render(s, {0, p.n, first, width}, [&](int i, int j) {
            const T a = s.fetch(i, j, 0), l = s.fetch(i, k, 1), u = s.fetch(k, j, 2);
            const T v = s.mad(l, u, a);
            return i == k ? a : v;
        });
        flush(PaperPass::eliminate);
        turn();
        if (!barrier.wait()) return;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) p.end[0] = static_cast<int>(LuEnd::factored), p.end[1] = p.n;
}

#endif

} // namespace mantissa::gpu::dense
