// Progress lines on standard error. Internal to host/.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "mantissa/base/running_steps.hpp"

namespace mantissa::running {

using base::duration_text;

/// Is standard error (output) a terminal?
bool error_is_terminal();
bool output_is_terminal();

/// A line on the terminal that is drawn anew four times a second, beginning after two seconds: `text`, and after it
/// what tools are running. Nothing when standard error is no terminal.
class TickingLine {
public:
    /// `text` is called on another thread; what it gives is not drawn when it is empty.
    explicit TickingLine(std::function<std::string()> text);
    TickingLine(const TickingLine&) = delete;
    TickingLine& operator=(const TickingLine&) = delete;
    ~TickingLine() = default;

private:
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread clock_;
};

/// Items done of a known number, with rate and time left.
class ItemProgress {
public:
    /// `work` is the total of what done() is told, the measure for the time left.
    ItemProgress(std::string what, std::size_t items, double work);
    ItemProgress(const ItemProgress&) = delete;
    ItemProgress& operator=(const ItemProgress&) = delete;
    ~ItemProgress() = default;
    void done(double work);

private:
    [[nodiscard]] std::string text();

    std::string what_;
    std::size_t items_, items_done_ = 0;
    double work_, work_done_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::mutex mutex_;
    TickingLine line_; ///< last: its thread calls text()
};

/// The course of one solve: iterations, their rate, the defect, and a guess of the time left from how fast the
/// defect has fallen.
class SolveProgress {
public:
    explicit SolveProgress(double tolerance);
    SolveProgress(const SolveProgress&) = delete;
    SolveProgress& operator=(const SolveProgress&) = delete;
    ~SolveProgress() = default;
    void update(std::uint64_t iterations, double relative_defect);
    /// For solve(), by reference: a HistoryPoint is seen, and the solve goes on.
    template <class Point> bool operator()(const Point& seen) {
        update(seen.inner_iterations, seen.relative_defect);
        return true;
    }

private:
    [[nodiscard]] std::string text();

    double tolerance_, relative_defect_ = 1;
    std::uint64_t iterations_ = 0;
    /// Rates are counted from here: what came before, as the building of a model, says nothing of them.
    struct Step {
        std::uint64_t iterations;
        double relative_defect;
        std::chrono::steady_clock::time_point when;
    };
    std::optional<Step> first_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::mutex mutex_;
    TickingLine line_; ///< last: its thread calls text()
};

} // namespace mantissa::running
