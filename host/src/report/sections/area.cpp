#include <algorithm>

#include <fmt/format.h>

#include "report/charts/spec_shape.hpp"
#include "report/paper_tables.hpp"
#include "sections.hpp"
#include "synthesis/core_clock.hpp"
#include "synthesis/table5.hpp"

namespace mantissa::report {

namespace {

constexpr int kPaperExponent = 11; // exponent bits of the paper's cores

/// One of two figures over the same table: slices, or multiplier blocks.
Figure growth_figure(const Rows& rows, Origins& origins, const std::string& paper, bool slices) {
    const int given = origins.add("R. Strzodka and D. Göddeke, FCCM 2006, Tables 1 to 5",
                                  {"", "", "", "2006-04", "experiments/paper/*.csv"}, "given");
    Figure f;
    f.id = slices ? "area-slices" : "area-blocks";
    f.half = true;
    f.title = slices ? "Slices of the core" : "18 × 18 multiplier blocks of the core";
    f.text = slices ? "One lane on the xc2v; ours estimated from LUTs and flip-flops, so hollow."
                    : "One lane on the xc2v, products on multiplier blocks.";
    f.label =
        fmt::format("Line chart: {} of the core against fraction bits, ours and the paper's. The table below holds "
                    "its figures.",
                    slices ? "slices" : "multiplier blocks");
    Table& t = f.table = {f.id, f.title + " on the xc2v",
                          columns(fmt::format("{{Core=series}}{{Specification=spec}}{{M [bits]=m:>}}{{{}=value:>}}",
                                              slices ? "Slices" : "Blocks"))};
    t.folded = true;
    std::vector<TableRow> ours, paper_rows;
    for (const SynthesisRow& s : rows.synthesis) {
        if (s.part != "core" || s.target != "xc2v" || (!slices && s.multiplier != "block")) continue;
        const auto shape = shape_of(s.spec);
        if (!shape || !shape->plain || shape->spec.lanes != 1) continue;
        std::string kind = shape->uniform() ? "" : shape->fixed_dot ? ", mixed, fixed dot" : ", mixed";
        if (kind.empty() && shape->spec.r.exponent_bits != kPaperExponent)
            kind = fmt::format(", e{}", shape->spec.r.exponent_bits);
        const Cell value = slices ? modelled(count(s.figures.slices(s.target)))
                                  : count(s.figures.multipliers, s.at.column("multipliers"));
        ours.push_back({{words(fmt::format("ours, {}{}", s.multiplier == "block" ? "blocks" : "logic", kind)),
                         spec(s.spec), count(static_cast<std::uint64_t>(shape->vector_bits)), value},
                        {s.origin}});
    }
    for (const synthesis::Table5Row& row : synthesis::read_table5(paper_folder(paper))) {
        if (!slices && row.multiplier == "logic") continue;
        paper_rows.push_back({{words(row.multiplier == "logic" ? "paper, logic" : "paper, blocks"), code(row.format),
                               count(static_cast<std::uint64_t>(row.fraction_bits)),
                               count(static_cast<std::uint64_t>(slices ? row.slices : row.multipliers))},
                              {given}});
    }
    t.rows = std::move(ours);
    if (t.rows.empty()) return f;
    std::stable_sort(t.rows.begin(), t.rows.end(), [](const TableRow& a, const TableRow& b) {
        return a.cells[0].text != b.cells[0].text ? a.cells[0].text < b.cells[0].text
                                                  : a.cells[2].value.get<int>() < b.cells[2].value.get<int>();
    });
    t.rows.insert(t.rows.end(), paper_rows.begin(), paper_rows.end());
    LineChart chart;
    chart.x = {"m", "fraction bits M of r, p and q"};
    chart.x.tested = true;
    chart.y = {"value", slices ? "slices" : "multiplier blocks"};
    chart.series = "series";
    chart.width = 520;
    chart.height = 320;
    int style = 0;
    for (const TableRow& row : t.rows)
        if (std::none_of(chart.list.begin(), chart.list.end(),
                         [&](const Series& s) { return s.name == row.cells[0].text; }))
            chart.list.push_back({row.cells[0].text, style++});
    if (fit_axis(chart.x, t, {14.0}) && fit_axis(chart.y, t, {0.0})) f.vega = vega_of(chart, t);
    return f;
}

/// The clock of a part: from place and route of the same netlist where there is one, else modelled.
std::optional<synthesis::CoreClock> clock_of(const Rows& rows, const SynthesisRow& s) {
    std::vector<synthesis::Placement> placements;
    for (const PlacementRow& p : rows.placements)
        if (p.spec == s.spec && p.target == s.target && p.multiplier == s.multiplier && p.part == s.part &&
            p.tool == s.tool && p.sources == s.sources)
            placements.push_back({p.seed, p.mhz, p.critical});
    if (placements.empty() && (!s.model_mhz || !(*s.model_mhz > 0))) return std::nullopt;
    std::sort(placements.begin(), placements.end(),
              [](const synthesis::Placement& a, const synthesis::Placement& b) { return a.mhz < b.mhz; });
    return synthesis::core_clock(s.target, s.model_mhz.value_or(0), s.model_path, placements);
}

Table everything(const Rows& rows) {
    Table t{
        "synthesis", "All synthesised parts",
        columns("{Specification=spec}{Part}{Target}{Multipliers=multiplier}{LUTs:>}{as memory=memory_luts:>}"
                "{Flip-flops=flip_flops:>}{Slices:>}{Blocks=multipliers:>}{Memory [bits]=memory_bits:>}"
                "{I/O [bits]=io_bits:>}{Depth [cells]:>}{Clock [MHz]:>}{Clock from}"),
        "Slices are estimated: LUTs, LUTs as memory and flip-flops that no LUT feeds, over the LUTs of a slice. "
        "The clock is from place and route where that was run; else it is modelled, with the delays of an ECP5 times a "
        "factor that is assumed for the family (docs/synthesis.md)."};
    for (const SynthesisRow& s : rows.synthesis) {
        const auto& f = s.figures;
        const auto clock = clock_of(rows, s);
        const bool placed = clock && clock->kind == "measured";
        Cell mhz = clock ? real(clock->mhz, {}, placed ? 4 : 3) : none();
        if (clock && !placed) mhz = modelled(mhz);
        t.rows.push_back(
            {{spec(s.spec), words(s.part), words(s.target), words(s.multiplier), count(f.luts, s.at.column("luts")),
              count(f.memory_luts, s.at.column("memory_luts")), count(f.flip_flops, s.at.column("flip_flops")),
              modelled(count(f.slices(s.target))), count(f.multipliers, s.at.column("multipliers")),
              count(f.memory_bits, s.at.column("memory_bits")), count(f.io_bits, s.at.column("io_bits")),
              count(f.depth, s.at.column("depth")), mhz, clock ? words(clock->source) : none()},
             {s.origin}});
    }
    // Results of an older program have no modelled clock.
    const bool idle = std::none_of(t.rows.begin(), t.rows.end(), [](const TableRow& row) {
        return row.cells[row.cells.size() - 2].value.is_number();
    });
    for (std::size_t c = t.columns.size() - 2; c < t.columns.size(); ++c) t.columns[c].hidden = idle;
    return t;
}

Table placements(const Rows& rows) {
    Table t{"placement", "Place and route, one run for each seed",
            columns("{Specification=spec}{Part}{Target}{Multipliers=multiplier}{Seed:>}{Clock [MHz]=mhz:>}"
                    "{Critical path=critical}")};
    for (const PlacementRow& p : rows.placements)
        t.rows.push_back({{spec(p.spec), words(p.part), words(p.target), words(p.multiplier),
                           count(static_cast<std::uint64_t>(p.seed), p.at.column("seed")),
                           real(p.mhz, p.at.column("mhz"), 4), code(p.critical)},
                          {p.origin}});
    return t;
}

} // namespace

Section area_section(const Rows& rows, Origins& origins, const std::string& paper) {
    Section section{"area", "Area against fraction bits", {}};
    for (const bool slices : {true, false})
        if (Figure f = growth_figure(rows, origins, paper, slices); !f.table.rows.empty())
            section.blocks.emplace_back(std::move(f));
    if (section.blocks.empty())
        section.blocks.emplace_back(Gap{"No core synthesised for the xc2v in these results" + beside_comparison(rows),
                                        "mantissa synthesize --spec s17e11 --target xc2v --store STORE (yosys: apt "
                                        "install yosys)"});
    if (!rows.synthesis.empty()) section.blocks.emplace_back(everything(rows));
    if (!rows.placements.empty()) section.blocks.emplace_back(placements(rows));
    else
        section.blocks.emplace_back(Gap{"No clock from place and route in these results",
                                        "mantissa synthesize --spec s17e8 --target ecp5 --place --store STORE (fetches "
                                        "nextpnr from PyPI)"});
    return section;
}

} // namespace mantissa::report
