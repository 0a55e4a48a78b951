#include "mantissa/base/jobs.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <sched.h>

#include "ending_state.hpp"
#include "mantissa/base/cores.hpp"

namespace mantissa::base {

void run_jobs(std::size_t count, int threads, const std::function<void(std::size_t)>& job,
              const std::function<void(std::size_t)>& done) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex; // of all below, and of done()
    std::exception_ptr failure;
    const auto worker = [&] {
        for (std::size_t i = next++; i < count; i = next++) {
            stay_if_ending();
            try {
                job(i);
                const std::lock_guard lock(mutex);
                if (failure) return;
                if (done) done(i);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!failure) failure = std::current_exception();
                next = count;
                return;
            }
        }
    };
    {
        std::vector<std::jthread> others;
        const std::size_t wanted = std::min(static_cast<std::size_t>(std::max(threads, 1)), count);
        try {
            while (others.size() + 1 < wanted) others.emplace_back(worker);
        } catch (const std::system_error&) { // no more threads to be had
        }
        worker();
    }
    if (failure) std::rethrow_exception(failure);
}

int usable_cores() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    // (It fails on a machine of more than 1024 cores, which is then asked for all it has.)
    const int count = ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
    return count > 0 ? count : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

} // namespace mantissa::base
