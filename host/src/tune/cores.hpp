// The cores that a problem's solve may run on, on one device: their areas and clocks, modelled or counted on a netlist,
// and the time of a solve on so many of them, or of so many lanes. Internal to host/.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "area/area_model.hpp"
#include "area/core_table.hpp"
#include "area/cycle_model.hpp"
#include "compare/device.hpp"
#include "compare/model/model.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/multilevel/grid_words.hpp"
#include "synthesis/synthesis.hpp"

namespace mantissa::tuning {

struct CoreFigures {
    compare::CoreArea area;
    double mhz = 0; ///< on the device
    /// Of a pass: on grids besides (elements + row) / lanes; of sparse rows and of cycles all of them.
    double clocks = 0;
    double last = 0;          ///< of a solve by cycles: clocks after the last one
    bool synthesised = false; ///< are area and clock those of a netlist?
    double area_error = 0;    ///< of the model's slices, where synthesised
};

/// One core of a datapath, or of a multilevel cycle. Lanes do not change the bits of a solve on sparse rows or by
/// cycles, so that there is one for each number of lanes.
struct Build {
    DatapathSpec spec;
    std::string rows; ///< Cores::rows() of it; "cycle": of cycles
    CoreFigures figures;
    std::optional<CycleSpec> cycle = {};           ///< in the place of `spec`
    int cycle_lanes = 1, cycle_level = kCycleRows; ///< level: of the rows that it has
    [[nodiscard]] int lanes() const { return cycle ? cycle_lanes : spec.lanes; }
    /// "fx18.16,...", or "b2,w=10,lanes=4".
    [[nodiscard]] std::string name() const;
};

/// A solve of so many iterations and outer steps on a build, with so many cores of it.
struct Arranged {
    Build build;
    compare::Estimate estimate;
};

class Cores {
public:
    /// Throws InvalidInput, one line, where no core takes the problem on this device. The references must outlive it.
    /// `table`: the file of the netlists that the models are fitted to.
    Cores(const Problem& problem, const compare::Device& device, double fill, const AreaModel& model,
          const CycleModel& cycle_model, const std::string& table);
    /// What rows a core reads: "constant" (it holds a stencil), "streamed" or "sparse".
    [[nodiscard]] const std::string& rows() const { return rows_; }
    /// The same of a datapath's core: floating ones hold the stencil of second differences, and no other.
    [[nodiscard]] const std::string& rows(const DatapathSpec& spec) const;
    /// Why no core of cycles can be judged for the problem on this device, in one line; empty where some can.
    [[nodiscard]] std::string no_cycles() const;
    /// Empty where the problem's cores take the datapath or the cycle of these options and their area is known; else
    /// one line.
    [[nodiscard]] std::string refusal(const SolveOptions& options);
    /// The builds for options without refusal().
    std::vector<Build> builds(const SolveOptions& options);
    /// The ways to arrange a build on the device that fit: 1, 2, 4, ... cores on a grid, one core of sparse rows or of
    /// cycles.
    [[nodiscard]] std::vector<Arranged> arranged(const Build& build, double iterations, double outer) const;
    /// From now on the build of this datapath is as its netlist says.
    void enter(const Build& build, const synthesis::SynthesisFigures& netlist);
    [[nodiscard]] synthesis::SynthesisRequest netlist_of(const Build& build) const;
    /// The model's errors for the kind of core that a build is.
    [[nodiscard]] std::map<Part, ModelError> errors(const Build& build) const;
    /// Was that kind's area fitted to netlists of the RTL as it is now?
    [[nodiscard]] bool of_this_rtl(const Build& build) const;

private:
    std::string datapath_refusal(const DatapathSpec& spec);
    std::vector<Build> datapath_builds(const DatapathSpec& spec);
    std::string cycle_refusal(const CycleSpec& cycle);
    std::vector<Build> cycle_builds(const CycleSpec& cycle);
    [[nodiscard]] Arranged arranged_cycle(const Build& build, double cycles) const;
    void take_netlist(Build& build);
    [[nodiscard]] double device_mhz(double model_mhz) const;
    [[nodiscard]] Arranged arranged_sparse(const Build& build, double iterations, double outer) const;
    double row_clocks(int lanes);

    const Problem& problem_;
    const compare::Device& device_;
    double fill_;
    const AreaModel& model_;
    const CycleModel& cycle_model_;
    TableNetlists table_;
    std::optional<multilevel::GridWords> grid_; ///< of cycles
    std::string rows_;
    double unknowns_ = 0, row_ = 0;
    std::map<int, double> row_clocks_;            ///< of sparse rows, by lanes: a pass but for what the datapath adds
    std::map<std::string, CoreFigures> netlists_; ///< by Build::name()
};

} // namespace mantissa::tuning
