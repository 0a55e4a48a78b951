// A progress line on standard error. Internal to host/.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace mantissa::detail {

/// Is standard error (output) a terminal?
bool error_is_terminal();
bool output_is_terminal();

/// "1:02:03", "4:05", "7 s".
std::string duration_text(double seconds);

/// Items done of a known number, with rate and time left. Shows nothing in the first two seconds, nor when standard
/// error is no terminal; clears its line when it goes out of scope.
class ItemProgress {
public:
    /// `work` is the total of what done() is told, the measure for the time left.
    ItemProgress(std::string what, std::size_t items, double work);
    ItemProgress(const ItemProgress&) = delete;
    ItemProgress& operator=(const ItemProgress&) = delete;
    ~ItemProgress();
    void done(double work);

private:
    void show() const;

    std::string what_;
    std::size_t items_, items_done_ = 0;
    double work_, work_done_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::jthread clock_;
};

/// The course of one solve: iterations, their rate, the defect, and a guess of the time left from how fast the
/// defect has fallen.
class SolveProgress {
public:
    explicit SolveProgress(double tolerance) : tolerance_(tolerance) {}
    SolveProgress(const SolveProgress&) = delete;
    SolveProgress& operator=(const SolveProgress&) = delete;
    ~SolveProgress();
    void update(std::uint64_t iterations, double relative_defect);

private:
    double tolerance_;
    bool enabled_ = error_is_terminal(), shown_ = false;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_ = start_;
};

} // namespace mantissa::detail
