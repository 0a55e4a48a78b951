// mantissa sweep: the points of a sweep file into a results store.
#include <filesystem>
#include <memory>
#include <set>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "command/options/declare.hpp"
#include "command/options/named_files.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/store.hpp"
#include "mantissa/host/sweep.hpp"
#include "running/progress.hpp"
#include "store/result_json.hpp"
#include "sweep/sweep_run.hpp"
#include "text/counted.hpp"
#include "text/json_text.hpp"

namespace mantissa::cli {

namespace {

struct SweepFlags {
    std::string file, store, csv, json_lines;
    int threads = 0;
    bool dry_run = false, json = false;
};

void print_report(std::FILE* to, const sweeps::SweepReport& r, const std::string& path, bool json) {
    if (json) {
        results::Json refused = results::Json::array();
        for (const auto& [key, reason] : r.refused) refused.push_back({{"point", key}, {"reason", reason}});
        const results::Json j = {{"points", r.points},     {"stored_before", r.stored_before},
                                 {"computed", r.computed}, {"not_converged", r.not_converged},
                                 {"seconds", r.seconds},   {"store", path},
                                 {"refused", refused}};
        fmt::print("{}\n", json_text(j));
        return;
    }
    fmt::print(to, "{}: {} stored before, {} computed in {}", text::counted(r.points, "point"), r.stored_before,
               r.computed, r.seconds < 10 ? fmt::format("{:.2f} s", r.seconds) : running::duration_text(r.seconds));
    if (r.not_converged != 0) fmt::print(to, ", {} of them did not converge", r.not_converged);
    if (!r.refused.empty()) fmt::print(to, ", {} refused", r.refused.size());
    fmt::print(to, "\nresults in {}\n", path);
    for (const auto& [key, reason] : r.refused)
        fmt::print(stderr, "mantissa: {}: {}\n", base::shortened(key, 300), base::shortened(reason, 400));
}

int dry_run(const SweepFlags& flags, const Sweep& sweep, const std::string& path) {
    const std::size_t points = sweep.points.size() + sweep.dense.size();
    std::size_t stored = 0;
    if (std::filesystem::exists(path)) {
        const Store store(path, StoreAccess::read);
        stored = points - lacking(sweep, store);
        for (const std::string& line : store.notes_on_files()) fmt::print(stderr, "mantissa: {}\n", line);
    }
    if (flags.json) {
        const results::Json j = {{"points", points}, {"stored", stored}, {"store", path}};
        fmt::print("{}\n", json_text(j));
    } else {
        fmt::print("{}, {} of them in {}\n", text::counted(points, "point"), stored, path);
    }
    return kDone;
}

/// The file's own store and problems, which the command line does not show.
void check_files(const SweepFlags& flags, const Sweep& sweep, const NamedFile& store) {
    std::vector<NamedFile> inputs{{"the sweep", flags.file}};
    std::set<std::string> problems, dense;
    for (const Point& point : sweep.points) problems.insert(point.problem);
    for (const DensePoint& point : sweep.dense) dense.insert(point.problem);
    for (const std::string& problem : problems) add_files(inputs, "the sweep", outline_problem(problem).files);
    for (const std::string& problem : dense) add_files(inputs, "the sweep", dense_problem_files(problem));
    refuse_overwriting({store, {"--csv", flags.csv}, {"--jsonl", flags.json_lines}}, inputs);
}

/// What a rank needs of the request. Store and outputs are the first rank's.
struct Request {
    Sweep sweep;
    int threads = 0;
    std::string path;
    std::FILE* words = nullptr;
    std::unique_ptr<Store> store;
};

Request read_request(const SweepFlags& flags, const running::Ranks& ranks) {
    Request r;
    r.sweep = read_sweep(flags.file);
    r.threads = thread_count(flags.threads);
    const NamedFile store = store_of(flags.store, flags.file, r.sweep.store);
    r.path = store.path;
    if (!ranks.first()) return r;
    check_files(flags, r.sweep, store);
    r.words = check_outputs({{"--csv", flags.csv}, {"--jsonl", flags.json_lines}}, flags.json);
    // A dry run only reads what is there, for which no right to write is needed.
    std::error_code ignored;
    if (!flags.dry_run) r.store = open_store(r.sweep, store.by, r.path);
    else if (!std::filesystem::is_regular_file(r.path, ignored)) base::check_store_path(store.by, r.path);
    return r;
}

int run_request(const SweepFlags& flags, const std::string& typed, const Request& request,
                const running::Ranks& ranks) {
    Store* const store = request.store.get();
    const sweeps::SweepReport report = sweeps::run_sweep(request.sweep, store, request.threads, typed, ranks);
    if (!ranks.first()) return kDone;
    std::string fault;
    const StoredPoints which = request.sweep.dense.empty() ? StoredPoints::iterative : StoredPoints::dense;
    try {
        if (!flags.csv.empty()) store->export_csv(flags.csv, which);
        if (!flags.json_lines.empty()) store->export_json_lines(flags.json_lines, which);
    } catch (const InvalidInput& failed) {
        fault = failed.what();
    }
    for (const std::string& line : store->notes_on_files()) fmt::print(stderr, "mantissa: {}\n", line);
    for (const std::string& line : store->mixed_contents(which)) fmt::print(stderr, "mantissa: {}\n", line);
    print_report(request.words, report, request.path, flags.json);
    if (!fault.empty()) throw InvalidInput(fault); // the points are in the store all the same
    return report.refused.empty() ? kDone : kWrongRequest;
}

int sweep_command(const SweepFlags& flags, const std::string& typed) {
    const running::Ranks ranks;
    Request request;
    std::string fault;
    try {
        request = read_request(flags, ranks);
    } catch (const InvalidInput& wrong) {
        fault = wrong.what();
    }
    // A fault of any rank is the first one's to report, once, before any of them begins.
    if (fault = ranks.first_fault(fault); !fault.empty()) {
        if (ranks.first()) throw InvalidInput(fault);
        return kWrongRequest;
    }
    try {
        if (flags.dry_run) return ranks.first() ? dry_run(flags, request.sweep, request.path) : kDone;
        return run_request(flags, typed, request, ranks);
    } catch (const std::exception& failed) {
        if (ranks.count() == 1) throw;
        fmt::print(stderr, "mantissa: {}\n", base::shortened(failed.what(), 800));
        ranks.abandon(kWrongRequest); // the other ranks must not wait for this one
    }
}

Run setup_sweep(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<SweepFlags>();
    app.add_option("file", flags->file, "the sweep, a TOML file")->required();
    declare(app, Common::store, flags->store, "results file (SQLite); default: what the sweep names, or its name");
    declare(app, Common::threads, flags->threads, "points at a time, 0 for all cores");
    app.add_option("--csv", flags->csv, "export the store's points as CSV when done; -: standard output");
    app.add_option("--jsonl", flags->json_lines,
                   "export the store's points as JSON lines when done; -: standard output");
    app.add_flag("--dry-run", flags->dry_run, "only count the points");
    declare(app, Common::json, flags->json);
    return [flags, typed] { return sweep_command(*flags, typed); };
}

} // namespace

const Command kSweep{"sweep", "Run the points of a sweep file; a killed sweep resumes", setup_sweep};

} // namespace mantissa::cli
