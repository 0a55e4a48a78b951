#include "resident.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace mantissa::compare {

namespace {

constexpr double kEnough = 1.01;        // more lanes that gain less are not worth their area
constexpr double kTreeClocksALevel = 2; // of the sum tree over cores: an adder and a way between cores
constexpr int kMostLanesOfACore = DatapathSpec::kMaxLanes;
constexpr double kOuterWordBytes = 8;

double levels_of(double n) {
    return std::ceil(std::log2(std::max(1.0, n)));
}

/// The value at x of the line through the two entries around it, or the nearest two.
template <class Figure> double on_line(const std::map<int, double>& points, double x, const Figure& scale) {
    if (points.size() == 1) return points.begin()->second;
    auto right = points.begin();
    while (right != points.end() && scale(right->first) < x) ++right;
    if (right == points.end()) --right;
    if (right == points.begin()) ++right;
    const auto left = std::prev(right);
    const double a = scale(left->first), b = scale(right->first);
    return left->second + (right->second - left->second) * (x - a) / (b - a);
}

double share_of(double used, double there) {
    return used <= 0 ? 0 : there <= 0 ? std::numeric_limits<double>::infinity() : used / there;
}

} // namespace

DatapathSpec with_lanes(DatapathSpec spec, int lanes) {
    spec.lanes = lanes;
    return spec;
}

ResidentWords resident_words(const DatapathSpec& spec, bool constant_bands, int outer_bits) {
    std::uint64_t bits = 0;
    for (const Format* f : {&spec.u, &spec.r, &spec.p, &spec.q}) bits += static_cast<std::uint64_t>(f->width());
    if (!constant_bands) bits += static_cast<std::uint64_t>(coefficient_words(spec) * spec.coefficient.width());
    return {bits, 2 * static_cast<std::uint64_t>(outer_bits)};
}

CoreArea LaneArea::at(int lanes) const {
    if (const auto it = mapped_.find(lanes); it != mapped_.end()) return it->second;
    const auto figure = [&](std::uint64_t CoreArea::*field) {
        std::map<int, double> points;
        for (const auto& [n, area] : mapped_) points[n] = static_cast<double>(area.*field);
        const double value = mapped_.size() == 1 ? points.begin()->second * lanes
                                                 : on_line(points, lanes, [](int n) { return static_cast<double>(n); });
        return static_cast<std::uint64_t>(std::ceil(std::max(0.0, value)));
    };
    return {figure(&CoreArea::slices), figure(&CoreArea::blocks), figure(&CoreArea::memory_bits)};
}

double FixedClocks::at(int lanes) const {
    return on_line(counted_, std::log2(lanes), [](int n) { return std::log2(n); });
}

namespace {

struct Arranger {
    const ResidentCore& core;
    const ResidentWork& work;
    const Device& device;
    double fill, clock_hz;

    /// Elements that a core streams: its strip of whole rows and, with several, a row of each neighbour.
    [[nodiscard]] double elements(std::uint64_t cores) const {
        return strip_loads(work.unknowns, work.row_length, cores).slowest.streamed();
    }

    /// Nothing, and the reason, where it does not fit.
    [[nodiscard]] std::optional<ResidentEstimate> at(std::uint64_t cores, int lanes, int outer_lanes,
                                                     std::string& lacks) const {
        ResidentEstimate e;
        e.cores = cores;
        e.lanes = lanes;
        e.outer_lanes = outer_lanes;
        const CoreArea inner = core.inner.at(lanes), outer = core.outer.at(outer_lanes);
        const CoreArea one{inner.slices + outer.slices + core.control.slices,
                           inner.blocks + outer.blocks + core.control.blocks, inner.memory_bits + outer.memory_bits};
        e.area = {one.slices * cores, one.blocks * cores, one.memory_bits * cores};
        if (static_cast<double>(e.area.slices) > fill * static_cast<double>(device.slices)) lacks = "logic";
        else if (e.area.blocks > device.blocks) lacks = "blocks";
        else {
            const MemoryUse memory = memories_for(work.words, elements(cores), cores, lanes, one.memory_bits, device);
            lacks = memory.lacks;
            if (lacks.empty()) time(e, memory);
        }
        if (!lacks.empty()) return std::nullopt;
        e.area_share = std::max(share_of(static_cast<double>(e.area.slices), static_cast<double>(device.slices)),
                                share_of(static_cast<double>(e.area.blocks), static_cast<double>(device.blocks)));
        for (std::size_t i = 0; i < e.memories.size(); ++i)
            e.area_share = std::max(e.area_share, share_of(static_cast<double>(e.memories[i]),
                                                           static_cast<double>(device.memories[i].count)));
        e.area_time = e.area_share * e.seconds;
        return e;
    }

