// Looks at a solve while its kernel runs, and ends it where its owner wants that.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <new>
#include <thread>

#include "mantissa/gpu/device.hpp"
#include "schedules/cg_control.cuh"

namespace mantissa::gpu {

class SolveWatch {
public:
    /// `watch`: passes so far and the residual; false ends the solve. None: nothing is shown.
    explicit SolveWatch(const std::function<bool(std::uint64_t, double)>& watch) : watch_(watch) {
        if (!watch_) return;
        void* made = nullptr;
        check(cudaMallocHost(&made, sizeof(SolveWindow)), "cudaMallocHost");
        window_ = new (made) SolveWindow{};
    }
    SolveWatch(const SolveWatch&) = delete;
    SolveWatch& operator=(const SolveWatch&) = delete;
    ~SolveWatch() {
        if (window_ != nullptr) static_cast<void>(cudaFreeHost(window_));
    }

    /// For the kernel; null where nobody looks.
    [[nodiscard]] SolveWindow* window() const { return window_; }
    /// Returns when the work that `timer` times has ended (its ended() says so).
    void follow(const auto& timer) {
        if (!watch_) return;
        using Clock = std::chrono::steady_clock;
        // A sixteenth of the time so far: no solve's end waits long to be seen.
        constexpr Clock::duration kLeast = std::chrono::microseconds(10), kMost = std::chrono::milliseconds(5);
        const Clock::time_point begin = Clock::now();
        for (std::uint32_t shown = 0; !timer.ended();) {
            std::this_thread::sleep_for(std::clamp((Clock::now() - begin) / 16, kLeast, kMost));
            volatile SolveWindow* const seen = window_;
            const std::uint32_t passes = seen->passes;
            if (passes == shown) continue;
            shown = passes;
            if (watch_(passes, seen->residual)) continue;
            seen->stop = 1;
            stopped_ = true;
        }
    }
    [[nodiscard]] bool stopped() const { return stopped_; }

private:
    const std::function<bool(std::uint64_t, double)>& watch_;
    SolveWindow* window_ = nullptr;
    bool stopped_ = false;
};

} // namespace mantissa::gpu
