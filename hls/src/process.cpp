#include "mantissa/process.hpp"

#include <cerrno>
#include <cstring>
#include <sstream>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

extern char** environ;

namespace mantissa {

namespace {

std::vector<char*> arguments_of(std::vector<std::string>& words) {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return arguments;
}

ProcessResult wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return {false, std::strerror(errno)};
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {true, {}};
    return {false, WIFEXITED(status) ? fmt::format("exit status {}", WEXITSTATUS(status))
                                     : fmt::format("signal {}", WTERMSIG(status))};
}

} // namespace

ProcessResult run_process(std::vector<std::string> words, const std::string& log, const std::string& folder) {
    if (words.empty()) return {false, "no command"};
    const std::vector<char*> arguments = arguments_of(words);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    pid_t child = 0;
    const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return {false, std::strerror(error)};
    return wait_for(child);
}

std::string first_line_of(std::vector<std::string> words) {
    if (words.empty()) return {};
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return {};
    const std::vector<char*> arguments = arguments_of(words);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    pid_t child = 0;
    const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    std::string text;
    if (error == 0) {
        char buffer[256];
        for (ssize_t n = 0; (n = ::read(ends[0], buffer, sizeof buffer)) != 0;) {
            if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
            else if (errno != EINTR) break;
        }
    }
    ::close(ends[0]);
    if (error != 0 || !wait_for(child).ok) return {};
    return text.substr(0, text.find('\n'));
}

std::vector<std::string> split_words(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

} // namespace mantissa
