// Which panel kernel factors so many rows. Included by one file for each type, which takes its while to compile.
#pragma once

#include "launch.cuh"
#include "panel.cuh"

namespace mantissa::gpu::batched {

template <class T, int OB, bool PIVOT, int THREADS, int R, int NB, int BLOCKS>
void launch_panel_of(const Place<T>& p, int k0, int width, int* moves, cudaStream_t stream) {
    launch(factor_panel<T, THREADS, R, NB, OB, PIVOT, BLOCKS>, dim3(static_cast<unsigned>(p.batch)), THREADS,
           sizeof(typename Panel<T, THREADS, R, NB, OB, PIVOT>::Shared), stream, p.a, p.n, p.lda, p.stride, k0, width,
           p.pivots, moves, p.info);
}

template <class T, int OB, bool PIVOT>
void launch_panel(const Place<T>& p, int k0, int width, int* moves, cudaStream_t stream) {
    const int rows = p.n - k0;
    // Registers decide: threads times rows times columns, and two blocks a multiprocessor where they fit.
    if constexpr (sizeof(T) == 4) {
        if (rows <= 128) return launch_panel_of<T, OB, PIVOT, 128, 1, 16, 4>(p, k0, width, moves, stream);
        if (rows <= 256) return launch_panel_of<T, OB, PIVOT, 256, 1, 16, 2>(p, k0, width, moves, stream);
        if (rows <= 512) return launch_panel_of<T, OB, PIVOT, 512, 1, 16, 2>(p, k0, width, moves, stream);
        if (rows <= 1024)
            return launch_panel_of < T, OB, PIVOT, 512, 2, 16, PIVOT ? 1 : 2 > (p, k0, width, moves, stream);
        if (rows <= 2048) return launch_panel_of<T, OB, PIVOT, 512, 4, 16, 1>(p, k0, width, moves, stream);
        return launch_panel_of<T, OB, PIVOT, 512, 8, 8, 1>(p, k0, width, moves, stream);
    } else {
        if (rows <= 128) return launch_panel_of<T, OB, PIVOT, 128, 1, 16, 2>(p, k0, width, moves, stream);
        if (rows <= 256) return launch_panel_of<T, OB, PIVOT, 256, 1, 8, 2>(p, k0, width, moves, stream);
        if (rows <= 512) return launch_panel_of<T, OB, PIVOT, 256, 2, 8, 2>(p, k0, width, moves, stream);
        if (rows <= 1024) return launch_panel_of<T, OB, PIVOT, 512, 2, 8, 1>(p, k0, width, moves, stream);
        if (rows <= 2048) return launch_panel_of<T, OB, PIVOT, 512, 4, 8, 1>(p, k0, width, moves, stream);
        return launch_panel_of<T, OB, PIVOT, 512, 8, 4, 1>(p, k0, width, moves, stream);
    }
}

} // namespace mantissa::gpu::batched
