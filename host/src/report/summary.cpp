#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "document.hpp"
#include "numbers.hpp"
#include "sections.hpp"
#include "series_choice.hpp"
#include "spec_shape.hpp"

namespace mantissa::report {

namespace {

std::string device_line(const Node& d) {
    std::string line = d.text("name").empty() ? d.text("id") : d.text("name");
    const auto add = [&](const char* field, const char* unit) {
        if (const auto value = d.number(field); value && *value > 0)
            line += fmt::format(", {} {}", grouped(static_cast<std::uint64_t>(*value)), unit);
    };
    add("slices", "slices");
    add("blocks", "multiplier blocks");
    add("memory_bits", "bits of block memory");
    add("io_bits", "I/O bits");
    if (const auto rate = d.number("bandwidth"); rate && *rate > 0)
        line += fmt::format(", {} GB/s to memory", significant(*rate * 1e-9));
    if (!d.text("source").empty()) line += fmt::format(" ({})", d.text("source"));
    return line;
}

void add_new(std::vector<std::string>& list, const std::string& line) {
    if (std::find(list.begin(), list.end(), line) == list.end()) list.push_back(line);
}

struct Shaped {
    const PointRow* point;
    SpecShape shape;
};

/// What the solves alone say about the largest problem.
std::vector<std::string> findings_of(const Choice& choice) {
    std::vector<std::string> findings;
    const PointRow* reference = nullptr;
    std::vector<Shaped> reduced;
    for (const PointRow* p : choice.points) {
        if (!p->converged()) continue;
        const auto shape = shape_of(p->spec);
        if (shape && shape->is_double) reference = p;
        if (shape && shape->reduced()) reduced.push_back({p, *shape});
    }
    // The shortest vectors within twice double's iterations.
    if (reference != nullptr) {
        const Shaped* shortest = nullptr;
        for (const Shaped& s : reduced) {
            if (s.point->inner_iterations > 2 * reference->inner_iterations) continue;
            const auto key = [](const Shaped& x) { return std::pair(x.shape.vector_bits, x.point->inner_iterations); };
            if (shortest == nullptr || key(s) < key(*shortest)) shortest = &s;
        }
        if (shortest != nullptr)
            findings.push_back(fmt::format(
                "{} solves {} to {} in {} inner iterations, {} times double's {}, with {}-bit products in its vectors "
                "where double needs 53-bit ones.",
                shortest->point->spec, choice.problem, shortest->point->tolerance, shortest->point->inner_iterations,
                fixed(static_cast<double>(shortest->point->inner_iterations) /
                          static_cast<double>(reference->inner_iterations),
                      2),
                reference->inner_iterations, shortest->shape.vector_bits + 1));
    }
    // Wider rows and a wider u, each where it saves most.
    const auto best_pair = [&](const auto& apart) {
        std::pair<const Shaped*, const Shaped*> best{nullptr, nullptr};
        double most = 1;
        for (const Shaped& a : reduced)
            for (const Shaped& b : reduced) {
                if (a.shape.vector_bits != b.shape.vector_bits || a.shape.fixed_dot != b.shape.fixed_dot) continue;
                if (!apart(a.shape, b.shape)) continue;
                const double ratio =
                    static_cast<double>(a.point->inner_iterations) / static_cast<double>(b.point->inner_iterations);
                if (ratio > most) {
                    most = ratio;
                    best = {&a, &b};
                }
            }
        return best;
    };
    const auto [narrow, wide] = best_pair([](const SpecShape& a, const SpecShape& b) {
        return a.iterate_bits == b.iterate_bits && a.row_guard_bits == 0 && b.row_guard_bits > 0;
    });
    if (narrow != nullptr)
        findings.push_back(
            fmt::format("Summing rows with {} more fraction bits pays most at {}-bit vectors: from {} to "
                        "{} inner iterations ({} to {}).",
                        wide->shape.row_guard_bits, wide->shape.vector_bits, narrow->point->inner_iterations,
                        wide->point->inner_iterations, narrow->point->spec, wide->point->spec));
    const auto [short_u, long_u] = best_pair([](const SpecShape& a, const SpecShape& b) {
        return a.row_guard_bits == b.row_guard_bits && !a.wide_u() && b.wide_u();
    });
    if (short_u != nullptr)
        findings.push_back(
            fmt::format("A wider u, which feeds nothing back, pays most at {}-bit vectors: from {} to {} "
                        "inner iterations ({} to {}).",
                        short_u->shape.vector_bits, short_u->point->inner_iterations, long_u->point->inner_iterations,
                        short_u->point->spec, long_u->point->spec));
    return findings;
}

} // namespace

Summary summary_of(const Rows& rows) {
    Summary s;
    for (const DocumentRow& d : rows.comparisons) {
        if (s.findings.empty()) {
            s.findings = texts(d.document, "findings");
            s.findings_from = "the comparison " + d.name;
        }
        for (const std::string& line : texts(d.document, "assumptions")) add_new(s.assumptions, line);
        for (const Node& device : nodes(d, "devices")) add_new(s.devices, device_line(device));
        for (const Node& gap : nodes(d, "gaps")) {
            const std::string why = gap.text("why");
            Gap line{gap.text("what") + (why.empty() ? "" : ": " + why), gap.text("mend")};
            const auto same = [&](const Gap& g) { return g.what == line.what && g.mend == line.mend; };
            if (std::none_of(s.gaps.begin(), s.gaps.end(), same)) s.gaps.push_back(std::move(line));
        }
    }
    if (!s.findings.empty()) return s;
    for (const Choice& choice : comparable_points(rows.points)) {
        s.findings = findings_of(choice);
        s.findings_from = "the solves of " + choice.problem;
        if (!s.findings.empty()) break;
    }
    return s;
}

} // namespace mantissa::report
