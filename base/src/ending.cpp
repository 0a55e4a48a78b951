#include "mantissa/base/ending.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

#include "ending_state.hpp"

namespace mantissa::base {

namespace {

using namespace std::chrono_literals;
constexpr auto kGrace = 2s; ///< from the forwarded signal to SIGKILL
constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

struct State {
    std::mutex mutex;
    std::condition_variable group_gone;
    std::vector<pid_t> groups;
    std::vector<std::filesystem::path> temporaries; ///< folders and files
    std::map<int, std::function<std::string()>> notes;
    int next_note = 0;
    std::atomic<bool> ending = false;
};

/// Never destroyed: the thread that waits for signals may use it while the program's statics go.
State& state() {
    static State* const the = new State;
    return *the;
}

[[noreturn]] void wait_for_the_end() {
    for (;;) ::pause();
}

void end_groups(int signal) {
    State& s = state();
    std::unique_lock lock(s.mutex);
    s.ending = true;
    const std::vector<pid_t> groups = s.groups;
    for (const pid_t group : groups) ::kill(-group, signal);
    s.group_gone.wait_for(lock, kGrace, [&] { return s.groups.empty(); });
    for (const pid_t group : groups) ::kill(-group, SIGKILL); // also what a tool left running
    s.group_gone.wait_for(lock, kGrace, [&] { return s.groups.empty(); });
}

void print_notes() {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    if (::isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\r\033[K");
    for (const auto& [id, text] : s.notes)
        if (const std::string line = text(); !line.empty()) fmt::print(stderr, "mantissa: {}\n", line);
    std::fflush(stderr);
}

void remove_temporaries() {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    for (const auto& temporary : s.temporaries)
        // A killed tool may finish a last write meanwhile.
        for (int tries = 0; tries < 20; ++tries) {
            std::error_code error;
            std::filesystem::remove_all(temporary, error);
            if (!error) break;
            std::this_thread::sleep_for(20ms);
        }
}

void end_by(int signal) {
    end_groups(signal);
    print_notes();
    remove_temporaries();
    std::signal(signal, SIG_DFL);
    sigset_t just_this;
    sigemptyset(&just_this);
    sigaddset(&just_this, signal);
    pthread_sigmask(SIG_UNBLOCK, &just_this, nullptr);
    ::kill(::getpid(), signal);
}

} // namespace

void end_cleanly_on_signals() {
    state();
    sigset_t awaited;
    sigemptyset(&awaited);
    for (const int signal : kSignals) {
        struct sigaction now {};
        if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN) sigaddset(&awaited, signal);
    }
    if (pthread_sigmask(SIG_BLOCK, &awaited, nullptr) != 0) return;
    try {
        std::thread([awaited] {
            int signal = 0;
            while (sigwait(&awaited, &signal) != 0) {
            }
            end_by(signal);
        }).detach();
    } catch (const std::system_error&) { // no thread to be had: a signal then ends the program at once
        pthread_sigmask(SIG_UNBLOCK, &awaited, nullptr);
    }
}

bool ending() {
    return state().ending;
}

EndingNote::EndingNote(std::function<std::string()> text) : id_(0) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    id_ = s.next_note++;
    s.notes.emplace(id_, std::move(text));
}

EndingNote::~EndingNote() {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    s.notes.erase(id_);
}

pid_t start_group(const std::function<pid_t()>& start) {
    State& s = state();
    {
        const std::lock_guard lock(s.mutex);
        if (!s.ending) {
            const pid_t leader = start();
            if (leader > 0) s.groups.push_back(leader);
            return leader;
        }
    }
    wait_for_the_end();
}

void stay_if_ending() {
    if (state().ending) wait_for_the_end();
}

void forget_group(pid_t leader) {
    State& s = state();
    {
        const std::lock_guard lock(s.mutex);
        std::erase(s.groups, leader);
    }
    s.group_gone.notify_all();
    stay_if_ending();
}

void remember_temporary(const std::filesystem::path& path) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    s.temporaries.push_back(path);
}

void forget_temporary(const std::filesystem::path& path) {
    State& s = state();
    const std::lock_guard lock(s.mutex);
    std::erase(s.temporaries, path);
}

} // namespace mantissa::base
