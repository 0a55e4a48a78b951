// mantissa tune: the machine chooses the bits.
#include "command/tune/tune.hpp"

#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command/options/declare.hpp"
#include "compare/device.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/host/point.hpp"
#include "store/database.hpp"
#include "text/json_text.hpp"
#include "text/key_values.hpp"
#include "tune/tune.hpp"

namespace mantissa::cli {

namespace {

struct TuneFlags {
    std::string problem, device, goal = "area-time", within, budget = "10min", store = "tune.sqlite", json_file;
    std::uint64_t seed = 1;
    std::optional<std::uint64_t> points;
    int netlists = 3, sides = 3, threads = 0;
    double tolerance = 1e-10;
    bool json = false;
    tuning::Narrowing narrowing;
};

/// "90s", "10min", "1h" or plain seconds.
double seconds_of(const std::string& text) {
    std::string_view number = text;
    double unit = 1;
    for (const auto& [ending, seconds] : {std::pair{"min", 60.0}, {"h", 3600.0}, {"s", 1.0}})
        if (number.ends_with(ending)) {
            number.remove_suffix(std::string_view(ending).size());
            unit = seconds;
            break;
        }
    double value = 0;
    if (!text::read_number(number, value) || !(value > 0) || value * unit > 1e7)
        throw InvalidInput(fmt::format("--budget {}: write a time, as 30s, 10min or 2h", base::quoted(text)));
    return value * unit;
}

/// "area=20%,iterations=1.5"
void read_within(const std::string& text, tuning::TuneRequest& request) {
    const auto bad = [&] {
        throw InvalidInput(fmt::format("--within {}: write area=20% (up to 100), iterations=1.5 (from 1 to 1000), or "
                                       "both with a comma between",
                                       base::quoted(text)));
    };
    if (text.ends_with(',')) bad();
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        std::string_view item = std::string_view(text).substr(at, end - at);
        at = end + 1;
        double value = 0;
        const auto limit = [&](const char* name, std::optional<double>& into, double most) {
            if (into)
                throw InvalidInput(
                    fmt::format("--within {}: {} is given twice; leave one of the two out", base::quoted(text), name));
            into = most;
        };
        if (item.starts_with("area=") && item.ends_with('%')) {
            item = item.substr(5, item.size() - 6);
            if (!text::read_number(item, value) || !(value > 0 && value <= 100)) bad();
            limit("area", request.most_area, value / 100);
        } else if (item.starts_with("iterations=")) {
            if (!text::read_number(item.substr(11), value) || !(value >= 1 && value <= 1000)) bad();
            limit("iterations", request.most_iterations, value);
        } else {
            bad();
        }
    }
}

tuning::TuneRequest request_of(const TuneFlags& flags, const std::string& typed) {
    tuning::TuneRequest r;
    r.problem = outline_problem(flags.problem).name;
    r.device = compare::find_device(flags.device, ".");
    for (const tuning::Goal goal :
         {tuning::Goal::time, tuning::Goal::area, tuning::Goal::area_time, tuning::Goal::energy})
        if (flags.goal == to_string(goal)) r.goal = goal;
    if (!flags.within.empty()) read_within(flags.within, r);
    if (!(flags.tolerance > 0 && flags.tolerance < 1))
        throw InvalidInput(fmt::format("--tolerance {}: give a number between 0 and 1", flags.tolerance));
    r.tolerance = flags.tolerance;
    r.budget = seconds_of(flags.budget);
    r.store = flags.store;
    r.command = typed;
    r.seed = flags.seed;
    r.most = flags.points;
    r.netlists = flags.netlists;
    r.sides = flags.sides;
    r.threads = thread_count(flags.threads);
    r.narrowing = flags.narrowing;
    return r;
}

int tune_command(const TuneFlags& flags, const std::string& typed) {
    const tuning::TuneRequest request = request_of(flags, typed);
    std::FILE* const words = check_outputs({{flag_of(Common::json), flags.json_file}}, false);
    base::check_store_path(flag_of(Common::store), request.store);
    const tuning::TuneResult result = tuning::tune(request);
    tuning::store_answer(request, result);
    if (flags.json_file != "-") fmt::print(words, "{}", tuning::tune_text(request, result));
    if (!flags.json_file.empty())
        base::write_file(flags.json_file, json_text(tuning::tune_json(request, result)) + "\n");
    return result.best.empty() ? kNotConverged : kDone;
}

Run setup_tune(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<TuneFlags>();
    declare(app, Common::problem, flags->problem, "what to solve; mantissa help problem")->required();
    declare(app, Common::device, flags->device, "a name in experiments/devices, or a path of a .toml file")->required();
    app.add_option("--for", flags->goal, "what is to be least")
        ->check(CLI::IsMember({"time", "area", "area-time", "energy"}))
        ->capture_default_str();
    app.add_option("--within", flags->within,
                   "limits, as area=20%,iterations=1.5: share of the device, iterations over those of CG in double");
    app.add_option("--budget", flags->budget, "time for all of it, as 30s, 10min or 1h; a number alone is of seconds")
        ->capture_default_str();
    app.add_option("--points", flags->points,
                   fmt::format("points solved whole, at most, of CG and of cycles together; unless given, {} of each",
                               tuning::kMostOfSpace))
        ->check(whole_number(1, 100000));
    declare(app, Common::store, flags->store, "results file (SQLite); the same command goes on from it")
        ->capture_default_str();
    app.add_option("--seed", flags->seed, "the same seed gives the same answer")
        ->check(whole_number(0))
        ->capture_default_str();
    std::string axes;
    for (const tuning::AxisHelp& a : tuning::axis_table())
        axes += fmt::format("{}{}={} ({})", axes.empty() ? "" : ", ", a.name, a.values, a.help);
    app.add_option("--fix", flags->narrowing.fix, "AXIS=VALUE: this value alone; may be repeated. Axes: " + axes);
    app.add_option("--vary", flags->narrowing.vary, "AXIS=A..B or AXIS=A,B,C: these values; may be repeated");
    app.add_option("--no", flags->narrowing.no, "AXIS=VALUE: not this value; may be repeated");
    app.add_option("--netlists", flags->netlists, "designs to synthesise after the search, at most")
        ->check(whole_number(0, 100))
        ->capture_default_str();
    app.add_option("--sides", flags->sides, "right-hand sides that decide between the best")
        ->check(whole_number(1, 100))
        ->capture_default_str();
    app.add_option("--tolerance", flags->tolerance, "on the defect relative to the right-hand side")
        ->capture_default_str();
    declare(app, Common::threads, flags->threads, "solves at a time, 0 for all cores");
    declare(app, Common::json, flags->json_file, "write the answer to a JSON file; -: standard output");
    return [flags, typed] { return tune_command(*flags, typed); };
}

} // namespace

const Command kTune{"tune", "Choose words, inner iterations and cores for a problem on a device", setup_tune, true};

} // namespace mantissa::cli
