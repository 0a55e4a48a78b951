#include <algorithm>

#include <fmt/format.h>

#include "report/numbers.hpp"
#include "report/page/document.hpp"
#include "sections.hpp"

namespace mantissa::report {

namespace {

/// A measurement document that the GPU benchmark wrote.
bool of_gpu(const DocumentRow& d) {
    return d.document.contains("device") && d.document.contains("poisson");
}

} // namespace

Section roofline_section(const Rows& rows) {
    Section section{"roofline", "The GPU against its memory", {}};
    std::size_t index = 0;
    for (const DocumentRow& d : rows.measurements) {
        if (!of_gpu(d)) continue;
        const Node whole(d, d.document, {});
        const double copy = whole.number("copy_bytes_per_second").value_or(0);
        Table t;
        t.columns = columns("{Arithmetic, plan=series}{Level:>}{Unknowns=rows:>}{One pass [µs]=us:>}"
                            "{at the copy rate [µs]=bound_us:>}{Bytes per row=bytes:>}{Rate [GB/s]:>}"
                            "{of the copy rate [%]=share:>}{=seconds}{=bound_}{=rate_}");
        std::vector<std::string> names, streaming;
        for (const Node& level : nodes(d, "poisson")) {
            const auto unknowns = level.number("rows");
            for (const Node& n : level.children("passes")) {
                const auto us = n.number("us_per_pass");
                if (!us || !unknowns) continue;
                const std::string series = n.text("arithmetic") + ", " + n.text("plan");
                const double bytes = n.number("bytes_per_row").value_or(0);
                if (std::find(names.begin(), names.end(), series) == names.end()) names.push_back(series);
                Cell bound = none(), bound_seconds = none(), rate = none(), share = none(), rate_number = none(),
                     width = none();
                if (bytes > 0) {
                    if (std::find(streaming.begin(), streaming.end(), series) == streaming.end())
                        streaming.push_back(series);
                    width = n.figure("bytes_per_row");
                    if (copy > 0) {
                        bound = modelled(real(bytes * *unknowns / copy * 1e6));
                        bound_seconds = modelled(real(bytes * *unknowns / copy));
                    }
                    rate = n.figure("bytes_per_second");
                    rate_number = rate;
                    if (const auto r = n.number("bytes_per_second")) rate.text = significant(*r * 1e-9, 4);
                    share = n.figure("share_of_copy");
                    if (const auto s = n.number("share_of_copy")) share.text = significant(100 * *s, 3);
                }
                t.rows.push_back(
                    {{words(series), level.figure("level"), level.figure("rows"), n.figure("us_per_pass", 4), bound,
                      width, rate, share, real(*us * 1e-6), bound_seconds, rate_number},
                     {d.origin}});
            }
        }
        if (t.rows.empty()) continue;
        std::sort(names.begin(), names.end());
        std::stable_sort(t.rows.begin(), t.rows.end(),
                         [](const TableRow& a, const TableRow& b) { return a.cells[0].text < b.cells[0].text; });
        ++index;
        const std::string device = whole.text("device");
        Figure rate;
        rate.half = true;
        rate.id = fmt::format("gpu-rate-{}", index);
        rate.title = fmt::format("Bytes per second of one pass: {}", device);
        rate.text =
            "Bytes that the streaming plan moves in a pass, as it counts them, over the measured time of the pass. The "
            "horizontal line is the measured copy bandwidth. The resident plan keeps its vectors on the chip and has "
            "no such figure.";
        rate.label = "Line chart: bytes per second against unknowns. The table below holds its figures.";
        rate.table = t;
        rate.table.id = rate.id;
        const std::size_t rated = t.columns.size() - 1; // rate_
        std::erase_if(rate.table.rows, [&](const TableRow& row) { return row.cells[rated].value.is_null(); });
        rate.table.caption = fmt::format("Passes of the pipelined CG on the {}", device);
        rate.table.note = whole.text("note");
        rate.table.folded = true;
        LineChart chart;
        chart.width = 520;
        chart.x = {"rows", "unknowns", true};
        chart.y = {"rate_", "bytes moved", true, TickText::rate};
        chart.series = "series";
        for (std::size_t i = 0; i < names.size(); ++i)
            if (std::find(streaming.begin(), streaming.end(), names[i]) != streaming.end())
                chart.list.push_back({names[i], static_cast<int>(i)});
        if (copy > 0) chart.rules.emplace_back(copy, fmt::format("copy: {} TB/s", significant(copy * 1e-12)));
        chart.x.text = TickText::power;
        if (fit_axis(chart.x, rate.table) && fit_axis(chart.y, rate.table, {copy}))
            rate.vega = vega_of(chart, rate.table);

        Figure time;
        time.half = true;
        time.id = fmt::format("gpu-time-{}", index);
        time.title = fmt::format("Time of one pass: {}", device);
        time.text =
            "Measured time of one iteration. Small systems are bound by the exchange across the grid, large "
            "ones by memory. Thin lines are the roof (modelled): the streaming plan's bytes at the copy bandwidth.";
        time.label = "Line chart: time of a pass against unknowns. The table below holds its figures.";
        time.table = t;
        time.table.id = time.id;
        time.table.caption = rate.table.caption;
        time.table.folded = true;
        LineChart by_time;
        by_time.width = 520;
        by_time.x = {"rows", "unknowns", true, TickText::power};
        by_time.y = {"seconds", "time of one pass", true, TickText::time};
        by_time.series = "series";
        by_time.bound = "bound_";
        for (std::size_t i = 0; i < names.size(); ++i) by_time.list.push_back({names[i], static_cast<int>(i)});
        std::vector<double> roofs;
        for (const TableRow& row : time.table.rows)
            if (const Json& roof = row.cells[rated - 1].value; roof.is_number()) roofs.push_back(roof.get<double>());
        if (fit_axis(by_time.x, time.table) && fit_axis(by_time.y, time.table, roofs))
            time.vega = vega_of(by_time, time.table);
        section.blocks.emplace_back(std::move(rate));
        section.blocks.emplace_back(std::move(time));
    }
    if (section.blocks.empty())
        section.blocks.emplace_back(
            Gap{"No GPU measurements in these results",
                "mantissa bench gpu --output gpu.json on a machine with a GPU, named in the comparison's file; then "
                "mantissa compare FILE.toml --store STORE"});
    return section;
}

} // namespace mantissa::report
