#include "ranks.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "mantissa/errors.hpp"

#ifdef MANTISSA_WITH_MPI
#include "deadline.hpp"
#include "ranks_waiting.hpp"
#endif

namespace mantissa::running {

namespace {

/// The first of these variables that holds a whole number.
int number_of(std::initializer_list<const char*> names, int otherwise) {
    for (const char* name : names) {
        const char* const text = std::getenv(name);
        if (text == nullptr) continue;
        int number = 0;
        const char* const end = text + std::strlen(text);
        if (const auto [stop, error] = std::from_chars(text, end, number); error == std::errc() && stop == end)
            return number;
    }
    return otherwise;
}

constexpr int kLost = 2; ///< the exit code: nothing came of the request

} // namespace

Launch launch() {
    return {number_of({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}, 0),
            number_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1)};
}

#ifdef MANTISSA_WITH_MPI
namespace {

int living = 0; ///< objects; one thread makes and destroys them
double allowed = kRankWait;

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void wait_for_all(const Ranks& ranks, MPI_Request request) {
    wait_for(ranks, std::span(&request, 1), [] { return std::string("another rank"); });
}

/// Others find out at the same time: the lowest of them speaks, and ends those after it meanwhile.
void let_lower_ranks_speak(int rank) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500) * std::min(rank, 8));
}

/// MPI did not begin: there is no communicator to abort, but mpirun ends the others when a rank ends like this.
[[noreturn]] void give_up_beginning() {
    const Launch here = launch();
    let_lower_ranks_speak(here.rank);
    fmt::print(
        stderr,
        "mantissa: rank {}: MPI has not begun for {} s: one of the {} ranks has not come so far, so all end; see "
        "to their machines, or give a longer --rank-wait\n",
        here.rank, allowed, here.count);
    std::fflush(stderr);
    std::_Exit(kLost);
}

} // namespace

Patience::Patience() : last_(seconds_now()), left_(allowed) {}

bool Patience::lasts() {
    if (++calls_ % 64 != 0) return true; // (a message between two ranks of a machine takes about a microsecond)
    std::this_thread::yield();
    const double now = seconds_now();
    left_ -= std::min(now - last_, 0.25);
    last_ = now;
    return left_ > 0;
}

Ranks::Ranks() {
    if (living++ == 0) {
        int provided = 0;
        {
            const Deadline beginning(allowed, give_up_beginning);
            MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
        }
        MPI_Comm_size(MPI_COMM_WORLD, &count_);
        if (provided < MPI_THREAD_SERIALIZED && count_ > 1)
            throw InvalidInput("this MPI allows no calls from several threads: run without mpirun");
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
}
Ranks::~Ranks() {
    if (--living == 0) MPI_Finalize();
}
std::string Ranks::first_fault(const std::string& own) const {
    const int mine = own.empty() ? count_ : rank_;
    int speaker = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&mine, &speaker, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    wait_for_all(*this, request);
    if (speaker == count_) return {};
    auto length = static_cast<int>(own.size());
    MPI_Ibcast(&length, 1, MPI_INT, speaker, MPI_COMM_WORLD, &request);
    wait_for_all(*this, request);
    std::string fault = own;
    fault.resize(static_cast<std::size_t>(length));
    MPI_Ibcast(fault.data(), length, MPI_CHAR, speaker, MPI_COMM_WORLD, &request);
    wait_for_all(*this, request);
    return fault;
}
std::string Ranks::unlike(const std::string& what, const std::string& text) const {
    auto length = static_cast<int>(text.size());
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
    wait_for_all(*this, request);
    std::string firsts = text;
    firsts.resize(static_cast<std::size_t>(length));
    MPI_Ibcast(firsts.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
    wait_for_all(*this, request);
    return first_fault(
        firsts == text
            ? std::string()
            : fmt::format("rank {}: {} differs from the first rank's; give all ranks the same", rank_, what));
}
std::vector<std::string> Ranks::gather(const std::string& own) const {
    const auto mine = static_cast<int>(own.size());
    std::vector<int> length(static_cast<std::size_t>(count_));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(&mine, 1, MPI_INT, length.data(), 1, MPI_INT, MPI_COMM_WORLD, &request);
    wait_for_all(*this, request);
    const int longest = std::max(1, *std::max_element(length.begin(), length.end()));
    std::string padded = own, all(static_cast<std::size_t>(longest) * length.size(), ' ');
    padded.resize(static_cast<std::size_t>(longest));
    MPI_Iallgather(padded.data(), longest, MPI_CHAR, all.data(), longest, MPI_CHAR, MPI_COMM_WORLD, &request);
    wait_for_all(*this, request);
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < length.size(); ++k)
        texts.push_back(all.substr(k * static_cast<std::size_t>(longest), static_cast<std::size_t>(length[k])));
    return texts;
}
void Ranks::set_wait(double seconds) {
    allowed = seconds;
}
void Ranks::abandon(int code) const {
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
}
void Ranks::give_up(const std::string& whom) const {
    let_lower_ranks_speak(rank_);
    fmt::print(
        stderr,
        "mantissa: rank {}: {} has not answered for {} s, so all ranks end; see to its machine, or give a longer "
        "--rank-wait\n",
        rank_, whom, allowed);
    std::fflush(stderr);
    abandon(kLost);
}
#else
Ranks::Ranks() = default;
Ranks::~Ranks() = default;
std::string Ranks::first_fault(const std::string& own) const {
    return own;
}
std::string Ranks::unlike(const std::string&, const std::string&) const {
    return {};
}
std::vector<std::string> Ranks::gather(const std::string& own) const {
    return {own};
}
void Ranks::set_wait(double) {}
void Ranks::abandon(int code) const {
    std::_Exit(code);
}
void Ranks::give_up(const std::string&) const {
    std::_Exit(kLost); // (there is nobody to wait for)
}
#endif

} // namespace mantissa::running
