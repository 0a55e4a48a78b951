// `mantissa synthesize` where folders have odd names, and with tools whose outputs are empty.
#include <algorithm>
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
    for (const char* name : {"a b", "a;touch x;", "a$(touch x)", "a'b\"c", "a\nb", "a`touch x`|#"}) {
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

TEST(Synthesis, AnEmptiedOutputIsNoArea) {
    if (!has_yosys()) GTEST_SKIP() << "yosys is not installed";
    for (const char* file : {"stat.json", "ports.txt", "depth.txt", "paired.txt", "netlist.json"}) {
        const Scratch scratch;
        scratch.write("yosys", std::string("#!/bin/sh\nyosys \"$@\" || exit 1\n[ -e ") + file + " ] && : > " + file +
                                   "\nexit 0\n");
        ::chmod(scratch.path("yosys").c_str(), 0755);
        const Outcome o =
            run(kAdder, "MANTISSA_YOSYS=" + scratch.path("yosys") + " MANTISSA_CACHE=" + scratch.path("cache"));
        EXPECT_EQ(o.code, 2) << file << o.out;
        EXPECT_NE(o.err.find("mantissa: "), std::string::npos);
        EXPECT_EQ(o.err.find("unexpected fault"), std::string::npos) << o.err;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    }
}

TEST(Synthesis, FoldersOfTheUsersOwnStay) {
    if (!has_yosys()) GTEST_SKIP() << "yosys is not installed";
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
    EXPECT_EQ(run(kAdder, "TMPDIR=" + scratch.path("tmp") + " MANTISSA_CACHE=" + scratch.path("cache")).code, 0);
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path("tmp")), {}), 4);
}

} // namespace
