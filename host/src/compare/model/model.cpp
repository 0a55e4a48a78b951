#include "model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mantissa/sim/core_parameters.hpp"

namespace mantissa::compare {

namespace {

constexpr double kEnough = 1.01; // a pass this close to the shortest needs no more cores

/// Clocks to add the partial sums of `cores` cores in a tree: one addition a level.
double tree_clocks(const DatapathSpec& spec, std::uint64_t cores) {
    double levels = 0;
    for (std::uint64_t n = 1; n < cores; n *= 2) ++levels;
    return levels * (spec.dot.fixed || spec.dot.exact ? 1 : sim::adder_latency(spec.dot.accumulator.fraction_bits));
}

double share(std::uint64_t used, std::uint64_t there) {
    if (used == 0) return 0;
    return there == 0 ? std::numeric_limits<double>::infinity()
                      : static_cast<double>(used) / static_cast<double>(there);
}

} // namespace

int coefficient_words(const DatapathSpec& spec) {
    if (spec.fixed_vectors() || spec.order == RowOrder::flux) return 4;
    return spec.order == RowOrder::second_difference ? 0 : 9;
}

Traffic traffic_of(const DatapathSpec& spec, bool constant_bands, bool packed) {
    Traffic t;
    struct Word {
        double bits = 0, share = 0; ///< of a number, and of a scale for it
        explicit Word(const Format& f, const narrow::BlockFormat& blocks = {})
            : bits(blocks.given() ? blocks.element_bits() : f.width()),
              share(blocks.given() ? blocks.bits() - blocks.element_bits() : 0) {}
    };
    const auto bytes = [&](const Word& w) { return (packed ? w.bits / 8 : std::ceil(w.bits / 8)) + w.share / 8; };
    const auto add = [&](const Word& w, int times) {
        t.words += times;
        t.bits += static_cast<std::uint64_t>(std::ceil((w.bits + w.share) * times));
        t.bytes += bytes(w) * times;
    };
    const Word u(spec.u), r(spec.r), p(spec.p, spec.p_blocks), q(spec.q);
    for (const Word* w : {&u, &r, &p, &q}) add(*w, 2); // in and out
    if (const int words = coefficient_words(spec); !constant_bands && words > 0)
        add(Word(spec.coefficient, spec.coefficient_blocks), words);
    t.vector_bytes = bytes(u) + bytes(r) + 2 * bytes(p);
    return t;
}

Fit cores_that_fit(const CoreArea& core, const Device& device, double fill) {
    Fit fit{std::numeric_limits<std::uint64_t>::max(), "logic"};
    const auto limit = [&](std::uint64_t need, double there, const char* what) {
        if (need == 0) return;
        const auto cores = static_cast<std::uint64_t>(there / static_cast<double>(need));
        if (cores < fit.cores) fit = {cores, what};
    };
    limit(std::max<std::uint64_t>(core.slices, 1), fill * static_cast<double>(device.slices), "logic");
    limit(core.blocks, static_cast<double>(device.blocks), "blocks");
    limit(core.memory_bits, static_cast<double>(device.memory_bits), "memory");
    return fit;
}

Estimate estimate(const CoreArea& core, const DatapathSpec& spec, const Traffic& traffic, const Workload& work,
                  const Device& device, std::uint64_t cores, double clock_hz) {
    // Each core takes a strip of whole rows; with several, it streams its neighbours' two rows at its edges too.
    return estimate(core, spec, traffic, work, device, strip_loads(work.unknowns, work.row_length, cores), clock_hz);
}

Estimate estimate(const CoreArea& core, const DatapathSpec& spec, const Traffic& traffic, const Workload& work,
                  const Device& device, const PartLoads& loads, double clock_hz) {
    const std::uint64_t cores = loads.cores;
    const auto k = static_cast<double>(cores);
    const double lanes = spec.lanes;
    // One of the two takes the place of the row that a single core runs out for at the end of a pass.
    const double run_out = cores > 1 ? work.row_length / lanes : 0;
    const double fixed =
        std::max(0.0, work.cycles_per_pass - work.unknowns / lanes - run_out) + tree_clocks(spec, cores);
    Estimate e;
    e.cores = cores;
    const double stream_clocks = loads.slowest.streamed() / lanes;
    e.pass_clocks = stream_clocks + fixed;
    e.pass_bytes = traffic.bytes * loads.streamed;
    double stream_seconds = stream_clocks / clock_hz;
    e.bound = "clock";
    if (device.pins) {
        const double needed = static_cast<double>(traffic.bits) * lanes * k;
        const double slower = needed / static_cast<double>(*device.pins);
        if (slower > 1) {
            stream_seconds *= slower;
            e.bound = "io";
        }
    }
    if (device.bandwidth && e.pass_bytes / *device.bandwidth > stream_seconds) {
        stream_seconds = e.pass_bytes / *device.bandwidth;
        e.bound = "bandwidth";
    }
    e.pass_seconds = stream_seconds + fixed / clock_hz;
    e.seconds_inner = work.iterations * e.pass_seconds;
    e.seconds_host = work.outer * work.host_seconds;
    if (device.link) e.seconds_link = work.outer * traffic.vector_bytes * work.unknowns / *device.link;
    e.seconds = e.seconds_inner + e.seconds_host + e.seconds_link;
    e.area_share = std::max({share(core.slices * cores, device.slices), share(core.blocks * cores, device.blocks),
                             share(core.memory_bits * cores, device.memory_bits)});
    e.area_time = e.area_share * e.seconds;
    return e;
}

std::vector<Estimate> estimates(const CoreArea& core, const DatapathSpec& spec, const Traffic& traffic,
                                const Workload& work, const Device& device, double fill, double clock_hz, Fit& fit) {
    fit = cores_that_fit(core, device, fill);
    const auto at = [&](std::uint64_t cores) { return estimate(core, spec, traffic, work, device, cores, clock_hz); };
    std::vector<Estimate> list;
    if (fit.cores == 0) return list;
    // A strip has a row at least.
    const auto rows = static_cast<std::uint64_t>(std::max(1.0, work.unknowns / std::max(work.row_length, 1.0)));
    const std::uint64_t most = std::min(fit.cores, rows);
    double shortest = std::numeric_limits<double>::infinity();
    for (std::uint64_t k = 1; k <= most; ++k) shortest = std::min(shortest, at(k).pass_seconds);
    std::uint64_t enough = 1;
    while (at(enough).pass_seconds > kEnough * shortest) ++enough;
    for (std::uint64_t k = 1; k < enough; k *= 2) list.push_back(at(k));
    list.push_back(at(enough));
    if (list.back().bound == "clock") list.back().bound = enough == fit.cores ? fit.bound : at(enough + 1).bound;
    return list;
}

std::vector<bool> pareto_front(const std::vector<std::pair<double, double>>& points) {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return points[a] < points[b]; });
    std::vector<bool> front(points.size(), false);
    double lowest = std::numeric_limits<double>::infinity(), x_of_lowest = 0;
    for (const std::size_t i : order) { // by x, then y: a point is on the front when it lowers y, or equals the last
        const auto& [x, y] = points[i];
        if (y < lowest || (y == lowest && x == x_of_lowest)) {
            front[i] = true;
            if (y < lowest) x_of_lowest = x;
            lowest = y;
        }
    }
    return front;
}

} // namespace mantissa::compare
