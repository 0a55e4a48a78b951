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
    const std::string old_name(16, 'a'), name(32, 'b');
    const std::vector<std::string> swept = {old_name + ".build", name + ".build", "compiling-Ab12Cd"};
    const std::vector<std::string> kept = {"notes.build", "compiling-by-hand", "other",
                                           std::string(32, 'c') + ".build"};
    for (const auto* list : {&swept, &kept})
        for (const std::string& each : *list) {
            fs::create_directories(folder / each / "inside");
            fs::last_write_time(folder / each, fs::file_time_type::clock::now() - 2min);
        }
    fs::last_write_time(folder / kept.back(), fs::file_time_type::clock::now()); // its owner may be about to lock it
    (void)HashedCache(folder, ".txt").get(HashName().add("one"), write_text);
    for (const std::string& each : swept) EXPECT_FALSE(fs::exists(folder / each)) << each;
    for (const std::string& each : kept) EXPECT_TRUE(fs::exists(folder / each)) << each;
}

TEST(CacheRoot, FollowsTheEnvironment) {
    const std::vector<const char*> names = {"MANTISSA_CACHE", "XDG_CACHE_HOME", "HOME"};
    std::vector<std::string> before;
    for (const char* name : names) before.push_back(std::getenv(name) != nullptr ? std::getenv(name) : "");
    ::setenv("MANTISSA_CACHE", "/a", 1);
    ::setenv("XDG_CACHE_HOME", "/b", 1);
    ::setenv("HOME", "/c", 1);
    EXPECT_EQ(cache_root(), "/a");
    ::setenv("MANTISSA_CACHE", "", 1);
    EXPECT_EQ(cache_root(), "/b/mantissa");
    ::setenv("XDG_CACHE_HOME", "relative", 1);
    EXPECT_EQ(cache_root(), "/c/.cache/mantissa");
    ::unsetenv("HOME");
    EXPECT_TRUE(cache_root().filename().string().starts_with("mantissa-cache-"));
    for (std::size_t i = 0; i < names.size(); ++i)
        before[i].empty() ? ::unsetenv(names[i]) : ::setenv(names[i], before[i].c_str(), 1);
}

} // namespace
