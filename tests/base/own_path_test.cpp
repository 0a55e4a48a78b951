// What is loaded or run must be this user's own: path_trust(), and what HashedCache takes.
#include <filesystem>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "mantissa/base/files.hpp"
#include "mantissa/base/hashed_cache.hpp"
#include "mantissa/base/own_path.hpp"
#include "mantissa/format.hpp"
#include "scratch.hpp"

namespace {

using namespace mantissa::base;
namespace fs = std::filesystem;

constexpr uid_t kOther = 65534;
constexpr mode_t kSticky = 01777;

/// A folder with a/b/file in it.
void fill(const Scratch& scratch) {
    fs::create_directories(scratch.path("a/b"));
    scratch.write("a/b/file", "kept");
    for (const char* part : {"a", "a/b"}) ::chmod(scratch.path(part).c_str(), 0755);
    ::chmod(scratch.path("a/b/file").c_str(), 0644);
}

TEST(OwnPath, OthersMayWriteToNoPart) {
    for (const char* part : {"a", "a/b", "a/b/file"})
        for (const mode_t more : {0002, 0022, 0006}) {
            const Scratch scratch;
            fill(scratch);
            ASSERT_TRUE(path_trust(scratch.path("a/b/file")).good()) << path_trust(scratch.path("a/b/file")).why;
            ::chmod(scratch.path(part).c_str(), 0755 | more);
            const PathTrust trust = path_trust(scratch.path("a/b/file"));
            EXPECT_FALSE(trust.good()) << part << " " << more;
            EXPECT_FALSE(trust.foreign);
            EXPECT_NE(trust.why.find(scratch.path(part)), std::string::npos) << trust.why;
        }
}

TEST(OwnPath, AStickyFolderOfRootsIsNoFaultOnTheWay) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can make one";
    const Scratch scratch;
    fill(scratch);
    ::chmod(scratch.path("a").c_str(), kSticky);
    EXPECT_TRUE(path_trust(scratch.path("a/b/file")).good());
    EXPECT_FALSE(path_trust(scratch.path("a")).good()) << "anybody may put a file there";
    ASSERT_EQ(::chown(scratch.path("a").c_str(), kOther, kOther), 0);
    EXPECT_FALSE(path_trust(scratch.path("a/b/file")).good());
}

TEST(OwnPath, AnotherUsersPartsAreForeign) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
    for (const char* part : {"a", "a/b", "a/b/file"}) {
        const Scratch scratch;
        fill(scratch);
        ASSERT_EQ(::chown(scratch.path(part).c_str(), kOther, kOther), 0);
        EXPECT_TRUE(path_trust(scratch.path("a/b/file")).foreign) << part;
    }
}

TEST(OwnPath, LinksAreAskedAndFollowed) {
    const Scratch scratch;
    fill(scratch);
    fs::create_directories(scratch.path("open/inside"));
    scratch.write("open/inside/file", "planted");
    ::chmod(scratch.path("open").c_str(), 0777);
    fs::create_symlink(scratch.path("open/inside"), scratch.path("a/absolute"));
    fs::create_symlink("../open/inside", scratch.path("a/relative"));
    fs::create_symlink("b", scratch.path("a/good"));
    fs::create_symlink("round", scratch.path("a/round"));
    EXPECT_TRUE(path_trust(scratch.path("a/good/file")).good());
    for (const char* bad : {"a/absolute/file", "a/relative/file", "a/good/../../open/inside/file", "a/round/file"})
        EXPECT_FALSE(path_trust(scratch.path(bad)).good()) << bad;
    if (::geteuid() != 0) return;
    ASSERT_EQ(::lchown(scratch.path("a/good").c_str(), kOther, kOther), 0);
    EXPECT_TRUE(path_trust(scratch.path("a/good/file")).foreign);
}

TEST(OwnPath, WhatIsNotThereIsNoFault) {
    const Scratch scratch;
    fill(scratch);
    for (const char* none : {"a/none", "a/none/of/this", "a/b/file/below"})
        EXPECT_TRUE(path_trust(scratch.path(none)).good()) << none;
}

TEST(OwnPath, ACacheTakesNothingOfOthers) {
    const HashName name = HashName().add("one");
    const auto make = [](const char* text) {
        return [text](const fs::path&, const fs::path& fresh) { write_file(fresh.string(), text); };
    };
    const auto make_never = [](const fs::path&, const fs::path&) { ADD_FAILURE() << "made in a folder of others"; };
    // The folder, or one on its way.
    for (const char* part : {"a", "a/cache"}) {
        const Scratch scratch;
        const HashedCache cache(scratch.path("a/cache"), ".so");
        const fs::path file = cache.get(name, make("planted"));
        EXPECT_EQ(fs::status(file).permissions() & fs::perms::others_write, fs::perms::none);
        ::chmod(scratch.path(part).c_str(), 0777);
        EXPECT_THROW((void)cache.find(name), mantissa::InvalidInput) << part;
        EXPECT_THROW((void)cache.get(name, make_never), mantissa::InvalidInput) << part;
        ::chmod(scratch.path(part).c_str(), 0755);
        if (::geteuid() != 0) continue;
        ASSERT_EQ(::chown(scratch.path(part).c_str(), kOther, kOther), 0);
        EXPECT_THROW((void)cache.find(name), mantissa::InvalidInput) << part;
        EXPECT_THROW((void)cache.get(name, make_never), mantissa::InvalidInput) << part;
    }
    // The file alone: it is made anew.
    const Scratch scratch;
    const HashedCache cache(scratch.path("cache"), ".so");
    const fs::path file = cache.get(name, make("planted"));
    ::chmod(file.c_str(), 0666);
    EXPECT_FALSE(cache.find(name));
    EXPECT_TRUE(read_text(cache.get(name, make("mine")).string()).starts_with("mine"));
    EXPECT_TRUE(cache.find(name));
    if (::geteuid() != 0) return;
    ASSERT_EQ(::chown(file.c_str(), kOther, kOther), 0);
    EXPECT_FALSE(cache.find(name));
}

} // namespace
