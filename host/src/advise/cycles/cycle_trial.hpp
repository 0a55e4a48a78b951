// Solves with multilevel cycles, tried within a budget of processor time. Internal to host/.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "mantissa/host/advise_cycles.hpp"
#include "mantissa/multilevel/grid_words.hpp"
#include "running/processor_time.hpp"

namespace mantissa::advising {

/// One solve with `spec` of at most so many iterations; it stops where `time_up` says so, asked after every iteration.
CycleTrial try_cycle(const Problem& problem, const CycleSpec& spec, const AdviceOptions& options,
                     const LevelsMeasured& levels, std::uint64_t limit, const std::function<bool()>& time_up);

/// v22 in words of ten bits on a matrix on which CG in double precision takes so many iterations and seconds; none
/// where there are no levels, or where a quarter of these seconds does not suffice.
std::optional<FasterCycles> faster_cycles(const Problem& problem, const AdviceOptions& options,
                                          std::uint64_t iterations, double seconds);

/// The shortest words of a shape that converge within a limit.
class CycleSearch {
public:
    /// `spent`: seconds so far, of `seconds`; `each`: about what a trial takes. All must live as long.
    CycleSearch(const Problem& problem, const AdviceOptions& options, const LevelsMeasured& levels,
                std::function<double()> spent, double seconds, double each, std::function<void(const std::string&)> say)
        : problem_(problem), options_(options), levels_(levels), spent_(std::move(spent)), seconds_(seconds),
          say_(std::move(say)), rows_(!multilevel::grid_words(problem.system)), longest_seconds_(each) {}

    /// From `shape`'s usual words down, or from the longest where these do not; words of r first, then coefficients, f
    /// and e, in growing steps, then by halving, then by single bits. None where no words do within the limit.
    std::optional<CycleTrial> shortest(const CycleSpec& shape, std::uint64_t limit);
    /// The longest words there are, within `limit`.
    std::optional<CycleTrial> longest(const CycleSpec& shape, std::uint64_t limit);

    [[nodiscard]] int trials() const { return static_cast<int>(known_.size()); }
    [[nodiscard]] bool time_up() const { return time_up_; }

private:
    bool works(const CycleSpec& spec, std::uint64_t limit);
    void shorten(CycleSpec& spec, std::uint64_t limit, int least, const std::function<int&(CycleSpec&)>& bits);
    void polish(CycleSpec& spec, std::uint64_t limit);

    const Problem& problem_;
    const AdviceOptions& options_;
    const LevelsMeasured& levels_;
    std::function<double()> spent_;
    double seconds_;
    std::function<void(const std::string&)> say_;
    std::map<std::string, std::pair<std::uint64_t, CycleTrial>> known_; ///< by spec: the limit, and what came of it
    bool time_up_ = false, rows_; ///< rows_: coefficients are words, no small integers
    double longest_seconds_;
};

} // namespace mantissa::advising
