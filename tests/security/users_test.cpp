// Two local users: root runs the command, nobody has prepared what it finds. Without root these tests are skipped.
#include <filesystem>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "program.hpp"

namespace {

namespace fs = std::filesystem;
constexpr uid_t kNobody = 65534;

void give_away(const std::string& path) {
    ASSERT_EQ(::lchown(path.c_str(), kNobody, kNobody), 0) << path;
    if (fs::is_symlink(path) || !fs::is_directory(path)) return;
    for (const auto& entry : fs::recursive_directory_iterator(path))
        ASSERT_EQ(::lchown(entry.path().c_str(), kNobody, kNobody), 0);
}

#define NEEDS_ROOT()                                                                                                   \
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, to act for two users"

/// The command that uses a compiled kernel of its own (seconds of compiling, so once for all tests).
const std::string kHls = "solve --threads 1 --engine hls --spec s14e7 --problem poisson2d:level=2 ";

TEST(Users, PlantedKernelsAreNotLoaded) {
    NEEDS_ROOT();
    const Scratch scratch;
    const std::string mine = scratch.path("mine");
    ASSERT_EQ(run(kHls, "MANTISSA_CACHE=" + mine).code, 0);
    // What is loaded runs its constructor. The seal after it is what the cache itself would put there.
    std::string planted;
    for (const auto& entry : fs::directory_iterator(mine + "/hls"))
        if (entry.path().extension() == ".so") planted = entry.path().filename();
    ASSERT_FALSE(planted.empty());
    const auto plant = [&](const std::string& cache) {
        fs::create_directories(cache + "/hls");
        fs::copy_file(mine + "/hls/" + planted, cache + "/hls/" + planted);
    };
    // Loaded or not: the system calls of opening it are not asked here, but whether its time of access or the refusal
    // says so.
    const auto runs = [&](const std::string& before) { return run(kHls, "env -u MANTISSA_CACHE " + before); };
    plant(scratch.path("home/.cache/mantissa"));
    give_away(scratch.path("home"));
    fs::create_directories(scratch.path("tmp"));
    const Outcome foreign_home =
        runs("-u XDG_CACHE_HOME HOME=" + scratch.path("home") + " TMPDIR=" + scratch.path("tmp"));
    EXPECT_EQ(foreign_home.code, 0) << foreign_home.err;
    EXPECT_TRUE(fs::exists(scratch.path("tmp/mantissa-cache-0/hls/" + planted))) << "made anew, for this user";
    plant(scratch.path("squat/mantissa-cache-0"));
    ::chmod(scratch.path("squat").c_str(), 01777);
    give_away(scratch.path("squat/mantissa-cache-0"));
    for (const char* home : {"-u HOME", "HOME=relative", "HOME="}) {
        const Outcome o = runs((std::string(home) == "-u HOME" ? "-u XDG_CACHE_HOME -u HOME "
                                                               : std::string("-u XDG_CACHE_HOME ") + home + " ") +
                               "TMPDIR=" + scratch.path("squat"));
        EXPECT_EQ(o.code, 2) << home << o.out;
        EXPECT_NE(o.err.find("belongs to user 65534"), std::string::npos) << o.err;
    }
    plant(scratch.path("set"));
    give_away(scratch.path("set"));
    const Outcome set = run(kHls, "MANTISSA_CACHE=" + scratch.path("set"));
    EXPECT_EQ(set.code, 2);
    EXPECT_NE(set.err.find("belongs to user 65534"), std::string::npos) << set.err;
    plant(scratch.path("open"));
    ::chmod(scratch.path("open").c_str(), 0777);
    const Outcome open = run(kHls, "MANTISSA_CACHE=" + scratch.path("open"));
    EXPECT_EQ(open.code, 2);
    EXPECT_NE(open.err.find("chmod go-w"), std::string::npos) << open.err;
}

TEST(Users, OtherCachesAreAskedToo) {
    NEEDS_ROOT();
    const Scratch scratch;
    fs::create_directories(scratch.path("cache"));
    give_away(scratch.path("cache"));
    for (const char* command :
         {"synthesize --spec s5e6 --operator add --combinational", "simulate --problem poisson2d:level=2",
          "solve --engine rtl --problem poisson2d:level=2"}) {
        const Outcome o = run(command, "MANTISSA_CACHE=" + scratch.path("cache"));
        EXPECT_EQ(o.code, 2) << command;
        EXPECT_NE(o.err.find("belongs to user 65534"), std::string::npos) << command << ": " << o.err;
    }
    fs::create_directories(scratch.path("tmp"));
    give_away(scratch.path("tmp"));
    const Outcome o = run("synthesize --spec s5e6 --operator add --combinational",
                          "MANTISSA_CACHE=" + scratch.path("own") + " TMPDIR=" + scratch.path("tmp"));
    EXPECT_EQ(o.code, 2) << "he could put his own script in the place of ours";
    EXPECT_NE(o.err.find("TMPDIR"), std::string::npos) << o.err;
}

TEST(Users, NoLinkOfAnothersIsWrittenThrough) {
    NEEDS_ROOT();
    const Scratch scratch;
    scratch.write("precious", "mine");
    fs::create_directories(scratch.path("all"));
    ::chmod(scratch.path("all").c_str(), 01777);
    const std::string out = scratch.path("all/out");
    fs::create_symlink(scratch.path("precious"), out);
    give_away(out);
    for (const char* option : {"--history ", "--solution "}) {
        const Outcome o = run("solve --threads 1 --problem poisson2d:level=2 " + std::string(option) + out);
        EXPECT_EQ(o.code, 2) << o.err;
        EXPECT_NE(o.err.find("a link of another user's"), std::string::npos) << o.err;
    }
    const std::string toml = scratch.write("s.toml", "[[grid]]\nproblem = \"poisson2d:level=2\"\n");
    for (const char* option : {"--csv ", "--jsonl ", "--store "})
        EXPECT_EQ(run("sweep --threads 1 " + toml + " " + option + out).code, 2) << option;
    EXPECT_EQ(scratch.read("precious"), "mine");
}

} // namespace
