#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "report/numbers.hpp"
#include "report/paper_tables.hpp"
#include "sections.hpp"
#include "synthesis/table5.hpp"

namespace mantissa::report {

namespace {

constexpr const char* kTitles[] = {
    "Error against the analytic solution",
    "Defect correction, pipelined CG inside for a fixed number of iterations",
    "Defect correction, pipelined CG inside until it gains some digits",
    "Residual guided pipelined CG",
};

/// The point after a cell, its limit of iterations aside; of the emulated engine where there is one.
const PointRow* find_point(const Rows& rows, const PaperCell& cell) {
    const Point wanted = cell_point(cell);
    const SolveOptions& o = wanted.options;
    PointRow like; // for its way()
    like.options = o;
    const std::string spec = to_string(o.spec);
    const PointRow* found = nullptr;
    for (const PointRow& p : rows.points) {
        if (p.problem != wanted.problem || p.spec != spec || p.way() != like.way()) continue;
        if (found == nullptr || (found->engine != "emulated" && p.engine == "emulated")) found = &p;
    }
    return found;
}

std::string pair_text(std::uint64_t inner, const std::optional<std::uint64_t>& outer) {
    return outer ? fmt::format("{}:{}", inner, *outer) : fmt::format("{}", inner);
}

Cell paper_cell(const PaperCell& c) {
    if (c.status == "na") return words("n/a");
    if (c.status != "ok") return words(c.status);
    if (c.error) return {fmt::format("{:.5e}", *c.error), *c.error, {}, false, false};
    return {pair_text(c.inner_iterations.value_or(0), c.outer_iterations),
            c.inner_iterations.value_or(0),
            {},
            false,
            false};
}

Cell our_cell(const PaperCell& c, const PointRow* p) {
    if (p == nullptr) return none();
    if (!p->gives_count()) return words(p->status);
    if (c.table == 1) {
        if (!p->error) return none();
        return {fmt::format("{:.5e}", *p->error / 2), *p->error / 2, {}, false, false};
    }
    return {pair_text(p->inner_iterations, c.scheme == "direct" ? std::nullopt : std::optional(p->outer_iterations)),
            p->inner_iterations, p->at.column("inner_iterations"), false, false};
}

Cell ratio_cell(const Cell& ours, const Cell& paper) {
    if (!ours.value.is_number() || !paper.value.is_number()) return none();
    return factor(ours.value.get<double>() / paper.value.get<double>());
}

/// Formats and stopping rules down, levels across; rows and levels of which the stores have nothing are left out.
Table iterations_table(int number, const std::vector<PaperCell>& cells, const Rows& rows, int given) {
    std::vector<std::pair<const PaperCell*, const PointRow*>> found;
    std::set<int> levels;
    for (const auto& cell : cells)
        if (const PointRow* p = find_point(rows, cell); p != nullptr) {
            found.emplace_back(&cell, p);
            levels.insert(cell.level);
        }
    Table t;
    t.id = fmt::format("paper-{}", number);
    t.caption = fmt::format("Table {}: {}", number, kTitles[number - 1]);
    std::string line = "{Inner format=format}{Inner stop=stop}";
    for (const int level : levels)
        line += fmt::format("{{Level {0}: ours=ours_{0}:>}}{{paper=paper_{0}:>}}{{ratio=ratio_{0}:>}}", level);
    t.columns = columns(line);
    t.note = number == 1 ? "The paper prints half of the root mean square error, and so does this table."
                         : "Inner iterations : outer steps; the ratio is of inner iterations, ours over the paper's.";
    std::vector<std::pair<std::string, std::string>> done;
    for (const auto& [first, unused] : found) {
        const std::pair<std::string, std::string> name{first->inner_format, first->inner_stop};
        if (std::find(done.begin(), done.end(), name) != done.end()) continue;
        done.push_back(name);
        TableRow row;
        row.cells = {code(first->inner_format), words(first->scheme == "direct" ? "direct" : first->inner_stop)};
        std::set<int> origins{given};
        for (const int level : levels) {
            const auto it = std::find_if(cells.begin(), cells.end(), [&](const auto& c) {
                return c.level == level && c.inner_format == name.first && c.inner_stop == name.second;
            });
            const PointRow* p = it == cells.end() ? nullptr : find_point(rows, *it);
            if (p != nullptr) origins.insert(p->origin);
            const Cell ours = it == cells.end() ? none() : our_cell(*it, p);
            const Cell paper = it == cells.end() ? none() : paper_cell(*it);
            row.cells.insert(row.cells.end(), {ours, paper, ratio_cell(ours, paper)});
        }
        row.origins.assign(origins.begin(), origins.end());
        t.rows.push_back(std::move(row));
    }
    return t;
}

Table area_table(const Rows& rows, const std::string& folder, int given) {
    Table t{"paper-5", "Table 5: the pipelined CG core on the xc2v8000",
            columns("{Multipliers=multiplier}{Format}{Slices: ours=slices:>}{paper=paper_slices:>}{ratio:>}"
                    "{Blocks: ours=blocks:>}{paper=paper_blocks:>}{I/O: ours [bits]=io:>}{paper=paper_io:>}"
                    "{paper [MHz]=paper_mhz:>}"),
            "Our slices are estimated from LUTs and flip-flops; our I/O counts every port bit, the control bus too. "
            "MHz are the paper's."};
    for (const synthesis::Table5Row& row : synthesis::read_table5(folder)) {
        const std::string multiplier = row.multiplier == "logic" ? "logic" : "block";
        for (const SynthesisRow& s : rows.synthesis) {
            if (s.part != "core" || s.target != "xc2v" || s.spec != row.format || s.multiplier != multiplier) continue;
            const auto slices = s.figures.slices("xc2v");
            t.rows.push_back(
                {{words(row.multiplier), code(row.format), modelled(count(slices)),
                  count(static_cast<std::uint64_t>(row.slices)),
                  modelled(factor(static_cast<double>(slices) / row.slices)),
                  count(s.figures.multipliers, s.at.column("multipliers")),
                  count(static_cast<std::uint64_t>(row.multipliers)), count(s.figures.io_bits, s.at.column("io_bits")),
                  count(static_cast<std::uint64_t>(row.io_bits)), count(static_cast<std::uint64_t>(row.mhz))},
                 {s.origin, given}});
        }
    }
    return t;
}

} // namespace

Section paper_section(const Rows& rows, Origins& origins, const std::string& paper) {
    Section section{"paper", "The paper's tables beside ours", {}};
    const std::string folder = paper_folder(paper);
    const int given = origins.add("R. Strzodka and D. Göddeke, FCCM 2006, Tables 1 to 5",
                                  {"", "", "", "2006-04", "experiments/paper/*.csv"}, "given");
    std::vector<Gap> gaps;
    for (int number = 1; number <= 4; ++number) {
        Table t = iterations_table(number, read_paper_table(number, folder), rows, given);
        if (!t.rows.empty()) section.blocks.emplace_back(std::move(t));
        else
            gaps.push_back({fmt::format("No cell of the paper's Table {} is in these results", number),
                            fmt::format("mantissa reproduce table{} --levels 8,9 --store STORE", number)});
    }
    Table five = area_table(rows, folder, given);
    if (!five.rows.empty()) section.blocks.emplace_back(std::move(five));
    else
        gaps.push_back({"No core of the paper's Table 5 is in these results",
                        "mantissa reproduce table5 --store STORE (yosys: apt install yosys)"});
    for (Gap& gap : gaps) section.blocks.emplace_back(std::move(gap));
    return section;
}

} // namespace mantissa::report
