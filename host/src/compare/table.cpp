// The document as tables for people.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "join.hpp"
#include "text/counted.hpp"

namespace mantissa::compare {

namespace {

using comparison::Kind;
using text::Cell;
using text::Table;

/// Seconds in the unit that suits them; modelled ones carry a star.
std::string time_of(double seconds, bool modelled) {
    return findings::time_text(seconds) + (modelled ? "*" : "");
}

/// A design or row by its specification, and whether its vectors stay on the chip or its recurrence is another.
std::string name_of(const std::string& spec, bool resident, bool sparse, const std::optional<bool>& chebyshev) {
    return spec + (resident ? ", resident" : sparse ? ", sparse" : chebyshev.value_or(false) ? ", chebyshev" : "");
}

/// Sparse cores, with the times beside them after those of their problem.
std::string sparse_text(const std::vector<comparison::SparseRow>& rows) {
    const Table table("  {cores:<72}{channels:>9}{MHz:>8.1f*1e-6}{us a pass:>10.2f*1e6}{GB/s:>9.1f*1e-9}"
                      "{Gop/s:>10.1f*1e-9}{W:>7.0f}{Gop/s/W:>12.3f*1e-9}{iterations:>11}{time:>12}");
    std::string out, problem;
    for (const comparison::SparseRow& row : rows) {
        if (row.problem != problem) {
            problem = row.problem;
            out += fmt::format("\nSparse cores on {}\n{}", problem, table.head());
        }
        const auto figure = [&](const char* key, const Cell& cell) { return marked(row.modelled, key, cell); };
        const Cell time = row.seconds  ? Cell(time_of(*row.seconds, row.ours()))
                          : row.status ? Cell(text_of(*row.status))
                                       : Cell(std::optional<double>());
        out += table.row({row.ours() ? fmt::format("{}, {} of {} ({})", row.device.value_or(""), row.label, row.spec,
                                                   text_of(row.multiplier))
                                     : fmt::format("{} ({})", row.label, text_of(row.kind)),
                          row.ours() ? Cell(row.channels) : Cell(std::optional<double>()), row.clock_hz,
                          figure("seconds_per_iteration", row.seconds_per_iteration),
                          figure("bytes_per_second", row.bytes_per_second),
                          figure("operations_per_second", row.operations_per_second), row.watts,
                          figure("operations_per_joule", row.operations_per_joule), row.iterations, time});
    }
    if (!out.empty()) out += "  (* modelled, from simulated clocks; watts are the greatest power)\n";
    return out;
}

/// The fastest row of each problem and device.
std::vector<comparison::Row> best_of_cg(const std::vector<comparison::Row>& rows) {
    std::vector<comparison::Row> best;
    for (const comparison::Row& row : rows) {
        const auto known = std::ranges::find_if(best, [&](const comparison::Row& other) {
            return other.problem == row.problem && other.device == row.device;
        });
        if (known == best.end()) best.push_back(row);
        else if (row.seconds < known->seconds) *known = row;
    }
    return best;
}

/// The fronts of a device, a table for each problem.
std::string fronts_text(const comparison::Device& device, const std::vector<comparison::Row>& rows) {
    const Table front("  {design:<62}{mults:<8}{cores:>6}{lanes:>7}{inner:>7}{MHz:>9.1f*1e-6}{area:>10.1f%*100}"
                      "{time:>12}  {bound by}");
    std::string out, last;
    for (const comparison::Row& row : rows) {
        if (row.device != device.id || !row.pareto) continue;
        if (row.problem != last) {
            last = row.problem;
            out += fmt::format("\nFront of area against time on {}, {}\n{}", device.name, last, front.head());
        }
        out += front.row(
            {name_of(row.spec, row.resident.has_value(), false, row.chebyshev), text_of(row.multiplier), row.cores,
             row.lanes, row.inner,
             text::modelled(marked(row.modelled, "clock_hz", row.clock_hz),
                            std::ranges::count(row.modelled, "clock_hz") > 0 || row.clock_kind == Kind::modelled),
             marked(row.modelled, "area_share", row.area_share),
             time_of(row.seconds, row.seconds_kind == Kind::modelled), text_of(row.bound)});
    }
    return out;
}

} // namespace

text::Cell marked(const std::vector<std::string>& modelled, std::string_view key, text::Cell cell) {
    return text::modelled(std::move(cell), std::ranges::count(modelled, key) > 0);
}

std::string comparison_text(const comparison::ComparisonDocument& d) {
    const bool cycles_alone = d.designs.empty() && d.cycle_cores && !d.cycle_cores->empty();
    std::string out = cycles_alone ? fmt::format("{}: multilevel cycles, to {:.0e}\n", d.name, d.tolerance)
                                   : fmt::format("{}: {}, {} per step, to {:.0e}\n", d.name, d.scheme,
                                                 text::counted(d.inner, "inner iteration"), d.tolerance);
    std::string problem;
    const Table designs("  {design:<62}{iterations:>11}{outer:>8}{clocks per pass:>17.1f}{B per element:>15.4g}");
    for (const comparison::Design& x : d.designs) {
        if (x.problem != problem) {
            problem = x.problem;
            out += fmt::format("\n{}, {} unknowns\n{}", problem, x.unknowns, designs.head());
        }
        const Cell iterations =
            x.status == comparison::Ending::converged ? Cell(x.inner_iterations) : Cell(text_of(x.status));
        const bool sparse = x.sparse.value_or(false);
        std::string name = name_of(x.spec, x.resident.value_or(false), sparse, x.chebyshev);
        if (x.jacobi.value_or(false) && !sparse) name += ", Jacobi";
        if (x.headroom) name += fmt::format(", headroom {}", *x.headroom);
        out += designs.row({name, iterations, x.outer_iterations, x.cycles_per_iteration, x.bytes_per_element});
    }
    for (const comparison::Device& device : d.devices) out += fronts_text(device, d.rows);
    if (!d.rows.empty()) out += "  (* modelled; slices, and so area, are estimates)\n";
    if (d.sparse) out += sparse_text(*d.sparse);
    if (d.cycle_cores) out += cycle_cores_text(*d.cycle_cores, best_of_cg(d.rows));
    if (!d.peers.empty()) {
        const Table table("  {problem:<22}{run:<60}{iterations:>11}{time:>12}{residual:>12.1e}");
        out += "\nBeside it\n" + table.head();
        for (const comparison::Peer& p : d.peers)
            out += table.row({p.problem, p.label, p.iterations, time_of(p.seconds, false), p.true_residual});
    }
    if (!d.findings.empty()) out += "\nFindings\n";
    for (const std::string& finding : d.findings) out += fmt::format("  - {}\n", finding);
    if (!d.gaps.empty()) out += "\nGaps\n";
    for (const comparison::Gap& g : d.gaps) out += fmt::format("  - {}: {}; {}\n", g.what, g.why, g.mend);
    return out;
}

} // namespace mantissa::compare
