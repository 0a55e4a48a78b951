// The batched LU's launches. Internal to gpu/.
#pragma once

#include <cuda_runtime_api.h>

#include "mantissa/gpu/lu_batched.hpp"

namespace mantissa::gpu::batched {

/// Where everything lies on the device. Matrices are by columns, `lda` elements apart, a multiple of 16 bytes.
template <class T> struct Place {
    T* a;
    int n, lda, batch;
    long long stride; ///< between matrices
    int* pivots;      ///< as LAPACK's ipiv, n for each system
    int* moves;       ///< panels(n) times batch times n
    int* order;       ///< the row of A that comes to each place, n for each system
    int* info;        ///< 0; k + 1 where pivot k is zero; -(k + 1) where it is not finite
    T* workspace;     ///< workspace_elements() for each system
    int ldu;          ///< n rounded up to 16 bytes
};

inline constexpr int kMostRows = 4096;
/// Columns of a panel.
template <class T> constexpr int panel_width(int n) {
    return sizeof(T) == 4 && n >= 1024 ? 128 : 64;
}
/// Whether one block has the whole matrix in registers.
template <class T> constexpr bool in_registers(int n, LuPivoting pivoting) {
    return pivoting == LuPivoting::partial && n <= (sizeof(T) == 4 ? 128 : 96);
}

/// Columns [k0, k0 + width) of every system.
template <class T, int OB, bool PIVOT>
void launch_panel(const Place<T>& p, int k0, int width, int* moves, cudaStream_t stream);
/// Everything. Needs a launch's place with a > 0 by a > 0 matrices.
template <class T>
void launch_factor(const Place<T>& p, LuPivoting pivoting, BatchedProducts products, cudaStream_t stream);
/// x in place of b, n for each system. `ordered`: with row exchanges.
template <class T> void launch_substitute(const Place<T>& p, bool ordered, T* rhs, cudaStream_t stream);

} // namespace mantissa::gpu::batched
