// Areas, clocks and clocks of a pass of cores that have not been synthesised, from some that have (docs/tune.md, "The
// area model"). Internal to host/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/model/model.hpp"
#include "fit.hpp"
#include "mantissa/spec.hpp"

namespace mantissa::tuning {

/// A netlist of the shipped table (experiments/tune/cores.json, which experiments/tune/cores.py writes).
struct Netlist {
    DatapathSpec spec;
    std::string sources;                   ///< the hash of the RTL that it was made of
    std::string target, multiplier, bands; ///< bands: constant, streamed, or sparse (rows)
    std::uint64_t slices = 0, blocks = 0, memory_bits = 0;
    double model_mhz = 0; ///< with the delays of an ECP5
    std::optional<double>
        fixed_clocks; ///< of a pass besides (elements + row) / lanes, as the SystemC model counts them
};

/// What is fitted of a core.
enum class Part : std::uint8_t { slices, blocks, memory_bits, mhz, clocks };
inline constexpr Part kParts[] = {Part::slices, Part::blocks, Part::memory_bits, Part::mhz, Part::clocks};
const char* to_string(Part part);

/// The cores of one kind on one family of devices.
struct ModelledCore {
    compare::CoreArea area;
    double model_mhz = 0;
    double fixed_clocks = 0;
};

class AreaModel {
public:
    /// Fits to the netlists of `file`. Throws InvalidInput, one line, for a file that is no such table.
    explicit AreaModel(const std::string& file);
    /// Empty where the model has this core; else one line that says why not.
    [[nodiscard]] std::string refusal(const DatapathSpec& spec, const std::string& target,
                                      const std::string& multiplier, const std::string& bands) const;
    /// Of a core without refusal().
    [[nodiscard]] ModelledCore at(const DatapathSpec& spec, const std::string& target, const std::string& multiplier,
                                  const std::string& bands) const;
    /// By part, of the kind of core that this one is: on the table's cores for judging ("judge": true), or, where a
    /// kind has none, on each core with the weights of the others.
    [[nodiscard]] std::map<Part, ModelError> errors(const DatapathSpec& spec, const std::string& target,
                                                    const std::string& multiplier, const std::string& bands) const;
    /// Are all netlists of the kind of core that this one is of RTL with this hash?
    [[nodiscard]] bool made_of(const std::string& sources, const DatapathSpec& spec, const std::string& target,
                               const std::string& multiplier, const std::string& bands) const;

private:
    struct Kind {
        std::vector<Netlist> cores, judges;          ///< judges: of known error, not fitted to
        std::map<Part, std::vector<double>> weights; ///< of features_of()
        std::map<Part, ModelError> errors;
        int least_bits = 0, most_bits = 0, most_lanes = 1;
    };
    [[nodiscard]] const Kind* find(const DatapathSpec& spec, const std::string& target, const std::string& multiplier,
                                   const std::string& bands) const;

    std::map<std::string, Kind> kinds_;
};

} // namespace mantissa::tuning
