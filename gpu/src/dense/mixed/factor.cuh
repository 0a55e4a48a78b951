// The factorisation PA = LU in the order of Crout: each block of 256 columns, and then its 256 rows, receive all
// earlier updates in one product on the tensor cores, whose sums stay in float registers.
#pragma once

#include <cudaTypedefs.h>

#include <type_traits>

#include "mantissa/gpu/device.hpp"
#include "panel_update.cuh"
#include "product.cuh"
#include "row_block.cuh"

namespace mantissa::gpu::mixed {

/// What the factors need, all for n rounded up to 256 rows and columns.
template <class T> struct Factors {
    int n = 0;            ///< rounded
    int terms = 1;        ///< 1 or 3
    Buffer<float> a;      ///< n x n, row after row
    Buffer<T> l[2], u[2]; ///< words of L (by rows) and of U's transpose; the low ones only for 3 terms
    Buffer<int> permutation, source, touched, overflow;
    Buffer<FactorState> state;
    Operands operands{};

    void allocate(int rounded, int products) {
        n = rounded, terms = products;
        const std::size_t all = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
        a.allocate(all);
        for (int w = 0; w < (terms == 1 ? 1 : 2); ++w) l[w].allocate(all), u[w].allocate(all);
        permutation.allocate(static_cast<std::size_t>(n));
        source.allocate(static_cast<std::size_t>(n));
        touched.allocate(kBlock);
        overflow.allocate(1);
        state.allocate(1);
        for (int w = 0; w < 2; ++w) {
            operands.l[w] = tensor(l[terms == 1 ? 0 : w].data());
            operands.u[w] = tensor(u[terms == 1 ? 0 : w].data());
        }
    }

private:
    [[nodiscard]] CUtensorMap tensor(T* words) const {
        static const auto encode = [] {
            void* entry = nullptr;
            cudaDriverEntryPointQueryResult found{};
            check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found),
                  "cudaGetDriverEntryPoint");
            if (found != cudaDriverEntryPointSuccess)
                throw DeviceError("cuTensorMapEncodeTiled", "the driver lacks it");
            return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(entry);
        }();
        CUtensorMap map{};
        const cuuint64_t extent[2] = {static_cast<cuuint64_t>(n), static_cast<cuuint64_t>(n)};
        const cuuint64_t pitch[1] = {static_cast<cuuint64_t>(n) * sizeof(T)};
        const cuuint32_t box[2] = {kChunk, kTile}, step[2] = {1, 1};
        const CUresult result =
            encode(&map, std::is_same_v<T, __half> ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                   2, words, extent, pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                   CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
        if (result != CUDA_SUCCESS) throw DeviceError("cuTensorMapEncodeTiled", "error " + std::to_string(result));
        return map;
    }
};

/// kernel<<<blocks, threads, shared, stream>>>(arguments...) in clusters. It may begin while the kernel before it ends,
/// so it must await that one: begin_after_earlier().
template <class... Parameters, class... Arguments>
void start(void (*kernel)(Parameters...), dim3 blocks, unsigned threads, std::size_t shared, dim3 cluster,
           cudaStream_t stream, Arguments... arguments) {
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    cudaLaunchAttribute attributes[2]{};
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim.x = cluster.x;
    attributes[1].val.clusterDim.y = cluster.y;
    attributes[1].val.clusterDim.z = cluster.z;
    config.attrs = attributes;
    config.numAttrs = 2;
    check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "cudaLaunchKernelEx");
}

template <class T, int Terms>
void launch_product(const Operands& operands, dim3 tiles, float* a, long ld, int row0, int column0, int k,
                    cudaStream_t stream) {
    constexpr int kShared = ProductShape<Terms>::shared;
    check(cudaFuncSetAttribute(subtract_product<T, Terms>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared),
          "shared memory");
    // Few tiles share their k among two or four blocks each, so that most multiprocessors have work.
    const unsigned count = tiles.x * tiles.y;
    tiles.z = count <= 32 ? 4 : count <= 64 ? 2 : 1;
    start(subtract_product<T, Terms>, tiles, kProductThreads, kShared, dim3(1, 1, tiles.z), stream, operands, a, ld,
          row0, column0, k);
}

/// Launches the panel with R rows a thread, T threads a block.
template <int R, int T> void launch_panel(const PanelTask& task, int cluster, cudaStream_t stream) {
    check(cudaFuncSetAttribute(factor_panel<R, T>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), "cluster size");
    const dim3 blocks(static_cast<unsigned>(cluster));
    start(factor_panel<R, T>, blocks, T, 0, blocks, stream, task);
}

