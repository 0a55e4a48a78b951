// A call that may never return: the end of the process if it does not.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace mantissa::running {

/// While the object lives, time runs; `expired` is called on another thread once `seconds` of it are over, and is to
/// end the process. For calls that cannot be given a time-out (MPI_Init). As with Patience, time in
/// which this process was stopped does not count.
class Deadline {
public:
    Deadline(double seconds, std::function<void()> expired)
        : thread_([this, seconds, expired = std::move(expired)](const std::stop_token& done) {
              wait(done, seconds);
              if (!done.stop_requested()) expired();
          }) {}
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;
    ~Deadline() = default; // (the thread is told to stop, and joined)

private:
    void wait(const std::stop_token& done, double seconds) {
        using Clock = std::chrono::steady_clock;
        constexpr double kTick = 0.05; // seconds; a tick that took longer by far was one of a stopped process
        std::unique_lock lock(mutex_);
        for (Clock::time_point last = Clock::now(); seconds > 0 && !done.stop_requested();) {
            wake_.wait_for(lock, done, std::chrono::duration<double>(kTick), [] { return false; });
            const Clock::time_point now = Clock::now();
            seconds -= std::min(std::chrono::duration<double>(now - last).count(), 5 * kTick);
            last = now;
        }
    }

    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread thread_; // the last member: it is joined before the others go
};

} // namespace mantissa::running
