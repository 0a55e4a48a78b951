// `mantissa synthesize` where folders have odd names, and with tools whose outputs are empty.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "mantissa/base/shell_words.hpp"
#include "program.hpp"

namespace {

namespace fs = std::filesystem;
using mantissa::base::shell_quoted;

const std::string kAdder = "synthesize --spec s5e6 --operator add --combinational ";

bool has_yosys() {
    return std::system("yosys -V >/dev/null 2>&1") == 0;
}

TEST(Synthesis, FoldersMayBeCalledAnything) {
    if (!has_yosys()) GTEST_SKIP() << "yosys is not installed";
    const Scratch scratch;
    for (const char* name : {"a;touch x;b$(touch x) c`touch x`", "-a'\"\nb\\c &"}) {
        const std::string folder = scratch.path(name);
        fs::create_directories(folder + "/tmp");
        fs::create_directory_symlink(MANTISSA_SOURCE_TREE, folder + "/source");
        const Outcome o = run(kAdder, "cd " + scratch.path("") + " && TMPDIR=" + shell_quoted(folder + "/tmp") +
                                          " MANTISSA_CACHE=" + shell_quoted(folder + "/cache") +
                                          " MANTISSA_SOURCE=" + shell_quoted(folder + "/source"));
        EXPECT_EQ(o.code, 0) << name << ": " << o.err;
        EXPECT_FALSE(fs::exists(scratch.path("x"))) << name;
        EXPECT_TRUE(fs::is_empty(folder + "/tmp"));
    }
}

/// A yosys that knows its answers beforehand.
std::string known_yosys(const std::string& emptied) {
    std::string script = "#!/bin/sh\n[ \"$1\" = -V ] && echo 'Yosys 0.23 (known)' && exit 0\n";
    const auto put = [&](const std::string& file, const std::string& text) {
        script += emptied == file ? ": > " + file + "\n" : "printf '%s' '" + text + "' > " + file + "\n";
    };
    put("stat.json", R"({"design": {"num_cells_by_type": {"LUT4": 3, "FDRE": 2}}})");
    put("ports.txt", "input [3:0] a_i\noutput [3:0] b_o\n");
    put("depth.txt", "Longest topological path in add (length=2):\n");
    put("paired.txt", "1 objects.\n");
    put("netlist.json",
        R"({"modules": {"fp_add": {"attributes": {"top": "1"}, "ports": {}, "cells": {}, "netnames": {}}}})");
    return script;
}

TEST(Synthesis, AnEmptiedOutputIsNoArea) {
    for (const char* file : {"", "stat.json", "ports.txt", "depth.txt", "paired.txt", "netlist.json"}) {
        const Scratch scratch;
        scratch.write("yosys", known_yosys(file));
        ::chmod(scratch.path("yosys").c_str(), 0755);
        const Outcome o =
            run(kAdder, "MANTISSA_YOSYS=" + scratch.path("yosys") + " MANTISSA_CACHE=" + scratch.path("cache"));
        if (*file == '\0') {
            EXPECT_EQ(o.code, 0) << o.err;
            continue;
        }
        EXPECT_EQ(o.code, 2) << file << o.out;
        EXPECT_NE(o.err.find("mantissa: "), std::string::npos);
        EXPECT_EQ(o.err.find("unexpected fault"), std::string::npos) << o.err;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    }
}

TEST(Synthesis, FoldersOfTheUsersOwnStay) {
    const Scratch scratch;
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(2);
    for (const char* name : {"mantissa-synthesis-results", "mantissa-synthesis-a1B2c3", "mantissa-synthesis-",
                             "mantissa-synthesis-abcdef"}) {
        fs::create_directories(scratch.path(std::string("tmp/") + name));
        scratch.write(std::string("tmp/") + name + "/result", "mine");
        ::chmod(scratch.path(std::string("tmp/") + name).c_str(), 0700);
    }
    scratch.write("tmp/mantissa-synthesis-abcdef/.mantissa-temporary", "");
    for (const auto& entry : fs::directory_iterator(scratch.path("tmp"))) fs::last_write_time(entry.path(), old);
    scratch.write("yosys", known_yosys(""));
    ::chmod(scratch.path("yosys").c_str(), 0755);
    EXPECT_EQ(run(kAdder, "MANTISSA_YOSYS=" + scratch.path("yosys") + " TMPDIR=" + scratch.path("tmp") +
                              " MANTISSA_CACHE=" + scratch.path("cache"))
                  .code,
              0);
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path("tmp")), {}), 4);
}

/// A run that is stopped while it makes the store leaves it empty.
TEST(Synthesis, AnEmptyStoreIsFilled) {
    const Scratch scratch;
    scratch.write("yosys", known_yosys(""));
    ::chmod(scratch.path("yosys").c_str(), 0755);
    scratch.write("cache/synthesis.sqlite", "");
    ::chmod(scratch.path("cache").c_str(), 0700);
    for (int i = 0; i < 2; ++i) {
        const Outcome o =
            run(kAdder, "MANTISSA_YOSYS=" + scratch.path("yosys") + " MANTISSA_CACHE=" + scratch.path("cache"));
        EXPECT_EQ(o.code, 0) << o.err;
        EXPECT_GT(fs::file_size(scratch.path("cache/synthesis.sqlite")), 0U);
    }
}

TEST(Synthesis, FaultsSayWhatIsAtFault) {
    const Scratch scratch;
    scratch.write("yosys", known_yosys(""));
    scratch.write("dumb", "#!/bin/sh\nexit 0\n");
    scratch.write("dying", "#!/bin/sh\nexit 3\n");
    for (const char* tool : {"yosys", "dumb", "dying"}) ::chmod(scratch.path(tool).c_str(), 0755);
    const auto says = [&](const std::string& before, const char* what, const char* not_this) {
        const Outcome o = run(kAdder, before + " MANTISSA_CACHE=" + scratch.path("cache"));
        EXPECT_EQ(o.code, 2);
        EXPECT_NE(o.err.find(what), std::string::npos) << o.err;
        EXPECT_EQ(o.err.find(not_this), std::string::npos) << o.err;
    };
    says("MANTISSA_YOSYS=" + scratch.path("none"), "apt install yosys", "ulimit");
    says("MANTISSA_YOSYS=" + scratch.path("dumb"), "TMPDIR is full", "apt install");
    says("MANTISSA_YOSYS=" + scratch.path("dying"), "exit status 3", "apt install");
    scratch.write("cache/synthesis.sqlite", std::string(5000, 'x'));
    says("MANTISSA_YOSYS=" + scratch.path("yosys"), "the cache's own: remove it", "apt install");
}

} // namespace
