#include <numeric>
#include <utility>

#include "part_array.cuh"

namespace mantissa::gpu {

PartPlaces::PartPlaces(std::shared_ptr<Peers> devices, std::vector<PartMap> parts)
    : peers(std::move(devices)), maps(std::move(parts)) {
    for (int k = 0; k < peers->parts(); ++k) {
        const PartMap& m = maps[static_cast<std::size_t>(k)];
        if (m.strip) continue;
        std::vector<std::uint32_t>& order = element.emplace_back(m.row.size());
        std::iota(order.begin(), order.end(), 0u);
        std::ranges::sort(order, {}, [&](std::uint32_t i) { return m.row[i]; });
        std::vector<std::uint32_t>& sorted = row.emplace_back();
        for (const std::uint32_t i : order) sorted.push_back(m.row[i]);
        const OnDevice here(peers->device(k));
        element_there.push_back(to_device(order));
        row_there.push_back(to_device(m.row));
        goes_first.push_back(to_device(m.goes_first));
        goes_slot.push_back(to_device(m.goes_slot));
        goes_to.push_back(to_device(m.goes_to));
    }
}

} // namespace mantissa::gpu
