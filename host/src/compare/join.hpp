// The join: rows of designs on devices, out of what was gathered. Internal to host/.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compare/gather/gather.hpp"
#include "compare/model/model.hpp"
#include "compare/model/resident.hpp"
#include "compare/model/sparse.hpp"
#include "findings/findings.hpp"

namespace mantissa::compare {

/// One design on so many cores of one device, solving one problem.
struct Row {
    std::string problem;
    std::size_t device = 0; ///< into Comparison::devices
    const Design* design = nullptr;
    std::string spec, multiplier;
    SolveFigures solve;
    Estimate estimate;
    CoreArea core;
    double clock_hz = 0;
    std::string clock_kind;
    double cycles_per_pass = 0;               ///< of one core
    std::optional<ResidentEstimate> resident; ///< of a design whose vectors stay on the chip; `estimate` agrees
    bool pareto = false;
    std::vector<std::string> modelled, origins;
};

/// The solve that stands for a design (Design::key()) with the first inner: the first that converged; nothing when none
/// did.
const Sourced<SolveFigures>* solve_of(const Gathered& gathered, const std::string& problem, const std::string& design);
/// One converged solve for each inner, in the file's order.
std::vector<const Sourced<SolveFigures>*> solves_of(const Comparison& comparison, const Gathered& gathered,
                                                    const std::string& problem, const std::string& design);

/// What the rows of one design on one device have in common.
struct RowSeed {
    const Comparison& comparison;
    Gathered& gathered;
    const Provenance& here;
    const std::string& problem;
    const Design& design;
    std::size_t device = 0;
    const std::string& multiplier;
    const std::vector<const Sourced<SolveFigures>*>& solves;
};
/// Rows of a resident design; none, with the reason in `why_not` where it is that nothing fits, when figures are
/// missing (gathering has said which). `clock_of_core` gives the clock of a core on the device.
std::vector<Row> resident_rows(const RowSeed& seed,
                               const std::function<Sourced<ClockFigures>(const CoreKey&)>& clock_of_core,
                               std::string& why_not);

/// A core's clock on its own: placed, else the model's for its family (synthesis/core_clock.hpp).
Sourced<ClockFigures> clock_of(Gathered& gathered, const CoreKey& key, const Provenance& here);

/// A design's clock on a device: given by the comparison or the device, else clock_of(); no more than the device's
/// most.
Sourced<ClockFigures> design_clock(Gathered& gathered, const Design& design, const Device& device, const CoreKey& key,
                                   const Provenance& here);

/// Sparse cores to time: what fits, their clock, where both are from, and the key in Gathered::sparse_passes.
struct SparsePlan {
    SparseCores fit;
    Sourced<ClockFigures> clock;
    std::vector<std::string> origins;
    std::string key;
};
/// Empty when areas are missing. What does not fit goes to `unfit`, where that is given.
std::vector<SparsePlan> sparse_plans(const Comparison& comparison, Gathered& gathered, const Provenance& here,
                                     const std::string& problem, const Design& design, std::size_t device,
                                     const std::string& multiplier, std::vector<Gap>* unfit = nullptr);
/// The rows of sparse designs, with GPU and published times of the same problem after them; empty without such
/// designs. Solves that did not converge leave figures of whole solves null.
std::vector<comparison::SparseRow> sparse_rows(const Comparison& comparison, Gathered& gathered,
                                               const Provenance& here);
std::vector<std::string> sparse_assumptions(const Comparison& comparison);

/// All rows, with the Pareto front of area share against seconds marked per problem and device. What keeps a design
/// out becomes a gap.
std::vector<Row> join(const Comparison& comparison, Gathered& gathered, const Provenance& here);

/// The row of least seconds or area_time for a problem and device; nullptr when there is none.
const Row* best_row(const std::vector<Row>& rows, const std::string& problem, std::size_t device, comparison::By by);

/// The stages of a datapath, in their order, and their formats as text.
std::vector<std::pair<comparison::Stage, std::string>> stages_of(const DatapathSpec& spec);

/// The rows with constant stencils held in registers, where the comparison streams nine bands of a problem that has
/// one; else none.
std::vector<Row> join_constant(const Comparison& comparison, Gathered& gathered, const Provenance& here);

/// The stored document; `constant` are join_constant's rows. `here` stands for what this run computed.
comparison::ComparisonDocument comparison_document(const Comparison& comparison, Gathered& gathered,
                                                   const std::vector<Row>& rows, const std::vector<Row>& constant,
                                                   const Provenance& here);

comparison::Ending ending_of(Status status);

/// Section 5.5 of the paper with our figures; nothing when the file does not ask for it. What is missing becomes a gap.
std::optional<comparison::Section55> section55(const Comparison& comparison, Gathered& gathered,
                                               const Provenance& here);

/// The document as tables for people; ends with a newline.
std::string comparison_text(const comparison::ComparisonDocument& document);

} // namespace mantissa::compare
