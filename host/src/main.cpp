// The `mantissa` command.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/provenance.hpp"
#include "mantissa/kernels.hpp"

namespace mantissa::cli {

std::vector<Command> commands() {
    return {kSolve, kSweep, kReproduce, kSimulate, kSynthesize, kCompare, kReport, kEngines, kBench};
}

int thread_count(int requested) {
    if (requested < 0) throw InvalidInput(fmt::format("--threads {}: give 1 or more, or 0 for all cores", requested));
    return requested != 0 ? requested : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

namespace {

int complain(std::string what) {
    for (char& c : what)
        if (c == '\n') c = ' ';
    fmt::print(stderr, "mantissa: {}\n", what);
    return kWrongRequest;
}

std::string typed_line(int argc, char** argv) {
    std::string line = "mantissa";
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?[]") == std::string::npos;
        line += plain ? " " + word : fmt::format(" '{}'", word);
    }
    return line;
}

int run(int argc, char** argv) {
    const std::string typed = typed_line(argc, argv);
    CLI::App app("Which number format, in which stage of a solver's pipeline, gives a double-precision answer for the "
                 "least time and area?",
                 "mantissa");
    const Provenance here = current_provenance(typed);
    app.set_version_flag("--version", fmt::format("mantissa {} ({})", here.version, here.commit));
    app.require_subcommand(1);
    std::vector<std::pair<CLI::App*, Run>> table;
    for (const Command& command : commands()) {
        CLI::App* sub = app.add_subcommand(command.name, command.summary);
        table.emplace_back(sub, command.setup(*sub, typed));
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& fault) {
        if (fault.get_exit_code() == 0) return app.exit(fault); // --help, --version
        std::string where = "mantissa";
        for (const auto& [sub, unused] : table)
            if (sub->parsed()) where += " " + sub->get_name();
        return complain(fmt::format("{}; see {} --help", fault.what(), where));
    }
    kernel_isa(); // a MANTISSA_ISA that cannot be had is refused before any work
    for (const auto& [sub, action] : table)
        if (sub->parsed()) return action();
    return complain("no subcommand; see mantissa --help");
}

/// OpenMP's threads spin at barriers by default, which slows a solve tenfold and more when other programs use the
/// cores (level 8 on two threads, on a machine with a load of 10: 3 s against 0.1 s). Its library reads the policy
/// before main begins, so the program starts itself anew with the policy set.
void wait_patiently(char** argv) {
    if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
    if (::setenv("OMP_WAIT_POLICY", "passive", 0) == 0) ::execv("/proc/self/exe", argv); // returns only on failure
}

} // namespace

} // namespace mantissa::cli

int main(int argc, char** argv) {
    using mantissa::cli::complain;
    mantissa::cli::wait_patiently(argv);
    try {
        return mantissa::cli::run(argc, argv);
    } catch (const mantissa::InvalidInput& fault) {
        return complain(fault.what());
    } catch (const std::bad_alloc&) {
        return complain("not enough memory for this problem; use a smaller one");
    } catch (const std::exception& fault) {
        return complain(fmt::format("unexpected fault: {}", fault.what()));
    }
}
