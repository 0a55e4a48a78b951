// mantissa reproduce: the paper's tables, our values beside its.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "cevahir/cevahir.hpp"
#include "cnc/cnc.hpp"
#include "command.hpp"
#include "command/options/declare.hpp"
#include "lu_paper/lu_paper.hpp"
#include "mantissa/base/ending.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/store.hpp"
#include "mantissa/host/sweep.hpp"
#include "report/paper_tables.hpp"
#include "reproduce_table5.hpp"
#include "running/progress.hpp"
#include "store/database.hpp"
#include "store/result_json.hpp"
#include "text/counted.hpp"
#include "text/json_text.hpp"
#include "text/tables/table.hpp"

namespace mantissa::cli {

namespace {

using report::PaperCell;
using results::Json;

const std::vector<int> kUsualLevels{8, 9};

struct ReproduceFlags {
    std::string table, data, store, plot;
    std::vector<int> levels;
    int threads = 0, jobs = 0;
    bool all = false, json = false, stored = false;
    CncFlags cnc;
    CevahirFlags cevahir;
    std::uint64_t lu_size = 4096;
};

/// A cell with what happened here; nothing when it was not run.
struct Reproduced {
    PaperCell cell;
    std::optional<SolveResult> ours;
    std::string refused;
    bool missing = false; ///< not stored, and only what is stored was asked for
    /// Table 1 prints sqrt(sum e^2 / N) / 2.
    [[nodiscard]] std::optional<double> error() const {
        return ours && ours->error && converged() ? std::optional(*ours->error / 2) : std::nullopt;
    }
    [[nodiscard]] bool converged() const {
        const SolveOptions o = report::cell_point(cell).options;
        return ours && gives_count(o.scheme, ours->status, ours->true_residual, o.tolerance);
    }
    /// Ours over the paper's: errors in Table 1, inner iterations elsewhere.
    [[nodiscard]] std::optional<double> ratio() const {
        if (!converged() || cell.status != "ok") return std::nullopt;
        if (cell.table == 1) return error() ? std::optional(*error() / cell.error.value()) : std::nullopt;
        return static_cast<double>(ours->inner_iterations) / static_cast<double>(cell.inner_iterations.value());
    }
};

Json to_json(const Reproduced& r) {
    const auto optional = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
    const PaperCell& c = r.cell;
    Json j = {{"table", c.table},
              {"scheme", c.scheme},
              {"inner_format", c.inner_format},
              {"inner_stop", c.inner_stop},
              {"level", c.level},
              {"status", r.ours               ? to_string(r.ours->status)
                         : !r.refused.empty() ? "refused"
                         : r.missing          ? "not_stored"
                                              : "not_run"},
              {"inner_iterations", r.ours ? Json(r.ours->inner_iterations) : Json(nullptr)},
              {"outer_iterations", r.ours ? Json(r.ours->outer_iterations) : Json(nullptr)},
              {"paper_status", c.status},
              {"paper_inner_iterations", optional(c.inner_iterations)},
              {"paper_outer_iterations", optional(c.outer_iterations)}};
    if (c.table == 1) {
        j["error"] = optional(r.error());
        j["paper_error"] = optional(c.error);
    }
    j["ratio"] = optional(r.ratio());
    j["true_residual"] = r.ours ? results::number(r.ours->true_residual) : Json(nullptr);
    j["seconds"] = r.ours ? results::number(r.ours->seconds) : Json(nullptr);
    return j;
}

std::vector<Reproduced> run_cells(std::vector<PaperCell> cells, const ReproduceFlags& flags, const std::string& typed) {
    std::vector<Reproduced> table;
    for (PaperCell& cell : cells) table.push_back({std::move(cell), std::nullopt, {}, false});
    if (flags.stored && flags.store.empty())
        throw InvalidInput("--stored: no results file to take results from; give it with --store");
    if (flags.stored) (void)results::Database(flags.store, results::Access::read); // none is made
    const auto store = flags.store.empty() ? nullptr
                                           : std::make_unique<Store>(flags.store, flags.stored ? StoreAccess::read
                                                                                               : StoreAccess::write);
    std::vector<Point> points;
    std::vector<std::size_t> cell_of;
    double work = 0;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table[i].cell.status == "na" && !flags.all) continue;
        Point point = report::cell_point(table[i].cell);
        if (store != nullptr) table[i].ours = store->find(point);
        table[i].missing = flags.stored && !table[i].ours;
        if (table[i].ours || flags.stored) continue;
        work += estimated_work(point);
        points.push_back(std::move(point));
        cell_of.push_back(i);
    }
    running::ItemProgress line("cells", points.size(), work);
    std::atomic<std::size_t> finished = 0;
    const base::EndingNote note([&, kept = store != nullptr, wanted = points.size()] {
        return fmt::format("stopped with {} of {} cells computed{}", finished.load(), wanted,
                           kept ? " and stored; the same command goes on from there"
                                : "; --store FILE would keep them");
    });
    solve_points(points, thread_count(flags.threads), [&](std::size_t k, const PointOutcome& outcome) {
        Reproduced& target = table[cell_of[k]];
        if (outcome.refused.empty()) {
            target.ours = outcome.result;
            if (store != nullptr) store->put(points[k], outcome.result, outcome.unknowns, current_provenance(typed));
        } else {
            target.refused = outcome.refused;
        }
        ++finished;
        line.done(estimated_work(points[k]));
    });
    return table;
}

