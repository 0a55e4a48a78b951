#include "sparse.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "mantissa/sparse_core/limits.hpp"
#include "mantissa/sparse_core/row_stream.hpp"

namespace mantissa::compare {

namespace {

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
    return (a + b - 1) / b;
}

double share(std::uint64_t used, std::uint64_t there) {
    if (used == 0) return 0;
    return there == 0 ? std::numeric_limits<double>::infinity()
                      : static_cast<double>(used) / static_cast<double>(there);
}

/// Memories of one kind for a bank of `depth` words. Both ports at places of their own take half the widest word, where
/// the kind has other shapes than its widest.
std::uint64_t memories_of_bank(const ChipMemory& m, std::uint64_t word, std::uint64_t depth, bool two_places) {
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    const bool halved = two_places && m.narrow < m.width;
    std::uint64_t deep = halved ? 2 * m.depth : m.depth;
    for (std::uint64_t width = halved ? m.width / 2 : m.width; width >= m.narrow && width > 0; width /= 2, deep *= 2)
        fewest = std::min(fewest, ceil_div(word, width) * ceil_div(depth, deep));
    return fewest;
}

} // namespace

std::uint64_t sparse_beat_bits(const DatapathSpec& spec, std::uint64_t rows, std::uint64_t lanes) {
    const auto bank = static_cast<std::uint64_t>(std::bit_width(lanes - 1));
    const std::uint64_t addresses = ceil_div(std::max<std::uint64_t>(rows, 1), lanes);
    const auto address = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::bit_width(addresses - 1)));
    return lanes * (static_cast<std::uint64_t>(spec.coefficient.width()) + bank + address) + 1;
}

std::uint64_t channels_for_beats(std::uint64_t beat_bits, double clock_hz, double channel_bandwidth) {
    const double wanted = static_cast<double>(beat_bits) / 8 * clock_hz;
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(wanted / channel_bandwidth)));
}

std::vector<std::uint64_t> sparse_memories(const DatapathSpec& spec, std::uint64_t rows, std::uint64_t cores,
                                           std::uint64_t lanes, const Device& device) {
    if (device.memories.empty()) return {};
    const std::uint64_t own = ceil_div(rows, cores), depth = ceil_div(own, lanes), all = ceil_div(rows, lanes);
    const std::uint64_t banks = cores * lanes;
    const Format* words[] = {&spec.u, &spec.r, &spec.q, &spec.p};
    std::vector<std::uint64_t> best;
    double least = std::numeric_limits<double>::infinity();
    const std::size_t kinds = device.memories.size(), ways = kinds == 1 ? 1 : 16;
    for (std::size_t way = 0; way < ways; ++way) {
        std::vector<std::uint64_t> used(kinds, 0);
        for (std::size_t v = 0; v < 4; ++v) {
            const std::size_t kind = (way >> v) & 1;
            const bool p = v == 3;
            used[kind] += banks * memories_of_bank(device.memories[kind], static_cast<std::uint64_t>(words[v]->width()),
                                                   p ? all : depth, p);
        }
        double largest = 0;
        for (std::size_t k = 0; k < kinds; ++k) largest = std::max(largest, share(used[k], device.memories[k].count));
        if (largest > 1 || largest >= least) continue;
        least = largest;
        best = std::move(used);
    }
    return best;
}

std::uint64_t most_sparse_rows(const DatapathSpec& spec, const Device& device) {
    std::uint64_t most = 0;
    for (int lanes = 1; lanes <= sparse_core::kMostLanes; lanes *= 2) {
        std::uint64_t low = 0, high = sparse_core::kMostRows + 1; // fits, does not
        while (high - low > 1) {
            const std::uint64_t rows = (low + high) / 2;
            (sparse_memories(spec, rows, 1, static_cast<std::uint64_t>(lanes), device).empty() ? high : low) = rows;
        }
        most = std::max(most, low);
    }
    return most;
}

SparseCores sparse_arrangement(const LaneArea& core, const DatapathSpec& spec, std::uint64_t rows, std::uint64_t cores,
                               std::uint64_t lanes, const Device& device, double fill, double clock_hz,
                               std::string& lacks) {
    SparseCores a;
    a.cores = cores;
    a.lanes = lanes;
    const CoreArea one = core.at(static_cast<int>(lanes));
    a.area = {one.slices * cores, one.blocks * cores, 0};
    a.channels = channels_for_beats(sparse_beat_bits(spec, rows, lanes), clock_hz, device.channel_bandwidth);
    a.memories = sparse_memories(spec, rows, cores, lanes, device);
    lacks = static_cast<double>(a.area.slices) > fill * static_cast<double>(device.slices) ? "logic"
            : a.area.blocks > device.blocks                                                ? "blocks"
            : a.memories.empty()                                                           ? "memory"
            : a.channels * cores > device.channels                                         ? "channels"
                                                                                           : "";
    a.area_share = std::max(share(a.area.slices, device.slices), share(a.area.blocks, device.blocks));
    for (std::size_t i = 0; i < a.memories.size(); ++i)
        a.area_share = std::max(a.area_share, share(a.memories[i], device.memories[i].count));
    return a;
}

std::vector<SparseCores> sparse_arrangements(const LaneArea& core, const DatapathSpec& spec, std::uint64_t rows,
                                             std::uint64_t cores, const Device& device, double fill, double clock_hz,
                                             std::string& why_not) {
    std::vector<SparseCores> all;
    std::string first_lack, lacks;
    for (std::uint64_t lanes = 1; lanes <= sparse_core::kMostLanes; lanes *= 2) {
        SparseCores a = sparse_arrangement(core, spec, rows, cores, lanes, device, fill, clock_hz, lacks);
        a.bound = "lanes";
        if (lacks.empty()) {
            all.push_back(std::move(a));
            first_lack.clear();
            continue;
        }
        if (first_lack.empty()) first_lack = lacks;
        if (lacks != "memory") break; // more lanes may take fewer memories, but no less of the others
    }
    why_not = all.empty() ? first_lack : "";
    if (all.empty()) return all;
    if (!first_lack.empty()) all.back().bound = first_lack;
    std::vector<SparseCores> shown;
    for (std::size_t from_last = std::min<std::size_t>(4, (all.size() - 1) / 2 * 2);; from_last -= 2) {
        shown.push_back(all[all.size() - 1 - from_last]);
        if (from_last == 0) break;
    }
    return shown;
}

} // namespace mantissa::compare
