#include "mantissa/base/running_steps.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "mantissa/base/ending.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/hashed_cache.hpp"
#include "mantissa/base/own_path.hpp"

namespace mantissa::base {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
constexpr double kQuiet = 2; ///< seconds that pass before anything is shown
constexpr auto kInterval = 250ms;
constexpr const char* kClear = "\r\033[K";

struct Step {
    std::string label;
    Clock::time_point start;
    std::optional<double> earlier; ///< seconds that the last run took
};

struct State {
    std::mutex mutex;
    std::map<int, Step> steps; // oldest first
    int next = 0;
    std::atomic<int> line_owners = 0;
};

/// Never destroyed: the thread that draws lives to the end.
State& state() {
    static State* const the = new State;
    return *the;
}

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// One line per label: seconds, a tab, the label. A hint only: whatever is wrong with the file, no estimate is given.
std::string durations_file() {
    return (cache_root() / "durations.txt").string();
}

std::map<std::string, double> read_durations() {
    std::map<std::string, double> all;
    std::ifstream in(durations_file());
    double seconds = 0;
    if (!path_trust(durations_file()).good()) return all; // its labels are shown
    for (std::string label; in >> seconds && in.get() == '\t' && std::getline(in, label);) all[label] = seconds;
    return all;
}

void write_duration(const std::string& label, double seconds) {
    try {
        auto all = read_durations();
        if (all.size() > 500) all.clear();
        all[label] = seconds;
        std::string text;
        for (const auto& [name, value] : all) text += fmt::format("{:.1f}\t{}\n", value, name);
        if (path_trust(cache_root()).good()) write_file(durations_file(), text);
    } catch (const std::exception&) { // no estimate next time
    }
}

/// In place of what stands in the terminal's last line.
void show(std::string_view text) {
    winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    // (A line that fills the last column wraps on some terminals.)
    fmt::print(stderr, "{}{}", kClear, known ? first_columns(text, size.ws_col - 1U) : text);
    std::fflush(stderr);
}

} // namespace

std::string_view first_columns(std::string_view text, std::size_t columns) {
    std::size_t seen = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80; // a character of UTF-8
        if (begins && seen++ == columns) return text.substr(0, at);
    }
    return text;
}

std::string duration_text(double seconds) {
    if (!(seconds < 1e8)) return "?";
    const auto s = static_cast<long>(std::ceil(seconds));
    if (s < 60) return fmt::format("{} s", s);
    if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
    return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

RunningStep::RunningStep(std::string label) : label_(std::move(label)), id_(0) {
    Step step{label_, Clock::now(), std::nullopt};
    if (::isatty(STDERR_FILENO) == 1) {
        const auto known = read_durations();
        if (const auto it = known.find(label_); it != known.end()) step.earlier = it->second;
    }
    State& s = state();
    const std::lock_guard lock(s.mutex);
    id_ = s.next++;
    s.steps.emplace(id_, std::move(step));
}

RunningStep::~RunningStep() {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    s.steps.erase(id_);
}

void RunningStep::finished() const {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    const double seconds = seconds_since(s.steps.at(id_).start);
    if (seconds >= kQuiet) write_duration(label_, seconds);
}

std::string running_steps() {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    if (s.steps.empty()) return {};
    const Step& step = s.steps.begin()->second;
    const double seconds = seconds_since(step.start);
    if (seconds < kQuiet) return {};
    std::string text = fmt::format("{}: {}", step.label, duration_text(seconds));
    if (!step.earlier) text += " (first run here, so no ETA)";
    else if (*step.earlier > seconds) text += fmt::format(", ETA {}", duration_text(*step.earlier - seconds));
    else text += fmt::format(" (took {} the last time)", duration_text(*step.earlier));
    if (s.steps.size() > 1) text += fmt::format(", {} more beside it", s.steps.size() - 1);
    return text;
}

TerminalLine::TerminalLine() : enabled_(::isatty(STDERR_FILENO) == 1) {
    if (enabled_) ++state().line_owners;
}

TerminalLine::~TerminalLine() {
    if (!enabled_) return;
    if (drawn_) fmt::print(stderr, "{}", kClear);
    --state().line_owners;
}

void TerminalLine::draw(const std::string& text) {
    if (!enabled_ || ending()) return;
    drawn_ = true;
    show(text);
}

void show_running_steps() {
    if (::isatty(STDERR_FILENO) != 1) return;
    const auto draw = [] {
        bool drawn = false;
        for (;;) {
            std::this_thread::sleep_for(kInterval);
            if (ending()) return;
            const std::string text = state().line_owners == 0 ? running_steps() : "";
            if (!text.empty() || drawn) show(text);
            drawn = !text.empty();
        }
    };
    try {
        std::thread(draw).detach();
    } catch (const std::system_error&) { // no thread to be had: nothing is shown
    }
}

} // namespace mantissa::base