std::string our_text(const Reproduced& r) {
    if (!r.refused.empty()) return "refused";
    if (!r.ours) return r.missing ? "not stored" : "not run";
    if (!r.converged()) return to_string(r.ours->status);
    if (r.cell.table == 1) return fmt::format("{:.5e}", r.error().value_or(NAN));
    if (r.cell.scheme == "direct") return fmt::format("{}", r.ours->inner_iterations);
    return fmt::format("{}:{}", r.ours->inner_iterations, r.ours->outer_iterations);
}

std::string paper_text(const PaperCell& c) {
    if (c.status == "na") return "n/a";
    if (c.status != "ok") return c.status;
    if (c.table == 1) return fmt::format("{:.5e}", c.error.value());
    if (!c.outer_iterations) return fmt::format("{}", c.inner_iterations.value());
    return fmt::format("{}:{}", c.inner_iterations.value(), *c.outer_iterations);
}

void print_table(const std::vector<Reproduced>& table) {
    static constexpr const char* kTitles[] = {
        "Table 1: error against the analytic solution",
        "Table 2: defect correction, pipelined CG inside for a fixed number of iterations (inner:outer)",
        "Table 3: defect correction, pipelined CG inside until it gains some digits (inner:outer)",
        "Table 4: residual guided pipelined CG (inner:outer)"};
    std::set<int> levels;
    std::vector<std::pair<std::string, std::string>> rows; // in the paper's order
    std::map<std::pair<std::string, std::string>, std::map<int, const Reproduced*>> cells;
    for (const Reproduced& r : table) {
        const std::pair row(r.cell.inner_format, r.cell.scheme == "direct" ? "direct" : r.cell.inner_stop);
        if (cells.find(row) == cells.end()) rows.push_back(row);
        cells[row][r.cell.level] = &r;
        levels.insert(r.cell.level);
    }
    std::string columns = "{:<8}{:<10}";
    for (const int level : levels)
        columns += fmt::format("{{level {}: here:>18}}{{paper:>14}}{{ratio:>9.{}f}}", level,
                               table.front().cell.table == 1 ? 5 : 3);
    const text::Table written(columns);
    fmt::print("{}\n{}", kTitles[table.front().cell.table - 1], written.head());
    for (const auto& row : rows) {
        std::vector<text::Cell> line = {row.first, row.second};
        for (const int level : levels)
            if (const auto it = cells[row].find(level); it == cells[row].end()) line.insert(line.end(), 3, "");
            else line.insert(line.end(), {our_text(*it->second), paper_text(it->second->cell), it->second->ratio()});
        fmt::print("{}", written.row(line));
    }
}

