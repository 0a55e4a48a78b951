#include "sparse.hpp"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "mantissa/host/problem.hpp"
#include "mantissa/host/scaling.hpp"
#include "mantissa/sim/systemc_engine.hpp"

namespace {

using namespace mantissa;

struct Card {
    double watts = 0, channel_bytes = 0, channel_mhz = 0, core_mhz = 0;
    int channels = 0;
};

struct Cores {
    int cores = 1, lanes = 1, channels = 1;
    double link_words = 0;
    std::uint32_t link_latency = 0;
};

/// Microseconds of an iteration, by the matrix's name.
using Times = std::map<std::string, double>;

Times times(const toml::table& t, const char* key) {
    Times out;
    if (const toml::table* list = t[key].as_table())
        for (const auto& [name, value] : *list) out[std::string(name.str())] = value.value_or(0.0);
    return out;
}

/// "TIME | its ratio to `us`", or dashes.
std::string beside(const Times& all, const std::string& name, double us) {
    const auto found = all.find(name);
    return found == all.end() ? "- | -" : fmt::format("{:.2f} | {:.1f}", found->second, found->second / us);
}

/// Clocks of a pass, from three of them.
double clocks_of(const System& system, const std::string& spec, const sim::SparseCoreOptions& options) {
    sim::SystemcOptions o;
    o.sparse = options;
    const auto session = sim::make_systemc_engine(o)->load(system, parse_spec(spec), {});
    const std::vector<double> r(system.size(), 1 / std::sqrt(static_cast<double>(system.size())));
    session->write(Vec::r, 0, r);
    const RunReport first = session->run({.passes = 1}), run = session->run({.passes = 2});
    if (run.passes == 0) throw InvalidInput("experiment: the first pass ended the run; take wider words");
    (void)first;
    return static_cast<double>(*run.cycles - 1) / static_cast<double>(run.passes);
}

void row(const Problem& problem, const System& system, const std::string& base, const Card& card, const Cores& c,
         const Times& published, const Times& gpu) {
    const std::string spec = fmt::format("{},lanes={}", base, c.lanes);
    sim::SparseCoreOptions o;
    o.cores = c.cores;
    o.channels = c.channels;
    o.channel_bytes = card.channel_bytes;
    o.channel_mhz = card.channel_mhz;
    o.core_mhz = card.core_mhz;
    o.latency = 100;
    o.link_words = c.link_words;
    o.link_latency = c.link_latency;
    const sim::SparsePass pass = sim::sparse_pass(parse_spec(spec), system);
    const double two = clocks_of(system, spec, o);
    std::string overlapping = "-";
    double best = two;
    if (c.cores == 1) {
        o.order = sim::PassOrder::overlapping;
        const double clocks = clocks_of(system, spec, o);
        overlapping = fmt::format("{:.0f}", clocks);
        best = std::min(best, clocks);
    }
    const double seconds = best / (card.core_mhz * 1e6);
    const auto n = static_cast<double>(system.size());
    const auto nonzeros = static_cast<double>(std::get<CompressedRows>(system.matrix()).nonzeros());
    const double bytes = static_cast<double>(pass.beat_bits) / 8 * static_cast<double>(pass.beats);
    const double operations = 2 * nonzeros + 12 * n;
    const std::string name = std::filesystem::path(problem.name.substr(problem.name.find(':') + 1)).stem().string();
    fmt::print(
        "| {} | {} | {} x {} | {} | {:.3f} | {:.2f} | {:.0f} | {} | {:.2f} | {:.0f} | {:.1f} | {:.2f} | {} | {} |\n",
        name, static_cast<std::uint64_t>(nonzeros), c.cores, c.lanes, c.cores * c.channels, pass.fill,
        100 * static_cast<double>(pass.conflict_beats) / static_cast<double>(pass.beats - pass.conflict_beats), two,
        overlapping, seconds * 1e6, bytes / seconds / 1e9, operations / seconds / 1e9,
        operations / seconds / 1e9 / card.watts, beside(published, name, seconds * 1e6),
        beside(gpu, name, seconds * 1e6));
    std::fflush(stdout);
}

} // namespace

void sparse_experiment(const toml::table& t) {
    const auto memory = t["memory"];
    Card card;
    card.watts = t["watts"].value_or(0.0);
    card.core_mhz = t["core_mhz"].value_or(0.0);
    card.channels = memory["channels"].value_or(0);
    card.channel_bytes = memory["channel_bytes"].value_or(0.0);
    card.channel_mhz = memory["channel_mhz"].value_or(0.0);
    if (!(card.watts > 0 && card.core_mhz > 0 && card.channels > 0 && card.channel_bytes > 0 && card.channel_mhz > 0))
        throw InvalidInput("experiment: watts, core_mhz and memory.channels, channel_bytes and channel_mhz are wanted, "
                           "above zero");
    std::vector<Cores> all;
    if (const toml::array* list = t["cores"].as_array())
        for (const toml::node& node : *list)
            if (const toml::table* c = node.as_table()) {
                Cores cores{(*c)["cores"].value_or(1), (*c)["lanes"].value_or(1), (*c)["channels"].value_or(1),
                            (*c)["link_words"].value_or(0.0), (*c)["link_latency"].value_or(0U)};
                if (cores.cores * cores.channels > card.channels)
                    throw InvalidInput(fmt::format("experiment: {} cores of {} channels, and the card has {}",
                                                   cores.cores, cores.channels, card.channels));
                all.push_back(cores);
            }
    const Times published = times(t, "published"), gpu = times(t, "gpu");
    const std::string spec = t["spec"].value_or(std::string("fx18.16"));
    fmt::print("Words: {}; {} MHz; {} channels of {} bytes at {} MHz, {:.1f} GB/s; at most {} W.\n\n", spec,
               card.core_mhz, card.channels, card.channel_bytes, card.channel_mhz,
               card.channels * card.channel_bytes * card.channel_mhz / 1e3, card.watts);
    fmt::print(
        "| matrix | entries | cores x lanes | channels | fill | conflicts % | clocks, two-part | overlapping | us per "
        "pass | GB/s | Gop/s | Gop/s/W | published us | ratio | H200 us | ratio |\n");
    fmt::print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    if (const toml::array* list = t["problems"].as_array())
        for (const toml::node& node : *list) {
            const Problem problem = make_problem(node.value_or(std::string()));
            const System scaled = jacobi_scaled(problem).problem.system;
            for (const Cores& c : all) row(problem, scaled, spec, card, c, published, gpu);
        }
}
