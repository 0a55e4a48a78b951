#include "cycles.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "findings.hpp"
#include "rows.hpp"
#include "text/counted.hpp"

namespace mantissa::findings {

namespace {

using comparison::CycleRow;

std::string core_text(const CycleRow& row) {
    const std::string lanes = text::counted(row.lanes, "lane");
    return fmt::format("{} ({})", comparison::cycle_name(row.cycle, row.outer),
                       row.cores == 1 ? lanes : fmt::format("{} of {}", text::counted(row.cores, "core"), lanes));
}

/// "2.5 times as fast as X" of two times.
std::string times_text(double ours, double theirs, const std::string& what) {
    const double ratio = theirs / ours;
    return fmt::format("{:.3g} times as {} as {}", ratio >= 1 ? ratio : 1 / ratio, ratio >= 1 ? "fast" : "slow", what);
}

} // namespace

std::vector<std::string> cycle_sentences(const comparison::ComparisonDocument& document) {
    std::vector<std::string> list;
    if (!document.cycle_cores) return list;
    const std::vector<CycleRow>& rows = *document.cycle_cores;
    // Of the largest grid: the one whose core takes the most clocks.
    const CycleRow* largest = nullptr;
    std::set<std::string> devices;
    for (const CycleRow& row : rows) {
        if (!row.ours()) continue;
        devices.insert(row.device);
        if (largest == nullptr || row.clocks > largest->clocks) largest = &row;
    }
    if (largest == nullptr) return list;
    const std::string& problem = largest->problem;
    const CycleRow* const gpu =
        fastest_of(rows, [&](const CycleRow& row) { return row.problem == problem && !row.ours(); });
    for (const std::string& device : devices) {
        const auto here = [&](const CycleRow& row) {
            return row.problem == problem && row.device == device && row.ours();
        };
        const CycleRow* const row = fastest_of(rows, here);
        if (row == nullptr) continue;
        const auto count = static_cast<std::size_t>(std::ranges::count_if(rows, here));
        std::string text =
            fmt::format("{} on {} at {}: {}, {} (modelled, {}) for {}",
                        count == 1 ? "The only cycle core" : fmt::format("Fastest of {} cycle cores", count), device,
                        problem, core_text(*row), time_text(row->seconds),
                        row->seconds_link ? "b and u over the bus included" : "transfers not included",
                        text::counted(row->cycles, "cycle"));
        const std::vector<Row> designs = rows_on(document, problem, device);
        if (const Row* const cg = least(designs, false))
            text += fmt::format(", {} of CG there, {}", times_text(row->seconds, cg->seconds, "the fastest design"),
                                cg->design);
        if (gpu != nullptr)
            text += fmt::format("; {} takes {} with {} (measured, transfers not included)", gpu->device,
                                time_text(gpu->seconds), gpu->cycle);
        list.push_back(text + ".");
    }
    return list;
}

} // namespace mantissa::findings
