#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/numbers.hpp"
#include "sections.hpp"
#include "text/counted.hpp"

namespace mantissa::report {

namespace {

/// Rows of one answer: consecutive ones of a problem, device and goal.
using Answer = std::vector<const TunedRow*>;

std::vector<Answer> answers_of(const Rows& rows) {
    std::vector<Answer> list;
    for (const TunedRow& r : rows.tuned) {
        const auto same =
            std::ranges::find_if(list, [&](const Answer& a) { return a.front()->answer() == r.answer(); });
        if (same == list.end()) list.push_back({&r});
        else same->push_back(&r);
    }
    return list;
}

Cell figure(double value, const std::string& source, bool is_modelled, const std::string& text) {
    Cell cell = real(value, source);
    cell.text = text;
    cell.modelled = is_modelled;
    return cell;
}

Table table_of(const Answer& answer, const std::string& id) {
    Table t{
        id,
        fmt::format("The front for {} on {}, and the designs next to the best", answer.front()->problem,
                    answer.front()->device),
        columns("{Front=letter}{Design}{Area by=by}{Cores:>}{Lanes:>}{Inner:>}"
                "{Iterations or cycles=iterations:>}{Clock [MHz]:>}{Of device [%]=area_share:>}"
                "{Time=seconds:>}"),
        "Smallest area first; the winner is set off. Area by a netlist: of a core that was synthesised; modelled: by "
        "the area model of docs/tune.md. Times rest on a clock that no place and route has shown."};
    t.row_header = false;
    std::size_t on_front = 0;
    for (const TunedRow* r : answer) {
        const std::string letter = r->front ? std::string(1, static_cast<char>('A' + on_front++ % 26)) : "";
        const bool by_model = !r->netlist;
        TableRow row;
        row.cells = {r->front ? words(letter) : none(),
                     code(r->design + (r->headroom.empty() ? "" : " --headroom " + r->headroom)),
                     words(r->netlist ? "netlist" : "model"),
                     count(r->cores, r->at.column("cores")),
                     count(r->lanes, r->at.column("lanes")),
                     count(r->inner, r->at.column("inner")),
                     count(r->iterations, r->at.column("iterations")),
                     figure(r->clock_mhz, r->at.column("clock_mhz"), true, significant(r->clock_mhz, 3)),
                     figure(r->area_share, r->at.column("area_share"), by_model, significant(100 * r->area_share, 3)),
                     figure(r->seconds, r->at.column("seconds"), true, duration(r->seconds))};
        row.origins = {r->origin};
        row.strong = r->winner;
        t.rows.push_back(std::move(row));
    }
    return t;
}

Figure front_figure(Answer answer, std::size_t index) {
    std::ranges::stable_sort(answer, {}, [](const TunedRow* r) { return std::pair(r->area_share, r->seconds); });
    Figure f;
    f.id = fmt::format("tuned-{}", index);
    f.title = fmt::format("Area against time, least {}: {} on {}", answer.front()->goal, answer.front()->problem,
                          answer.front()->device);
    f.text = "Letters mark the front: no design that was looked at is both smaller and faster than these. Area is the "
             "largest of the shares of the device's slices, multipliers and memory.";
    f.label = fmt::format("Scatter chart: time to solution against area, {}. The table below holds its figures.",
                          text::counted(answer.size(), "design"));
    f.table = table_of(answer, f.id);
    PointChart chart;
    chart.x = {"area_share", "share of the device", true, TickText::percent};
    chart.y = {"seconds", "time to solution", true, TickText::time};
    chart.series = "by";
    chart.letter = "letter";
    chart.front = true;
    for (const bool netlist : {true, false})
        if (std::ranges::any_of(answer, [&](const TunedRow* r) { return r->netlist == netlist; }))
            chart.list.push_back({netlist ? "netlist" : "model", netlist ? 0 : 1});
    if (!fit_axis(chart.x, f.table) || !fit_axis(chart.y, f.table)) return f;
    f.vega = vega_of(chart, f.table);
    for (const auto& [width, height] : {std::pair{500, 380}, std::pair{340, 360}}) {
        chart.width = width;
        chart.height = height;
        f.narrower.push_back(vega_of(chart, f.table));
    }
    return f;
}

} // namespace

std::optional<Section> tuned_section(const Rows& rows) {
    if (rows.tuned.empty()) return std::nullopt;
    Section section{"tuned", "Chosen designs", {}};
    std::size_t index = 0;
    for (const Answer& answer : answers_of(rows)) section.blocks.emplace_back(front_figure(answer, ++index));
    return section;
}

} // namespace mantissa::report
