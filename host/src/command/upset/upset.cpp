#include "upset.hpp"

#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command/options/declare.hpp"
#include "command/options/solve_flags.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/host/options.hpp"
#include "text/json_text.hpp"
#include "upset/campaign.hpp"

namespace mantissa::cli {

namespace {

struct UpsetFlags {
    std::string problem, where = "all", store, json_file;
    std::uint64_t flips = 1000, seed = 1, checks = 0;
    int threads = 0;
    SolveFlags solver;
};

int upset_command(const UpsetFlags& flags, const std::string& typed) {
    upset::Request request;
    request.problem = outline_problem(flags.problem).name;
    request.options = flags.solver.options();
    if (std::string why = options::refusal(request.options); !why.empty()) throw InvalidInput(why);
    if (request.options.bound)
        throw InvalidInput("--bound: an upset is judged by its solve's end and true residual, and no bound is shown; "
                           "leave it out");
    request.where = flags.where == "regs"       ? upset::Where::regs
                    : flags.where == "memories" ? upset::Where::memories
                                                : upset::Where::all;
    request.flips = flags.flips;
    request.seed = flags.seed;
    request.checks = static_cast<int>(flags.checks);
    request.store = flags.store;
    request.command = typed;
    request.threads = thread_count(flags.threads);
    std::FILE* const words = check_outputs({{flag_of(Common::json), flags.json_file}}, false);
    if (!request.store.empty()) base::check_store_path(flag_of(Common::store), request.store);
    const upset::Campaign campaign = upset::run_campaign(request);
    if (flags.json_file != "-") fmt::print(words, "{}", upset::campaign_text(request, campaign));
    if (!flags.json_file.empty())
        base::write_file(flags.json_file, json_text(upset::campaign_json(request, campaign)) + "\n");
    return kDone;
}

Run setup_upset(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<UpsetFlags>();
    UpsetFlags& f = *flags;
    using options::Group;
    const auto begin = [&app](Group group) { app.option_defaults()->group(options::title(group)); };
    begin(Group::problem);
    declare(app, Common::problem, f.problem, "what to solve; a small one: each upset is a whole solve")->required();
    for (const Group group : options::kGroups) f.solver.declare(app, group);
    f.solver.exclude(app);
    begin(Group::place);
    app.add_option("--flips", f.flips, "upsets, each in a solve of its own")
        ->check(whole_number(1, 100'000'000))
        ->capture_default_str();
    app.add_option("--where", f.where, "bits of registers, of memories, or of both in proportion")
        ->check(CLI::IsMember({"regs", "memories", "all"}))
        ->capture_default_str();
    app.add_option("--checks", f.checks, "the core's parameter Checks: 1 has it look for its own upsets")
        ->check(whole_number(0, 1))
        ->capture_default_str();
    app.add_option("--seed", f.seed, "the same seed makes the same upsets")
        ->check(whole_number(0))
        ->capture_default_str();
    declare(app, Common::threads, f.threads, "solves at a time, 0 for all cores");
    begin(Group::output);
    declare(app, Common::store, f.store, "results file (SQLite); the same command goes on from it");
    declare(app, Common::json, f.json_file, "write the answer to a JSON file; -: standard output");
    return [flags, typed] { return upset_command(*flags, typed); };
}

} // namespace

const Command kUpset{"upset",
                     "Turn over single bits of a core's registers and memories, and tell what becomes of the solves",
                     setup_upset};

} // namespace mantissa::cli
