#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "findings/findings.hpp"
#include "report/comparison.hpp"
#include "report/numbers.hpp"

namespace mantissa::report {

Gap no_comparison() {
    return {"No comparison in these results", "mantissa compare experiments/compare.toml --store STORE"};
}

std::string device_name(const DocumentRow& document, const std::string& id) {
    for (const comparison::Device& d : document.comparison.devices)
        if (d.id == id && !d.name.empty()) return d.name;
    return id;
}

Cell seconds_cell(const Node& row, const std::string& name) {
    Cell cell = row.figure(name);
    if (const auto value = row.number(name)) cell.text = duration(*value);
    return cell;
}

/// The fastest and the slowest of a peer's runs.
Cell spread_cell(const Node& peer) {
    const auto least = peer.number("seconds_least"), most = peer.number("seconds_most");
    if (!least || !most) return none();
    return words(fmt::format("{} to {}", duration(*least), duration(*most)));
}

Section time_section(const Rows& rows, Origins& origins) {
    Section section{"time", "Time to solution beside GPU and CPU", {}};
    std::size_t index = 0;
    for (const DocumentRow& document : rows.comparisons) {
        const DocumentOrigins from(document, origins);
        std::vector<std::string> problems;
        for (const char* list : {"rows", "peers"})
            for (const Node& n : nodes(document, list))
                if (std::find(problems.begin(), problems.end(), n.text("problem")) == problems.end())
                    problems.push_back(n.text("problem"));
        std::map<std::string, double> unknowns;
        for (const Node& d : nodes(document, "designs")) unknowns[d.text("problem")] = d.number("unknowns").value_or(0);
        std::stable_sort(problems.begin(), problems.end(),
                         [&](const std::string& a, const std::string& b) { return unknowns[a] > unknowns[b]; });
        if (rows.comparisons.size() > 1) section.blocks.emplace_back(Heading{"Comparison " + document.name});
        for (const std::string& problem : problems) {
            Figure f;
            f.id = fmt::format("time-{}", ++index);
            f.title = fmt::format("Time to solution: {}", problem);
            f.folded = problem != problems.front();
            const auto tolerance = Node(document, document.document, {}).number("tolerance");
            f.text =
                fmt::format("For each device the fastest of its designs, and the measured runs of GPUs and processors, "
                            "to a relative defect {}in double precision. Runs whose true residual stayed above it are "
                            "marked. Hollow points are modelled. Where several runs were timed and kept, the table "
                            "has the fastest and the slowest.",
                            tolerance ? fmt::format("of {} ", *tolerance) : std::string());
            f.label = "Dot chart: time to solution of designs, GPU and CPU. The table below holds its figures.";
            Table& t = f.table = {
                f.id, fmt::format("Time to solution of {}", problem),
                columns("{Solver=name}{Kind=engine}{Inner iterations=iterations:>}{Time=seconds:>}{Of its runs=runs}"
                        "{True residual=defect:>}{Among}{=text}")};
            std::map<std::string, Node> fastest;
            for (const Node& r : nodes(document, "rows")) {
                if (r.text("problem") != problem || !r.number("seconds")) continue;
                const auto [it, fresh] = fastest.emplace(r.text("device"), r);
                if (!fresh && *r.number("seconds") < *it->second.number("seconds")) it->second = r;
            }
            for (const auto& [device, r] : fastest) {
                Cell iterations = none(), defect = none();
                for (const Node& d : nodes(document, "designs"))
                    if (d.text("spec") == r.text("spec") && d.text("problem") == problem) {
                        iterations = d.figure("inner_iterations");
                        defect = d.figure("true_residual", 3);
                    }
                const Cell time = seconds_cell(r, "seconds");
                const std::size_t designs = findings::designs_on(document.comparison, problem, device);
                t.rows.push_back(
                    {{words(fmt::format("{}: {}", device, r.text("spec"))), words("design"), iterations, time, none(),
                      defect, words(designs == 1 ? "the only design" : fmt::format("fastest of {}", designs)),
                      words(time.text)},
                     from.of(r.object())});
            }
            for (const Node& p : nodes(document, "peers")) {
                if (p.text("problem") != problem) continue;
                Cell time = seconds_cell(p, "seconds");
                time.modelled = time.modelled || p.text("kind") == "modelled";
                const std::string engine = p.text("engine");
                const bool missed = p["reached"].is_boolean() && !p["reached"].get<bool>();
                const std::string label = p.text("label").empty() ? engine : p.text("label");
                t.rows.push_back({{words(missed ? label + " (missed the tolerance)" : label),
                                   words(engine == "gpu"   ? "GPU"
                                         : engine == "cpu" ? "CPU"
                                                           : engine),
                                   p.figure("iterations"), time, spread_cell(p), p.figure("true_residual", 3), none(),
                                   words(time.text)},
                                  from.of(p.object())});
            }
            std::stable_sort(t.rows.begin(), t.rows.end(), [](const TableRow& a, const TableRow& b) {
                const auto key = [](const TableRow& r) {
                    return r.cells[3].value.is_number() ? r.cells[3].value.get<double>() : 1e300;
                };
                return key(a) < key(b);
            });
            if (t.rows.empty()) continue;
            DotChart chart;
            chart.name = "name";
            chart.text = "text";
            chart.x = {"seconds", "time to solution", true, TickText::time};
            chart.series = "engine";
            int style = 0;
            for (const char* kind : {"design", "GPU", "CPU"}) {
                if (std::any_of(t.rows.begin(), t.rows.end(),
                                [&](const TableRow& r) { return r.cells[1].text == kind; }))
                    chart.list.push_back({kind, style});
                ++style;
            }
            if (fit_axis(chart.x, t)) f.vega = vega_of(chart, t);
            section.blocks.emplace_back(std::move(f));
        }
    }
    if (section.blocks.empty() && rows.comparisons.empty()) section.blocks.emplace_back(no_comparison());
    else if (section.blocks.empty())
        section.blocks.emplace_back(
            Gap{"A comparison without designs and peers: the times of its cycle cores are under Designs",
                "give it a [[design]], gpu or cpu = true"});
    return section;
}

} // namespace mantissa::report
