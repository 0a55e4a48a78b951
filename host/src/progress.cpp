#include "progress.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>

#include <unistd.h>

#include <fmt/format.h>

namespace mantissa::detail {

namespace {

using namespace std::chrono_literals;
constexpr auto kQuiet = 2s;
constexpr auto kInterval = 250ms;
constexpr const char* kClear = "\r\033[K";

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

bool error_is_terminal() {
    return ::isatty(STDERR_FILENO) == 1;
}
bool output_is_terminal() {
    return ::isatty(STDOUT_FILENO) == 1;
}

std::string duration_text(double seconds) {
    if (!(seconds < 1e8)) return "?";
    const auto s = static_cast<long>(std::ceil(seconds));
    if (s < 60) return fmt::format("{} s", s);
    if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
    return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

ItemProgress::ItemProgress(std::string what, std::size_t items, double work)
    : what_(std::move(what)), items_(items), work_(work) {
    if (!error_is_terminal()) return;
    clock_ = std::jthread([this](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, stop, kQuiet, [] { return false; });
        while (!stop.stop_requested()) {
            show();
            wake_.wait_for(lock, stop, kInterval, [] { return false; });
        }
        if (seconds_since(start_) >= 2.0) fmt::print(stderr, "{}", kClear);
    });
}

ItemProgress::~ItemProgress() = default;

void ItemProgress::done(double work) {
    const std::lock_guard lock(mutex_);
    ++items_done_;
    work_done_ += work;
}

void ItemProgress::show() const {
    const double seconds = seconds_since(start_);
    const double left = work_done_ > 0 ? seconds * (work_ - work_done_) / work_done_ : INFINITY;
    fmt::print(stderr, "{}{}/{} {}  {:.3g}/s  ETA {}", kClear, items_done_, items_, what_,
               static_cast<double>(items_done_) / seconds, duration_text(left));
    std::fflush(stderr);
}

SolveProgress::~SolveProgress() {
    if (shown_) fmt::print(stderr, "{}", kClear);
}

void SolveProgress::update(std::uint64_t iterations, double relative_defect) {
    if (!enabled_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - start_ < kQuiet || now - last_ < kInterval) return;
    last_ = now;
    shown_ = true;
    const double seconds = seconds_since(start_);
    const double fallen = -std::log(relative_defect), wanted = -std::log(tolerance_);
    const double left = fallen > 0 ? seconds * (wanted - fallen) / fallen : INFINITY;
    fmt::print(stderr, "{}{} iterations  {:.3g}/s  defect {:.1e}  ETA {}", kClear, iterations,
               static_cast<double>(iterations) / seconds, relative_defect, duration_text(left));
    std::fflush(stderr);
}

} // namespace mantissa::detail
