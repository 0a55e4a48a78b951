// The program under mpirun.
#pragma once

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "program.hpp"

// mpirun as root, on fewer cores than ranks, and without copies from process to process, which containers forbid;
// quiet, so that what is printed is the program's.
inline const std::string kRanks =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "OMPI_MCA_btl_vader_single_copy_mechanism=none " MANTISSA_MPIRUN " -q --oversubscribe --bind-to none ";

/// Two ranks with these arguments.
inline Outcome run_ranks(const std::string& arguments) {
    return run(arguments, kRanks + "-np 2");
}
/// The program without MPI.
inline Outcome run_alone(const std::string& arguments) {
    return run_program(MANTISSA_ALONE, arguments);
}

inline void expect_one_line(const Outcome& o, const std::string& part) {
    EXPECT_EQ(o.code, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_TRUE(o.err.starts_with("mantissa: ")) << o.err;
    EXPECT_NE(o.err.find(part), std::string::npos) << o.err;
}

/// Ranks that run in the background; ended when this goes.
class Background {
public:
    /// `program`: what mpirun starts, which may be a script that starts the program.
    Background(const std::string& mark, const std::string& arguments, const std::string& program = MANTISSA_PROGRAM)
        : mark_(mark + "=" + std::to_string(::getpid())),
          pipe_(::popen((mark_ + " " + kRanks + "-np 2 " + program + " " + arguments + " 2>&1").c_str(), "r")) {}
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    ~Background() {
        if (pipe_ == nullptr) return;
        for (const int process : processes_with(mark_)) ::kill(process, SIGKILL);
        ::pclose(pipe_);
    }
    /// The process of this rank, or -1.
    [[nodiscard]] int rank(int number) const {
        const std::vector<int> ranks = processes_with("OMPI_COMM_WORLD_RANK=" + std::to_string(number));
        for (const int process : processes_with(mark_))
            if (std::find(ranks.begin(), ranks.end(), process) != ranks.end()) return process;
        return -1;
    }
    /// How many of its processes live, mpirun among them.
    [[nodiscard]] std::size_t living() const { return processes_with(mark_).size(); }
    /// Waits for its end; its exit code, and what it printed.
    Outcome wait() {
        Outcome o;
        std::array<char, 4096> buffer{};
        for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe_)) > 0;)
            o.out.append(buffer.data(), got);
        const int status = ::pclose(std::exchange(pipe_, nullptr));
        o.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return o;
    }

private:
    std::string mark_;
    std::FILE* pipe_;
};
