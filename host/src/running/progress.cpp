#include "progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <unistd.h>

#include <fmt/format.h>

namespace mantissa::running {

namespace {

using namespace std::chrono_literals;
constexpr auto kQuiet = 2s;
constexpr auto kInterval = 250ms;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string joined(const std::string& a, const std::string& b) {
    return a + (a.empty() || b.empty() ? "" : "  |  ") + b;
}

} // namespace

bool error_is_terminal() {
    return ::isatty(STDERR_FILENO) == 1;
}
bool output_is_terminal() {
    return ::isatty(STDOUT_FILENO) == 1;
}

TickingLine::TickingLine(std::function<std::string()> text) {
    if (!error_is_terminal()) return;
    clock_ = std::jthread([this, text = std::move(text)](const std::stop_token& stop) {
        base::TerminalLine line;
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, stop, kQuiet, [] { return false; });
        while (!stop.stop_requested()) {
            if (const std::string now = joined(text(), base::running_steps()); !now.empty()) line.draw(now);
            wake_.wait_for(lock, stop, kInterval, [] { return false; });
        }
    });
}

ItemProgress::ItemProgress(std::string what, std::size_t items, double work)
    : what_(std::move(what)), items_(items), work_(work), line_([this] { return text(); }) {}

void ItemProgress::done(double work) {
    const std::lock_guard lock(mutex_);
    ++items_done_;
    work_done_ += work;
}

std::string ItemProgress::text() {
    const std::lock_guard lock(mutex_);
    const double seconds = seconds_since(start_);
    const double left = work_done_ > 0 ? seconds * (work_ - work_done_) / work_done_ : INFINITY;
    return fmt::format("{}/{} {}  {:.3g}/s  {}  ETA {}", items_done_, items_, what_,
                       static_cast<double>(items_done_) / seconds, duration_text(seconds), duration_text(left));
}

SolveProgress::SolveProgress(double tolerance) : tolerance_(tolerance), line_([this] { return text(); }) {}

void SolveProgress::update(std::uint64_t iterations, double relative_defect) {
    const std::lock_guard lock(mutex_);
    iterations_ = iterations;
    if (relative_defect == 0) return; // none is known within a step
    relative_defect_ = relative_defect;
    if (iterations == 0 || first_) return;
    first_ = Step{iterations, relative_defect, std::chrono::steady_clock::now()};
}

std::string SolveProgress::text() {
    const std::lock_guard lock(mutex_);
    const double seconds = seconds_since(start_);
    if (iterations_ == 0) {
        // A model may be building; then that is what there is to say.
        return base::running_steps().empty() ? fmt::format("before the first step  {}", duration_text(seconds)) : "";
    }
    std::string so_far =
        fmt::format("{} iterations  defect {:.1e}  {}", iterations_, relative_defect_, duration_text(seconds));
    if (!first_ || iterations_ == first_->iterations) return so_far;
    const double since = seconds_since(first_->when);
    const double fallen = std::log(first_->relative_defect / relative_defect_);
    const double wanted = std::log(relative_defect_ / tolerance_);
    const double left = fallen > 0 ? std::max(0.0, since * wanted / fallen) : INFINITY;
    return fmt::format("{}  {:.3g}/s  ETA {}", so_far, static_cast<double>(iterations_ - first_->iterations) / since,
                       duration_text(left));
}

} // namespace mantissa::running
