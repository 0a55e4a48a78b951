// What comes after the search of `mantissa tune`: other right-hand sides, netlists, the front. Internal to host/.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contest.hpp"
#include "synthesis/synthesis.hpp"

namespace mantissa::tuning {

/// A core's netlist on its way.
struct NetlistRun {
    Build build;
    synthesis::SynthesisRequest request;
    std::optional<synthesis::SynthesisFigures> figures;
    std::string refused; ///< why the RTL has no such core
    std::string fault;   ///< of the tool
    double seconds = 0;  ///< that the tool took
};

class Judge {
public:
    Judge(const TuneRequest& request, Cores& cores, Solves& solves, TuneResult& result)
        : request_(request), cores_(cores), solves_(solves), result_(result) {}
    /// Several right-hand sides for the designs that are as good as the best within the scatter of a count.
    void judge_sides();
    /// Netlists for the winner and those next to it, two at a time. What is not modelled any more may lose to the next.
    /// `left`: seconds of the budget; a netlist that is likely to take longer is not begun.
    void synthesise(const std::function<double()>& left);

private:
    void rank();
    [[nodiscard]] std::vector<NetlistRun> next_netlists(int made, int most, const std::set<std::string>& failed) const;
    void judge(Design& d, const std::vector<std::string>& sides);
    [[nodiscard]] compare::Estimate at_worst(const Placed& p) const;
    void find_front(const std::vector<Placed>& all);
    [[nodiscard]] std::vector<Placed> placed(std::size_t index) const;
    [[nodiscard]] double usual_share(bool cycles) const;

    const TuneRequest& request_;
    Cores& cores_;
    Solves& solves_;
    TuneResult& result_;
};

} // namespace mantissa::tuning
