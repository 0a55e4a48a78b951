// Trial solves: which of the widths near those that the rule names really converge. Internal to host/.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "mantissa/host/advise.hpp"
#include "running/processor_time.hpp"

namespace mantissa::advising {

/// Solves a problem with proposals on the emulated engine within a budget of processor time.
class Search {
public:
    /// `make`: the options of a solve in these widths. `taken`: do the engines that shall run it take this datapath?
    /// `say` takes what is being done. All must live as long.
    Search(const Problem& problem, std::function<SolveOptions(const AdvisedWidths&)> make,
           std::function<AdvisedWidths(AdvisedWidths, int coefficient)> with_coefficient,
           std::function<bool(const DatapathSpec&)> taken, double seconds, std::function<void(const std::string&)> say)
        : problem_(problem), make_(std::move(make)), with_coefficient_(std::move(with_coefficient)),
          taken_(std::move(taken)), seconds_(seconds), say_(std::move(say)) {}

    /// Looks for the shortest words that converge, without a step lost to overflow, within `limit` iterations: from the
    /// proposal's widths upwards until some do, then downwards in r, p and q, in the coefficients and in u. Within the
    /// budget; where it ends before any have converged the proposal is as it was, not `tried`.
    void improve(Proposal& proposal, std::uint64_t limit);

    [[nodiscard]] int trials() const { return static_cast<int>(known_.size()); }

    /// Was a trial left out, or cut off, because time was up?
    [[nodiscard]] bool budget_spent() const { return spent_; }

private:
    struct Outcome {
        bool converged = false; ///< in time, and without a step lost to overflow
        bool overflowed = false;
        std::uint64_t iterations = 0;
        WordUse words;
    };
    /// None when the budget is used up.
    std::optional<Outcome> outcome(const AdvisedWidths& widths, std::uint64_t limit);
    [[nodiscard]] bool works(const AdvisedWidths& widths, std::uint64_t limit);
    /// The same; words that overflow get more bits before the point first, in `widths`.
    [[nodiscard]] bool works_widened(AdvisedWidths& widths, std::uint64_t limit);
    [[nodiscard]] bool first_in_time(AdvisedWidths& widths, std::uint64_t limit);
    [[nodiscard]] bool first_at_all(AdvisedWidths& widths, std::uint64_t& limit);
    /// Takes the bits before the points that the trial did not need, but for one; they change nothing of the solve.
    void trim(AdvisedWidths& widths, std::uint64_t limit);
    /// Single bits less of each width in turn, two and three where one less does not do: counts of iterations are no
    /// monotone function of a width.
    void polish(AdvisedWidths& widths, std::uint64_t limit);
    /// Words that are short to the last bit may keep others long: one bit more of r, p and q for two or more of the
    /// coefficients and u, and one of u for two or more of q.
    void trade(AdvisedWidths& widths, std::uint64_t limit);
    /// Every width from `least` on until one does, where trials are cheap beside the budget.
    void climb(AdvisedWidths& widths, std::uint64_t limit, int least, int AdvisedWidths::*width,
               const std::function<AdvisedWidths(AdvisedWidths, int)>& with);
    /// Lowers one width between `low`, which is not tried, and where it stands: in growing steps, then by halving.
    void shorten(AdvisedWidths& widths, std::uint64_t limit, int low, int now,
                 const std::function<AdvisedWidths(AdvisedWidths, int)>& with);
    [[nodiscard]] double spent() const { return running::processor_seconds() - start_; }

    const Problem& problem_;
    std::function<SolveOptions(const AdvisedWidths&)> make_;
    std::function<AdvisedWidths(AdvisedWidths, int)> with_coefficient_;
    std::function<bool(const DatapathSpec&)> taken_;
    double seconds_; ///< for all trials
    std::function<void(const std::string&)> say_;
    double start_ = running::processor_seconds();
    std::map<std::string, std::pair<std::uint64_t, Outcome>> known_; ///< by spec: the limit, and what came of it
    bool spent_ = false;
    double longest_ = 0; ///< seconds of a trial
    double around_ = 0;  ///< ... of which so many are not iterations: loading, and the verdict
};

} // namespace mantissa::advising
