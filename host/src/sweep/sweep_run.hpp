// Running a sweep into a store, on one machine or spread over MPI ranks. Internal to host/.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "mantissa/host/store.hpp"
#include "mantissa/host/sweep.hpp"
#include "running/ranks.hpp"

namespace mantissa::sweeps {

struct SweepReport {
    std::size_t points = 0, stored_before = 0, computed = 0, not_converged = 0;
    std::vector<std::pair<std::string, std::string>> refused; ///< point and reason
    double seconds = 0;
};

/// Solves the points that the store lacks. Each result is stored as it comes. `store` is null on all ranks but the
/// first; the report is complete on the first.
SweepReport run_sweep(const Sweep& sweep, Store* store, int threads, const std::string& command,
                      const running::Ranks& ranks);

} // namespace mantissa::sweeps
