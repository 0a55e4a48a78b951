#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "report/charts/series_choice.hpp"
#include "report/charts/spec_shape.hpp"
#include "report/numbers.hpp"
#include "sections.hpp"

namespace mantissa::report {

namespace {

constexpr std::size_t kLargestProblems = 3;
constexpr int kWidestVectors = 36; // beyond, truncated formats are as good as double

/// How the rows are summed and how wide u is: the series that a specification belongs to. Nothing for guard bits other
/// than `guard`, for other dot products, and for specifications that differ elsewhere.
std::optional<std::string> family(const SpecShape& shape, int guard, bool fixed) {
    if (!shape.plain || shape.vector_bits > kWidestVectors) return std::nullopt;
    if (shape.words()) return "fixed-point words";
    if (shape.fixed_dot != fixed) return std::nullopt;
    if (shape.row_guard_bits != 0 && shape.row_guard_bits != guard) return std::nullopt;
    std::string rows = shape.spec.order == RowOrder::flux                ? "fluxes"
                       : shape.spec.order == RowOrder::second_difference ? "second differences"
                                                                         : "stepwise rows";
    if (shape.row_guard_bits != 0)
        rows = fmt::format("{} +{} bits", adds_products(shape.spec.order) ? "rows" : rows, guard);
    return fmt::format("{}, u {}", rows, shape.wide_u() ? "wide" : "as vectors");
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

/// The points of the chart, by series and width.
std::vector<Drawn> drawn_points(const std::vector<const PointRow*>& points, int guard) {
    bool floating = false; // else the dot products are of the fixed window
    for (const PointRow* p : points)
        if (const auto shape = shape_of(p->spec); shape && shape->reduced() && !shape->words() && !shape->fixed_dot)
            floating = true;
    std::vector<Drawn> drawn;
    std::set<int> wide;
    for (const PointRow* p : points) {
        const auto shape = shape_of(p->spec);
        if (!p->converged() || !shape || !shape->reduced()) continue;
        if (const auto name = family(*shape, guard, !floating)) {
            drawn.push_back({p, *shape, *name});
            if (shape->wide_u() && !shape->words()) wide.insert(shape->iterate_bits);
        }
    }
    // With vectors as wide as the wide u, both series of u meet in one specification.
    for (std::size_t i = 0, n = drawn.size(); i < n; ++i)
        if (!drawn[i].shape.wide_u() && !drawn[i].shape.words() && wide.contains(drawn[i].shape.vector_bits)) {
            Drawn meeting = drawn[i];
            ++meeting.shape.iterate_bits;
            meeting.series = *family(meeting.shape, guard, !floating);
            drawn.push_back(std::move(meeting));
        }
    std::stable_sort(drawn.begin(), drawn.end(), [](const Drawn& a, const Drawn& b) {
        return a.series != b.series ? a.series > b.series : a.shape.vector_bits < b.shape.vector_bits;
    });
    return drawn;
}

TableRow row_of(const PointRow& p, const std::string& series, Cell width) {
    return {{words(series), std::move(width), spec(p.spec), count(p.inner_iterations, p.at.column("inner_iterations")),
             count(p.outer_iterations, p.at.column("outer_iterations"))},
            {p.origin}};
}

Figure figure_of(const Choice& choice, std::size_t index) {
    const int guard = usual_guard(choice.points);
    const std::vector<Drawn> drawn = drawn_points(choice.points, guard);
    const PointRow& first = *choice.points.front();
    Figure f;
    f.id = fmt::format("iterations-{}", index);
    f.half = index > 1;
    f.title = fmt::format("Iterations against the width of the vectors: {}", choice.problem);
    f.text = fmt::format("Inner iterations to {}, {}. Stepwise rows sum the products of a row "
                         "in the vectors’ own format; the others with {} fraction bits more. A wide u has more "
                         "fraction bits than r, p and q.",
                         first.goal(), first.solver(), guard);
    const auto any = [&](auto&& is) {
        return std::any_of(drawn.begin(), drawn.end(), [&](const Drawn& d) { return is(d.shape); });
    };
    if (any([](const SpecShape& s) { return !adds_products(s.spec.order) && !s.words(); }))
        f.text += " Fluxes and second differences form a row from differences of neighbours in place of products.";
    if (any([](const SpecShape& s) { return s.words(); }))
        f.text += " Fixed-point words stand at their bits below the point; their rows are exact, in whatever form.";
    f.label = fmt::format("Line chart: inner iterations against fraction bits of the vectors for {}. The table below "
                          "holds its figures.",
                          choice.problem);
    Table& t =
        f.table = {f.id, fmt::format("Inner iterations on {}", choice.problem),
                   columns("{Row sums and u=series}{M [bits]:>}{Specification=spec}{Inner iterations=iterations:>}"
                           "{Outer:>}")};
    t.folded = true;
    LineChart chart;
    chart.x = {"m", "fraction bits M of r, p and q"};
    chart.x.tested = true;
    chart.y = {"iterations", "inner iterations", true};
    chart.series = "series";
    if (f.half) {
        chart.width = 520;
        chart.height = 320;
    }
    int style = 0;
    for (const Drawn& d : drawn) {
        t.rows.push_back(row_of(*d.point, d.series, count(static_cast<std::uint64_t>(d.shape.vector_bits))));
        if (chart.list.empty() || chart.list.back().name != d.series) chart.list.push_back({d.series, style++});
    }
    std::vector<double> ruled;
    for (const PointRow* p : choice.points) {
        const auto shape = shape_of(p->spec);
        if (!p->gives_count() || !shape || !shape->is_reference()) continue;
        ruled.push_back(static_cast<double>(p->inner_iterations));
        chart.rules.emplace_back(ruled.back(), fmt::format("{}: {}", spec_label(p->spec), p->inner_iterations));
        t.rows.push_back(row_of(*p, "reference", none()));
    }
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
            return p->converged() && shape && shape->reduced();
        });
        if (!varied || index == kLargestProblems) continue;
        section.blocks.emplace_back(figure_of(choice, ++index));
    }
    const bool tried = std::any_of(rows.points.begin(), rows.points.end(), [](const PointRow& p) {
        const auto shape = shape_of(p.spec);
        return shape && shape->reduced();
    });
    if (section.blocks.empty())
        section.blocks.emplace_back(Gap{(tried ? "No solve in a reduced format converged in these results"
                                               : "No solves in reduced formats in these results") +
                                            beside_comparison(rows),
                                        "mantissa sweep experiments/quickstart.toml --store STORE"});
    return section;
}

} // namespace mantissa::report
