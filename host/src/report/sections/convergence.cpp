#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "report/charts/series_choice.hpp"
#include "report/charts/spec_shape.hpp"
#include "report/numbers.hpp"
#include "sections.hpp"

namespace mantissa::report {

namespace {

constexpr std::size_t kMostSeries = 7, kMostUniform = 3, kMostSteps = 120;
constexpr int kWidest = 36; // fraction bits beyond which a truncated format is as good as double

/// double and float; formats used throughout, from wide to short; then those with wider rows or u, from short to wide,
/// of which none takes three times as long as the fastest.
std::vector<const PointRow*> chosen(const std::vector<const PointRow*>& points) {
    struct Candidate {
        const PointRow* point;
        int kind, order;
    };
    std::uint64_t fastest = ~std::uint64_t{0};
    for (const PointRow* p : points)
        if (p->history.size() > 1) fastest = std::min(fastest, p->inner_iterations);
    std::vector<Candidate> list;
    for (const PointRow* p : points) {
        const auto shape = shape_of(p->spec);
        if (p->history.size() < 2 || !shape) continue;
        if (shape->is_reference()) list.push_back({p, 0, shape->is_double ? 0 : 1});
        else if (shape->reduced() && shape->uniform() && p->inner_iterations <= 6 * fastest)
            list.push_back({p, 1, -shape->vector_bits});
        else if (!shape->uniform() && p->inner_iterations <= 3 * fastest) list.push_back({p, 2, shape->vector_bits});
    }
    std::stable_sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) {
        return std::pair(a.kind, a.order) < std::pair(b.kind, b.order);
    });
    std::vector<const PointRow*> out;
    std::size_t uniform = 0;
    for (const Candidate& c : list) {
        if (c.kind == 1 && (c.order < -kWidest || ++uniform > kMostUniform)) continue;
        if (out.size() < kMostSeries) out.push_back(c.point);
    }
    return out;
}

/// Indices of every so many steps, and of the last.
std::vector<std::size_t> thinned(std::size_t steps) {
    const std::size_t every = (steps + kMostSteps - 1) / kMostSteps;
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < steps; ++i)
        if (i % every == 0 || i + 1 == steps) out.push_back(i);
    return out;
}

} // namespace

Section convergence_section(const Rows& rows) {
    Section section{"convergence", "Convergence histories", {}};
    for (const Choice& choice : comparable_points(rows.points)) {
        const auto list = chosen(choice.points);
        if (list.empty()) continue;
        const PointRow& first = *list.front();
        Figure f;
        f.id = "convergence";
        f.title = fmt::format("Relative defect against inner iterations: {}", choice.problem);
        f.text = fmt::format("The defect of the outer loop, formed in double precision, over that at the start; {}, "
                             "to {}.{}",
                             first.solver(), first.goal(), first.options.energy ? "" : " The rule is the tolerance.");
        f.label =
            fmt::format("Line chart: the relative defect falls with the inner iterations for {} specifications on "
                        "{}. The table below holds its figures.",
                        list.size(), choice.problem);
        Table& t = f.table = {
            f.id, fmt::format("Relative defect on {}", choice.problem),
            columns("{Specification=series}{Inner iterations=k:>}{Outer:>}{Relative defect=defect:>}"),
            fmt::format(
                "A history of more than {} steps is thinned: every second, third or later step is kept, and the last.",
                kMostSteps)};
        t.folded = true;
        LineChart chart;
        chart.x = {"k", "inner iterations"};
        chart.y = {"defect", "relative defect", true, TickText::power};
        chart.series = "series";
        chart.points = false;
        chart.end_together = true;
        int style = 0;
        for (const PointRow* p : list) {
            chart.list.push_back({p->spec, style++, spec_label(p->spec)});
            for (const std::size_t step : thinned(p->history.size())) {
                const HistoryPoint& h = p->history[step];
                const auto source = [&](int field) { return p->at.column(fmt::format("history/{}/{}", step, field)); };
                t.rows.push_back({{spec(p->spec), count(h.inner_iterations, source(0)),
                                   count(h.outer_iterations, source(1)), real(h.relative_defect, source(2), 4)},
                                  {p->origin}});
            }
        }
        std::vector<double> ruled;
        if (!first.options.energy) ruled.push_back(first.options.tolerance);
        for (const double rule : ruled) chart.rules.emplace_back(rule, "tolerance");
        if (fit_axis(chart.x, t) && fit_axis(chart.y, t, ruled)) f.vega = vega_of(chart, t);
        section.blocks.emplace_back(std::move(f));
        return section;
    }
    section.blocks.emplace_back(
        Gap{"No solve in these results kept its history",
            "put history = true under [defaults] of a sweep file, then mantissa sweep FILE.toml --store STORE"});
    return section;
}

} // namespace mantissa::report
