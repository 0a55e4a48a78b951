// Sparse cores of a comparison beside GPU and published times, and cycle cores beside a GPU's cycles.
#include <map>

#include <fmt/format.h>

#include "comparison/document.hpp"
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

std::vector<Table> cycle_tables(const DocumentRow& document, const DocumentOrigins& origins) {
    std::vector<Table> tables;
    std::map<std::string, std::size_t> at;
    for (const Node& r : nodes(document, "cycle_cores")) {
        const std::string problem = r.text("problem");
        if (!at.contains(problem)) {
            at[problem] = tables.size();
            Table& t = tables.emplace_back();
            t.id = fmt::format("cycles-{}-{}", document.number, tables.size());
            t.caption = "Cores of multilevel cycles: " + problem;
            t.note =
                "Cycles are counted by a solve; clocks are those of the core's formula, at a given clock. Core: all "
                "cycles. Streams: b and u between the device's own memory and the core. Bus: from and to the host, "
                "which is in Time. Area is of netlists, not placed, block memories apart. A GPU's times are "
                "measured, without transfers.";
            t.columns =
                columns("{Device}{Cycle=spec}{Lanes:>}{Cores:>}{Cycles:>}{Clocks a cycle=clocks:>}{Clock [MHz]:>}"
                        "{Core=core:>}{Streams=streams:>}{Bus=link:>}{Time=seconds:>}{Energy [J]:>}"
                        "{Memory [%]=memory:>}{Of device [%]=area_share:>}{Area from=area:}");
        }
        const bool ours = r.number("clock_hz").has_value();
        const auto own = [&](Cell cell) { return ours ? std::move(cell) : none(); };
        Cell cores = own(r.figure("cores"));
        if (ours && !r.number("cores")) cores = words("1"); // (an older program had no others)
        tables[at[problem]].rows.push_back(
            {{words(r.text("device")), spec(comparison::cycle_name(r.text("cycle"), r.text("outer"))),
              own(r.figure("lanes")), std::move(cores), r.figure("cycles"), own(r.figure("clocks_per_cycle", 5)),
              own(scaled(r, "clock_hz", 1e-6)), seconds_cell(r, "seconds_core"),
              own(seconds_cell(r, "seconds_streams")), own(seconds_cell(r, "seconds_link")), seconds_cell(r, "seconds"),
              own(r.figure("energy_joules")), own(scaled(r, "memory_share", 100)), own(scaled(r, "area_share", 100)),
              words(r.text("area_from"))},
             origins.of(r.object())});
    }
    return tables;
}

} // namespace mantissa::report
