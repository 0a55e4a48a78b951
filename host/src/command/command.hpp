// The subcommands of `mantissa`. A new one is a file NAME.cpp here with a Command in it and a line in
// commands().
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/errors.hpp"

namespace CLI {
class App;
}

namespace mantissa::cli {

/// Exit codes of the program. 2 also stands for a tool that is missing or failed (ToolFailure) and for output that
/// cannot be written: nothing came of the request, and one line says why. 1 is for solves only, so that scripts can
/// tell.
enum Exit : int { kDone = 0, kNotConverged = 1, kWrongRequest = 2 };

/// Runs a subcommand whose options have been read; returns the exit code. Throws InvalidInput for a wrong request.
using Run = std::function<int()>;

struct Command {
    const char* name;
    const char* summary; ///< one line for `mantissa --help`
    /// Declares the options on `app`. `typed` is the whole command line, for the provenance of results.
    Run (*setup)(CLI::App& app, const std::string& typed);
    bool solves = false; ///< it may end with kNotConverged
};

extern const Command kSolve, kSweep, kReproduce, kSimulate, kSynthesize, kCompare, kReport, kEngines, kBench,
    kParameterize, kSmooth, kFlow, kHelp;

/// The options of `mantissa bench gpu`.
Run setup_bench_gpu(CLI::App& app, const std::string& typed);
/// The options of `mantissa bench residuals`.
Run setup_bench_residuals(CLI::App& app, const std::string& typed);
/// The options of `mantissa bench arithmetic`.
Run setup_bench_arithmetic(CLI::App& app);

/// In the order of `mantissa --help`.
std::vector<Command> commands();

/// The most threads that --threads takes. More would gain nothing on today's machines, and each takes memory.
inline constexpr int kMostThreads = 1024;

/// The number of threads that --threads stands for; 0 means all cores. Throws InvalidInput outside 0..kMostThreads.
int thread_count(int requested);

/// The most syntheses side by side: each takes about a gigabyte.
inline constexpr int kMostJobs = 64;

/// For an option's check(): a whole number from `low` on, at most `high`. The option parser itself takes -1 and a
/// number beyond 64 bits for the largest one.
std::function<std::string(const std::string&)> whole_number(std::uint64_t low, std::uint64_t high = UINT64_MAX);

/// Runs `action`. An InvalidInput that begins with one of `names`, as the library calls a thing ("seeds 0: ..."), gets
/// the option's dashes in front: where the option is called as the thing is.
template <class Action> auto with_option_names(std::initializer_list<std::string_view> names, const Action& action) {
    try {
        return action();
    } catch (const InvalidInput& fault) {
        const std::string_view what = fault.what();
        for (const std::string_view name : names)
            if (what.starts_with(name) && what.substr(name.size()).find_first_of(" :") == 0)
                throw InvalidInput("--" + std::string(what));
        throw;
    }
}

/// A file that a command writes: the option, and what it was given; empty where the option was left out.
struct OutputOption {
    std::string option;
    const std::string& path;
    bool is_picture = false; ///< an SVG file: a name of another kind of picture is refused
};

/// Before any work: can every file be written? Standard output ("-") is for one of them only, and not for one beside
/// --json. Returns where the words for the user go: standard output, or standard error when a file goes there. Throws
/// InvalidInput.
std::FILE* check_outputs(std::initializer_list<OutputOption> files, bool json);

} // namespace mantissa::cli