void print_summary(const std::vector<Reproduced>& table) {
    std::size_t doubles = 0, equal = 0, missing = 0;
    std::vector<double> logs;
    for (const Reproduced& r : table) {
        missing += r.missing ? 1 : 0;
        if (r.cell.status != "ok" || r.missing) continue;
        if (r.cell.inner_format == "double") {
            ++doubles;
            const bool same_outer =
                !r.cell.outer_iterations || (r.ours && r.ours->outer_iterations == *r.cell.outer_iterations);
            equal += r.converged() && same_outer && r.ours->inner_iterations == r.cell.inner_iterations ? 1 : 0;
        } else if (const auto ratio = r.ratio()) {
            logs.push_back(std::abs(std::log(*ratio)));
        }
    }
    if (missing != 0)
        fmt::print("{} of {} not stored; without --stored they are computed\n", missing,
                   text::counted(table.size(), "cell"));
    if (table.front().cell.table == 1) return;
    if (doubles != 0) fmt::print("double cells equal to the paper's: {} of {}\n", equal, doubles);
    if (logs.empty()) return;
    std::sort(logs.begin(), logs.end());
    const std::size_t half = logs.size() / 2;
    const double median = logs.size() % 2 != 0 ? logs[half] : (logs[half - 1] + logs[half]) / 2;
    fmt::print("reduced formats: median |ln(here/paper)| {:.3f} over {}\n", median, text::counted(logs.size(), "cell"));
}

/// Refuses options of other tables and papers.
void check_own_options(const CLI::App& app, const std::string& table, int figure) {
    const std::vector<std::string> cells{"table1", "table2", "table3", "table4"};
    std::vector<std::string> fccm = cells, threaded = cells;
    fccm.emplace_back("table5");
    threaded.insert(threaded.end(), {"table5", "cnc"});
    const auto check = [&](std::string_view name, const std::vector<std::string>& owners) {
        if (given(app, name) && std::ranges::find(owners, table) == owners.end())
            throw InvalidInput(fmt::format("--{}: {} has no such option, it is for {}; leave it out", name, table,
                                           fmt::join(owners, ", ")));
    };
    check("levels", cells);
    check("all", cells);
    check("stored", fccm);
    check("jobs", {"table5"});
    check("plot", {"table5"});
    check("size", {"lu"});
    for (const char* name : {"noise", "weight", "subdivide"}) check(name, {"cnc"});
    check("parts", {"cevahir"});
    // (Of figures and tables: 0 stands for all tables, or for none that was named.)
    const auto of_tables = [&](std::string_view name) {
        if (figure != 0 && given(app, name))
            throw InvalidInput(fmt::format("--{}: figure {} has no use for it; leave it out", name, figure));
    };
    for (const char* name : {"size", "subdivide", "parts"}) of_tables(name);
    for (const char* name : {"noise", "weight"})
        if (table == "cnc" && figure != 7 && given(app, name))
            throw InvalidInput(fmt::format("--{}: it is of Figure 7; give --figure 7, or leave it out", name));
    check(options::common(Common::store).name, fccm);
    check(options::common(Common::threads).name, threaded);
}

