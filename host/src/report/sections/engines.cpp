#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/page/document.hpp"
#include "sections.hpp"

namespace mantissa::report {

namespace {

using Group = std::vector<const PointRow*>;

/// Solves that differ in nothing but their engines' names, the emulated engine's first where it is there. Schemes that
/// no engine carries out are left out: what they are called by says nothing.
std::vector<Group> groups_of(const Rows& rows) {
    std::vector<Group> groups;
    std::map<std::string, std::size_t> index;
    for (const PointRow& p : rows.points) {
        if (!p.on_engine()) continue;
        const auto [it, fresh] = index.emplace(p.setting(), groups.size());
        if (fresh) groups.emplace_back();
        Group& group = groups[it->second];
        const bool known =
            std::any_of(group.begin(), group.end(), [&](const auto* q) { return q->engine == p.engine; });
        if (!known) group.push_back(&p);
    }
    for (Group& group : groups)
        std::stable_partition(group.begin(), group.end(), [](const auto* p) { return p->engine == "emulated"; });
    return groups;
}

/// Both ended alike, with the same numbers of iterations and the same defect, to the last bit.
bool same_result(const PointRow& a, const PointRow& b) {
    return a.status == b.status && a.inner_iterations == b.inner_iterations &&
           a.outer_iterations == b.outer_iterations && a.true_residual == b.true_residual;
}

std::string comparisons_text(const std::vector<Group>& groups) {
    std::size_t pairs = 0, equal = 0;
    std::set<std::string> first, others;
    for (const Group& group : groups)
        for (std::size_t i = 1; i < group.size(); ++i) {
            ++pairs;
            equal += same_result(*group.front(), *group[i]) ? 1 : 0;
            first.insert(group.front()->engine);
            others.insert(group[i]->engine);
        }
    if (pairs == 0) return {};
    const std::string with = first.size() == 1 ? *first.begin() : "another engine";
    const std::string what = fmt::format("the same iterations and the same defect, to the last bit, as the same solve "
                                         "on {}",
                                         with);
    const std::string engines = fmt::format("{}", fmt::join(others, ", "));
    if (pairs == 1)
        return fmt::format("One solve ran on a second engine ({}): it has {}{}.", engines, equal == 1 ? "" : "not ",
                           what);
    return fmt::format("{} of {} solves on a second engine ({}) have {}.", equal, pairs, engines, what);
}

/// Measured passes of a core, as the comparison stores them.
Table passes_table(const Rows& rows) {
    Table t{"passes", "Passes counted on the simulated core",
            columns("{Problem}{Specification=spec}{Passes:>}{Cycles:>}{Cycles per pass=per:>}{Read [bytes]:>}"
                    "{Written [bytes]:>}")};
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
    const std::vector<Group> groups = groups_of(rows);
    Table t{"engines", "The same solves on several engines, and solves whose engine counts cycles",
            columns("{Problem}{Specification=spec}{Solver}{Engine}{Inner iterations=iterations:>}{Outer:>}"
                    "{True residual=defect:>}{Cycles:>}{Cycles per iteration=per:>}{and unknown=per_unknown:>}"),
            "Each group of rows is one solve: problem, specification, scheme, stopping rule, tolerance, limit and "
            "scaling are the same, the engines differ. Engines promise the same bits for the same specification. "
            "Cycles are those of the inner solver's passes, counted by the engine."};
    for (const Group& group : groups) {
        const bool any_cycles =
            std::any_of(group.begin(), group.end(), [](const auto* p) { return p->cycles.has_value(); });
        if (group.size() < 2 && !any_cycles) continue;
        for (const PointRow* p : group) {
            Cell per = none(), per_unknown = none();
            if (p->cycles && p->inner_iterations != 0) {
                const double value = static_cast<double>(*p->cycles) / static_cast<double>(p->inner_iterations);
                per = real(value, {}, 6);
                per_unknown = real(value / static_cast<double>(p->unknowns), {}, 4);
            }
            t.rows.push_back({{words(p->problem), spec(p->spec), words(p->solver()), words(p->engine),
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
    if (std::string text = comparisons_text(groups); !text.empty()) section.blocks.emplace_back(Text{std::move(text)});
    t.folded = t.rows.size() > 60; // the sentence above says what they come to
    section.blocks.emplace_back(std::move(t));
    if (!passes.rows.empty()) section.blocks.emplace_back(std::move(passes));
    return section;
}

Section points_section(const Rows& rows) {
    Section section{"points", "Every solve", {}};
    if (rows.points.empty()) {
        section.blocks.emplace_back(Gap{"No solves in these results" + beside_comparison(rows),
                                        "mantissa sweep experiments/quickstart.toml --store STORE"});
        return section;
    }
    Table t{
        "points", "All solves of these results",
        columns("{Problem}{Specification=spec}{Engine}{Solver}{Stops at=stop}{Status}{Inner=iterations:>}"
                "{Outer:>}{True residual=defect:>}{Error:>}{Engine [s]=seconds:>}"),
        "Seconds are of the engine named; of an emulation or a simulation they are not a device's. A solve that stops "
        "on the energy of its error may leave a larger residual."};
    t.folded = true;
    for (const PointRow& p : rows.points)
        t.rows.push_back({{words(p.problem), spec(p.spec), words(p.engine), words(p.solver()), words(p.stop()),
                           words(p.status), count(p.inner_iterations, p.at.column("inner_iterations")),
                           count(p.outer_iterations, p.at.column("outer_iterations")),
                           real(p.true_residual, p.at.column("true_residual")), real(p.error, p.at.column("error"), 6),
                           real(p.seconds, p.at.column("seconds"))},
                          {p.origin}});
    section.blocks.emplace_back(std::move(t));
    return section;
}

} // namespace mantissa::report
