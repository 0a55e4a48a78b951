#include "rows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "iteration_contest.hpp"

namespace mantissa::findings {

std::vector<Row> rows_on(const ComparisonDocument& document, const std::string& problem, const std::string& device) {
    std::vector<Row> rows;
    for (const comparison::Row& r : document.rows) {
        if (r.problem != problem || r.device != device) continue;
        if (!(r.seconds > 0) || !(r.area_time > 0) || !(r.area_share > 0)) continue;
        rows.push_back({r, r.resident ? r.spec + ", resident" : r.spec, vector_bits(r.spec).value_or(0)});
    }
    return rows;
}

const Row* least(const std::vector<Row>& rows, bool area, const std::function<bool(const Row&)>& wanted) {
    const Row* best = nullptr;
    const auto key = [&](const Row& r) { return std::pair(r.by(area), area ? r.seconds : r.area_share); };
    for (const Row& row : rows)
        if ((!wanted || wanted(row)) && (best == nullptr || key(row) < key(*best))) best = &row;
    return best;
}

std::size_t count_designs(const std::vector<Row>& rows) {
    return count_designs(Devices{{"", rows}});
}

std::size_t count_designs(const Devices& devices) {
    std::set<std::pair<std::string, comparison::Multiplier>> designs;
    for (const auto& [id, rows] : devices)
        for (const Row& row : rows) designs.emplace(row.design, row.multiplier);
    return designs.size();
}

std::string problem_with_rows(const ComparisonDocument& document) {
    std::map<std::string, std::uint64_t> unknowns;
    for (const comparison::Design& d : document.designs) unknowns[d.problem] = d.unknowns;
    std::string problem;
    for (const comparison::Row& r : document.rows)
        if (problem.empty() || unknowns[r.problem] > unknowns[problem]) problem = r.problem;
    return problem;
}

Devices devices_with_rows(const ComparisonDocument& document, const std::string& problem) {
    Devices devices;
    const auto add = [&](const std::string& id) {
        if (std::none_of(devices.begin(), devices.end(), [&](const auto& d) { return d.first == id; }))
            devices.emplace_back(id, rows_on(document, problem, id));
    };
    for (const comparison::Device& d : document.devices) add(d.id);
    for (const comparison::Row& r : document.rows) add(r.device);
    std::erase_if(devices, [](const auto& d) { return d.second.empty(); });
    return devices;
}

} // namespace mantissa::findings
