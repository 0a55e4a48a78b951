// Emulated solves of a tuner, each an ordinary point of a store. Internal to host/.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/store.hpp"

namespace mantissa::tuning {

class Solves {
public:
    Solves(Store& store, std::string command, int threads);
    /// The results of these points, in their order: stored ones, and the others solved side by side and stored. A point
    /// that the engine refuses comes back as a breakdown.
    std::vector<SolveResult> results(std::span<const Point> points);
    /// A problem, built once.
    const Problem& problem(const std::string& name);
    /// Iterations of CG in double precision on a problem. Throws InvalidInput where it does not converge.
    double reference(const std::string& name, double tolerance);

    [[nodiscard]] std::size_t stored() const { return stored_; } ///< results that were in the store
    [[nodiscard]] std::size_t made() const { return made_; }

private:
    Store& store_;
    std::string command_;
    int threads_;
    std::unique_ptr<Engine> engine_;
    std::map<std::string, Problem> problems_;
    std::map<std::string, double> references_;
    std::atomic<std::size_t> stored_ = 0, made_ = 0;
};

/// The same problem with less work, coarsest first: two levels and one level down; none where it has no levels.
std::vector<std::string> coarser(const std::string& problem);
/// The same matrix with other right-hand sides, as many as there are up to `count`.
std::vector<std::string> other_sides(const std::string& problem, int count);

} // namespace mantissa::tuning
