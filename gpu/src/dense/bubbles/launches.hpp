// Launches of the bubble cells' kernels, on the legacy default stream. Internal to gpu/.
#pragma once

namespace mantissa::gpu::bubbles {

/// Where the cells lie: for each 2 m coordinates of centres, the radius and the drive's two components; and the normals
/// of a circle's k points, two components each.
template <class T> struct Geometry {
    const T* cells;
    const T* normals;
    int m, k, batch;
    [[nodiscard]] constexpr int unknowns() const { return m * k; }
    [[nodiscard]] constexpr int cell_size() const { return 2 * m + 3; }
    /// Elements of shared memory that a block wants: centres, normals, v.n at each.
    [[nodiscard]] constexpr int shared_elements() const { return 2 * m + 3 * k; }
};

/// Of row i: |b_i - (A q)_i|, the sum of |a_ij|, |b_i|, |q_i|.
struct RowJudgement {
    double residual, norm, b, q;
};

/// A by columns `lda` apart, matrices `stride` apart; b, n for each cell.
template <class T> void launch_assemble(const Geometry<T>& g, T* a, int lda, long long stride, T* b);
/// Two doubles for each cell.
template <class T> void launch_mean_flow(const Geometry<T>& g, const T* q, double* flow);
/// n for each cell. A and b are formed again in T as they were, sums are
/// in double.
template <class T> void launch_judge_rows(const Geometry<T>& g, const T* q, RowJudgement* rows);

} // namespace mantissa::gpu::bubbles
