// The cores that a problem's solve may run on, on one device: their areas and clocks, modelled or counted on a netlist,
// and the time of a solve on so many of them, or of so many lanes. Internal to host/.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "area_model.hpp"
#include "compare/device.hpp"
#include "compare/model/model.hpp"
#include "mantissa/host/problem.hpp"
#include "synthesis/synthesis.hpp"

namespace mantissa::tuning {

struct CoreFigures {
    compare::CoreArea area;
    double mhz = 0; ///< on the device
    /// Of a pass: on grids besides (elements + row) / lanes; of sparse rows all of them.
    double clocks = 0;
    bool synthesised = false; ///< are area and clock those of a netlist?
    double area_error = 0;    ///< of the model's slices, where synthesised
};

/// One core of a datapath. Lanes do not change the bits of a solve on sparse rows, so that there is one for each number
/// of lanes.
struct Build {
    DatapathSpec spec;
    std::string rows; ///< Cores::rows() of it
    CoreFigures figures;
};

/// A solve of so many iterations and outer steps on a build, with so many cores of it.
struct Arranged {
    Build build;
    compare::Estimate estimate;
};

class Cores {
public:
    /// Throws InvalidInput, one line, where no core takes the problem on this device. The references must outlive it.
    Cores(const Problem& problem, const compare::Device& device, double fill, const AreaModel& model);
    /// What rows a core reads: "constant" (it holds a stencil), "streamed" or "sparse".
    [[nodiscard]] const std::string& rows() const { return rows_; }
    /// The same of a datapath's core: floating ones hold the stencil of second differences, and no other.
    [[nodiscard]] const std::string& rows(const DatapathSpec& spec) const;
    /// Empty where the problem's cores take this datapath and their area is known; else one line.
    [[nodiscard]] std::string refusal(const DatapathSpec& spec);
    /// The builds of a datapath without refusal().
    std::vector<Build> builds(const DatapathSpec& spec);
    /// The ways to arrange a build on the device that fit: 1, 2, 4, ... cores on a grid, one core of sparse rows.
    [[nodiscard]] std::vector<Arranged> arranged(const Build& build, double iterations, double outer) const;
    /// From now on the build of this datapath is as its netlist says.
    void enter(const Build& build, const synthesis::SynthesisFigures& netlist);
    [[nodiscard]] synthesis::SynthesisRequest netlist_of(const DatapathSpec& spec) const;
    /// The model's errors for the kind of core that a datapath has.
    [[nodiscard]] std::map<Part, ModelError> errors(const DatapathSpec& spec) const;
    /// Was that kind's area fitted to netlists of the RTL as it is now?
    [[nodiscard]] bool of_this_rtl(const DatapathSpec& spec) const;

private:
    [[nodiscard]] double device_mhz(double model_mhz) const;
    [[nodiscard]] Arranged arranged_sparse(const Build& build, double iterations, double outer) const;
    double row_clocks(int lanes);

    const Problem& problem_;
    const compare::Device& device_;
    double fill_;
    const AreaModel& model_;
    std::string rows_;
    double unknowns_ = 0, row_ = 0;
    std::map<int, double> row_clocks_;            ///< of sparse rows, by lanes: a pass but for what the datapath adds
    std::map<std::string, CoreFigures> netlists_; ///< by specification
};

} // namespace mantissa::tuning