int reproduce_command(const ReproduceFlags& flags, const std::string& typed) {
    const int threads = thread_count(flags.threads);
    if (flags.jobs < 0 || flags.jobs > kMostJobs)
        throw InvalidInput(fmt::format("--jobs {}: give 1 to {}, or 0 for --threads", flags.jobs, kMostJobs));
    if (flags.table == "cevahir") {
        if (!flags.cnc.meshes.empty() || !flags.cnc.output.empty())
            throw InvalidInput("cevahir: it has no meshes and no pictures; leave out --mesh and -o");
        CevahirFlags cevahir = flags.cevahir;
        cevahir.figure = flags.cnc.figure;
        cevahir.table = flags.cnc.table;
        cevahir.results = flags.cnc.results;
        cevahir.data = flags.data;
        cevahir.json = flags.json;
        return reproduce_cevahir(cevahir);
    }
    if (flags.cnc.table == kCommunicationTable)
        throw InvalidInput(fmt::format("--table communication: it is cevahir's; {} has none", flags.table));
    if (!flags.cevahir.problems.empty())
        throw InvalidInput(
            fmt::format("--problem: only cevahir's table takes problems; leave it out of {}", flags.table));
    if (flags.table == "cnc") {
        CncFlags cnc = flags.cnc;
        cnc.data = flags.data;
        cnc.threads = threads;
        cnc.json = flags.json;
        return reproduce_cnc(cnc);
    }
    if (flags.table == "lu") {
        if (!flags.cnc.meshes.empty() || !flags.cnc.output.empty())
            throw InvalidInput("lu: it has no meshes and no pictures; leave out --mesh and -o");
        return reproduce_lu(
            {flags.cnc.figure, flags.cnc.table, flags.lu_size, flags.cnc.results, flags.data, flags.json});
    }
    const CncFlags& of_others = flags.cnc;
    if (!of_others.meshes.empty() || !of_others.output.empty() || of_others.figure != 0 || of_others.table != 0 ||
        !of_others.results.empty())
        throw InvalidInput(
            fmt::format("{}: it has no meshes, figures, pictures or tables of its own; leave out --mesh, "
                        "--figure, --table, --results and -o",
                        flags.table));
    if (!flags.store.empty() && !flags.stored) base::check_store_path(flag_of(Common::store), flags.store);
    if (!flags.plot.empty()) base::check_writable("--plot", flags.plot + "_logic.svg");
    if (flags.table == "table5")
        return reproduce_table5({flags.data, flags.store, flags.plot,
                                 flags.jobs > 0 ? flags.jobs : std::min(threads, kMostJobs), flags.json, flags.stored},
                                typed);
    const int number = flags.table.back() - '0';
    auto cells = report::read_paper_table(number, report::paper_folder(flags.data));
    std::set<int> there;
    for (const PaperCell& cell : cells) there.insert(cell.level);
    for (const int level : flags.levels)
        if (!there.contains(level))
            throw InvalidInput(fmt::format("--levels {}: the paper's table {} has levels {}..{}", level, number,
                                           there.empty() ? 0 : *there.begin(), there.empty() ? 0 : *there.rbegin()));
    std::erase_if(cells, [&](const PaperCell& cell) {
        return std::find(flags.levels.begin(), flags.levels.end(), cell.level) == flags.levels.end();
    });
    const std::vector<Reproduced> table = run_cells(std::move(cells), flags, typed);
    if (flags.json) {
        Json list = Json::array();
        for (const Reproduced& r : table) list.push_back(to_json(r));
        fmt::print("{}\n", json_text(list));
    } else {
        print_table(table);
        print_summary(table);
    }
    for (const Reproduced& r : table)
        if (!r.refused.empty()) throw InvalidInput(r.refused);
    return kDone;
}

Run setup_reproduce(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<ReproduceFlags>();
    flags->levels = kUsualLevels;
    // (Not "table", which newer versions of CLI11 take for the same name as --table.)
    app.add_option(
           "paper", flags->table,
           "table1 to table5 of FCCM'06, cnc: the Concurrent Number Cruncher (2008), lu: LU-GPU (2005), or cevahir: "
           "conjugate gradients on several GPUs (2009)")
        ->required()
        ->check(CLI::IsMember({"table1", "table2", "table3", "table4", "table5", "cnc", "lu", "cevahir"}));
    app.add_option("--levels", flags->levels, "grid levels, as 8,9,10 (level 10 takes some minutes)")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--data", flags->data, "folder with the paper's tables; default: the installed or source one");
    declare(app, Common::store, flags->store, "results file: take from it what is there, add what is computed");
    declare(app, Common::threads, flags->threads, "cells at a time, 0 for all cores");
    app.add_option("--jobs", flags->jobs, "table5: syntheses side by side, each about a gigabyte; 0 for --threads");
    app.add_option("--plot", flags->plot, "table5: write the growth laws to PLOT_logic.svg and PLOT_mul18x18.svg");
    app.add_option("--size", flags->lu_size, "lu: unknowns of Tables 1 and 2")->capture_default_str();
    app.add_flag("--stored", flags->stored,
                 "only what the results file holds; what it lacks is shown as missing, nothing is computed");
    app.add_flag("--all", flags->all, "also run the cells that the paper left out (n/a)");
    declare(app, Common::json, flags->json, "print a JSON list");
    add_cnc_options(app, flags->cnc);
    add_cevahir_options(app, flags->cevahir);
    return [flags, typed, &app] {
        check_own_options(app, flags->table, flags->cnc.figure);
        return reproduce_command(*flags, typed);
    };
}

} // namespace

const Command kReproduce{"reproduce", "Recompute the tables of the paper, its values beside ours", setup_reproduce};

} // namespace mantissa::cli
