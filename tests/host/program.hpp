// Runs the real `mantissa`, and looks for what it leaves running.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "scratch.hpp"

struct Outcome {
    int code = -1; ///< the exit code; 128 + N when signal N ended it
    std::string out, err;
};

/// `arguments` as the shell reads them; `before` stands in front of the program (variables, as "TMPDIR=/x").
inline Outcome run_program(const std::string& program, const std::string& arguments, const std::string& before = {}) {
    const Scratch scratch;
    ::setenv("OMP_WAIT_POLICY", "passive", 0); // else the program starts itself anew with it
    const std::string line = before + " " + program + " " + arguments + " 2>" + scratch.path("err");
    std::FILE* pipe = ::popen(line.c_str(), "r");
    Outcome o;
    std::array<char, 4096> buffer{};
    for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
        o.out.append(buffer.data(), got);
    const int status = ::pclose(pipe);
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    o.err = scratch.read("err");
    return o;
}
inline Outcome run(const std::string& arguments, const std::string& before = {}) {
    return run_program(MANTISSA_PROGRAM, arguments, before);
}

/// The running processes whose environment holds `variable` ("NAME=value"), other than this one.
inline std::vector<int> processes_with(const std::string& variable) {
    std::vector<int> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos || std::stoi(name) == ::getpid()) continue;
        std::ifstream file(entry.path() / "environ", std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        if (('\0' + text).find('\0' + variable + '\0') != std::string::npos) found.push_back(std::stoi(name));
    }
    return found;
}
