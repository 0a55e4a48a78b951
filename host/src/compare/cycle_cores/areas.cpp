// Netlists of cycle cores: which are asked for, and the area of a row from them.
#include <algorithm>

#include <fmt/format.h>

#include "../gather/gather.hpp"
#include "areas.hpp"
#include "mantissa/multilevel/cycle_clocks.hpp"
#include "synthesis/synthesis.hpp"

namespace mantissa::compare {

namespace {

constexpr int kStoredLevel = 5; ///< of the vectors in a netlist

} // namespace

synthesis::SynthesisRequest cycle_core_request(const CycleDesign& design, const std::string& target,
                                               std::uint64_t lanes, std::uint64_t cores, std::size_t level) {
    synthesis::SynthesisRequest request;
    request.target = target;
    request.part = "cycle";
    const int rows = static_cast<int>(level);
    const int count = static_cast<int>(cores);
    const int least = multilevel::CycleSlabs(static_cast<std::size_t>(design.cycle.before),
                                             static_cast<std::size_t>(design.cycle.after), count)
                          .split;
    request.cycle = {design.cycle, rows, std::min(std::max(kStoredLevel, least), rows), static_cast<int>(lanes), count};
    return request;
}

CoreKey key_of_cycle_core(const synthesis::SynthesisRequest& request) {
    return {synthesis::subject_of(request), request.target, request.multiplier, "streamed", request.part};
}

std::size_t cycle_rows_level(const Gathered& gathered) {
    std::size_t level = 0;
    for (const auto& [problem, grid] : gathered.cycle_grids) level = std::max(level, grid.levels());
    return level;
}

CycleAreas::CycleAreas(const Gathered& gathered, const CycleDesign& design, const Device& device, std::uint64_t cores) {
    const std::size_t level = cycle_rows_level(gathered);
    for (const std::uint64_t lanes : design.mapped) {
        const auto it =
            gathered.areas.find(key_of_cycle_core(cycle_core_request(design, device.target, lanes, cores, level)));
        if (it == gathered.areas.end()) continue;
        mapped_[static_cast<int>(lanes)] = {it->second.value.slices, it->second.value.blocks, 0};
        origins_.push_back(it->second.origin);
    }
}

std::optional<CycleArea> CycleAreas::at(std::uint64_t lanes, const Device& device) const {
    const int n = static_cast<int>(lanes);
    CycleArea out;
    if (mapped_.contains(n)) out.from = "mapped";
    else if (mapped_.size() < 2) return std::nullopt;
    else {
        // LaneArea's line: the entries around n, else the nearest two.
        auto right = mapped_.lower_bound(n);
        if (right == mapped_.end()) --right;
        if (right == mapped_.begin()) ++right;
        out.from = fmt::format("line {}, {}", std::prev(right)->first, right->first);
    }
    const CoreArea area = LaneArea(mapped_).at(n);
    out.slices = area.slices;
    out.multipliers = area.blocks;
    const auto share = [](std::uint64_t used, std::uint64_t there) {
        return there == 0 ? 0.0 : static_cast<double>(used) / static_cast<double>(there);
    };
    out.share = std::max(share(area.slices, device.slices), share(area.blocks, device.blocks));
    return out;
}

} // namespace mantissa::compare
