// The `mantissa` command.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "command/options/declare.hpp"
#include "command/options/named_files.hpp"
#include "command/tune/tune.hpp"
#include "command/upset/upset.hpp"
#include "help/pages.hpp"
#include "mantissa/base/cores.hpp"
#include "mantissa/base/ending.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/base/running_steps.hpp"
#include "mantissa/base/shell_words.hpp"
#include "mantissa/base/standard_streams.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/provenance.hpp"
#include "mantissa/kernels.hpp"
#include "running/ranks.hpp"

namespace mantissa::cli {

std::vector<Command> commands() {
    return {kSolve, kSweep,   kReproduce, kSimulate,     kSynthesize, kCompare, kReport, kTune,
            kUpset, kEngines, kBench,     kParameterize, kSmooth,     kFlow,    kHelp};
}

/// Can so many run? OpenMP's library ends the program when the system gives fewer, with a line of its own.
static void check_threads(int count) {
    std::atomic<bool> over = false;
    std::vector<std::jthread> others;
    try {
        while (static_cast<int>(others.size()) + 1 < count) others.emplace_back([&over] { over.wait(false); });
    } catch (const std::system_error& fault) {
        over = true;
        over.notify_all();
        throw InvalidInput(
            fmt::format("--threads {}: the system gives {} ({}); give --threads 1, or raise the limit of "
                        "processes (ulimit -u)",
                        count, others.size() + 1, fault.code().message()));
    }
    over = true;
    over.notify_all();
}

int thread_count(int requested) {
    if (requested < 0 || requested > kMostThreads)
        throw InvalidInput(fmt::format("--threads {}: give 1 to {}, or 0 for all cores", requested, kMostThreads));
    const int count = requested != 0 ? requested : std::min(base::usable_cores(), kMostThreads);
    check_threads(count);
    return count;
}

/// A program that goes by the name would not open it.
static void check_picture_name(const OutputOption& file) {
    const std::string ending = std::filesystem::path(file.path).extension().string();
    for (const std::string_view other : {".png", ".pdf", ".jpg", ".jpeg", ".eps", ".ps", ".gif", ".bmp", ".webp"})
        if (ending == other)
            throw InvalidInput(
                fmt::format("{} {}: pictures are written as SVG; name it .svg", file.option, base::quoted(file.path)));
}

std::FILE* check_outputs(std::initializer_list<OutputOption> files, bool json) {
    std::string taken = json ? flag_of(Common::json) : "";
    std::FILE* words = stdout;
    for (const OutputOption& file : files) {
        if (file.path.empty()) continue;
        if (file.is_picture) check_picture_name(file);
        base::check_writable(file.option, file.path);
        if (!base::is_standard_output(file.path)) continue;
        if (!taken.empty())
            throw InvalidInput(fmt::format("{} - and {}: both would go to standard output; give {} a file", file.option,
                                           taken, file.option));
        taken = file.option;
        words = stderr;
    }
    return words;
}

namespace {

constexpr std::size_t kLongestLine = 800;

/// One line on standard error, whatever `what` holds: quoted text may be long and have any bytes.
int complain(std::string what) {
    // (A fault that comes here is one of all ranks, and the first speaks: they agree on that in run(), and where they
    // go on together.)
    if (running::launch().rank != 0) return kWrongRequest;
    std::replace(what.begin(), what.end(), '\n', ' ');
    if (what.size() > kLongestLine)
        what =
            fmt::format("{} ... ({} characters left out) ... {}", what.substr(0, kLongestLine / 2),
                        what.size() - kLongestLine / 2 - kLongestLine / 4, what.substr(what.size() - kLongestLine / 4));
    fmt::print(stderr, "mantissa: {}\n", base::shortened(what, 2 * kLongestLine));
    return kWrongRequest;
}

std::string typed_line(int argc, char** argv) {
    std::string line = "mantissa";
    for (int i = 1; i < argc; ++i) line += " " + base::shell_word(argv[i]);
    return line;
}

/// How many letters must be changed, put in or left out to make `a` into `b`.
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({change, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string subcommand_names() {
    std::string names;
    for (const Command& command : commands()) names += (names.empty() ? "" : ", ") + std::string(command.name);
    return names;
}

/// "; did you mean solve?", or nothing when no command is near.
std::string meant(std::string_view word, const std::vector<Command>& all) {
    if (word.starts_with("advi")) return "; advice is an option: mantissa solve --problem mtx:FILE --advise";
    const auto distance = [&](const Command& command) -> std::size_t {
        const bool begins = word.size() > 2 && std::string_view(command.name).starts_with(word);
        return begins ? 0 : edits(word, command.name);
    };
    const auto nearest = std::ranges::min_element(all, {}, distance);
    return distance(*nearest) <= 2 ? fmt::format("; did you mean {}", nearest->name) : "";
}

/// What is wrong with the words as such; empty when nothing is.
std::string fault_of_words(const std::vector<std::string>& words) {
    if (words.empty()) return fmt::format("a subcommand is required: {}; see mantissa --help", subcommand_names());
    const std::string first = words.front().substr(0, 100);
    if (first.starts_with('-') && first != "-h" && first != "--help" && first != "--version")
        return fmt::format("no such option {} in front of a subcommand; see mantissa --help",
                           base::quoted(words.front()));
    if (const auto all = commands(); !first.starts_with('-') && std::ranges::find(all, first, [](const Command& c) {
                                                                    return std::string_view(c.name);
                                                                }) == all.end())
        return fmt::format("no such subcommand {}{}; the subcommands are {}; see mantissa --help",
                           base::quoted(words.front()), meant(first, all), subcommand_names());
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word.starts_with("--") && word.ends_with('='))
            return fmt::format("{}: the text after it is empty; give a value, or leave the option out",
                               base::shortened(word));
        if (word.empty())
            return fmt::format("{} '': the text is empty; give a value, or leave the option out",
                               base::shortened(words[i == 0 ? 0 : i - 1]));
    }
    return {};
}

/// "; a matrix file is given as ...", where a word that no option takes is one; else nothing.
std::string matrix_meant(const CLI::ParseError& fault, const std::vector<std::string>& words) {
    if (fault.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError)) return {};
    const auto is_matrix = [](const std::string& word) {
        return (word.ends_with(".mtx") || word.ends_with(".mtx.gz")) && !word.starts_with('-') &&
               word.find(':') == std::string::npos;
    };
    const auto found = std::ranges::find_if(words, is_matrix);
    if (found == words.end()) return {};
    return fmt::format("; a matrix file is given as --problem {}", base::shell_word("mtx:" + *found));
}

/// The line for a fault that the option parser found.
std::string fault_of_options(const CLI::ParseError& fault) {
    std::string what = fault.what();
    if (const std::string_view begin = "Could not convert: "; what.starts_with(begin)) {
        what.erase(0, begin.size());
        if (const std::size_t equals = what.find(" = "); equals != std::string::npos)
            what = fmt::format("{} {}: no number that this option can take", what.substr(0, equals),
                               base::quoted(what.substr(equals + 3)));
    }
    return what;
}

/// A whole number that begins with zeros, as scripts print them (010), is decimal: the option parser would take it for
/// octal. For every option of a whole number, of all subcommands.
void read_as_decimals(CLI::App& app) {
    const CLI::Validator decimal(
        [](std::string& word) {
            const std::size_t sign = word.starts_with('-') || word.starts_with('+') ? 1 : 0;
            if (word.find_first_not_of("0123456789", sign) != std::string::npos) return std::string();
            const std::size_t digit = word.find_first_not_of('0', sign);
            if (digit == std::string::npos) word.erase(sign, word.size() > sign + 1 ? word.size() - sign - 1 : 0);
            else word.erase(sign, digit - sign);
            return std::string();
        },
        "");
    for (CLI::App* sub : app.get_subcommands([](CLI::App*) { return true; }))
        for (CLI::Option* option : sub->get_options())
            if (const std::string type = option->get_type_name(); type.starts_with("INT") || type.starts_with("UINT"))
                option->transform(decimal);
}

/// Reads the words into `app`; what is wrong with them, empty when nothing is. `text` becomes what --help and --version
/// print.
std::string read_words(CLI::App& app, int argc, char** argv, std::string& text) {
    if (std::string fault = fault_of_words({argv + 1, argv + argc}); !fault.empty()) return fault;
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& fault) {
        if (fault.get_exit_code() == 0) {
            std::ostringstream out;
            app.exit(fault, out, out);
            text = out.str();
            return {};
        }
        std::string where = "mantissa";
        for (const CLI::App* sub : app.get_subcommands()) where += " " + sub->get_name();
        return fmt::format("{}{}; see {} --help", fault_of_options(fault), matrix_meant(fault, {argv + 1, argv + argc}),
                           where);
    }
    try {
        check_named_files(app);
    } catch (const InvalidInput& lost) {
        return lost.what();
    }
    return {};
}

