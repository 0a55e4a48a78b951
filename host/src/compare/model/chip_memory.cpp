// How vectors are laid out in the memories of a chip.
#include <algorithm>
#include <cmath>
#include <limits>

#include "resident.hpp"

namespace mantissa::compare {

namespace {

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
    return (a + b - 1) / b;
}

/// Memories of one kind side by side, each `width` bits wide, `stack` of them on top of one another to hold `depth`
/// words; where that leaves room for further words of as many elements, these are `slots`.
struct Shape {
    std::uint64_t width = 0, stack = 0, slots = 0;
};

std::vector<Shape> shapes_of(const ChipMemory& m, std::uint64_t depth) {
    std::vector<Shape> shapes;
    for (std::uint64_t width = m.width, deep = m.depth; width >= m.narrow && width > 0; width /= 2, deep *= 2) {
        const std::uint64_t stack = ceil_div(depth, deep);
        shapes.push_back({width, stack, stack * deep / depth});
    }
    return shapes;
}

/// Bits in a row of memories that the words of all lanes take: those with a port of their own in each clock, the
/// others.
struct Wanted {
    std::uint64_t pass = 0, outer = 0;
};

/// Columns of one shape: enough for what is wanted, as far as `most` columns go. What they hold is taken from `wanted`.
std::uint64_t place(const Shape& s, std::uint64_t most, std::uint64_t most_for_passes, Wanted& wanted,
                    std::uint64_t& turns) {
    const std::uint64_t columns = std::min({most, most_for_passes, ceil_div(wanted.pass, s.width)});
    wanted.pass -= std::min(wanted.pass, columns * s.width);
    const auto take = [&](std::uint64_t room) {
        const std::uint64_t taken = std::min(wanted.outer, room);
        wanted.outer -= taken;
        return taken;
    };
    if (columns > 0) {
        const std::uint64_t shared = take(columns * s.width * (s.slots - 1));
        turns = std::max(turns, 1 + ceil_div(shared, columns * s.width));
    }
    const std::uint64_t further = std::min(most - columns, ceil_div(wanted.outer, s.width * s.slots));
    const std::uint64_t alone = take(further * s.width * s.slots);
    if (further > 0) turns = std::max(turns, ceil_div(alone, further * s.width));
    return columns + further;
}

} // namespace

MemoryUse memories_for(const ResidentWords& words, double elements, std::uint64_t cores, int lanes,
                       std::uint64_t core_memory_bits, const Device& device) {
    const auto depth = static_cast<std::uint64_t>(std::ceil(elements / lanes));
    const auto width = static_cast<std::uint64_t>(lanes);
    MemoryUse best{std::vector<std::uint64_t>(device.memories.size(), 0), 1, "memory"};
    if (device.memories.empty()) return best;
    const ChipMemory& block = device.memories.front();
    const std::uint64_t own = ceil_div(core_memory_bits, block.width * block.depth);
    double bits = 0;
    for (const ChipMemory& m : device.memories) bits += static_cast<double>(m.bits());
    const double needed = static_cast<double>(cores) * (static_cast<double>(own * block.width * block.depth) +
                                                        elements * static_cast<double>(words.pass + words.outer));
    if (needed > bits || own * cores > block.count) return best;
    best.lacks = "ports";
    // The large kind in its widest shape only; how many of its columns serve the passes is tried.
    const bool two = device.memories.size() == 2;
    const Shape large = two ? shapes_of(device.memories[1], depth).front() : Shape{1, 1, 1};
    const std::uint64_t large_columns = two ? device.memories[1].count / cores / large.stack : 0;
    double least = std::numeric_limits<double>::infinity();
    for (const Shape& shape : shapes_of(block, depth))
        for (std::uint64_t for_passes = 0; for_passes <= large_columns; ++for_passes) {
            Wanted wanted{width * words.pass, width * words.outer};
            std::uint64_t turns = 1;
            const std::uint64_t a = two ? place(large, large_columns, for_passes, wanted, turns) : 0;
            const std::uint64_t most = (block.count / cores - own) / shape.stack;
            const std::uint64_t b = place(shape, most, most, wanted, turns);
            if (wanted.pass > 0 || wanted.outer > 0) continue;
            const std::uint64_t used = (own + b * shape.stack) * cores;
            double share = static_cast<double>(used) / static_cast<double>(block.count);
            if (two)
                share = std::max(share, static_cast<double>(a * large.stack * cores) /
                                            static_cast<double>(device.memories[1].count));
            if (share >= least) continue;
            least = share;
            best = {{used}, turns, ""};
            if (two) best.used.push_back(a * large.stack * cores);
        }
    return best;
}

} // namespace mantissa::compare
