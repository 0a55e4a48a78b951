// Area of a cycle core by its lanes. Internal to host/.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/device.hpp"
#include "compare/model/resident.hpp"
#include "cycle_cores.hpp"

namespace mantissa::compare {

struct CycleArea {
    std::uint64_t slices = 0, multipliers = 0; ///< of xcup CLBs
    double share = 0;                          ///< of the device, of what it has least of; block memories are not in it
    std::string from;                          ///< "mapped", or "line 4, 8": through the netlists of 4 and 8 lanes
};

/// What is mapped of a design on a device's family, of so many cores together.
class CycleAreas {
public:
    CycleAreas(const Gathered& gathered, const CycleDesign& design, const Device& device, std::uint64_t cores = 1);
    /// Nothing where these lanes are not mapped, and fewer than two others.
    [[nodiscard]] std::optional<CycleArea> at(std::uint64_t lanes, const Device& device) const;
    [[nodiscard]] const std::vector<std::string>& origins() const { return origins_; }

private:
    std::map<int, CoreArea> mapped_;
    std::vector<std::string> origins_;
};

} // namespace mantissa::compare
