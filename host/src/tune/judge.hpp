// What comes after the search of `mantissa tune`: other right-hand sides, netlists, the front. Internal to host/.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "contest.hpp"

namespace mantissa::tuning {

class Judge {
public:
    Judge(const TuneRequest& request, Cores& cores, Solves& solves, TuneResult& result)
        : request_(request), cores_(cores), solves_(solves), result_(result) {}
    /// Several right-hand sides for the designs that are as good as the best within the scatter of a count.
    void judge_sides();
    /// Netlists for the winner and those next to it. What is not modelled any more may lose to the next.
    /// `left`: seconds of the budget; a netlist that is likely to take longer is not begun.
    void synthesise(const std::function<double()>& left);

private:
    void rank();
    void judge(Design& d, const std::vector<std::string>& sides);
    void find_front(const std::vector<Placed>& all);
    [[nodiscard]] std::vector<Placed> placed(std::size_t index) const;
    [[nodiscard]] double usual_share(bool cycles) const;

    const TuneRequest& request_;
    Cores& cores_;
    Solves& solves_;
    TuneResult& result_;
};

} // namespace mantissa::tuning
