// What changed between two sets of results: the same solve or the same part, with other figures.
#include <map>

#include <fmt/format.h>

#include "report/numbers.hpp"
#include "sections.hpp"
#include "text/counted.hpp"

namespace mantissa::report {

namespace {

/// By key, and the engine where it decides anything.
std::map<std::string, const PointRow*> by_key(const Rows& rows) {
    std::map<std::string, const PointRow*> points;
    for (const PointRow& p : rows.points) points[p.key] = &p;
    return points;
}

std::string part_key(const SynthesisRow& s) {
    return fmt::format("{}\n{}\n{}\n{}", s.spec, s.target, s.multiplier, s.part);
}

std::map<std::string, const SynthesisRow*> by_part(const Rows& rows) {
    std::map<std::string, const SynthesisRow*> parts;
    for (const SynthesisRow& s : rows.synthesis) parts[part_key(s)] = &s;
    return parts;
}

/// "12 solves are the same, 3 differ, 4 are here only, 5 there only."
std::string counted(const char* what, std::size_t same, std::size_t different, std::size_t here, std::size_t there) {
    return fmt::format("{} the same, {} different; {} here only, {} in the older results only.",
                       text::counted(same, what), different, here, there);
}

Table solves_table(const Rows& rows, const Rows& older, std::string& summary) {
    Table t{"changes-solves", "Solves that end otherwise",
            columns("{Problem}{Specification=spec}{Engine}{Solver}{Status was}{Status}{Inner was=was:>}"
                    "{Inner=iterations:>}{Ratio:>}{True residual was=residual_was:>}{True residual=residual:>}")};
    const auto before = by_key(older);
    std::size_t same = 0, here = 0;
    for (const PointRow& p : rows.points) {
        const auto it = before.find(p.key);
        if (it == before.end()) {
            ++here;
            continue;
        }
        const PointRow& o = *it->second;
        if (o.status == p.status && o.inner_iterations == p.inner_iterations &&
            o.outer_iterations == p.outer_iterations && o.true_residual == p.true_residual) {
            ++same;
            continue;
        }
        const bool counts = o.inner_iterations != 0;
        t.rows.push_back(
            {{words(p.problem), spec(p.spec), words(p.engine), words(p.solver()), words(o.status), words(p.status),
              count(o.inner_iterations), count(p.inner_iterations, p.at.column("inner_iterations")),
              counts ? factor(static_cast<double>(p.inner_iterations) / static_cast<double>(o.inner_iterations))
                     : none(),
              real(o.true_residual), real(p.true_residual, p.at.column("true_residual"))},
             {p.origin}});
    }
    summary = counted("solve", same, t.rows.size(), here, before.size() - same - t.rows.size());
    t.folded = t.rows.size() > 30;
    return t;
}

Table parts_table(const Rows& rows, const Rows& older, std::string& summary) {
    Table t{"changes-parts", "Cores and operators that take another area",
            columns("{Specification=spec}{Target}{Part}{Slices was=was:>}{Slices:>}{Ratio:>}"
                    "{Multipliers was=blocks_was:>}{Multipliers=blocks:>}")};
    const auto before = by_part(older);
    std::size_t same = 0, here = 0;
    for (const SynthesisRow& s : rows.synthesis) {
        const auto it = before.find(part_key(s));
        if (it == before.end()) {
            ++here;
            continue;
        }
        const std::uint64_t was = it->second->figures.slices(s.target), now = s.figures.slices(s.target);
        if (was == now && it->second->figures.multipliers == s.figures.multipliers) {
            ++same;
            continue;
        }
        t.rows.push_back(
            {{spec(s.spec), words(s.target), words(s.part), modelled(count(was)), modelled(count(now)),
              was != 0 ? factor(static_cast<double>(now) / static_cast<double>(was)) : none(),
              count(it->second->figures.multipliers), count(s.figures.multipliers, s.at.column("multipliers"))},
             {s.origin}});
    }
    summary = counted("part", same, t.rows.size(), here, before.size() - same - t.rows.size());
    t.folded = t.rows.size() > 30;
    return t;
}

} // namespace

Section changes_section(const Rows& rows, const Rows& older) {
    Section section{"changes", "What changed", {}};
    std::string summary;
    Table solves = solves_table(rows, older, summary);
    section.blocks.emplace_back(Text{summary});
    if (!solves.rows.empty()) section.blocks.emplace_back(std::move(solves));
    if (rows.synthesis.empty() && older.synthesis.empty()) return section;
    Table parts = parts_table(rows, older, summary);
    section.blocks.emplace_back(Text{summary});
    if (!parts.rows.empty()) section.blocks.emplace_back(std::move(parts));
    return section;
}

} // namespace mantissa::report
