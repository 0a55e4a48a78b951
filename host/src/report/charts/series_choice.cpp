#include "series_choice.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace mantissa::report {

std::vector<Choice> comparable_points(const std::vector<PointRow>& points) {
    // Of the same specification the solve that converged, then the emulated engine's.
    const auto rank = [](const PointRow& p) { return std::pair(p.converged(), p.engine == "emulated"); };
    std::map<std::string, std::map<std::string, int>> shares; // problem, setting
    for (const PointRow& p : points) ++shares[p.problem][p.way()];
    std::vector<Choice> choices;
    for (const auto& [problem, settings] : shares) {
        const auto usual = std::max_element(settings.begin(), settings.end(),
                                            [](const auto& a, const auto& b) { return a.second < b.second; });
        Choice choice{problem, 0, {}};
        for (const PointRow& p : points) {
            if (p.problem != problem || p.way() != usual->first) continue;
            choice.unknowns = p.unknowns;
            const auto same = std::find_if(choice.points.begin(), choice.points.end(),
                                           [&](const PointRow* q) { return q->spec == p.spec; });
            if (same == choice.points.end()) choice.points.push_back(&p);
            else if (rank(p) > rank(**same)) *same = &p;
        }
        choices.push_back(std::move(choice));
    }
    std::size_t most = 0;
    for (const Choice& c : choices) most = std::max(most, c.points.size());
    std::stable_sort(choices.begin(), choices.end(), [&](const Choice& a, const Choice& b) {
        const bool rich_a = 2 * a.points.size() >= most, rich_b = 2 * b.points.size() >= most;
        return rich_a != rich_b ? rich_a : a.unknowns > b.unknowns;
    });
    return choices;
}

} // namespace mantissa::report
