// Areas and clocks of cycle cores (rtl/cycle) that have not been synthesised, from some that have. Internal to host/.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "area_model.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"

namespace mantissa::tuning {

/// Rows of the table's netlists are for grids of up to 2^kCycleRows + 1 nodes a side.
inline constexpr int kCycleRows = 10;

/// Slices, multipliers and clock. What the vectors take is multilevel::cycle_store()'s to say.
class CycleModel {
public:
    /// Fits to the netlists of cycles in `file`. Throws InvalidInput, one line, for a file that is no such table.
    explicit CycleModel(const std::string& file);
    /// Empty where the model has cores of this cycle and so many lanes on a family; else one line that says why not.
    [[nodiscard]] std::string refusal(const CycleSpec& cycle, int lanes, const std::string& target) const;
    /// Of a core without refusal().
    [[nodiscard]] ModelledCore at(const CycleSpec& cycle, int lanes, const std::string& target) const;
    /// By part, on a family.
    [[nodiscard]] std::map<Part, ModelError> errors(const std::string& target) const;
    /// Are all netlists of a family of RTL with this hash?
    [[nodiscard]] bool made_of(const std::string& sources, const std::string& target) const;

private:
    struct CycleNetlist {
        CycleSpec cycle;
        int lanes = 1;
        std::string sources;
        double slices = 0, blocks = 0, mhz = 0;
    };
    struct Kind {
        std::vector<CycleNetlist> cores;
        std::vector<double> slices, mhz; ///< weights
        std::map<Part, ModelError> errors;
        int least_bits = 0, most_bits = 0, most_lanes = 1; ///< of a word of r as it enters the finest level
    };
    static Kind fitted(std::vector<CycleNetlist> cores);

    std::map<std::string, Kind> kinds_; ///< by family
};

} // namespace mantissa::tuning
