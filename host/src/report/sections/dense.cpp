#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "findings/dense.hpp"
#include "report/numbers.hpp"
#include "sections.hpp"

namespace mantissa::report {

namespace {

using findings::DenseSolve;
using findings::DenseSums;

constexpr DenseSums kSums[] = {DenseSums::truncated, DenseSums::nearest, DenseSums::wider, DenseSums::window};
constexpr std::size_t kMostSizes = 2; ///< with a chart of steps of their own

struct Read {
    const DenseRow* row;
    DenseSolve solve;
};

std::vector<Read> read(const Rows& rows) {
    std::vector<Read> list;
    for (const DenseRow& d : rows.dense) {
        auto solve = findings::dense_solve(d.problem, d.unknowns, d.spec);
        if (!solve) continue;
        solve->refinement = d.refinement;
        solve->converged = d.converged();
        solve->steps = d.steps;
        solve->krylov_steps = d.krylov_steps;
        solve->factor_error = d.factor_error;
        list.push_back({&d, std::move(*solve)});
    }
    return list;
}

std::vector<Series> series_of(const std::set<DenseSums>& drawn) {
    std::vector<Series> list;
    for (std::size_t k = 0; k < std::size(kSums); ++k)
        if (drawn.contains(kSums[k])) list.push_back({std::string(findings::to_string(kSums[k])), static_cast<int>(k)});
    return list;
}

/// The factors' errors over n, of random matrices.
std::optional<Figure> error_figure(const std::vector<Read>& list, const std::vector<findings::FactorLaw>& laws) {
    Figure f;
    f.id = "dense-error";
    f.title = "What rounding the sums costs a factorisation";
    f.text = "||P A Q - L U|| / ||A|| of random matrices, in units of the last fraction bit of the factors.";
    for (const findings::FactorLaw& law : laws)
        f.text += fmt::format(" {}: {:.2f} n^{:.2f}.", findings::to_string(law.sums), law.factor, law.exponent);
    f.label = "Line chart: error of the factors over n. The table below holds its figures.";
    Table& t = f.table = {
        f.id, "Errors of the factors", columns("{Sums}{n:>}{Mean [units]=units:>}{Least:>}{Most:>}{Factors:>}"),
        "Geometric means over formats and seeds. The factors of one matrix in one format are counted once."};
    t.folded = true;
    struct Errors {
        double logarithms = 0, least = HUGE_VAL, most = 0;
        std::set<std::string> factors; ///< the same for every refinement
        std::set<int> origins;
    };
    std::map<DenseSums, std::map<std::uint64_t, Errors>> by_sums;
    for (const Read& r : list) {
        const auto sums = findings::sums_of(r.solve.spec);
        const auto units = findings::error_units(r.solve);
        if (!sums || !units || r.solve.kind != "uniform") continue;
        Errors& e = by_sums[*sums][r.solve.n];
        e.origins.insert(r.row->origin);
        if (!e.factors.insert(r.row->problem + r.row->spec).second) continue;
        e.logarithms += std::log(*units);
        e.least = std::min(e.least, *units);
        e.most = std::max(e.most, *units);
    }
    std::set<DenseSums> drawn;
    for (const auto& [sums, sizes] : by_sums) {
        drawn.insert(sums);
        for (const auto& [n, e] : sizes)
            t.rows.push_back({{words(std::string(findings::to_string(sums))), count(n),
                               real(std::exp(e.logarithms / static_cast<double>(e.factors.size()))), real(e.least),
                               real(e.most), count(e.factors.size())},
                              {e.origins.begin(), e.origins.end()}});
    }
    if (t.rows.empty()) return std::nullopt;
    LineChart chart;
    chart.x = {"n", "n", true};
    chart.x.tested = true;
    chart.y = {"units", "error in units of the last fraction bit", true};
    chart.series = "sums";
    chart.list = series_of(drawn);
    if (fit_axis(chart.x, t) && fit_axis(chart.y, t)) f.vega = vega_of(chart, t);
    return f;
}

/// Steps of GMRES over the format's fraction bits, at one size.
std::optional<Figure> steps_figure(const std::vector<Read>& list, std::uint64_t n) {
    Figure f;
    f.id = fmt::format("dense-steps-{}", n);
    f.half = true;
    f.title = fmt::format("GMRES steps to double accuracy, n = {}", n);
    f.text = "Random matrices, mean over the seeds; a format with which any of them is not solved is left out.";
    f.label = "Line chart: GMRES steps against fraction bits of the factors. The table below holds its figures.";
    struct Cellful {
        bool all = true;
        double steps = 0;
        std::size_t solves = 0;
        int bits = 0;
        const DenseRow* first = nullptr;
    };
    std::map<DenseSums, std::map<std::pair<int, std::string>, Cellful>> by_sums;
    for (const Read& r : list) {
        const auto sums = findings::sums_of(r.solve.spec);
        if (!sums || r.solve.kind != "uniform" || r.solve.n != n || r.solve.refinement != "gmres-ir") continue;
        Cellful& c = by_sums[*sums][{r.solve.spec.u.fraction_bits, r.row->spec}];
        c.all = c.all && r.solve.converged;
        c.steps += static_cast<double>(r.solve.krylov_steps);
        c.bits = r.solve.spec.u.fraction_bits;
        if (++c.solves == 1) c.first = r.row;
    }
    Table& t =
        f.table = {f.id, f.title, columns("{Sums}{M [bits]:>}{Specification=spec}{GMRES steps=steps:>}{Solves:>}")};
    t.folded = true;
    std::set<DenseSums> drawn;
    for (const auto& [sums, formats] : by_sums)
        for (const auto& [key, c] : formats) {
            if (!c.all) continue;
            drawn.insert(sums);
            t.rows.push_back({{words(std::string(findings::to_string(sums))), count(static_cast<std::uint64_t>(c.bits)),
                               spec(c.first->spec), real(c.steps / static_cast<double>(c.solves)), count(c.solves)},
                              {c.first->origin}});
        }
    if (t.rows.empty()) return std::nullopt;
    LineChart chart;
    chart.x = {"m", "fraction bits M of the factors"};
    chart.x.tested = true;
    chart.y = {"steps", "GMRES steps", true};
    chart.series = "sums";
    chart.list = series_of(drawn);
    chart.width = 520;
    chart.height = 320;
    if (fit_axis(chart.x, t) && fit_axis(chart.y, t)) f.vega = vega_of(chart, t);
    return f;
}

std::optional<Table> sufficient_table(const std::vector<DenseSolve>& solves) {
    Table t{
        "dense-formats", "The shortest format that suffices",
        columns("{Problem}{n:>}{Sums}{Refinement}{Format}{Steps:>}{Formats tried=formats:>}"),
        "Of the formats tried, the first in fraction bits with which every solve of the row reached double accuracy; "
        "a dash where none did. Partial pivoting."};
    t.show_origins = false;
    for (const findings::Sufficient& s : findings::sufficient_formats(solves)) {
        if (s.formats < 2) continue;
        t.rows.push_back({{words(s.problem), count(s.n), words(std::string(findings::to_string(s.sums))),
                           words(s.refinement), s.shortest ? words(to_string(*s.shortest)) : none(),
                           s.shortest ? real(s.steps) : none(), count(s.formats)},
                          {}});
    }
    if (t.rows.empty()) return std::nullopt;
    return t;
}

Table all_table(const Rows& rows) {
    Table t{"dense", "All dense solves of these results",
            columns("{Problem}{Factors=spec}{Refinement}{Status}{Steps:>}{GMRES:>}{Backward error=backward:>}"
                    "{Factor error=factor:>}{Growth:>}{Condition:>}{Factors [s]=seconds:>}"),
            "Seconds are of the emulation on the processor. Condition: estimated from the factors, of the matrix as "
            "scaled."};
    t.folded = true;
    for (const DenseRow& d : rows.dense)
        t.rows.push_back(
            {{words(d.problem), spec(d.spec, d.at.column("spec")), words(d.refinement + (d.scaled ? "" : ", unscaled")),
              words(d.factors == "factored" ? d.status : d.factors), count(d.steps, d.at.column("steps")),
              count(d.krylov_steps, d.at.column("krylov_steps")), real(d.backward_error, d.at.column("backward_error")),
              real(d.factor_error, d.at.column("factor_error")), real(d.growth, d.at.column("growth")),
              real(d.condition, d.at.column("condition")), real(d.factor_seconds, d.at.column("factor_seconds"))},
             {d.origin}});
    return t;
}

} // namespace

std::vector<DenseSolve> dense_solves(const Rows& rows) {
    std::vector<DenseSolve> solves;
    for (Read& r : read(rows)) solves.push_back(std::move(r.solve));
    return solves;
}

std::optional<Section> dense_section(const Rows& rows) {
    if (rows.dense.empty()) return std::nullopt;
    Section section{"dense", "Dense systems", {}};
    const std::vector<Read> list = read(rows);
    const std::vector<DenseSolve> solves = dense_solves(rows);
    if (!rows.points.empty() || !rows.comparisons.empty()) // else they stand at the page's head
        for (const std::string& sentence : findings::dense_sentences(solves))
            section.blocks.emplace_back(Text{sentence});
    if (auto figure = error_figure(list, findings::factor_laws(solves)))
        section.blocks.emplace_back(std::move(*figure));
    std::set<std::uint64_t, std::greater<>> sizes;
    for (const DenseSolve& s : solves)
        if (s.kind == "uniform" && s.refinement == "gmres-ir") sizes.insert(s.n);
    std::size_t charts = 0;
    for (const std::uint64_t n : sizes) {
        if (charts == kMostSizes) break;
        if (auto figure = steps_figure(list, n)) {
            section.blocks.emplace_back(std::move(*figure));
            ++charts;
        }
    }
    if (auto table = sufficient_table(solves)) section.blocks.emplace_back(std::move(*table));
    section.blocks.emplace_back(all_table(rows));
    return section;
}

} // namespace mantissa::report
