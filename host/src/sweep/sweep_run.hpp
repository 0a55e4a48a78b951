// Running a sweep into a store, on one machine or spread over MPI ranks. Internal to host/.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "mantissa/host/store.hpp"
#include "mantissa/host/sweep.hpp"

namespace mantissa::sweeps {

/// The processes that share a sweep: those of `mpirun` in a build with MPI, else this one alone. One object may live
/// in a program.
class Ranks {
public:
    Ranks();
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;
    ~Ranks();
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int count() const { return count_; }
    /// The first rank owns the store and the terminal.
    [[nodiscard]] bool first() const { return rank_ == 0; }
    /// Of the ranks' faults ("" where a rank has none) the lowest rank's, on every rank; empty when none has one.
    [[nodiscard]] std::string first_fault(const std::string& own) const;
    /// Ends all ranks with this exit code.
    [[noreturn]] void abandon(int code) const;

private:
    int rank_ = 0, count_ = 1;
};

struct SweepReport {
    std::size_t points = 0, stored_before = 0, computed = 0, not_converged = 0;
    std::vector<std::pair<std::string, std::string>> refused; ///< point and reason
    double seconds = 0;
};

/// Solves the points that the store lacks. Each result is stored as it comes. `store` is null on all ranks but the
/// first; the report is complete on the first.
SweepReport run_sweep(const Sweep& sweep, Store* store, int threads, const std::string& command, const Ranks& ranks);

} // namespace mantissa::sweeps