inline void launch_panel(const PanelTask& task, cudaStream_t stream) {
    if (task.rows <= 16 * 128) launch_panel<1, 128>(task, 16, stream);
    else if (task.rows <= 16 * 256) launch_panel<1, 256>(task, 16, stream);
    else if (task.rows <= 16 * 512) launch_panel<2, 256>(task, 16, stream);
    else if (task.rows <= 16 * 1024) launch_panel<4, 256>(task, 16, stream);
    else launch_panel<4, 512>(task, 16, stream);
}
constexpr int kMostRows = 16 * 2048;

/// The steps of a factorisation, as its times are told apart.
enum class Step { columns, panel, update, moves, words, rows, solve };
struct NoMark {
    void operator()(Step) const {}
};

/// Launches the steps of one factorisation. State, permutation and overflow must be set before. `mark` is told of each
/// launch.
template <class T, class Mark> class Factorisation {
public:
    Factorisation(Factors<T>& factors, cudaStream_t stream, Mark& mark)
        : f_(factors), a_(factors.a.data()), ld_(factors.n), n_(factors.n), stream_(stream), mark_(mark) {}

    void run() {
        check(cudaFuncSetAttribute(solve_rows<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, kSolveShared),
              "shared memory");
        for (int k = 0; k < n_; k += kBlock) {
            if (k > 0) product(k, n_ - k, k, kBlock, k);
            mark_(Step::columns);
            for (int p = k; p < k + kBlock; p += kPanel) panel(k, p);
            move_and_shorten(k);
            const int below = n_ - k - kBlock;
            if (below > 0) rows_of_u(k, k + kBlock, below);
            mark_(Step::solve);
            check(cudaGetLastError(), "factorisation");
        }
    }

private:
    void product(int row0, int rows, int column0, int columns, int k) {
        const dim3 tiles(static_cast<unsigned>(rows / kTile), static_cast<unsigned>(columns / kTile));
        if (f_.terms == 1) launch_product<T, 1>(f_.operands, tiles, a_, ld_, row0, column0, k, stream_);
        else launch_product<T, 3>(f_.operands, tiles, a_, ld_, row0, column0, k, stream_);
    }

    void panel(int k, int p) {
        launch_panel(
            {a_, ld_, p, k, n_ - p, f_.permutation.data(), f_.source.data(), f_.touched.data(), f_.state.data()},
            stream_);
        mark_(Step::panel);
        const int rows = n_ - p - kPanel, columns = k + kBlock - p - kPanel;
        if (columns > 0)
            start(update_block, dim3(static_cast<unsigned>((rows + 127) / 128), static_cast<unsigned>(columns / 32)),
                  128, 0, dim3(1), stream_, a_, ld_, p, rows);
        mark_(Step::update);
    }

    /// What follows the block's panels in other columns: row swaps, and L's words.
    void move_and_shorten(int k) {
        const int below = n_ - k - kBlock;
        MoveTask move{};
        int pieces = 0, stretch = 0;
        const auto add = [&](void* base, long pitch, long length) {
            move.stretch[stretch++] = {static_cast<unsigned char*>(base), pitch, static_cast<int>(length / 128)};
            pieces += static_cast<int>(length / 128);
        };
        add(a_, 4 * ld_, 4L * k);
        add(a_ + k + kBlock, 4 * ld_, 4L * below);
        add(f_.l[0].data(), 2 * ld_, 2L * k);
        if (f_.terms != 1) add(f_.l[1].data(), 2 * ld_, 2L * k);
        move.block = k;
        move.source = f_.source.data();
        move.touched = f_.touched.data();
        move.state = f_.state.data();
        if (pieces > 0) start(move_rows, dim3(static_cast<unsigned>(pieces)), 512, 0, dim3(1), stream_, move);
        mark_(Step::moves);
        if (below > 0)
            start(shorten_block<T>, dim3(static_cast<unsigned>(below / 8)), 256, 0, dim3(1), stream_, a_, ld_,
                  k + kBlock, k, below, f_.l[0].data(), f_.l[1].data());
        mark_(Step::words);
    }

    /// The block's rows of U in `columns` columns from `first` on.
    void rows_of_u(int k, int first, int columns) {
        if (k > 0) product(k, kBlock, first, columns, k);
        mark_(Step::rows);
        start(solve_rows<T>, dim3(static_cast<unsigned>(columns / kSolveColumns)), 256, kSolveShared, dim3(1), stream_,
              a_, ld_, k, first, f_.u[0].data(), f_.u[1].data(), f_.overflow.data());
    }

    Factors<T>& f_;
    float* a_;
    long ld_;
    int n_;
    cudaStream_t stream_;
    Mark& mark_;
};

/// Factors f.a in place.
template <class T, class Mark = NoMark> void factor(Factors<T>& f, cudaStream_t stream, Mark&& mark = {}) {
    Factorisation<T, std::remove_reference_t<Mark>>(f, stream, mark).run();
}

} // namespace mantissa::gpu::mixed