/// What keeps several ranks from going on, the same on all of them; empty where nothing does. `own` is this rank's
/// fault, `command` its subcommand (empty for --help).
std::string fault_of_ranks(const running::Ranks& ranks, const std::string& own, const std::string& typed,
                           const std::string& command) {
    if (std::string fault = ranks.first_fault(own); !fault.empty()) return fault;
    if (std::string fault = ranks.unlike("its command line", typed); !fault.empty()) return fault;
    if (command.empty() || command == kHelp.name) return {};
    if (command != kSolve.name && command != kSweep.name)
        return fmt::format("{}: it runs in one process: leave mpirun out (solve and sweep go over ranks)", command);
    if (ranks.count() == 1)
        return "this Mantissa was built without MPI: configure with -DMANTISSA_MPI=ON, or leave mpirun out";
    return {};
}

/// How long ranks wait for MPI to begin: as --rank-wait says, where the command that was read has it.
void set_first_wait(const CLI::App& app) {
    for (const CLI::App* sub : app.get_subcommands())
        if (const CLI::Option* wait = sub->get_option_no_throw(flag_of(Common::rank_wait));
            wait != nullptr && wait->count() != 0)
            running::Ranks::set_wait(wait->as<double>());
}

/// `ranks`: those of this run, for as long as the caller keeps them.
int run(int argc, char** argv, std::optional<running::Ranks>& ranks) {
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
    help::add_footers(app);
    read_as_decimals(app);
    std::string text;
    std::string fault = read_words(app, argc, argv, text);
    const bool first = running::launch().rank == 0;
    if (running::launch().count > 1) {
        if (fault.empty()) set_first_wait(app);
        ranks.emplace();
        const bool command = fault.empty() && text.empty();
        fault = fault_of_ranks(*ranks, fault, typed, command ? app.get_subcommands().front()->get_name() : "");
    }
    if (!fault.empty()) {
        // Without MPI nobody waits for the first rank, which speaks: mpirun would end it for another's exit code.
        if (!first && ranks && ranks->count() == 1) return kDone;
        return complain(fault);
    }
    const bool page = text.empty() && app.got_subcommand(kHelp.name);
    if (!first && (!text.empty() || page)) return kDone; // the first rank prints them
    if (!text.empty()) {
        fmt::print("{}", text);
        return kDone;
    }
    kernel_isa(); // a MANTISSA_ISA that cannot be had is refused before any work
    base::end_cleanly_on_signals();
    base::show_running_steps();
    for (const auto& [sub, action] : table)
        if (sub->parsed()) return action();
    return complain("no subcommand; see mantissa --help");
}

