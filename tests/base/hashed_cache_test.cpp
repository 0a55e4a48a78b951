// HashedCache: made once, whole or not there, damaged files made anew, half-made ones swept.
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "mantissa/base/files.hpp"
#include "mantissa/base/hashed_cache.hpp"
#include "mantissa/format.hpp"
#include "scratch.hpp"

namespace {

using namespace std::chrono_literals;
using namespace mantissa::base;
namespace fs = std::filesystem;

const std::string kText(3000, 'x');

void write_text(const fs::path&, const fs::path& fresh) {
    write_file(fresh.string(), kText);
}

std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
    return names;
}

TEST(HashName, TellsListsApart) {
    const auto name = [](std::initializer_list<const char*> texts) {
        HashName hash;
        for (const char* text : texts) hash.add(text);
        return hash.text();
    };
    EXPECT_EQ(name({"ab", "c"}), name({"ab", "c"}));
    EXPECT_EQ(name({"ab", "c"}).size(), 32u);
    const std::vector<std::string> all = {name({}),          name({""}),    name({"", ""}),   name({"ab", "c"}),
                                          name({"a", "bc"}), name({"abc"}), name({"c", "ab"})};
    EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
}

TEST(HashedCache, MadeOnceHoweverManyAskAtOnce) {
    const Scratch scratch;
    const HashName name = HashName().add("one");
    std::atomic<int> made = 0;
    std::vector<fs::path> got(8);
    {
        std::vector<std::jthread> threads;
        for (fs::path& path : got)
            threads.emplace_back([&] {
                // A cache object each, as other processes have: the lock is the file system's.
                path = HashedCache(scratch.path("cache"), ".txt").get(name, [&](const fs::path& w, const fs::path& f) {
                    ++made;
                    std::this_thread::sleep_for(20ms);
                    write_text(w, f);
                });
            });
    }
    EXPECT_EQ(made, 1);
    for (const fs::path& path : got) {
        EXPECT_EQ(path, scratch.path("cache/" + name.text() + ".txt"));
        EXPECT_TRUE(read_text(path.string()).starts_with(kText));
    }
    EXPECT_EQ(names_in(scratch.path("cache")).size(), 2u) << "the file and its lock";
}

TEST(HashedCache, ADamagedFileIsMadeAnew) {
    const Scratch scratch;
    const HashedCache cache(scratch.path("cache"), ".txt");
    const HashName name = HashName().add("one");
    const fs::path file = cache.get(name, write_text);
    const std::string whole = read_text(file.string());
    std::string flipped = whole;
    flipped[100] = 'y';
    int made = 0;
    for (const std::string& damage : {std::string(), whole.substr(0, 10), whole.substr(0, kText.size()),
                                      whole.substr(0, whole.size() - 1), whole + "\n", flipped}) {
        std::ofstream(file, std::ios::binary) << damage;
        EXPECT_FALSE(cache.find(name)) << damage.size();
        EXPECT_EQ(cache.get(name,
                            [&](const fs::path& w, const fs::path& f) {
                                ++made;
                                write_text(w, f);
                            }),
                  file);
        EXPECT_EQ(read_text(file.string()), whole);
    }
    EXPECT_EQ(made, 6);
    EXPECT_TRUE(cache.find(name));
}

TEST(HashedCache, NothingIsKeptOfWhatFailed) {
    const Scratch scratch;
    const HashedCache cache(scratch.path("cache"), ".txt");
    const HashName name = HashName().add("one");
    const auto fails = [&](const HashedCache::Make& make) {
        EXPECT_THROW((void)cache.get(name, make), std::runtime_error);
        EXPECT_EQ(names_in(scratch.path("cache")), std::vector<std::string>{name.text() + ".lock"});
    };
    fails([](const fs::path& w, const fs::path& f) {
        write_text(w, f);
        throw std::runtime_error("the compiler died");
    });
    fails([](const fs::path&, const fs::path&) {}); // made nothing
    // The system refuses the last bytes, as a full disk would.
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    fails([&](const fs::path& w, const fs::path& f) {
        write_text(w, f);
        const rlimit tight{kText.size() + 8, before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &tight);
    });
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_TRUE(fs::exists(cache.get(name, write_text)));
}

