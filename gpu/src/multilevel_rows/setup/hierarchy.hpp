// A hierarchy (multilevel/hierarchy.hpp) on the device: made there, or brought there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mantissa/multilevel/hierarchy.hpp"
#include "steps.hpp"

namespace mantissa::gpu::multilevel_rows {

struct DeviceHierarchy {
    /// `room`: bytes that it is thought to take.
    explicit DeviceHierarchy(std::size_t room) : memory(room) {}
    Arena memory;
    double* scale = nullptr;
    std::vector<SetupLevel> level;
    std::vector<double> coarsest; ///< on this processor
    std::string why_not;
};

/// The hierarchy of make_aggregation() for ones, the same bits, made on the device. None where `given` is not exactly
/// symmetric, the kernel vanishes or overflows on an aggregate, nodes are joined with too many others, or memory does
/// not suffice: make_aggregation() takes those. Throws as it does.
std::optional<DeviceHierarchy> make_on_device(const GivenMatrix& given);
DeviceHierarchy bring_to_device(const mantissa::multilevel::Hierarchy& h);
/// For comparisons.
mantissa::multilevel::Hierarchy bring_back(const DeviceHierarchy& h);

} // namespace mantissa::gpu::multilevel_rows
