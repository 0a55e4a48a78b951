#include "iteration_contest.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "mantissa/spec.hpp"
#include "text/counted.hpp"

namespace mantissa::findings {

namespace {

constexpr int kShort = 30; // from here on truncated formats are as good as double in most solves

struct Entrant {
    const ContestEntry* entry;
    int bits;
};

/// Those with the fewest iterations among `list`, which is not empty.
std::vector<Entrant> fewest_of(const std::vector<Entrant>& list) {
    const auto by_iterations = [](const Entrant& a, const Entrant& b) {
        return a.entry->iterations < b.entry->iterations;
    };
    const std::uint64_t least = std::min_element(list.begin(), list.end(), by_iterations)->entry->iterations;
    std::vector<Entrant> fewest;
    std::copy_if(list.begin(), list.end(), std::back_inserter(fewest),
                 [&](const Entrant& e) { return e.entry->iterations == least; });
    return fewest;
}

std::string names_of(const std::vector<Entrant>& list) {
    std::vector<std::string> names;
    names.reserve(list.size());
    for (const Entrant& e : list) names.push_back(e.entry->spec);
    return text::listed(names);
}

std::string count_text(const IterationContest& contest, std::uint64_t iterations) {
    if (!contest.reference || *contest.reference == 0) return fmt::format("{}", iterations);
    return fmt::format("{} ({:.2f} times as many)", iterations,
                       static_cast<double>(iterations) / static_cast<double>(*contest.reference));
}

/// What the shortest vectors need; empty when all have the same length.
std::string shortest_text(const IterationContest& contest, const std::vector<Entrant>& converged,
                          const std::vector<Entrant>& fewest) {
    const auto by_bits = [](const Entrant& a, const Entrant& b) { return a.bits < b.bits; };
    const auto [low, high] = std::minmax_element(converged.begin(), converged.end(), by_bits);
    if (low->bits == high->bits) return {};
    std::vector<Entrant> shortest;
    std::copy_if(converged.begin(), converged.end(), std::back_inserter(shortest),
                 [bits = low->bits](const Entrant& e) { return e.bits == bits; });
    const std::vector<Entrant> best = fewest_of(shortest);
    const bool wins = best.front().entry->iterations == fewest.front().entry->iterations;
    const std::string count = wins ? "as few" : count_text(contest, best.front().entry->iterations);
    if (shortest.size() == 1)
        return fmt::format("; the shortest vectors, {}, need {}", shortest.front().entry->spec, count);
    if (best.size() == shortest.size())
        return fmt::format("; the shortest vectors, {}, need {}", names_of(best), count);
    return fmt::format("; of the {} with the shortest vectors, {} {} {}", shortest.size(), names_of(best),
                       best.size() == 1 ? "needs the fewest," : "need the fewest,", count);
}

} // namespace

void enter(IterationContest& contest, ContestEntry entry) {
    const auto known = std::find_if(contest.entries.begin(), contest.entries.end(),
                                    [&](const ContestEntry& e) { return e.spec == entry.spec; });
    if (known == contest.entries.end()) contest.entries.push_back(std::move(entry));
    else if (!known->converged) *known = std::move(entry);
}

std::optional<int> vector_bits(const std::string& spec) {
    try {
        const DatapathSpec s = parse_spec(spec);
        const auto bits = [](const Format& f) { return f.is_fixed() ? f.word_bits - 1 : f.fraction_bits; };
        return std::max({bits(s.r), bits(s.p), bits(s.q)});
    } catch (const InvalidInput&) {
        return std::nullopt;
    }
}

std::string iterations_finding(const IterationContest& contest) {
    std::vector<Entrant> converged;
    std::size_t all = 0;
    const ContestEntry* any = nullptr;
    for (const ContestEntry& e : contest.entries) {
        const auto bits = vector_bits(e.spec);
        if (!bits || *bits >= kShort) continue;
        ++all;
        any = &e;
        if (e.converged) converged.push_back({&e, *bits});
    }
    if (all == 0) return {};
    const std::string reference =
        contest.reference ? fmt::format(" {} of CG in double;", *contest.reference) : std::string();
    const std::string head = fmt::format("Iterations at {}:{}", contest.problem, reference);
    const std::string set = fmt::format("below {} fraction bits {} ({})", kShort, contest.among, contest.setting);
    if (converged.empty())
        return all == 1 ? fmt::format("{} {}, the only datapath {}, did not converge.", head, any->spec, set)
                        : fmt::format("{} none of the {} datapaths {} converged.", head, all, set);
    if (all == 1)
        return fmt::format("{} {}, the only datapath {}, needs {}.", head, any->spec, set,
                           count_text(contest, any->iterations));
    const std::size_t failed = all - converged.size();
    const std::string lost = failed == 0 ? "" : fmt::format(", of which {} did not converge", failed);
    if (converged.size() == 1)
        return fmt::format("{} of the {} datapaths {} only {} converged, and needs {}.", head, all, set,
                           converged.front().entry->spec, count_text(contest, converged.front().entry->iterations));
    const std::vector<Entrant> fewest = fewest_of(converged);
    const std::string count = count_text(contest, fewest.front().entry->iterations);
    if (fewest.size() == converged.size())
        return fmt::format("{} of the {} datapaths {}{}, all{} need {}.", head, all, set, lost,
                           failed == 0 ? "" : " others", count);
    return fmt::format("{} of the {} datapaths {}{}, {} {} the fewest, {}{}.", head, all, set, lost, names_of(fewest),
                       fewest.size() == 1 ? "needs" : "need", count, shortest_text(contest, converged, fewest));
}

} // namespace mantissa::findings
