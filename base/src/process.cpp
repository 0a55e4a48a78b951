#include "mantissa/base/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "ending_state.hpp"
#include "mantissa/base/running_steps.hpp"

namespace mantissa::base {

namespace {

constexpr int kReport = 3;           ///< the descriptor on which a child tells why it could not run the tool
constexpr int kParentDied = SIGUSR1; ///< what the kernel sends the supervisor when its parent has gone
constexpr std::array kForwarded = {SIGINT, SIGTERM, SIGHUP};

/// What a tool is started with; all of it is ready before the fork, after which no memory may be taken.
struct Start {
    std::vector<char*> arguments;
    std::vector<char*> environment;
    const char* log = nullptr;    ///< standard output and error; null: `out`, and no errors
    const char* folder = nullptr; ///< null: where this program runs
    int out = -1;                 ///< a pipe
    int report = -1;              ///< a pipe
    pid_t parent = 0;
    unsigned seconds = 0; ///< that the tool may run; 0: as long as it likes
    std::array<bool, kForwarded.size()> ignored{};
};

std::vector<char*> arguments_of(std::vector<std::string>& words) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return arguments;
}

/// This program's environment, with `temporary` as TMPDIR unless that is empty.
std::vector<char*> environment_with(std::string& temporary) {
    std::vector<char*> variables;
    for (char** variable = environ; *variable != nullptr; ++variable)
        if (temporary.empty() || !std::string_view(*variable).starts_with("TMPDIR=")) variables.push_back(*variable);
    if (!temporary.empty()) variables.push_back(temporary.data());
    variables.push_back(nullptr);
    return variables;
}

// From here to run_tool(): in the forked child of a program with threads, so async-signal-safe calls only.

[[noreturn]] void give_up() {
    const int error = errno;
    [[maybe_unused]] const ssize_t put = ::write(kReport, &error, sizeof error);
    ::_exit(127);
}

bool put_in_place(int file, int wanted) {
    return file >= 0 && (file == wanted || ::dup2(file, wanted) >= 0);
}

/// Standard input, output and error, the report, and nothing else open.
void settle_descriptors(const Start& start) {
    // The pipe for the output first: it may stand where the report must go.
    if (start.log == nullptr && !put_in_place(start.out, STDOUT_FILENO)) ::_exit(127);
    if (!put_in_place(start.report, kReport)) ::_exit(127);
    ::fcntl(kReport, F_SETFD, FD_CLOEXEC);
    const int errors = ::open(start.log != nullptr ? start.log : "/dev/null", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (!put_in_place(errors, STDERR_FILENO)) give_up();
    if (start.log != nullptr && !put_in_place(STDERR_FILENO, STDOUT_FILENO)) give_up();
    if (!put_in_place(::open("/dev/null", O_RDONLY), STDIN_FILENO)) give_up();
    ::close_range(kReport + 1, ~0U, 0);
}

void end_group(int) {
    ::kill(0, SIGKILL); // the supervisor's group, itself included
}

[[noreturn]] void run_tool(const Start& start) {
    for (std::size_t i = 0; i < kForwarded.size(); ++i)
        if (!start.ignored[i]) ::signal(kForwarded[i], SIG_DFL);
    ::signal(kParentDied, SIG_DFL);
    ::signal(SIGXFSZ, SIG_DFL); // the command ignores it
    if (start.folder != nullptr && ::chdir(start.folder) != 0) give_up();
    ::execvpe(start.arguments[0], start.arguments.data(), start.environment.data());
    give_up();
}

/// Leads the tool's group, waits for the tool and ends as it did; ends the group when its own parent has gone.
[[noreturn]] void supervise(const Start& start) {
    ::setpgid(0, 0);
    for (const int signal : kForwarded) ::signal(signal, SIG_IGN); // these are for the tool
    ::signal(kParentDied, end_group);
    ::signal(SIGALRM, end_group);
    ::alarm(start.seconds);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::prctl(PR_SET_PDEATHSIG, kParentDied);
    if (::getppid() != start.parent) ::_exit(127); // it went before the line above
    settle_descriptors(start);
    const pid_t tool = ::fork();
    if (tool < 0) give_up();
    if (tool == 0) run_tool(start);
    for (const int file : {kReport, STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(file);
    int status = 0;
    while (::waitpid(tool, &status, 0) < 0)
        if (errno != EINTR) ::_exit(127);
    if (WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
    ::_exit(128 + WTERMSIG(status));
}

/// Two ends of a pipe that no other program inherits.
struct Pipe {
    std::array<int, 2> end{-1, -1};
    Pipe() {
        if (::pipe2(end.data(), O_CLOEXEC) != 0) end = {-1, -1};
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        for (int& file : end) close(file);
    }
    static void close(int& file) {
        if (file >= 0) ::close(file);
        file = -1;
    }
    [[nodiscard]] std::string read() const {
        std::string text;
        std::array<char, 256> buffer{};
        for (ssize_t n = 0; (n = ::read(end[0], buffer.data(), buffer.size())) != 0;) {
            if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
            else if (errno != EINTR) break;
        }
        return text;
    }
};

ProcessResult wait_for(pid_t child, const std::string& report) {
    int status = 0;
    int failed = 0;
    while (failed == 0 && ::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) failed = errno;
    forget_group(child);
    if (failed != 0) return {false, std::strerror(failed)};
    if (int error = 0; report.size() == sizeof error) {
        std::memcpy(&error, report.data(), sizeof error);
        return {false, std::strerror(error)};
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {true, {}};
    return {false, WIFEXITED(status) ? fmt::format("exit status {}", WEXITSTATUS(status))
                                     : fmt::format("signal {}", WTERMSIG(status))};
}

/// Starts the tool, lets `meanwhile` read what it prints, and waits for it.
template <class Meanwhile>
ProcessResult run(std::vector<std::string>& words, Start start, Pipe* out, const Meanwhile& meanwhile) {
    start.arguments = arguments_of(words);
    // A tool's own temporary files lie beside its log: when the tool is killed, they go with that folder.
    // Where the tool runs there, "." names it: tools that put the name into a shell's line then break at no character.
    std::error_code error;
    std::string temporary =
        start.log != nullptr ? std::filesystem::absolute(start.log, error).parent_path().string() : "";
    if (start.folder != nullptr && temporary == std::filesystem::absolute(start.folder, error)) temporary = ".";
    if (!temporary.empty()) temporary.insert(0, "TMPDIR=");
    start.environment = environment_with(temporary);
    Pipe report;
    if (report.end[1] < 0 || (out != nullptr && out->end[1] < 0)) return {false, std::strerror(errno)};
    start.report = report.end[1];
    start.out = out != nullptr ? out->end[1] : -1;
    start.parent = ::getpid();
    for (std::size_t i = 0; i < kForwarded.size(); ++i) {
        struct sigaction now {};
        start.ignored[i] = ::sigaction(kForwarded[i], nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
    }
    const pid_t child = start_group([&] {
        const pid_t forked = ::fork();
        if (forked == 0) supervise(start);
        if (forked > 0) ::setpgid(forked, forked); // here too: a signal may come before the child gets to it
        return forked;
    });
    if (child < 0) return {false, std::strerror(errno)};
    Pipe::close(report.end[1]);
    if (out != nullptr) Pipe::close(out->end[1]);
    meanwhile();
    return wait_for(child, report.read());
}

} // namespace

ProcessResult run_process(std::vector<std::string> words, const std::string& log, const std::string& folder,
                          const std::string& label, double seconds) {
    if (words.empty()) return {false, "no command"};
    const RunningStep step(label.empty() ? std::filesystem::path(words[0]).filename().string() : label);
    Start start;
    start.log = log.c_str();
    start.folder = folder.empty() ? nullptr : folder.c_str();
    constexpr double kMost = 1e9; // 30 years
    if (seconds > 0) start.seconds = static_cast<unsigned>(std::ceil(std::min(seconds, kMost)));
    const unsigned allowed = start.seconds;
    const auto begun = std::chrono::steady_clock::now();
    ProcessResult result = run(words, std::move(start), nullptr, [] {});
    if (!result.ok && allowed > 0 && std::chrono::steady_clock::now() - begun >= std::chrono::seconds(allowed))
        result = {false, fmt::format("ended after the {} s that it was given", allowed), true};
    if (result.ok) step.finished();
    return result;
}

std::string why_failed(const ProcessResult& result, const std::string& log) {
    std::string last;
    std::ifstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("rror:") != std::string::npos || line.find("ERROR") != std::string::npos) return line;
        if (!line.empty()) last = line;
    }
    return last.empty() ? result.why : last;
}

std::string full_disk(const std::string& log, const std::string& variable) {
    constexpr std::uintmax_t kLeast = 4 << 20; // bytes; what a tool leaves behind is removed, its log may be cut short
    const std::filesystem::path folder = std::filesystem::path(log).parent_path();
    std::error_code error;
    const std::uintmax_t free = std::filesystem::space(folder, error).available;
    bool full = !error && free < kLeast;
    std::ifstream lines(log);
    for (std::string line; !full && std::getline(lines, line);)
        full = line.find(std::strerror(ENOSPC)) != std::string::npos ||
               line.find(std::strerror(EDQUOT)) != std::string::npos;
    if (!full) return {};
    return fmt::format("the disk of {} is full{}; make room there, or set {} to a folder on another", folder.string(),
                       error ? "" : fmt::format(" ({} KiB left now)", free >> 10), variable);
}

std::string first_line_of(std::vector<std::string> words) {
    if (words.empty()) return {};
    Pipe out;
    std::string text;
    if (!run(words, {}, &out, [&] { text = out.read(); }).ok) return {};
    return text.substr(0, text.find('\n'));
}

std::vector<std::string> split_words(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

} // namespace mantissa::base