/// A program may be started with a standard stream closed; the next file that it opens would take its place. Opened
/// the wrong way round, so that reading or writing there still fails.
void fill_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF)
            static_cast<void>(::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

/// What was printed may still lie in a buffer, and a full disk shows only when it is written.
int finish_output(int code) {
    errno = 0;
    const bool flushed = std::fflush(stdout) == 0;
    if (flushed && std::ferror(stdout) == 0) return code;
    const std::string reason = errno != 0 ? std::generic_category().message(errno) : "an earlier write failed";
    return complain(fmt::format("standard output: cannot write: {}; free space there or send it elsewhere", reason));
}

/// Runs the request; every fault becomes one line.
int run_and_report(int argc, char** argv) {
    // Outside of the try: the first rank speaks before the ranks part, since mpirun ends it for another's exit code.
    std::optional<running::Ranks> ranks;
    try {
        return finish_output(run(argc, argv, ranks));
    } catch (const InvalidInput& fault) {
        static_cast<void>(std::fflush(stdout)); // what was printed comes first
        return complain(fault.what());
    } catch (const ToolFailure& fault) { // the user mends the machine, not the request; the code is the same
        static_cast<void>(std::fflush(stdout));
        return complain(fault.what());
    } catch (const std::bad_alloc&) {
        return complain("not enough memory for this problem; use a smaller one");
    } catch (const std::system_error& fault) {
        if (std::ferror(stdout) == 0) return complain(fmt::format("unexpected fault: {}", fault.what()));
        return complain(fmt::format("standard output: cannot write: {}; free space there or send it elsewhere",
                                    fault.code().message()));
    } catch (const std::exception& fault) {
        return complain(fmt::format("unexpected fault: {}", fault.what()));
    }
}

/// What libraries read before main begins: the program starts itself anew where that is not set.
/// - OpenMP's threads spin at barriers by default, which slows a solve tenfold and more when other programs use the
///   cores (level 8 on two threads, on a machine with a load of 10: 3 s against 0.1 s).
/// - The C library takes a vector's memory from the kernel page by page, 4 KiB each. In pages of 2 MiB a native solve
///   of large systems takes 0.5 to 0.9 of its time (docs/gpu.md). Other programs' memory is their own affair.
void settle_environment(char** argv) {
    constexpr const char *kTunables = "GLIBC_TUNABLES", *kLargePages = "glibc.malloc.hugetlb=1";
    const char* const tunables = std::getenv(kTunables);
    if (tunables != nullptr && std::getenv("OMP_WAIT_POLICY") != nullptr) {
        if (std::string_view(tunables) == kLargePages) ::unsetenv(kTunables);
        return;
    }
    if (::setenv("OMP_WAIT_POLICY", "passive", 0) == 0 && ::setenv(kTunables, kLargePages, 0) == 0)
        ::execv("/proc/self/exe", argv); // returns only on failure
}

} // namespace

} // namespace mantissa::cli

int main(int argc, char** argv) {
    mantissa::cli::fill_standard_streams();
    mantissa::cli::settle_environment(argv);
    std::signal(SIGXFSZ, SIG_IGN); // a file too long for the limit (ulimit -f) is a write that fails
    mantissa::base::guard_standard_streams();
    return mantissa::cli::run_and_report(argc, argv);
}
