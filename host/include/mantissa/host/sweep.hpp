// Sweeps: many points, from a TOML file, over all cores, into a store.
//
//     store = "which_bits.sqlite"        # beside the sweep file unless absolute; default: the file's name
//     [defaults]                         # for every grid
//     scheme = "residual-guided"
//     inner = 10
//     [[grid]]                           # the cross product of its lists; a file may hold several grids
//     problem = ["poisson2d:level=7", "poisson2d:level=8"]
//     format = ["s10e8", "s14e8", "s17e8"]
//     u = ["same", "s23e8"]              # same: the format's; +6: the format's with six more fraction bits
//     row = ["same", "+4", "+6"]
//     [[grid]]
//     zip = [["format", "row"]]          # lists of one length whose values go together
//     format = ["s14e8", "s17e8"]
//     row = ["s20e8", "s23e8"]
//
// Keys: docs/sweeps.md.
//
// A sweep of dense systems has [[dense]] tables in place of [[grid]]:
//
//     [[dense]]
//     n = [256, 512]                     # or problem = ["n=256,kind=uniform"], or file = ["a.mtx"]
//     kind = "randsvd"
//     kappa = [1e2, 1e6]
//     format = ["s10e5", "s7e8"]
//     acc = ["same", "fixed[15:-34]"]    # same: as the format
//     refine = ["ir", "gmres-ir"]
//
// Keys: docs/sweeps.md.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/host/dense_point.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/store.hpp"

namespace mantissa {

/// A sweep file as read: its points, in order.
struct Sweep {
    std::string store;             ///< as written in the file; empty when it names none
    std::vector<Point> points;     ///< each once, in the file's order
    std::vector<DensePoint> dense; ///< the same of a sweep of dense systems; then there are no `points`
};

inline constexpr std::size_t kMaxSweepPoints = 1'000'000;

/// Reads a sweep from TOML `text`; `name` stands for the file in errors. Throws InvalidInput with one line,
/// `FILE:LINE: what; the mend`, for anything that cannot be run as written, also when the points exceed `max_points`.
Sweep parse_sweep(std::string_view text, std::string_view name, std::size_t max_points = kMaxSweepPoints);

/// The same from a file.
Sweep read_sweep(const std::string& path);

/// The keys that [[dense]] tables take and [[grid]] tables do not: they say which of the two a table is.
std::vector<std::string> dense_sweep_keys();

/// How many of the sweep's points the store lacks.
std::size_t lacking(const Sweep& sweep, const Store& store);

/// The results file of a sweep, to write; where it or its folder cannot be written and it has every point, to read.
/// Throws InvalidInput, one line, where it is none or points are to be written; `by` names it there, as "--store".
std::unique_ptr<Store> open_store(const Sweep& sweep, const std::string& by, const std::string& path);

/// What came of one point.
struct PointOutcome {
    SolveResult result;       ///< when not refused
    std::size_t unknowns = 0; ///< when not refused
    std::string refused;      ///< why the point could not be run (the engine's or the problem's line); else empty
};

/// Solves points on `threads` threads, one point each, longest first by estimated_work(). `done` is called once per
/// point with its index, from one thread at a time, as results come. Exceptions of `done` end the run and are passed
/// on.
void solve_points(std::span<const Point> points, int threads,
                  const std::function<void(std::size_t index, const PointOutcome&)>& done);

} // namespace mantissa
