// Tools that are run: how they end, and what a limit of time leaves.
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "mantissa/base/process.hpp"
#include "mantissa/base/temporary_folder.hpp"

namespace mantissa::base {
namespace {

std::string text_of(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Process, EndsAsItsToolDid) {
    const TemporaryFolder work(temporary_parent(), "mantissa-test", "set TMPDIR to a folder that can be written");
    const std::string log = work.path() / "log";
    EXPECT_TRUE(run_process({"true"}, log).ok);
    EXPECT_TRUE(run_process({"sh", "-c", "echo here; echo there >&2"}, log, {}, {}, 60).ok);
    EXPECT_EQ(text_of(log), "here\nthere\n");
    const ProcessResult failed = run_process({"sh", "-c", "exit 3"}, log, {}, {}, 60);
    EXPECT_FALSE(failed.ok);
    EXPECT_FALSE(failed.timed_out);
    EXPECT_EQ(failed.why, "exit status 3");
    EXPECT_EQ(run_process({"/no/such/tool"}, log).why, "No such file or directory");
}

TEST(Process, SaysWhyItFailedByTheLineThatNamesAnError) {
    const TemporaryFolder work(temporary_parent(), "mantissa-test", "set TMPDIR to a folder that can be written");
    const auto why = [&](const char* name, const char* prints) {
        const std::string log = work.path() / name;
        return why_failed(run_process({"sh", "-c", std::string(prints) + "exit 2"}, log), log);
    };
    EXPECT_EQ(why("verilator", "echo %Warning: odd; echo %Error: a.sv:1: bad; echo %Error: Exiting;"),
              "%Error: a.sv:1: bad");
    EXPECT_EQ(why("compiler", "echo a.cpp:1:2: error: no; echo note;"), "a.cpp:1:2: error: no");
    EXPECT_EQ(why("other", "echo first; echo last;"), "last");
    EXPECT_EQ(why("silent", ""), "exit status 2");
}

TEST(Process, AFullDiskIsSaidByItsFolderAndTheMend) {
    const TemporaryFolder work(temporary_parent(), "mantissa-test", "set TMPDIR to a folder that can be written");
    const auto said = [&](const char* name, const char* prints) {
        const std::string log = work.path() / name;
        (void)run_process({"sh", "-c", std::string(prints) + "exit 1"}, log);
        return full_disk(log, "TMPDIR");
    };
    EXPECT_EQ(said("other", "echo a.cpp:1:2: error: no;"), "");
    const std::string full = said("full", "echo /tmp/x.s: No space left on device;");
    EXPECT_TRUE(full.starts_with("the disk of " + work.path().string() + " is full")) << full;
    EXPECT_TRUE(full.ends_with("make room there, or set TMPDIR to a folder on another")) << full;
}

// What the tool has begun ends with it.
TEST(Process, IsEndedAfterItsTimeWithAllThatItBegan) {
    const TemporaryFolder work(temporary_parent(), "mantissa-test", "set TMPDIR to a folder that can be written");
    const std::string log = work.path() / "log";
    const ProcessResult late = run_process({"sh", "-c", "sleep 1000 & echo $!; wait"}, log, {}, {}, 0.2);
    EXPECT_FALSE(late.ok);
    EXPECT_TRUE(late.timed_out);
    EXPECT_EQ(late.why, "ended after the 1 s that it was given");
    const int child = std::stoi(text_of(log));
    bool gone = false; // (a killed process is one until somebody has waited for it)
    for (int k = 0; k < 500 && !gone; ++k) {
        const std::string state = text_of("/proc/" + std::to_string(child) + "/stat");
        gone = ::kill(child, 0) != 0 || state.find(") Z ") != std::string::npos;
        if (!gone) ::usleep(10000);
    }
    EXPECT_TRUE(gone);
}

} // namespace
} // namespace mantissa::base
