// The subcommands of `mantissa`. A new one is a file command_NAME.cpp with a Command in it and a line in
// commands().
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mantissa::cli {

/// Exit codes of the program.
enum Exit : int { kDone = 0, kNotConverged = 1, kWrongRequest = 2 };

/// Runs a subcommand whose options have been read; returns the exit code. Throws InvalidInput for a wrong request.
using Run = std::function<int()>;

struct Command {
    const char* name;
    const char* summary; ///< one line for `mantissa --help`
    /// Declares the options on `app`. `typed` is the whole command line, for the provenance of results.
    Run (*setup)(CLI::App& app, const std::string& typed);
};

extern const Command kSolve, kSweep, kReproduce, kSimulate, kSynthesize, kCompare, kReport, kEngines, kBench;

/// The options of `mantissa bench gpu`.
Run setup_bench_gpu(CLI::App& app, const std::string& typed);
/// The options of `mantissa bench arithmetic`.
Run setup_bench_arithmetic(CLI::App& app);

/// In the order of `mantissa --help`.
std::vector<Command> commands();

/// The number of threads that --threads stands for; 0 means all cores. Throws InvalidInput when below zero.
int thread_count(int requested);

} // namespace mantissa::cli
