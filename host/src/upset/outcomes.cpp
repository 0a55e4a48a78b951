#include "outcomes.hpp"

#include <numeric>
#include <utility>

namespace mantissa::upset {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, kOutcomes> kNames = {{
    {"wrong", "converged and wrong"},
    {"hang", "hung, ended by a watchdog"},
    {"not_converged", "not converged"},
    {"falsely", "convergence declared falsely, the host's residual said no"},
    {"detected", "detected by the core"},
    {"corrected", "other words, corrected by the outer loop"},
    {"masked", "masked"},
}};

} // namespace

std::string_view to_string(Where where) {
    return where == Where::regs ? "regs" : where == Where::memories ? "memories" : "all";
}
std::string_view to_string(Outcome outcome) {
    return kNames.at(static_cast<std::size_t>(outcome)).first;
}
std::string_view in_words(Outcome outcome) {
    return kNames.at(static_cast<std::size_t>(outcome)).second;
}

bool uncovered(Outcome outcome) {
    return outcome == Outcome::wrong || outcome == Outcome::hang || outcome == Outcome::not_converged ||
           outcome == Outcome::falsely;
}

std::uint64_t count_of(const Counts& counts, Outcome outcome) {
    return counts.at(static_cast<std::size_t>(outcome));
}
std::uint64_t all_of(const Counts& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}
std::uint64_t unmasked(const Counts& counts) {
    return all_of(counts) - count_of(counts, Outcome::masked);
}
std::uint64_t uncovered(const Counts& counts) {
    std::uint64_t number = 0;
    for (std::size_t k = 0; k < kOutcomes; ++k)
        if (uncovered(static_cast<Outcome>(k))) number += counts.at(k);
    return number;
}

std::string module_of(const std::string& place) {
    std::string module;
    int parts = 0;
    for (std::size_t at = 0; parts < 2;) {
        const std::size_t end = place.find('.', at);
        if (end == std::string::npos) break; // (what follows is the register)
        const std::string part = place.substr(at, end - at);
        at = end + 1;
        if (part.starts_with("g_")) continue;
        module += (module.empty() ? "" : ".") + part;
        ++parts;
    }
    return module.empty() ? "top" : module;
}

} // namespace mantissa::upset