    void time(ResidentEstimate& e, const MemoryUse& memory) const {
        const double streamed = elements(e.cores);
        e.memories = memory.used;
        const double tree = kTreeClocksALevel * levels_of(static_cast<double>(e.cores));
        e.fixed_clocks = core.pass.at(e.lanes) + tree;
        // A single core runs on for a row; with several the row of a neighbour, already among the elements, is that.
        const double run_out = e.cores > 1 ? 0 : work.row_length;
        e.pass_clocks = (streamed + run_out) / e.lanes + e.fixed_clocks;
        // u takes the last alpha p, as in a pass. Then V, D and r are formed; where memories hold several words of an
        // element behind one port, they take a turn for each.
        const double again = std::max((streamed + run_out) / e.outer_lanes,
                                      (streamed + run_out) / e.lanes * static_cast<double>(memory.turns));
        e.outer_clocks = (streamed + run_out) / e.lanes + again + core.step.at(e.lanes) + tree;
        e.seconds_inner = work.iterations * e.pass_clocks / clock_hz;
        e.seconds_outer = (work.outer * e.outer_clocks + work.formed_again * again) / clock_hz;
        // b comes once and u goes back once.
        if (device.link) e.seconds_link = 2 * kOuterWordBytes * work.unknowns / *device.link;
        e.seconds = e.seconds_inner + e.seconds_outer + e.seconds_link;
    }

    /// The fastest share of outer lanes for so many cores and lanes.
    [[nodiscard]] std::optional<ResidentEstimate> best(std::uint64_t cores, int lanes, std::string& lacks) const {
        std::optional<ResidentEstimate> best;
        for (int outer = lanes; outer >= 1; outer /= 2) {
            std::string why;
            const auto e = at(cores, lanes, outer, why);
            if (e && (!best || e->seconds < best->seconds)) best = e;
            if (!e) lacks = why;
        }
        if (best) lacks.clear();
        return best;
    }
};

} // namespace

std::vector<ResidentEstimate> resident_estimates(const ResidentCore& core, const ResidentWork& work,
                                                 const Device& device, double fill, double clock_hz,
                                                 std::string& why_not) {
    const Arranger arranger{core, work, device, fill, clock_hz};
    const int most_lanes = static_cast<int>(std::bit_floor(
        static_cast<unsigned>(std::clamp(work.row_length, 1.0, static_cast<double>(kMostLanesOfACore)))));
    const auto rows = static_cast<std::uint64_t>(std::max(1.0, work.unknowns / std::max(1.0, work.row_length)));
    why_not.clear();
    std::vector<ResidentEstimate> list;
    std::vector<ResidentEstimate> all;
    const auto offer = [&](std::uint64_t cores, int lanes, std::string& lacks) {
        const auto e = arranger.best(cores, lanes, lacks);
        if (e) all.push_back(*e);
        return e;
    };
    for (int lanes = 1; lanes <= most_lanes; lanes *= 2)
        if (const auto e = offer(1, lanes, why_not)) list.push_back(*e);
        else break;
    if (list.empty()) return list;
    std::string lacks; // of the last number of cores that did not fit
    // More cores want more slices and multipliers; but their memories are less deep, and may fit again.
    const auto ends = [](const std::string& what) { return what == "logic" || what == "blocks"; };
    for (std::uint64_t cores = 2; list.back().lanes == most_lanes && cores <= rows; ++cores) {
        const auto e = offer(cores, most_lanes, lacks);
        if (!e && ends(lacks)) break;
        if (e && std::has_single_bit(cores)) list.push_back(*e);
    }
    // Several cores of fewer lanes may use a small device better.
    for (int lanes = most_lanes / 2; lanes >= 1; lanes /= 2) {
        std::string ignored;
        for (std::uint64_t cores = 2; cores <= rows; ++cores)
            if (!offer(cores, lanes, ignored) && ends(ignored)) break;
    }
    // Of those that come within 1 % of the fastest the one with the fewest lanes.
    const auto total = [](const ResidentEstimate& e) { return e.cores * static_cast<std::uint64_t>(e.lanes); };
    const double least = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
                             return a.seconds < b.seconds;
                         })->seconds;
    std::erase_if(all, [&](const ResidentEstimate& e) { return e.seconds > kEnough * least; });
    ResidentEstimate chosen = *std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
        return std::pair(total(a), a.seconds) < std::pair(total(b), b.seconds);
    });
    std::string further;
    chosen.bound = arranger.best(chosen.cores + 1, chosen.lanes, further) ? "fixed clocks" : further;
    std::erase_if(list, [&](const ResidentEstimate& e) { return total(e) >= total(chosen); });
    for (ResidentEstimate& e : list) e.bound = "lanes";
    list.push_back(chosen);
    return list;
}

} // namespace mantissa::compare
