// The search of `mantissa tune` over emulated solves: what a point of the space is as a solve and as cores, and what it
// costs. Internal to host/.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cores.hpp"
#include "solves.hpp"
#include "tune.hpp"

namespace mantissa::tuning {

class SolveContest : public Contest {
public:
    /// The references must outlive it; designs that reached the tolerance are added to `result`.
    /// With `levels`, coarser problems are its rungs.
    SolveContest(const TuneRequest& request, const Space& space, Cores& cores, Solves& solves, TuneResult& result,
                 bool levels);

    [[nodiscard]] const std::vector<std::size_t>& sizes() const override { return space_.sizes(); }
    [[nodiscard]] Choice canonical(Choice choice) const override { return space_.canonical(std::move(choice)); }
    [[nodiscard]] std::size_t rungs() const override { return names_.size() - 1; }
    [[nodiscard]] double least_log(const Choice& choice) override;
    [[nodiscard]] bool possible(const Choice& choice) override { return known(choice).why.empty(); }
    [[nodiscard]] double cost(const Choice& choice, double log) override;
    std::vector<Measured> measure(std::span<const Choice> choices, std::size_t rung) override;

    /// Iterations of CG in double on the problem itself.
    [[nodiscard]] double reference() const { return references_.back(); }
    /// Why points were refused, and how many.
    [[nodiscard]] const std::map<std::string, std::size_t>& refusals() const { return refusals_; }

private:
    struct Known {
        std::string why; ///< refused
        SolveOptions options;
        std::vector<Build> builds;
    };
    const Known& known(const Choice& choice);
    [[nodiscard]] std::vector<Arranged> arranged(const Known& known, double iterations) const;
    std::uint64_t limit(const Choice& choice, double reference, bool whole);
    void enter(const Choice& choice, const SolveResult& r);

    const TuneRequest& request_;
    const Space& space_;
    Cores& cores_;
    Solves& solves_;
    TuneResult& result_;
    std::vector<std::string> names_;
    std::vector<double> references_;
    std::map<Choice, Known> known_;
    std::map<std::string, std::size_t> refusals_;
    std::vector<std::pair<double, double>> front_; ///< shares and seconds
};

} // namespace mantissa::tuning
