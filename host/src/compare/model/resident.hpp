// Time and area of a resident design: every vector stays in memories on the chip, the outer loop runs there too, and
// the number of lanes is what fits. Pure functions; formulas in docs/compare.md, "Resident designs". Internal to host/.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/device.hpp"
#include "mantissa/spec.hpp"
#include "model.hpp"

namespace mantissa::compare {

/// Lanes of the cores that are synthesised; areas between them are interpolated, those beyond extrapolated.
inline constexpr int kMappedLanes[] = {1, 4, 16};
/// Lanes of the cores whose clocks are counted, and the problem that they are counted on: what a pass takes besides its
/// elements does not depend on how many there are.
inline constexpr int kCountedLanes[] = {1, 16};
inline constexpr const char* kCountedOn = "poisson2d:level=6";
inline constexpr double kCountedElements = 65 * 65 + 65; ///< with the row that is flushed

/// `spec` with another number of lanes.
DatapathSpec with_lanes(DatapathSpec spec, int lanes);

/// Bits of an element that stay on the chip.
struct ResidentWords {
    std::uint64_t pass = 0;  ///< u, r, p, q and streamed coefficients: a port in every clock of a pass
    std::uint64_t outer = 0; ///< u and the defect of the outer loop: no pass touches them
};
ResidentWords resident_words(const DatapathSpec& spec, bool constant_bands, int outer_bits);

/// Area of a unit by its lanes, from those that were synthesised.
class LaneArea {
public:
    /// By lanes; one entry at least.
    explicit LaneArea(std::map<int, CoreArea> mapped) : mapped_(std::move(mapped)) {}
    [[nodiscard]] CoreArea at(int lanes) const;
    [[nodiscard]] bool is_mapped(int lanes) const { return mapped_.contains(lanes); }

private:
    std::map<int, CoreArea> mapped_;
};

/// Clocks of a pass besides N / lanes + row / lanes, by lanes: counted ones, in between linear in log2(lanes).
class FixedClocks {
public:
    explicit FixedClocks(std::map<int, double> counted) : counted_(std::move(counted)) {}
    [[nodiscard]] double at(int lanes) const;
    [[nodiscard]] bool is_counted(int lanes) const { return counted_.contains(lanes); }

private:
    std::map<int, double> counted_;
};

/// A resident core's units.
struct ResidentCore {
    LaneArea inner, outer; ///< the passes, by lanes; the outer unit, by its own
    CoreArea control;      ///< what is there once, whatever the lanes
    FixedClocks pass;      ///< besides N / lanes + row / lanes
    FixedClocks step;      ///< of an outer step: besides that of the pass that adds the last alpha p to u, and
                           ///< N / outer lanes + row / outer lanes
};

struct ResidentWork {
    double unknowns = 0, row_length = 0;
    double iterations = 0, outer = 0;
    double formed_again = 0; ///< reads of the defect besides
    ResidentWords words;
};

/// Memories that `cores` cores of `lanes` lanes take for the vectors, of each of the device's kinds.
struct MemoryUse {
    std::vector<std::uint64_t> used;
    std::uint64_t turns = 1; ///< words of one element that the busiest memory holds: clocks to visit all of them
    std::string lacks;       ///< empty: they fit; "memory": the bits do not; "ports": the bits would, the words do not
};
MemoryUse memories_for(const ResidentWords& words, double elements, std::uint64_t cores, int lanes,
                       std::uint64_t core_memory_bits, const Device& device);

struct ResidentEstimate {
    std::uint64_t cores = 1;
    int lanes = 1, outer_lanes = 1; ///< of each core
    double pass_clocks = 0, fixed_clocks = 0;
    double outer_clocks = 0; ///< of an outer step
    double seconds_inner = 0, seconds_outer = 0, seconds_link = 0, seconds = 0;
    CoreArea area; ///< of all cores and the outer loop; memories of the vectors stand in `memories`
    std::vector<std::uint64_t> memories;
    double area_share = 0, area_time = 0;
    /// What holds back more lanes: "logic", "blocks", "memory", "ports"; or "fixed clocks", where more of them would
    /// gain less than 1 %.
    std::string bound;
};

/// The fastest arrangement for each total of lanes 1, 2, 4, ... that fits, and the fastest of all; the last is that.
/// Empty, with the reason in `why_not`, where one lane does not fit.
std::vector<ResidentEstimate> resident_estimates(const ResidentCore& core, const ResidentWork& work,
                                                 const Device& device, double fill, double clock_hz,
                                                 std::string& why_not);

} // namespace mantissa::compare