TEST(HashedCache, WhatAKilledProgramLeftIsSwept) {
    const Scratch scratch;
    const fs::path folder = scratch.path("cache");
    const HashedCache cache(folder, ".txt");
    const pid_t killed = ::fork();
    if (killed == 0) {
        (void)cache.get(HashName().add("one"), [](const fs::path& work, const fs::path&) {
            std::ofstream(work / "part") << "half";
            ::raise(SIGKILL);
        });
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(killed, &status, 0), killed);
    ASSERT_TRUE(WIFSIGNALED(status));
    const auto half_made = [&] {
        std::vector<fs::path> found;
        for (const std::string& name : names_in(folder))
            if (name.starts_with("build-")) found.push_back(folder / name);
        return found;
    };
    ASSERT_EQ(half_made().size(), 1u);
    const fs::path left = half_made().front();
    const auto sweep = [&](const char* what) { (void)cache.get(HashName().add(what), write_text); };
    sweep("two");
    EXPECT_TRUE(fs::exists(left)) << "its owner may be about to lock it";
    // What looks like it and is somebody's own stays: made by hand, copied, renamed, linked.
    std::vector<fs::path> kept = {folder / "build-byhand", folder / "build-Ab12Cd", folder / "build-Copied"};
    for (const fs::path& each : {kept[0], kept[1]}) fs::create_directories(each / "results");
    fs::copy(left, kept[2], fs::copy_options::recursive);
    for (const fs::path& each : kept) ::chmod(each.c_str(), 0700);
    for (const fs::path& each : kept) fs::last_write_time(each, fs::file_time_type::clock::now() - 2min);
    fs::last_write_time(left, fs::file_time_type::clock::now() - 2min);
    sweep("three");
    EXPECT_FALSE(fs::exists(left));
    for (const fs::path& each : kept) EXPECT_TRUE(fs::exists(each)) << each;
}

TEST(CacheRoot, FollowsTheEnvironment) {
    const Scratch scratch;
    const std::vector<const char*> names = {"MANTISSA_CACHE", "XDG_CACHE_HOME", "HOME"};
    std::vector<std::string> before;
    for (const char* name : names) before.push_back(std::getenv(name) != nullptr ? std::getenv(name) : "");
    ::setenv("MANTISSA_CACHE", "/a", 1);
    ::setenv("XDG_CACHE_HOME", scratch.path("b").c_str(), 1);
    ::setenv("HOME", scratch.path("c").c_str(), 1);
    EXPECT_EQ(cache_root(), "/a");
    ::setenv("MANTISSA_CACHE", "", 1);
    EXPECT_EQ(cache_root(), scratch.path("b/mantissa"));
    for (const char* none : {"relative", "", "./b"}) {
        ::setenv("XDG_CACHE_HOME", none, 1);
        EXPECT_EQ(cache_root(), scratch.path("c/.cache/mantissa"));
    }
    const auto is_fallback = [] { return cache_root().filename().string().starts_with("mantissa-cache-"); };
    for (const char* none : {"relative", "", "."}) {
        ::setenv("HOME", none, 1);
        EXPECT_TRUE(is_fallback()) << none;
    }
    ::unsetenv("HOME");
    EXPECT_TRUE(is_fallback());
    if (::geteuid() == 0) { // another user's, at each place on the way
        for (const char* part : {"c", "c/.cache", "c/.cache/mantissa"}) {
            fs::create_directories(scratch.path("c/.cache/mantissa"));
            ::setenv("HOME", scratch.path("c").c_str(), 1);
            ASSERT_FALSE(is_fallback());
            ASSERT_EQ(::chown(scratch.path(part).c_str(), 65534, 65534), 0);
            EXPECT_TRUE(is_fallback()) << part;
            ::setenv("XDG_CACHE_HOME", scratch.path("c/.cache").c_str(), 1);
            EXPECT_TRUE(is_fallback()) << part;
            ::unsetenv("XDG_CACHE_HOME");
            fs::remove_all(scratch.path("c"));
        }
    }
    for (std::size_t i = 0; i < names.size(); ++i)
        before[i].empty() ? ::unsetenv(names[i]) : ::setenv(names[i], before[i].c_str(), 1);
}

} // namespace
