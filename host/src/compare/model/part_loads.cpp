#include "part_loads.hpp"

namespace mantissa::compare {

PartLoads part_loads(const Partition& partition) {
    PartLoads loads;
    loads.cores = partition.parts().size();
    for (const Part& part : partition.parts()) {
        const PartLoad load{static_cast<double>(part.row.size()), static_cast<double>(part.nonzeros),
                            static_cast<double>(part.sent), static_cast<double>(part.received)};
        loads.streamed += load.streamed();
        if (load.streamed() > loads.slowest.streamed()) loads.slowest = load;
    }
    return loads;
}

PartLoads strip_loads(double unknowns, double row_length, std::uint64_t cores) {
    const auto k = static_cast<double>(cores);
    const double halo = cores > 1 ? 2 * row_length : 0;
    PartLoads loads{cores, {unknowns / k, 9 * unknowns / k, halo, halo}, 0};
    loads.streamed = loads.slowest.streamed() * k;
    return loads;
}

} // namespace mantissa::compare
