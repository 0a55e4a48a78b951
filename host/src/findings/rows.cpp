#include "rows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "iteration_contest.hpp"

namespace mantissa::findings {

std::string text(const Json& object, const char* name) {
    if (!object.is_object()) return {};
    const auto it = object.find(name);
    return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}
std::optional<double> number(const Json& object, const char* name) {
    if (!object.is_object()) return std::nullopt;
    const auto it = object.find(name);
    return it != object.end() && it->is_number() ? std::optional(it->get<double>()) : std::nullopt;
}
std::uint64_t whole(const Json& object, const char* name) {
    const double value = number(object, name).value_or(0);
    return value >= 0 && value < 1e18 ? static_cast<std::uint64_t>(value) : 0;
}
std::vector<const Json*> items(const Json& object, const char* name) {
    std::vector<const Json*> list;
    if (!object.is_object()) return list;
    const auto it = object.find(name);
    if (it == object.end() || !it->is_array()) return list;
    for (const Json& item : *it)
        if (item.is_object()) list.push_back(&item);
    return list;
}

std::vector<Row> rows_on(const Json& document, const std::string& problem, const std::string& device) {
    std::vector<Row> rows;
    for (const Json* r : items(document, "rows")) {
        if (text(*r, "problem") != problem || text(*r, "device") != device) continue;
        const auto seconds = number(*r, "seconds"), area_time = number(*r, "area_time"),
                   share = number(*r, "area_share");
        if (!seconds || !area_time || !share || !(*seconds > 0)) continue;
        Row row;
        row.json = r;
        row.spec = text(*r, "spec");
        row.multiplier = text(*r, "multiplier");
        row.seconds = *seconds;
        row.area_time = *area_time;
        row.area_share = *share;
        row.cores = whole(*r, "cores");
        row.bits = vector_bits(row.spec).value_or(0);
        if (r->contains("resident") && !r->at("resident").is_null()) {
            row.spec += ", resident";
            row.resident_lanes = whole(*r, "lanes");
        }
        rows.push_back(std::move(row));
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
    std::set<std::pair<std::string, std::string>> designs;
    for (const Row& row : rows) designs.emplace(row.spec, row.multiplier);
    return designs.size();
}

std::string problem_with_rows(const Json& document) {
    std::map<std::string, double> unknowns;
    for (const Json* d : items(document, "designs")) unknowns[text(*d, "problem")] = number(*d, "unknowns").value_or(0);
    std::string problem;
    for (const Json* r : items(document, "rows"))
        if (problem.empty() || unknowns[text(*r, "problem")] > unknowns[problem]) problem = text(*r, "problem");
    return problem;
}

std::vector<std::pair<std::string, std::vector<Row>>> devices_with_rows(const Json& document,
                                                                        const std::string& problem) {
    std::vector<std::pair<std::string, std::vector<Row>>> devices;
    const auto add = [&](const std::string& id) {
        if (std::none_of(devices.begin(), devices.end(), [&](const auto& d) { return d.first == id; }))
            devices.emplace_back(id, rows_on(document, problem, id));
    };
    for (const Json* d : items(document, "devices")) add(text(*d, "id"));
    for (const Json* r : items(document, "rows")) add(text(*r, "device"));
    std::erase_if(devices, [](const auto& d) { return d.second.empty(); });
    return devices;
}

} // namespace mantissa::findings
