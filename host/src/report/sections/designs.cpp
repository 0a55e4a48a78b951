#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "findings/findings.hpp"
#include "report/comparison.hpp"
#include "report/numbers.hpp"
#include "text/counted.hpp"

namespace mantissa::report {

namespace {

/// A, B, ... Z, AA, AB, ...
std::string letter(std::size_t index) {
    std::string text(1, static_cast<char>('A' + index % 26));
    return index < 26 ? text : letter(index / 26 - 1) + text;
}

Cell clock_cell(const Node& row) {
    Cell cell = row.figure("clock_hz");
    if (const auto hz = row.number("clock_hz")) cell.text = significant(*hz * 1e-6, 3);
    cell.modelled = cell.modelled || row.text("clock_kind") == "modelled";
    return cell;
}

/// What holds a design back, in words.
std::string bound_text(const std::string& bound) {
    static const std::map<std::string, std::string> kTexts = {
        {"blocks", "multiplier blocks"}, {"memory", "block memory"}, {"io", "pins"}, {"bandwidth", "memory bandwidth"}};
    const auto it = kTexts.find(bound);
    return it == kTexts.end() ? bound : it->second;
}

Cell share_cell(const Node& row) {
    Cell cell = row.figure("area_share");
    if (const auto share = row.number("area_share")) cell.text = significant(100 * *share, 3);
    return cell;
}

/// Clocks, whole where there are many.
Cell clocks_cell(const Node& row) {
    Cell cell = row.figure("cycles_per_iteration", 5);
    if (const auto clocks = row.number("cycles_per_iteration"); clocks && *clocks >= 1e4 && *clocks < 1e18)
        cell.text = grouped(static_cast<std::uint64_t>(std::llround(*clocks)));
    return cell;
}

/// A column that no row fills tells nothing, nor does one that says one lane in every row.
void hide_idle_columns(Table& t) {
    for (std::size_t c = 0; c < t.columns.size(); ++c)
        t.columns[c].hidden = std::all_of(t.rows.begin(), t.rows.end(), [&](const TableRow& row) {
            const Json& value = row.cells[c].value;
            return value.is_null() || (t.columns[c].key == "lanes" && value == 1);
        });
}

/// Specifications with their multipliers.
std::size_t designs_of(const std::vector<Node>& rows) {
    std::set<std::pair<std::string, std::string>> designs;
    for (const Node& r : rows) designs.emplace(r.text("spec"), r.text("multiplier"));
    return designs.size();
}

/// All designs for one problem on one device, smallest area first.
Figure designs_figure(const DocumentRow& document, const DocumentOrigins& origins, const std::string& problem,
                      const std::string& device, std::vector<Node> rows, std::size_t index) {
    const bool by_share = std::all_of(rows.begin(), rows.end(), [](const Node& r) { return r.number("area_share"); });
    const std::string area = by_share ? "area_share" : "slices";
    std::stable_sort(rows.begin(), rows.end(), [&](const Node& a, const Node& b) {
        const auto key = [&](const Node& n) {
            return std::pair(n.number(area).value_or(0), n.number("seconds").value_or(0));
        };
        return key(a) < key(b);
    });
    Figure f;
    f.id = fmt::format("designs-{}", index);
    f.subject = designs_subject(document.name, problem, device);
    f.title = fmt::format("Time against area: {} on {}", problem, device_name(document, device));
    f.text = fmt::format("Each point is one of {} on a number of cores; a design is a specification with its lanes and "
                         "multipliers. Letters mark the Pareto front: no point here is both smaller and faster than "
                         "these. Area is the largest of the shares of the device's slices, multipliers and block "
                         "memories. Colour and shape say what bounds a design; hollow points rest on modelled figures.",
                         text::counted(designs_of(rows), "design"));
    f.label = fmt::format("Scatter chart: time to solution against area, {}. The table below holds its figures.",
                          text::counted(rows.size(), "point"));
    Table& t = f.table = {
        f.id, fmt::format("Designs for {} on {}", problem, device_name(document, device)),
        columns("{Front=letter}{Specification=spec}{Mult. in=multiplier}{Lanes:>}{Cores:>}{Channels:>}"
                "{Bound by=bound}{Inner:>}{Clock [MHz]:>}{Cycles an iter.=cycles:>}{Slices:>}{Blocks:>}"
                "{Of device [%]=area_share:>}{Time=seconds:>}{Area × time [device s]=area_time:>}"
                "{Energy [J]:>}"),
        "Smallest area first; designs with a letter are on the Pareto front. Inner: iterations per step of the outer "
        "loop."};
    t.row_header = false;
    std::size_t on_front = 0;
    std::set<std::string> bounds;
    for (const Node& r : rows) {
        const bool front = r["pareto"].is_boolean() && r["pareto"].get<bool>();
        bounds.insert(bound_text(r.text("bound")));
        TableRow row;
        row.cells = {front ? words(letter(on_front++)) : none(),
                     spec(r.text("spec")),
                     words(r.text("multiplier")),
                     r.figure("lanes"),
                     r.figure("cores"),
                     r.figure("channels"),
                     words(bound_text(r.text("bound"))),
                     r.figure("inner"),
                     clock_cell(r),
                     clocks_cell(r),
                     r.figure("slices", 5),
                     r.figure("blocks", 5),
                     share_cell(r),
                     seconds_cell(r, "seconds"),
                     r.figure("area_time"),
                     r.figure("energy_joules")};
        row.origins = origins.of(r.object());
        row.strong = front;
        t.rows.push_back(std::move(row));
    }
    t.folded = t.rows.size() > 12;
    hide_idle_columns(t);
    PointChart chart;
    chart.x = {by_share ? "area_share" : "slices", by_share ? "share of the device" : "slices", true,
               by_share ? TickText::percent : TickText::plain};
    chart.y = {"seconds", "time to solution", true, TickText::time};
    chart.series = "bound";
    chart.letter = "letter";
    chart.front = true;
    static const std::vector<std::string> kBounds = {"logic", "multiplier blocks", "block memory",
                                                     "pins",  "memory bandwidth",  "clock"};
    for (std::size_t b = 0; b < kBounds.size(); ++b)
        if (bounds.contains(kBounds[b])) chart.list.push_back({kBounds[b], static_cast<int>(b)});
    int style = static_cast<int>(kBounds.size()); // of resident and sparse designs
    for (const std::string& other : bounds)
        if (!other.empty() && std::find(kBounds.begin(), kBounds.end(), other) == kBounds.end())
            chart.list.push_back({other, style++});
    if (fit_axis(chart.x, t) && fit_axis(chart.y, t)) {
        f.vega = vega_of(chart, t);
        // Beside another figure, and on a telephone: drawn anew, since letters must not shrink.
        for (const auto& [width, height] : {std::pair{500, 380}, std::pair{340, 360}}) {
            chart.width = width;
            chart.height = height;
            f.narrower.push_back(vega_of(chart, t));
        }
    }
    return f;
}

constexpr const char* kStages[] = {"vectors", "iterate", "row sum", "accumulators"};

std::string by_text(const std::string& by) {
    return by == "area_time" ? "area\u00A0×\u00A0time" : by;
}

Table best_table(const DocumentRow& document, const DocumentOrigins& origins, const std::string& list) {
    Table t;
    const bool constant = list != "best";
    t.id = fmt::format("{}-{}", constant ? "best-constant" : "best", document.number);
    t.caption = constant ? "The best designs if the constant stencil were held in registers: 8 words per element"
                         : "The best design for each problem and device, and its format in each stage";
    t.folded = constant;
    t.columns = columns("{Problem}{Device}{Best by=by}{Vectors}{Iterate u=iterate}{Row sum=row}{Accumulators}"
                        "{Mult. in=multiplier}{Lanes:>}{Cores:>}{Bound by=bound}{Of device [%]=share:>}"
                        "{Time=seconds:>}");
    for (const Node& b : nodes(document, list)) {
        Cell time = seconds_cell(b, "seconds"), share = share_cell(b);
        time.modelled = share.modelled = b.text("kind") == "modelled";
        const auto designs = findings::designs_on(document.comparison, b.text("problem"), b.text("device"));
        const std::string by = by_text(b.text("by")), of = designs == 0   ? by
                                                           : designs == 1 ? by + " (only one)"
                                                                          : fmt::format("{} (of {})", by, designs);
        TableRow row{{words(b.text("problem")), words(b.text("device")), words(of)}, origins.of(b.object())};
        for (const char* stage : kStages) {
            const Json& stages = b["stages"];
            const bool there = stages.is_object() && stages.contains(stage) && stages[stage].is_string();
            row.cells.push_back(there ? spec(stages[stage].get<std::string>()) : none());
        }
        row.cells.insert(row.cells.end(), {words(b.text("multiplier")), b.figure("lanes"), b.figure("cores"),
                                           words(bound_text(b.text("bound"))), share, time});
        t.rows.push_back(std::move(row));
    }
    hide_idle_columns(t);
    return t;
}

/// What the best design of each format of a stage reaches.
Table stages_table(const DocumentRow& document) {
    Table t{fmt::format("stages-{}", document.number), "Formats of each stage: the best design that has it",
            columns("{Problem}{Device}{Stage}{Best by=by}{Format}{Specification=spec}{Cores:>}{Time=seconds:>}"
                    "{Area × time [device s]=area_time:>}")};
    t.folded = true;
    for (const Node& s : nodes(document, "stages"))
        for (const Node& c : s.children("choices")) {
            Cell time = seconds_cell(c, "seconds"), product = c.figure("area_time");
            time.modelled = product.modelled = s.text("kind") == "modelled";
            TableRow row{{words(s.text("problem")), words(s.text("device")), words(s.text("stage")),
                          words(by_text(s.text("by"))), spec(c.text("format")), spec(c.text("spec")), c.figure("cores"),
                          time, product},
                         {document.origin}};
            row.strong = c.text("format") == s.text("format");
            t.rows.push_back(std::move(row));
        }
    return t;
}

/// Iterations and cycles of the specifications compared, and the cores' areas and clocks.
Table specifications_table(const DocumentRow& document, const DocumentOrigins& origins) {
    Table t{fmt::format("specifications-{}", document.number), "Iterations and cycles that the designs rest on",
            columns("{Problem}{Specification=spec}{Status}{Inner iterations=iterations:>}{Outer:>}"
                    "{True residual=defect:>}{Cycles an iter.=cycles:>}{Cycles from=engine}"
                    "{Bytes per element=bytes:>}")};
    t.folded = true;
    for (const Node& d : nodes(document, "designs")) {
        Cell cycles = clocks_cell(d);
        cycles.modelled = cycles.modelled || d.text("cycles_kind") == "modelled";
        t.rows.push_back({{words(d.text("problem")), spec(d.text("spec")), words(d.text("status")),
                           d.figure("inner_iterations"), d.figure("outer_iterations"), d.figure("true_residual", 3),
                           cycles, words(d.text("cycles_engine")), d.figure("bytes_per_element")},
                          origins.of(d.object())});
    }
    return t;
}

Table cores_table(const DocumentRow& document, const DocumentOrigins& origins) {
    Table t{fmt::format("cores-{}", document.number), "Cores that the designs are made of",
            columns("{Specification=spec}{Target}{Mult. in=multiplier}{Part}{Lanes:>}{LUTs:>}"
                    "{as memory=memory_luts:>}{Flip-flops=flip_flops:>}{Slices:>}{Blocks:>}"
                    "{Memory [bits]=memory_bits:>}{I/O [bits]=io_bits:>}{Clock [MHz]=mhz:>}")};
    t.folded = true;
    for (const Node& c : nodes(document, "cores")) {
        // (Documents of an older program name no part: theirs are whole cores.)
        std::string part = c.object().contains("part") ? c.text("part") : "core";
        if (part == "core" && c.object().contains("bands") && c.text("bands") == "constant")
            part += " with a constant stencil";
        TableRow row{{spec(c.text("spec")), words(c.text("target")), words(c.text("multiplier")), words(part)},
                     origins.of(c.object())};
        for (const char* name :
             {"lanes", "luts", "memory_luts", "flip_flops", "slices", "blocks", "memory_bits", "io_bits", "mhz"})
            row.cells.push_back(c.figure(name, 3));
        t.rows.push_back(std::move(row));
    }
    return t;
}

/// The ratios of section 5.5 in words; others as they are called.
std::string ratio_title(const std::string& name) {
    static const std::map<std::string, std::string> kTitles = {
        {"iterations_ratio", "Iterations, reduced over double"}, {"area_ratio", "Logic, double over reduced"},
        {"clock_ratio", "Clock, reduced over double"},           {"io_ratio", "I/O bits, reduced over double"},
        {"slowdown", "Time of one core, reduced over double"},   {"speedup", "Work a second of the same silicon"}};
    const auto it = kTitles.find(name);
    return it == kTitles.end() ? name : it->second;
}

Table section55_table(const DocumentRow& document, const DocumentOrigins& origins, const Json& object) {
    Table t;
    t.id = fmt::format("section-5-5-{}", document.number);
    const auto name_of = [&](const char* side) { return Node(document, object, "section55").text(side); };
    t.caption = fmt::format("The paper’s section 5.5 again: {} against {}", name_of("narrow"), name_of("wide"));
    t.columns = columns("{Figure}{Ours:>}{The paper's=paper:>}");
    t.show_origins = true;
    const auto part = [&](const char* name) {
        return object.contains(name) && object[name].is_object() ? object[name] : Json::object();
    };
    const Json ours = part("ours"), paper = part("paper"), kinds = part("kinds");
    std::vector<std::string> names;
    for (const Json* side : {&ours, &paper})
        for (const auto& [name, unused] : side->items())
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    for (const std::string& name : names) {
        const auto cell = [&](const Json& side, const char* which) {
            if (!side.contains(name)) return none();
            if (side[name].is_string()) return words(side[name].get<std::string>());
            if (!side[name].is_number()) return none();
            return real(side[name].get<double>(), document.address(fmt::format("section55/{}/{}", which, name)), 3);
        };
        Cell mine = cell(ours, "ours");
        mine.modelled = kinds.contains(name) && kinds[name] == "modelled";
        t.rows.push_back({{words(ratio_title(name)), mine, cell(paper, "paper")}, origins.of(object)});
    }
    return t;
}

/// Each format against the wide one, by the figures of section 5.5.
Table section55_designs(const DocumentRow& document, const DocumentOrigins& origins, const Json& object) {
    const Node whole(document, object, "section55");
    Table t{fmt::format("section-5-5-designs-{}", document.number),
            fmt::format("Formats against {}: what they cost and gain", whole.text("wide")),
            columns("{Specification=spec}{Mult. in=multiplier}{Iterations ×=iterations:>}{Logic ÷=area:>}"
                    "{Blocks ÷=blocks:>}{Clock ×=clock:>}{Speed-up:>}"),
            "Speed-up is of the same silicon: area and clock over iterations."};
    for (const Node& d : whole.children("designs")) {
        Cell area = d.figure("area_ratio", 3), clock = d.figure("clock_ratio", 3), speedup = d.figure("speedup", 3);
        area.modelled = true; // slices are estimates
        clock.modelled = d.text("clock_kind") == "modelled";
        speedup.modelled = true;
        t.rows.push_back({{spec(d.text("spec")), words(d.text("multiplier")), d.figure("iterations_ratio", 3), area,
                           d.figure("blocks_ratio", 3), clock, speedup},
                          origins.of(d.object())});
    }
    return t;
}

/// The one with the most unknowns; the last one where nothing says.
std::string largest_problem(const DocumentRow& document, std::map<std::string, std::uint64_t>& unknowns) {
    std::string largest;
    if (document.comparison.sparse)
        for (const comparison::SparseRow& row : *document.comparison.sparse)
            if (unknowns[row.problem] >= unknowns[largest]) largest = row.problem;
    return largest;
}

} // namespace

Section designs_section(const Rows& rows, Origins& origins) {
    Section section{"designs", "Designs: time, area and what bounds them", {}};
    std::size_t index = 0;
    for (const DocumentRow& document : rows.comparisons) {
        const DocumentOrigins from(document, origins);
        const auto add = [&](Table table) {
            if (!table.rows.empty()) section.blocks.emplace_back(std::move(table));
        };
        if (rows.comparisons.size() > 1) section.blocks.emplace_back(Heading{"Comparison " + document.name});
        add(best_table(document, from, "best"));
        std::vector<std::pair<std::string, std::string>> order;
        std::map<std::pair<std::string, std::string>, std::vector<Node>> groups;
        for (const char* list : {"rows", "sparse"})
            for (const Node& row : nodes(document, list)) {
                // (Among sparse cores stand times of others, which have no clock, and solves that did not converge.)
                if (std::string_view(list) == "sparse" && !(row.number("clock_hz") && row.number("seconds"))) continue;
                const std::pair<std::string, std::string> name{row.text("problem"), row.text("device")};
                if (!groups.contains(name)) order.push_back(name);
                groups[name].push_back(row);
            }
        // The largest problem on each device is shown at once, the others behind a line to click.
        std::map<std::string, std::uint64_t> unknowns, largest;
        for (const comparison::Design& d : document.comparison.designs) unknowns[d.problem] = d.unknowns;
        for (const auto& [problem, device] : order) largest[device] = std::max(largest[device], unknowns[problem]);
        const auto add_figures = [&](bool folded) {
            for (const auto& name : order) {
                if ((unknowns[name.first] < largest[name.second]) != folded) continue;
                Figure figure = designs_figure(document, from, name.first, name.second, groups[name], ++index);
                figure.folded = folded;
                section.blocks.emplace_back(std::move(figure));
            }
        };
        add_figures(false);
        const std::string largest_sparse = largest_problem(document, unknowns);
        for (Table& table : sparse_tables(document, from, largest_sparse)) add(std::move(table));
        for (Table& table : cycle_tables(document, from)) add(std::move(table));
        if (const auto it = document.document.find("section55"); it != document.document.end() && it->is_object()) {
            section.blocks.emplace_back(Heading{"The paper’s section 5.5 with our figures"});
            if (const auto text = it->find("text"); text != it->end() && text->is_string())
                section.blocks.emplace_back(Text{text->get<std::string>()});
            add(section55_table(document, from, *it));
            add(section55_designs(document, from, *it));
        }
        add_figures(true);
        add(best_table(document, from, "best_constant_stencil"));
        add(stages_table(document));
        add(specifications_table(document, from));
        add(cores_table(document, from));
    }
    if (section.blocks.empty()) section.blocks.emplace_back(no_comparison());
    return section;
}

} // namespace mantissa::report
