// The sequence of a batched factorisation: one kernel, or panels with what follows each.
#include <algorithm>
#include <numeric>

#include "launch.cuh"
#include "rows.cuh"
#include "substitute.cuh"
#include "swap_solve.cuh"
#include "update.cuh"
#include "update_tf32.cuh"

namespace mantissa::gpu::batched {

namespace {

unsigned pieces(int n, int size) {
    return static_cast<unsigned>((n + size - 1) / size);
}

template <class T, int MOST, int BLOCKS> void launch_rows(const Place<T>& p, cudaStream_t stream) {
    using L = RowLu<T, MOST>;
    launch(factor_rows<T, MOST, BLOCKS>, dim3(static_cast<unsigned>(p.batch)), L::kRows,
           sizeof(T) * static_cast<std::size_t>(p.n) * L::kRows, stream, p.a, p.n, p.lda, p.stride, p.pivots, p.order,
           p.info);
}

template <class T> void factor_in_registers(const Place<T>& p, cudaStream_t stream) {
    if constexpr (sizeof(T) == 4) {
        if (p.n <= 16) return launch_rows<T, 16, 32>(p, stream);
        if (p.n <= 32) return launch_rows<T, 32, 16>(p, stream);
        if (p.n <= 48) return launch_rows<T, 48, 10>(p, stream);
        if (p.n <= 64) return launch_rows<T, 64, 10>(p, stream);
        if (p.n <= 96) return launch_rows<T, 96, 4>(p, stream);
        launch_rows<T, 128, 3>(p, stream);
    } else {
        if (p.n <= 16) return launch_rows<T, 16, 32>(p, stream);
        if (p.n <= 32) return launch_rows<T, 32, 20>(p, stream);
        if (p.n <= 48) return launch_rows<T, 48, 7>(p, stream);
        if (p.n <= 64) return launch_rows<T, 64, 6>(p, stream);
        launch_rows<T, 96, 1>(p, stream);
    }
}

template <class T, int OB, int BM, int BN, int STAGES>
void launch_update(const Place<T>& p, int k0, cudaStream_t stream) {
    constexpr int KS = 16;
    const int rest = p.n - k0 - OB;
    launch(update<T, OB, BM, BN, KS, STAGES>, dim3(pieces(rest, BM), pieces(rest, BN), static_cast<unsigned>(p.batch)),
           256, STAGES * sizeof(typename Update<T, BM, BN, KS, STAGES>::Stage), stream, p.a, p.n, p.lda, p.stride, k0,
           static_cast<const T*>(p.workspace), p.ldu);
}
template <class T, int OB>
void launch_update(const Place<T>& p, int k0, BatchedProducts products, cudaStream_t stream) {
    const int rest = p.n - k0 - OB;
    if constexpr (sizeof(T) == 8) {
        if (rest <= 128) launch_update<T, OB, 64, 64, 2>(p, k0, stream);
        else launch_update<T, OB, 128, 64, 2>(p, k0, stream);
    } else if (products == BatchedProducts::tf32x3) {
        constexpr int KS = 16, STAGES = 3, kSide = TensorStage<KS>::kSide;
        launch(update_tf32<OB, KS, STAGES>,
               dim3(pieces(rest, kSide), pieces(rest, kSide), static_cast<unsigned>(p.batch)), 256,
               STAGES * sizeof(TensorStage<KS>), stream, p.a, p.n, p.lda, p.stride, k0,
               static_cast<const float*>(p.workspace), p.ldu);
    } else if (rest <= 320) launch_update<T, OB, 64, 64, 3>(p, k0, stream);
    else launch_update<T, OB, 128, 128, 3>(p, k0, stream);
}

template <class T, int OB, bool PIVOT>
void factor_blocked(const Place<T>& p, BatchedProducts products, cudaStream_t stream) {
    constexpr int kCols = sizeof(T) == 4 ? 64 : 32;
    const auto systems = static_cast<unsigned>(p.batch);
    check(cudaMemsetAsync(p.info, 0, sizeof(int) * systems, stream), "cudaMemsetAsync");
    for (int k0 = 0; k0 < p.n; k0 += OB) {
        int* const moves = p.moves + static_cast<long long>(k0 / OB) * p.batch * p.n;
        launch_panel<T, OB, PIVOT>(p, k0, std::min(OB, p.n - k0), moves, stream);
        const int rest = p.n - k0 - OB;
        if (rest <= 0) break;
        launch(swap_solve<T, OB, kCols, PIVOT>, dim3(pieces(rest, kCols), systems), 256,
               sizeof(typename SwapSolve<T, OB, kCols>::Shared), stream, p.a, p.n, p.lda, p.stride, k0,
               static_cast<const int*>(moves), p.workspace, p.ldu);
        launch_update<T, OB>(p, k0, products, stream);
    }
    if constexpr (PIVOT) {
        const int* const moves = p.moves;
        launch(row_order<OB>, dim3(pieces(p.n, 256), systems), 256, 0, stream, p.n, moves, p.batch, p.order);
        if (p.n <= OB) return;
        const dim3 grid(static_cast<unsigned>((p.n - 1) / OB), systems);
        if (p.n <= 512) launch(place_rows<T, OB, 2>, grid, 256, 0, stream, p.a, p.n, p.lda, p.stride, moves, p.batch);
        else if (p.n <= 2048)
            launch(place_rows<T, OB, 8>, grid, 256, 0, stream, p.a, p.n, p.lda, p.stride, moves, p.batch);
        else
            launch(place_rows<T, OB, kMostRows / 256>, grid, 256, 0, stream, p.a, p.n, p.lda, p.stride, moves, p.batch);
    }
}

template <class T, int OB>
void factor_blocked(const Place<T>& p, LuPivoting pivoting, BatchedProducts products, cudaStream_t stream) {
    if (pivoting == LuPivoting::partial) factor_blocked<T, OB, true>(p, products, stream);
    else factor_blocked<T, OB, false>(p, products, stream);
}

} // namespace

template <class T>
void launch_factor(const Place<T>& p, LuPivoting pivoting, BatchedProducts products, cudaStream_t stream) {
    if (in_registers<T>(p.n, pivoting)) return factor_in_registers(p, stream);
    if constexpr (sizeof(T) == 4)
        if (panel_width<T>(p.n) == 128) return factor_blocked<T, 128>(p, pivoting, products, stream);
    factor_blocked<T, 64>(p, pivoting, products, stream);
}

template <class T> void launch_substitute(const Place<T>& p, bool ordered, T* rhs, cudaStream_t stream) {
    const dim3 grid(static_cast<unsigned>(p.batch));
    const std::size_t shared = sizeof(T) * static_cast<std::size_t>(p.n);
    const int *const order = ordered ? p.order : nullptr, *const info = p.info;
    const T* const a = p.a;
    if (p.n <= 128) launch(substitute<T, 128, 1>, grid, 128, shared, stream, a, p.n, p.lda, p.stride, order, info, rhs);
    else if (p.n <= 512)
        launch(substitute<T, 256, 2>, grid, 256, shared, stream, a, p.n, p.lda, p.stride, order, info, rhs);
    else if (p.n <= 2048)
        launch(substitute<T, 512, 4>, grid, 512, shared, stream, a, p.n, p.lda, p.stride, order, info, rhs);
    else launch(substitute<T, 512, 8>, grid, 512, shared, stream, a, p.n, p.lda, p.stride, order, info, rhs);
}

template void launch_factor<float>(const Place<float>&, LuPivoting, BatchedProducts, cudaStream_t);
template void launch_factor<double>(const Place<double>&, LuPivoting, BatchedProducts, cudaStream_t);
template void launch_substitute<float>(const Place<float>&, bool, float*, cudaStream_t);
template void launch_substitute<double>(const Place<double>&, bool, double*, cudaStream_t);

} // namespace mantissa::gpu::batched
