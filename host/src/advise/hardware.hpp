// What an advised design takes on a device: area, clock, memory and time as `mantissa compare` has them. Internal to
// host/.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comparison/document.hpp"
#include "mantissa/host/advise.hpp"
#include "store/result_json.hpp"

namespace mantissa::advising {

/// The design on the device.
struct Hardware {
    std::string device, target;                  ///< for people; of synthesis
    std::string comparison;                      ///< the file that `mantissa compare` takes for the same figures
    std::vector<mantissa::comparison::Row> rows; ///< that document's rows of the design, fewest cores or lanes first
    std::vector<mantissa::comparison::SparseRow> sparse; ///< its sparse ones
    std::vector<std::string> missing;                    ///< why a figure is missing, a sentence each
};

/// What the request says of the hardware.
struct HardwareRequest {
    std::string device;  ///< a name in experiments/devices/ or a path of a .toml file; empty: none
    std::string store;   ///< results file; empty: one that is thrown away, and the cache's for syntheses
    std::string command; ///< for the provenance
    int threads = 1;
};

/// What the engines `names` (separated by commas, empty: none) and, with `on_device`, cores in hardware say to a
/// datapath on a system, for AdviceOptions::refusal. Throws InvalidInput where an engine is unknown.
std::function<std::string(const DatapathSpec&, const System&)> refusal_by(const std::string& names, bool on_device);

/// Throws InvalidInput, one line, where the device is unknown or has no place for cores of this problem; computes
/// nothing.
void check_device(const Problem& problem, const HardwareRequest& request);

/// Synthesises, counts clocks and joins: minutes where the cache lacks the area. What cannot be had (no yosys, rows
/// that do not fit) is in `missing`.
Hardware hardware_of(const Problem& problem, const Proposal& proposal, const HardwareRequest& request);

/// It in sentences, ends with a newline.
std::string hardware_text(const Hardware& hardware);
/// The advice, and what it takes on the device where one was asked for.
std::string text_on(const Problem& problem, const Advice& advice, const std::optional<Hardware>& hardware);
results::Json to_json(const Hardware& hardware);

} // namespace mantissa::advising
