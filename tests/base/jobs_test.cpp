// run_jobs(): every job once, the first exception out, nothing begun after it.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/base/jobs.hpp"

namespace {

using mantissa::base::run_jobs;

TEST(Jobs, EachRunsOnceAndIsTold) {
    for (const int threads : {-1, 0, 1, 2, 7, 40}) {
        std::vector<std::atomic<int>> ran(23);
        std::vector<std::size_t> told;
        run_jobs(
            ran.size(), threads, [&](std::size_t i) { ++ran[i]; }, [&](std::size_t i) { told.push_back(i); });
        for (const auto& count : ran) EXPECT_EQ(count, 1);
        EXPECT_EQ(told.size(), ran.size());
        EXPECT_EQ(std::set(told.begin(), told.end()).size(), ran.size());
    }
    run_jobs(0, 4, [](std::size_t) { FAIL() << "there is none"; });
}

TEST(Jobs, AsManyAtOnceAsThreads) {
    // Every job waits until three of them are there: with fewer threads this would not end.
    std::mutex mutex;
    std::condition_variable all_here;
    int here = 0;
    std::set<std::thread::id> threads;
    run_jobs(3, 3, [&](std::size_t) {
        std::unique_lock lock(mutex);
        threads.insert(std::this_thread::get_id());
        ++here;
        all_here.notify_all();
        all_here.wait(lock, [&] { return here == 3; });
    });
    EXPECT_EQ(threads.size(), 3u);
    EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
}

TEST(Jobs, TheFirstExceptionComesOutWhenAllHaveEnded) {
    std::mutex mutex;
    std::condition_variable changed;
    bool thrown = false;
    std::atomic<int> begun = 0, ended = 0, told = 0;
    try {
        run_jobs(
            100, 2,
            [&](std::size_t i) {
                ++begun;
                if (i == 0) {
                    const std::lock_guard lock(mutex);
                    thrown = true;
                    changed.notify_all();
                    throw std::runtime_error("first");
                }
                std::unique_lock lock(mutex);
                changed.wait(lock, [&] { return thrown; });
                ++ended;
                throw std::logic_error("later");
            },
            [&](std::size_t) { ++told; });
        FAIL() << "nothing came out";
    } catch (const std::exception& fault) {
        // Which of two that throw at the same time is first is open; that it is one of them, and that no third began
        // (but one that was on its way), is not.
        EXPECT_TRUE(std::string(fault.what()) == "first" || std::string(fault.what()) == "later") << fault.what();
    }
    EXPECT_EQ(begun, ended + 1) << "it came out before all had ended";
    EXPECT_LE(begun, 3);
    EXPECT_EQ(told, 0);
}

TEST(Jobs, AnExceptionOfDoneStopsTooAndOneThreadIsExact) {
    std::vector<std::size_t> ran, told;
    EXPECT_THROW(run_jobs(
                     9, 1, [&](std::size_t i) { ran.push_back(i); },
                     [&](std::size_t i) {
                         told.push_back(i);
                         if (i == 3) throw std::runtime_error("full");
                     }),
                 std::runtime_error);
    EXPECT_EQ(ran, (std::vector<std::size_t>{0, 1, 2, 3}));
    EXPECT_EQ(told, ran);
}

} // namespace
