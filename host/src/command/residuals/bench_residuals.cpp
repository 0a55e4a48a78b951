// mantissa bench residuals: the recurrence's residual and the true one against iterations, as JSON and as a picture.
#include <fstream>
#include <memory>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command/command.hpp"
#include "command/options/declare.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/provenance.hpp"
#include "residuals/curves.hpp"
#include "text/json_text.hpp"

namespace mantissa::cli {

namespace {

struct ResidualsFlags {
    std::vector<std::string> problems, engines = {"emulated"};
    std::vector<std::string> specs = {"float", "s23e8", "s14e8", "fx22.17"};
    std::string output, picture, from;
    std::uint64_t iterations = 1000, every = 10;
    int threads = 0;
};

/// What a kept file holds.
results::Json kept(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw InvalidInput(fmt::format("--from {}: no such file", path));
    results::Json json = results::Json::parse(file, nullptr, false);
    if (json.is_discarded() || json.value("kind", "") != "residual_curves")
        throw InvalidInput(fmt::format("--from {}: not a file that mantissa bench residuals wrote", path));
    return json;
}

/// The command without the names of what it wrote: where files went is no part of how the figures were made.
std::string command_of(std::string typed, const ResidualsFlags& flags) {
    for (const auto& [option, file] : {std::pair{" --output ", flags.output}, std::pair{" --picture ", flags.picture}})
        if (const std::size_t at = typed.find(option + file); !file.empty() && at != std::string::npos)
            typed.erase(at, (option + file).size());
    return typed;
}

results::Json run(const ResidualsFlags& flags, const std::string& typed) {
    if (flags.problems.empty()) throw InvalidInput("--problem: give one or more, as for mantissa solve");
    residuals::Request request{flags.specs, flags.engines, flags.iterations, flags.every, thread_count(flags.threads)};
    for (const std::string& spec : request.specs) static_cast<void>(parse_spec(spec));
    const Provenance here = current_provenance(typed);
    results::Json all{{"kind", "residual_curves"}, {"date", here.date},
                      {"commit", here.commit},     {"command", command_of(typed, flags)},
                      {"engines", flags.engines},  {"systems", results::Json::array()}};
    for (const std::string& problem : flags.problems)
        all["systems"].push_back(residuals::to_json(residuals::run_curves(
            make_problem(problem), request, [](const std::string& line) { fmt::print(stderr, "{}\n", line); })));
    return all;
}

int bench_residuals(const ResidualsFlags& flags, const std::string& typed) {
    check_outputs({{"--output", flags.output}, {"--picture", flags.picture, true}}, false);
    const results::Json all = flags.from.empty() ? run(flags, typed) : kept(flags.from);
    if (flags.from.empty() || !flags.output.empty())
        base::write_file(flags.output.empty() && flags.picture != "-" ? "-" : flags.output, json_text(all, -1) + "\n");
    if (flags.picture.empty()) return kDone;
    std::vector<residuals::SystemCurves> systems;
    for (const results::Json& system : all.at("systems")) systems.push_back(residuals::from_json(system));
    base::write_file(flags.picture, residuals::picture_of_curves(systems));
    return kDone;
}

} // namespace

Run setup_bench_residuals(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<ResidualsFlags>();
    declare(app, Common::problem, flags->problems, "as for mantissa solve; more than one stand side by side");
    app.add_option("--spec", flags->specs, "datapaths, a curve for each")->capture_default_str();
    declare(app, Common::engine, flags->engines, "engines; the bits of all are compared");
    app.add_option("--iterations", flags->iterations, "of pipelined CG, without a restart")->capture_default_str();
    app.add_option("--every", flags->every, "iterations between two points")->capture_default_str();
    declare(app, Common::threads, flags->threads, "threads, 0 for all cores");
    app.add_option("--output", flags->output, "write the JSON there instead of printing it");
    app.add_option("--picture", flags->picture, "write a picture (SVG) there");
    app.add_option("--from", flags->from, "draw this kept file instead of running anything");
    return [flags, typed] { return bench_residuals(*flags, typed); };
}

} // namespace mantissa::cli
