// The processes of one request: those that mpirun started, or this one alone. Internal to host/; its source is compiled
// with MPI and without.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace mantissa::running {

/// What the launcher's environment says of this process, whether or not this Mantissa has MPI.
struct Launch {
    int rank = 0, count = 1;
};
Launch launch();

/// Seconds that a rank waits for another before it ends all of them, unless told otherwise.
inline constexpr double kRankWait = 120;

/// The ranks of `mpirun` in a build with MPI, else this process alone. The first object of a program begins with MPI
/// and ends with it; others live within its life. MPI begins once every rank is there: where that takes longer than
/// set_wait() allows (a rank was stopped, or its machine hangs), this process ends with one line and exit code 2.
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
    /// A fault where `text` is not the same on all ranks: "rank 2: WHAT ... differ from the first rank's"; else empty.
    [[nodiscard]] std::string unlike(const std::string& what, const std::string& text) const;

    /// Every rank's text, in their order, on all ranks. Collective.
    [[nodiscard]] std::vector<std::string> gather(const std::string& own) const;

    /// How long this rank waits for others in what follows, in seconds; before the first object, also how long for MPI
    /// to begin.
    static void set_wait(double seconds);
    /// Ends all ranks with this exit code.
    [[noreturn]] void abandon(int code) const;
    /// Says so, in one line of one rank, and ends all ranks: `whom` ("rank 1", "another rank") did not answer.
    [[noreturn]] void give_up(const std::string& whom) const;

private:
    int rank_ = 0, count_ = 1;
};

} // namespace mantissa::running
