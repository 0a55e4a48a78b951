#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "findings/findings.hpp"
#include "findings/upsets.hpp"
#include "numbers.hpp"
#include "report/charts/series_choice.hpp"
#include "report/charts/spec_shape.hpp"
#include "report/sections/sections.hpp"
#include "text/counted.hpp"

namespace mantissa::report {

namespace {

std::string device_line(const comparison::Device& d) {
    std::string line = d.name.empty() ? d.id : d.name;
    const auto add = [&](std::uint64_t count, const char* unit) {
        if (count > 0) line += fmt::format(", {} {}", grouped(count), unit);
    };
    add(d.slices, "slices");
    add(d.blocks, "multiplier blocks");
    add(d.memory_bits, "bits of block memory");
    add(d.pins.value_or(0), "I/O bits");
    if (d.bandwidth.value_or(0) > 0) line += fmt::format(", {} GB/s to memory", significant(*d.bandwidth * 1e-9));
    if (!d.source.empty()) line += fmt::format(" ({})", d.source);
    return line;
}

void add_new(std::vector<std::string>& list, const std::string& line) {
    if (std::find(list.begin(), list.end(), line) == list.end()) list.push_back(line);
}

/// A solve that converged, by the widest of its vectors.
struct Solved {
    const PointRow* point;
    int bits;
};

/// The shortest vectors that stay within twice double's iterations, among all datapaths shorter than double.
std::string shortest_text(const Choice& choice, const PointRow& reference) {
    std::vector<Solved> within;
    std::size_t reduced = 0;
    for (const PointRow* p : choice.points) {
        const auto bits = findings::vector_bits(p->spec);
        if (!bits || *bits >= formats::kDouble.fraction_bits) continue;
        ++reduced;
        if (p->converged() && p->inner_iterations <= 2 * reference.inner_iterations) within.push_back({p, *bits});
    }
    if (within.empty())
        return reduced == 0 ? std::string()
                            : fmt::format("On {} none of {} stays within twice the {} inner iterations of double.",
                                          choice.problem, text::counted(reduced, "reduced datapath"),
                                          reference.inner_iterations);
    const auto key = [](const Solved& s) { return std::pair(s.bits, s.point->inner_iterations); };
    const Solved& best = *std::min_element(within.begin(), within.end(),
                                           [&](const Solved& a, const Solved& b) { return key(a) < key(b); });
    std::vector<std::string> equal; // those that tie
    for (const Solved& s : within)
        if (key(s) == key(best)) equal.push_back(s.point->spec);
    const bool ties = equal.size() > 1;
    const std::string figures = fmt::format(
        "{} {} {} to {} in {} inner iterations, {} times double's {}, with {}-bit products in {} vectors where "
        "double needs 53-bit ones",
        text::listed(equal), ties ? "solve" : "solves", choice.problem, best.point->goal(),
        best.point->inner_iterations,
        fixed(static_cast<double>(best.point->inner_iterations) / static_cast<double>(reference.inner_iterations), 2),
        reference.inner_iterations, best.bits + 1, ties ? "their" : "its");
    if (reduced == 1) return figures + ".";
    if (within.size() == 1)
        return fmt::format("{}; of {} reduced datapaths only this one stays within twice double's iterations.", figures,
                           reduced);
    const auto as_short = static_cast<std::size_t>(
        std::count_if(within.begin(), within.end(), [&](const Solved& s) { return s.bits == best.bits; }));
    return fmt::format("{}: of {} reduced datapaths {} stay within twice double's iterations, and {}.", figures,
                       reduced, within.size(),
                       as_short == 1 ? std::string("this one has the shortest vectors")
                       : as_short == equal.size()
                           ? std::string("these have the shortest vectors")
                           : fmt::format("of the {} with the shortest vectors none needs fewer", as_short));
}

struct Shaped {
    const PointRow* point;
    SpecShape shape;
};

/// Two solves that differ in one stage only.
struct Pair {
    const Shaped *narrow, *wide;
    [[nodiscard]] double gain() const {
        return static_cast<double>(narrow->point->inner_iterations) /
               static_cast<double>(wide->point->inner_iterations);
    }
};

/// All pairs of `reduced` of which one is narrow in a stage, the other wide, and nothing else differs. `stage` is the
/// stage's format in a specification.
template <class Width>
std::vector<Pair> pairs_of(const std::vector<Shaped>& reduced, Format DatapathSpec::*stage, const Width& is_wide) {
    std::vector<Pair> pairs;
    for (const Shaped& a : reduced)
        for (const Shaped& b : reduced) {
            if (is_wide(a.shape) || !is_wide(b.shape) || b.point->inner_iterations == 0) continue;
            DatapathSpec narrowed = b.shape.spec;
            narrowed.*stage = a.shape.spec.*stage;
            if (narrowed == a.shape.spec) pairs.push_back({&a, &b});
        }
    return pairs;
}

/// "WHAT pays most at 10-bit vectors, of N pairs: from A to B inner iterations"; of one pair without the superlative;
/// where nothing is gained, that.
std::string gain_text(const std::string& what, const std::string& of_best, const std::vector<Pair>& pairs,
                      const Pair& best) {
    const SpecShape& wide = best.wide->shape;
    const std::string figures =
        fmt::format("from {} to {} inner iterations ({} to {})", best.narrow->point->inner_iterations,
                    best.wide->point->inner_iterations, best.narrow->point->spec, best.wide->point->spec);
    if (best.gain() <= 1)
        return pairs.size() == 1
                   ? fmt::format("{} saves nothing at {}-bit vectors: {}.", of_best, wide.vector_bits, figures)
                   : fmt::format("{} saves no iterations in any of {} pairs of solves that differ in nothing else.",
                                 what, pairs.size());
    if (pairs.size() == 1) return fmt::format("{} at {}-bit vectors: {}.", of_best, wide.vector_bits, figures);
    const auto as_much =
        std::count_if(pairs.begin(), pairs.end(), [&](const Pair& p) { return p.gain() == best.gain(); });
    return fmt::format("{} pays most at {}-bit vectors{}, of {} pairs of solves that differ in nothing else: {}.",
                       of_best, wide.vector_bits, as_much > 1 ? " (and as much elsewhere)" : "", pairs.size(), figures);
}

const Pair& best_of(const std::vector<Pair>& pairs) {
    return *std::max_element(pairs.begin(), pairs.end(),
                             [](const Pair& a, const Pair& b) { return a.gain() < b.gain(); });
}

/// What the solves alone say about one problem.
std::vector<std::string> findings_of(const Choice& choice) {
    std::vector<std::string> findings;
    const PointRow* reference = nullptr;
    std::vector<Shaped> reduced;
    for (const PointRow* p : choice.points) {
        if (!p->gives_count()) continue;
        const auto shape = shape_of(p->spec);
        if (shape && shape->is_double) reference = p;
        if (!p->converged()) continue;
        if (shape && shape->reduced() && !shape->words()) reduced.push_back({p, *shape});
    }
    if (reference != nullptr)
        if (std::string text = shortest_text(choice, *reference); !text.empty()) findings.push_back(std::move(text));
    const auto rows = pairs_of(reduced, &DatapathSpec::row, [](const SpecShape& s) { return s.row_guard_bits > 0; });
    if (!rows.empty()) {
        const Pair& best = best_of(rows);
        findings.push_back(gain_text(
            "Summing rows with more fraction bits",
            fmt::format("Summing rows with {} more fraction bits", best.wide->shape.row_guard_bits), rows, best));
    }
    const auto iterates = pairs_of(reduced, &DatapathSpec::u, [](const SpecShape& s) { return s.wide_u(); });
    if (!iterates.empty()) {
        const std::string what = "A wider u, which feeds nothing back,";
        findings.push_back(gain_text(what, what, iterates, best_of(iterates)));
    }
    return findings;
}

/// Every solve of the results, for the sentences of a comparison.
std::vector<findings::SolveBeside> solves_of(const Rows& rows) {
    std::vector<findings::SolveBeside> list;
    for (const PointRow& p : rows.points)
        list.push_back({.problem = p.problem,
                        .spec = p.spec,
                        .options = p.options,
                        .converged = p.converged(),
                        .gives_count = p.gives_count(),
                        .iterations = p.inner_iterations});
    return list;
}

/// Why there is nothing to say.
std::string nothing_text(const Rows& rows) {
    std::map<std::string, std::size_t> ends;
    for (const PointRow& p : rows.points) ++ends[p.status == "iteration_limit" ? "iteration limit" : p.status];
    if (rows.points.empty() && !rows.dense.empty())
        return fmt::format("These results hold {}, too few sizes, conditions or formats to draw findings from",
                           text::counted(rows.dense.size(), "dense solve"));
    if (rows.points.empty() && !rows.upsets.empty())
        return "These results hold upsets of campaigns that have only begun, or that they do not describe";
    if (rows.points.empty()) return "These results hold no solves to draw findings from";
    const std::size_t converged = ends["converged"];
    ends.erase("converged");
    std::vector<std::string> others;
    for (const auto& [end, number] : ends)
        if (number != 0) others.push_back(fmt::format("{}: {}", end, number));
    const std::string all = text::counted(rows.points.size(), "solve");
    if (converged == 0)
        return fmt::format("These results hold {}, and none converged ({})", all, text::listed(others, 9));
    return fmt::format(
        "These results hold {}, of which {} converged, but no two to compare: findings need double beside "
        "a reduced format, or two reduced formats that differ in one stage",
        all, converged);
}

/// What all but the upsets say.
Summary summary_of_solves(const Rows& rows) {
    Summary s;
    const std::vector<findings::SolveBeside> beside = solves_of(rows);
    for (const DocumentRow& d : rows.comparisons) {
        if (s.findings.empty()) {
            s.findings = findings::sentences(d.comparison, beside);
            s.verdict = findings::verdict_of(d.comparison);
            if (s.verdict)
                for (const std::string& device : s.verdict->devices)
                    s.verdict_subjects.push_back(designs_subject(d.name, s.verdict->problem, device));
            s.findings_from = "the figures of the comparison " + d.name;
            if (rows.comparisons.size() > 1)
                s.findings_from += fmt::format(", the latest of {} here", rows.comparisons.size());
        }
        for (const std::string& line : d.comparison.assumptions) add_new(s.assumptions, line);
        for (const comparison::Device& device : d.comparison.devices) add_new(s.devices, device_line(device));
        for (const comparison::Gap& gap : d.comparison.gaps) {
            Gap line{gap.what + (gap.why.empty() ? "" : ": " + gap.why), gap.mend};
            const auto same = [&](const Gap& g) { return g.what == line.what && g.mend == line.mend; };
            if (std::none_of(s.gaps.begin(), s.gaps.end(), same)) s.gaps.push_back(std::move(line));
        }
    }
    if (!s.findings.empty()) return s;
    const std::vector<Choice> choices = comparable_points(rows.points);
    for (const Choice& choice : choices) {
        s.findings = findings_of(choice);
        if (s.findings.empty()) continue;
        const PointRow& first = *choice.points.front();
        s.findings_from = fmt::format("{} of {} ({}, to {})", text::counted(choice.points.size(), "solve"),
                                      choice.problem, first.solver(), first.goal());
        if (choices.size() > 1) s.findings_from += fmt::format(", one of {} problems here", choices.size());
        break;
    }
    const std::vector<findings::DenseSolve> dense = dense_solves(rows);
    if (std::vector<std::string> more = findings::dense_sentences(dense); s.findings.empty() && !more.empty()) {
        s.findings = std::move(more);
        s.findings_from = text::counted(dense.size(), "dense solve");
    }
    if (s.findings.empty()) s.no_findings = nothing_text(rows);
    return s;
}

} // namespace

Summary summary_of(const Rows& rows) {
    Summary s = summary_of_solves(rows);
    const std::vector<findings::UpsetCampaign> campaigns = upset_campaigns(rows);
    const std::vector<std::string> upsets = findings::upset_sentences(campaigns);
    if (upsets.empty()) return s;
    s.findings_from += (s.findings.empty() ? "" : " and ") + text::counted(campaigns.size(), "campaign") + " of upsets";
    s.findings.insert(s.findings.end(), upsets.begin(), upsets.end());
    return s;
}

} // namespace mantissa::report
