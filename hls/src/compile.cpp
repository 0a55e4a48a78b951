#include "compile.hpp"

#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

extern char** environ;

namespace mantissa::hls {

std::vector<std::string> compile_options() {
    return {"-std=c++20", "-O3", "-march=native", "-fPIC", "-fvisibility=hidden", "-shared", "-w"};
}

CompileResult run_compiler(const std::string& compiler, const std::string& include, const std::string& source,
                           const std::string& object, const std::string& log) {
    std::vector<std::string> words{compiler};
    for (std::string& option : compile_options()) words.push_back(std::move(option));
    words.insert(words.end(), {"-I" + include, source, "-o", object});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    pid_t child = 0;
    const int error = posix_spawnp(&child, compiler.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return {false, std::strerror(error)};
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return {false, std::strerror(errno)};
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {true, {}};
    return {false, WIFEXITED(status) ? fmt::format("exit status {}", WEXITSTATUS(status))
                                     : fmt::format("signal {}", WTERMSIG(status))};
}

} // namespace mantissa::hls
