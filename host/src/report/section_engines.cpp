#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "document.hpp"
#include "sections.hpp"

namespace mantissa::report {

namespace {

std::string without_engine(const PointRow& p) {
    return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}", p.problem, p.spec, p.scheme, p.stop(), p.inner_recurrence, p.middle,
                       p.tolerance, p.jacobi);
}

/// Measured passes of a core, as the comparison stores them.
Table passes_table(const Rows& rows) {
    Table t;
    t.id = "passes";
    t.caption = "Passes counted on the simulated core";
    t.columns = {text_column("problem", "Problem"),           text_column("spec", "Specification"),
                 number_column("passes", "Passes"),           number_column("cycles", "Cycles"),
                 number_column("per", "Cycles a pass"),       number_column("read", "Read", "bytes"),
                 number_column("written", "Written", "bytes")};
    for (const DocumentRow& d : rows.measurements) {
        const Node n(d, d.document, {});
        const auto passes = n.number("passes"), cycles = n.number("cycles");
        if (!passes || !cycles || !(*passes > 0)) continue;
        t.rows.push_back({{words(n.text("problem")), spec(n.text("spec")), n.figure("passes"), n.figure("cycles"),
                           real(*cycles / *passes, {}, 6), n.figure("bytes_read"), n.figure("bytes_written")},
                          {d.origin}});
    }
    t.folded = t.rows.size() > 12;
    return t;
}

} // namespace

Section engines_section(const Rows& rows) {
    Section section{"engines", "Engines and cycles", {}};
    Table passes = passes_table(rows);
    std::map<std::string, std::vector<const PointRow*>> groups;
    for (const PointRow& p : rows.points) groups[without_engine(p)].push_back(&p);
    Table t;
    t.id = "engines";
    t.caption = "The same solves on several engines";
    t.note = "Engines with the same specification return the same bits, so their iterations and defects are equal. "
             "Cycles are those of the inner solver's passes, counted by the engine.";
    t.columns = {text_column("problem", "Problem"),
                 text_column("spec", "Specification"),
                 text_column("engine", "Engine"),
                 number_column("iterations", "Inner iterations"),
                 number_column("outer", "Outer"),
                 number_column("defect", "True defect"),
                 number_column("cycles", "Cycles"),
                 number_column("per", "Cycles an iteration"),
                 number_column("per_unknown", "and unknown")};
    std::size_t pairs = 0, equal = 0;
    for (const PointRow& lead : rows.points) {
        const auto& group = groups[without_engine(lead)];
        const bool any_cycles =
            std::any_of(group.begin(), group.end(), [](const auto* p) { return p->cycles.has_value(); });
        if (group.front() != &lead || (group.size() < 2 && !any_cycles)) continue;
        for (const PointRow* p : group) {
            if (p != &lead) {
                ++pairs;
                equal += p->inner_iterations == lead.inner_iterations && p->true_residual == lead.true_residual ? 1 : 0;
            }
            Cell per = none(), per_unknown = none();
            if (p->cycles && p->inner_iterations != 0) {
                const double value = static_cast<double>(*p->cycles) / static_cast<double>(p->inner_iterations);
                per = real(value, {}, 6);
                per_unknown = real(value / static_cast<double>(p->unknowns), {}, 4);
            }
            t.rows.push_back({{words(p->problem), spec(p->spec), words(p->engine),
                               count(p->inner_iterations, p->at.column("inner_iterations")),
                               count(p->outer_iterations, p->at.column("outer_iterations")),
                               real(p->true_residual, p->at.column("true_residual"), 4),
                               count(p->cycles, p->at.column("cycles")), per, per_unknown},
                              {p->origin}});
        }
    }
    if (t.rows.empty()) {
        section.blocks.emplace_back(
            Gap{"No solve in these results ran on a second engine",
                "a sweep file with engine = [\"emulated\", \"rtl\"], then mantissa sweep FILE.toml --store STORE "
                "(Verilator: apt install verilator)"});
        if (!passes.rows.empty()) section.blocks.emplace_back(std::move(passes));
        return section;
    }
    if (pairs != 0)
        section.blocks.emplace_back(Text{fmt::format("{} of {} solves on a second engine have the iterations and the "
                                                     "defect, to the last bit, of the same solve on the first.",
                                                     equal, pairs)});
    section.blocks.emplace_back(std::move(t));
    if (!passes.rows.empty()) section.blocks.emplace_back(std::move(passes));
    return section;
}

Section points_section(const Rows& rows) {
    Section section{"points", "Every solve", {}};
    if (rows.points.empty()) {
        section.blocks.emplace_back(
            Gap{"No solves in these results", "mantissa sweep experiments/quickstart.toml --store STORE"});
        return section;
    }
    Table t;
    t.id = "points";
    t.caption = "All solves of these results";
    t.note = "Seconds are of the engine named, an emulation or a simulation, not of a device.";
    t.folded = true;
    t.columns = {text_column("problem", "Problem"),      text_column("spec", "Specification"),
                 text_column("engine", "Engine"),        text_column("scheme", "Scheme"),
                 text_column("stop", "Inner stop"),      text_column("status", "Status"),
                 number_column("iterations", "Inner"),   number_column("outer", "Outer"),
                 number_column("defect", "True defect"), number_column("error", "Error"),
                 number_column("seconds", "Engine", "s")};
    for (const PointRow& p : rows.points)
        t.rows.push_back({{words(p.problem), spec(p.spec), words(p.engine), words(p.scheme), words(p.stop()),
                           words(p.status), count(p.inner_iterations, p.at.column("inner_iterations")),
                           count(p.outer_iterations, p.at.column("outer_iterations")),
                           real(p.true_residual, p.at.column("true_residual")), real(p.error, p.at.column("error"), 6),
                           real(p.seconds, p.at.column("seconds"))},
                          {p.origin}});
    section.blocks.emplace_back(std::move(t));
    return section;
}

} // namespace mantissa::report
