// A point of an experiment with dense systems: one solve, named completely, as Point is for the conjugate gradients.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "mantissa/host/dense.hpp"

namespace mantissa {

/// What a dense solve needs. Thread counts do not belong to it.
struct DensePoint {
    std::string problem = "n=256,kind=uniform,seed=1"; ///< canonical, as outline_dense_problem() names it
    std::string engine = "emulated";                   ///< which forms the factors, as make_lu_factor() knows it
    DenseOptions options;
};

/// The full configuration as text, the key under which its result is stored: equal keys, equal results.
std::string point_key(const DensePoint& point);

/// A guess of the arithmetic in a solve, in the unit of estimated_work(const Point&).
double estimated_work(const DensePoint& point);

/// What came of one dense point.
struct DenseOutcome {
    DenseResult result;       ///< when not refused; without x
    std::size_t unknowns = 0; ///< when not refused
    std::string refused;      ///< why the point could not be run; else empty
};

/// Solves points on `threads` threads, one point each, longest first. `done` as for solve_points() in sweep.hpp.
void solve_points(std::span<const DensePoint> points, int threads,
                  const std::function<void(std::size_t index, const DenseOutcome&)>& done);

} // namespace mantissa
