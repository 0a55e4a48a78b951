// The steps of CG on one part, as launches on a stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "bins.hpp"
#include "rank_rows.hpp"

namespace mantissa::gpu {

/// How a solve stands, on the device.
enum class RankCgStatus : int { running, not_finite, indefinite, reached, limit };
struct RankCgState {
    double rho, alpha, beta;
    double norm, target; ///< of b; of the recurrence's residual
    double residual;     ///< the recurrence's, relative to b
    std::uint64_t iterations, limit;
    std::uint64_t first; ///< iterations before this batch
    RankCgStatus status;
    int restart; ///< the next direction is z alone
    int jacobi;
};

struct RankVectors {
    double *x, *r, *p, *q;     ///< of the owned rows; p with ghosts at its end
    const double *b, *inverse; ///< inverse: null without Jacobi
    std::uint32_t owned;
};

/// Words of the sums, in device memory: p.q, then r.r and r.z.
struct RankSums {
    std::uint64_t *pq, *rr, *rz;
};

enum class Direction { next, restart, iterate }; ///< z + beta p (z where the state says restart), z, x
enum class Update { advance, defect, begin };    ///< along p; r = b - q; r = b

/// A state that is not `running` makes the first five do nothing; null: they work.
void launch_direction(const RankVectors& v, Direction what, const RankCgState* state, cudaStream_t stream);
void launch_pack(const RankVectors& v, const std::uint32_t* from, double* to, std::uint32_t count,
                 const RankCgState* state, cudaStream_t stream);
/// q = A p in these rows, and their terms of p.q.
void launch_rows(const RankRows& rows, const RankVectors& v, std::uint64_t* pq, const RankCgState* state,
                 cudaStream_t stream);
/// r.r and r.z with it.
void launch_update(const RankVectors& v, Update what, const RankSums& sums, const RankCgState* state,
                   cudaStream_t stream);
/// alpha from p.q; and beta, and whether the solve goes on, from r.r and r.z. Each clears the words of the next sum.
void launch_alpha(const RankSums& sums, RankCgState* state, cudaStream_t stream);
void launch_beta(const RankSums& sums, RankCgState* state, double* history, cudaStream_t stream);

} // namespace mantissa::gpu
