// Sparse cores of a comparison beside GPU and published times.
#include <map>

#include <fmt/format.h>

#include "report/comparison.hpp"
#include "report/numbers.hpp"

namespace mantissa::report {

namespace {

/// A figure in another unit.
Cell scaled(const Node& row, const char* name, double scale) {
    Cell cell = row.figure(name);
    if (const auto value = row.number(name)) cell.text = significant(*value * scale, 3);
    return cell;
}

} // namespace

std::vector<Table> sparse_tables(const DocumentRow& document, const DocumentOrigins& origins,
                                 const std::string& first) {
    std::vector<Table> tables;
    std::map<std::string, std::size_t> at;
    const auto table_of = [&](const std::string& problem) -> Table& {
        if (const auto it = at.find(problem); it != at.end()) return tables[it->second];
        at[problem] = tables.size();
        Table& t = tables.emplace_back();
        t.id = fmt::format("sparse-{}-{}", document.number, tables.size());
        t.caption = "Sparse cores beside a GPU and published times: " + problem;
        t.note = "Our designs are modelled from simulated clocks of a pass. GB/s: what the stream of the matrix takes. "
                 "Operations: two for each entry, twelve for each row. Watts: the device's greatest power. Published "
                 "solvers and the GPU compute in other formats, so compare times of whole solves where both are given.";
        t.columns = columns("{What}{Kind}{An iter. [µs]=pass:>}{GB/s=bandwidth:>}{Gop/s=operations:>}{W=watts:>}"
                            "{Gop/s a W=per_watt:>}{Iterations:>}{Time=seconds:>}");
        t.row_header = false;
        t.folded = problem != first;
        return t;
    };
    if (!first.empty()) table_of(first);
    for (const Node& r : nodes(document, "sparse")) {
        std::string what = r.text("label");
        if (!r.text("spec").empty()) what += " of " + r.text("spec");
        if (!r.text("device").empty()) what += ", " + r.text("device");
        table_of(r.text("problem"))
            .rows.push_back(
                {{spec(what), words(r.text("kind")), scaled(r, "seconds_per_iteration", 1e6),
                  scaled(r, "bytes_per_second", 1e-9), scaled(r, "operations_per_second", 1e-9), r.figure("watts"),
                  scaled(r, "operations_per_joule", 1e-9), r.figure("iterations"), seconds_cell(r, "seconds")},
                 origins.of(r.object())});
    }
    return tables;
}

} // namespace mantissa::report
