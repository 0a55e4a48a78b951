// The pipelined CG variants that the field uses today, in any formats, for comparison with the datapath's own.
//
//   Chronopoulos and Gear, "s-step iterative methods for symmetric linear systems", 1989 (one reduction per step)
//   Ghysels and Vanroose, "Hiding global synchronization latency in the preconditioned Conjugate Gradient algorithm",
//   2014 (the reduction overlaps the matrix product)
//
// Vectors that hold results of A (w, s, z, A w) are in q's format; r, p, u in theirs; scalars in the scalar format.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/block_algebra.hpp"
#include "mantissa/engine.hpp"

namespace mantissa {

enum class CgVariant : std::uint8_t { chronopoulos_gear, ghysels_vanroose };

/// CG by one of the variants, in a datapath's formats.
class CgVariantSolver {
public:
    CgVariantSolver(const System& system, const DatapathSpec& spec, CgVariant variant, int threads = 1);

    /// Begins a solve of A u = r from u = 0; r is rounded into its format.
    void start(std::span<const double> r);
    /// Each pass is one CG step. rho is tested before a step, as r.r of the residual so far.
    RunReport run(const RunRequest& request);
    [[nodiscard]] double rho() const { return rho_; }
    /// The last step's denominator of alpha, which stands for p.A p; not above zero behind RunEnd::indefinite.
    [[nodiscard]] double pq() const { return pq_; }
    [[nodiscard]] std::span<const double> solution() const { return u_; }

private:
    RunEnd step(double stop, bool test);

    BlockAlgebra algebra_;
    DatapathSpec spec_;
    CgVariant variant_;
    std::vector<double> u_, r_, p_, w_, s_, z_, aw_;
    double rho_ = 0, pq_ = 0, previous_rho_ = 0, alpha_ = 0;
    bool first_ = true;
};

} // namespace mantissa
