#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "numbers.hpp"
#include "sections.hpp"
#include "series_choice.hpp"
#include "spec_shape.hpp"

namespace mantissa::report {

namespace {

constexpr std::size_t kLargestProblems = 3;

/// How the rows are summed and how wide u is: the series that a specification belongs to. Nothing for guard bits other
/// than `guard`, for other dot products, and for specifications that differ elsewhere.
std::optional<std::string> family(const SpecShape& shape, int guard, bool fixed) {
    if (!shape.plain || shape.fixed_dot != fixed) return std::nullopt;
    if (shape.row_guard_bits != 0 && shape.row_guard_bits != guard) return std::nullopt;
    return fmt::format("{}, u {}", shape.row_guard_bits == 0 ? "stepwise rows" : fmt::format("rows +{} bits", guard),
                       shape.wide_u() ? "wide" : "as vectors");
}

/// The guard bits that most points have; of equals the one nearest to six.
int usual_guard(const std::vector<const PointRow*>& points) {
    std::map<int, int> counts;
    for (const PointRow* p : points)
        if (const auto shape = shape_of(p->spec); shape && shape->plain && shape->row_guard_bits > 0)
            ++counts[shape->row_guard_bits];
    int best = 6, most = 0;
    for (const auto& [guard, n] : counts)
        if (n > most || (n == most && std::abs(guard - 6) < std::abs(best - 6))) {
            best = guard;
            most = n;
        }
    return best;
}

struct Drawn {
    const PointRow* point;
    SpecShape shape;
    std::string series;
};

Figure figure_of(const std::string& problem, const std::vector<const PointRow*>& points, std::size_t index) {
    const int guard = usual_guard(points);
    std::vector<Drawn> drawn;
    std::vector<std::pair<double, std::string>> rules;
    bool floating = false;
    for (const PointRow* p : points)
        if (const auto shape = shape_of(p->spec); shape && shape->plain && !shape->fixed_dot && shape->spec.r.truncates())
            floating = true;
    for (const PointRow* p : points) {
        if (!p->converged()) continue;
        if (p->spec == "double" || p->spec == "float") {
            rules.emplace_back(static_cast<double>(p->inner_iterations), fmt::format("{}: {}", p->spec, p->inner_iterations));
            continue;
        }
        const auto shape = shape_of(p->spec);
        if (!shape || !shape->spec.r.truncates()) continue;
        if (const auto name = family(*shape, guard, !floating)) drawn.push_back({p, *shape, *name});
    }
    // With vectors as wide as the wide u, both series of u meet in one specification.
    std::set<int> wide;
    for (const Drawn& d : drawn)
        if (d.shape.wide_u()) wide.insert(d.shape.iterate_bits);
    for (std::size_t i = 0, n = drawn.size(); i < n; ++i)
        if (!drawn[i].shape.wide_u() && wide.contains(drawn[i].shape.vector_bits)) {
            Drawn meeting = drawn[i];
            SpecShape as_wide = meeting.shape;
            as_wide.iterate_bits = as_wide.vector_bits + 1;
            meeting.series = family(as_wide, guard, !floating).value_or(meeting.series);
            drawn.push_back(std::move(meeting));
        }
    std::stable_sort(drawn.begin(), drawn.end(), [](const Drawn& a, const Drawn& b) {
        return a.series != b.series ? a.series > b.series : a.shape.vector_bits < b.shape.vector_bits;
    });

    Figure f;
    f.id = fmt::format("iterations-{}", index);
    f.title = fmt::format("Iterations against the width of the vectors: {}", problem);
    f.text = fmt::format("Inner iterations to a relative defect of {}, {} {}, against the fraction bits M of r, p and q. "
                         "Stepwise rows sum the nine products of a row in the vectors' own format; the others have {} "
                         "fraction bits more. A wide u is {}.",
                         points.front()->tolerance, points.front()->scheme, points.front()->stop(), guard,
                         wide.empty() ? std::string("not in these results")
                                      : fmt::format("u with {} fraction bits", *wide.rbegin()));
    f.label = fmt::format("Line chart: inner iterations against fraction bits of the vectors for {}. The table below "
                          "holds its figures.",
                          problem);
    Table& t = f.table;
    t.id = f.id;
    t.caption = fmt::format("Inner iterations on {}", problem);
    t.folded = true;
    t.columns = {text_column("series", "Row sums and u"), number_column("m", "M", "bits"), text_column("spec", "Specification"),
                 number_column("iterations", "Inner iterations"), number_column("outer", "Outer")};
    for (const Drawn& d : drawn)
        t.rows.push_back({{words(d.series), count(static_cast<std::uint64_t>(d.shape.vector_bits)), code(d.point->spec),
                           count(d.point->inner_iterations, d.point->at.column("inner_iterations")),
                           count(d.point->outer_iterations, d.point->at.column("outer_iterations"))},
                          {d.point->origin}});
    std::vector<double> ruled;
    for (const PointRow* p : points)
        if (p->converged() && (p->spec == "double" || p->spec == "float")) {
            ruled.push_back(static_cast<double>(p->inner_iterations));
            t.rows.push_back({{words("reference"), none(), code(p->spec),
                               count(p->inner_iterations, p->at.column("inner_iterations")),
                               count(p->outer_iterations, p->at.column("outer_iterations"))},
                              {p->origin}});
        }
    LineChart chart;
    chart.x = {"m", "fraction bits M of r, p and q"};
    chart.y = {"iterations", "inner iterations", true};
    chart.series = "series";
    int style = 0;
    for (const Drawn& d : drawn)
        if (chart.list.empty() || chart.list.back().name != d.series) chart.list.push_back({d.series, style++});
    chart.rules = rules;
    if (fit_axis(chart.x, t) && fit_axis(chart.y, t, ruled)) f.vega = vega_of(chart, t);
    return f;
}

} // namespace

Section iterations_section(const Rows& rows) {
    Section section{"iterations", "Iterations against fraction bits", {}};
    std::size_t index = 0;
    for (const Choice& choice : comparable_points(rows.points)) {
        const bool varied = std::any_of(choice.points.begin(), choice.points.end(), [](const PointRow* p) {
            const auto shape = shape_of(p->spec);
            return p->converged() && shape && shape->plain && shape->spec.r.truncates();
        });
        if (!varied || index == kLargestProblems) continue;
        section.blocks.emplace_back(figure_of(choice.problem, choice.points, ++index));
    }
    if (section.blocks.empty())
        section.blocks.emplace_back(Gap{"No solves in reduced formats in these results",
                                        "mantissa sweep experiments/quickstart.toml --store STORE"});
    return section;
}

} // namespace mantissa::report
