// What results files hold, as the report reads it. Internal to host/.
//
// Every figure keeps its way back: the address "s0/points/12/inner_iterations" is column inner_iterations of row
// (rowid) 12 of table points of the first file; after a document's column comes its path, as in
// "s0/comparison/1/rows/3/seconds".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "comparison/document.hpp"
#include "findings/upsets.hpp"
#include "mantissa/host/solve.hpp"
#include "origins.hpp"
#include "synthesis/synthesis.hpp"

namespace mantissa::report {

using Json = nlohmann::ordered_json;

struct RowAddress {
    std::size_t store = 0; ///< index into Rows::stores
    std::string table;
    std::int64_t row = 0; ///< SQLite's rowid
    [[nodiscard]] std::string column(const std::string& name) const;
};

struct PointRow {
    RowAddress at;
    std::string key, problem, files, engine, scheme, spec, status, detail;
    SolveOptions options; ///< but for the datapath, which is `spec`
    std::uint64_t unknowns = 0, inner_iterations = 0, outer_iterations = 0, sigma_guards = 0;
    std::optional<double> true_residual, error;
    std::optional<std::uint64_t> cycles;
    double seconds = 0;
    std::vector<HistoryPoint> history;
    std::string date;
    int origin = 0;
    [[nodiscard]] bool converged() const { return status == "converged"; }
    /// Does it give a count of iterations to compare with? See gives_count() in solve.hpp.
    [[nodiscard]] bool gives_count() const;
    /// What was solved with, beside the datapath: "defect-correction, recurrence=gmres(5), inner=10". Every section
    /// says it in these words.
    [[nodiscard]] std::string solver() const;
    /// What the solve was to reach: "a relative defect of 1e-10", "energy=1e-06".
    [[nodiscard]] std::string goal() const;
    /// What it stops on: "residual=1e-10", "energy=1e-06, max_iterations=50".
    [[nodiscard]] std::string stop() const;
    /// The options as in a key, without the datapath and the limit of iterations.
    [[nodiscard]] std::string way() const;
    /// Does the engine that is named carry it out, to the bit as any other? Recurrences without an outer loop,
    /// jacobi-pcg and native loops promise no bits. (`spec` is the datapath; `options` lack it.)
    [[nodiscard]] bool on_engine() const {
        return options.scheme != Scheme::recurrence && options.scheme != Scheme::jacobi_pcg &&
               spec.find(",sum=free") == std::string::npos;
    }
    /// All that decides the bits of its result, but for the engine.
    [[nodiscard]] std::string setting() const;
};

/// A solve of a dense system by LU.
struct DenseRow {
    RowAddress at;
    std::string key, problem, files, engine, spec, refinement, status, factors;
    std::uint64_t unknowns = 0, steps = 0, krylov_steps = 0;
    bool scaled = true;
    std::optional<double> backward_error, forward_error, factor_error, growth, condition;
    double factor_seconds = 0, refine_seconds = 0;
    std::string date;
    int origin = 0;
    [[nodiscard]] bool converged() const { return status == "converged"; }
};

struct SynthesisRow {
    RowAddress at;
    std::string spec, target, multiplier, part, tool, sources;
    synthesis::SynthesisFigures figures;
    std::optional<double> model_mhz; ///< with the delays of an ECP5, see synthesis/core_clock.hpp
    std::string model_path;          ///< what bounds it
    std::string date;
    int origin = 0;
};

struct PlacementRow {
    RowAddress at;
    std::string spec, target, multiplier, part, tool, sources, placer, critical;
    int seed = 0;
    double mhz = 0;
    int origin = 0;
};

/// A row of `measurement` or `comparison`.
struct DocumentRow {
    RowAddress at;
    std::string name;
    int number = 0; ///< in the page, from 1, the latest first
    Json document;
    comparison::ComparisonDocument comparison; ///< the same, of a comparison
    Provenance provenance;
    int origin = 0;
    [[nodiscard]] std::string address(const std::string& path) const; ///< path as "rows/3/seconds"
};

/// A campaign of upsets, counted.
struct UpsetRow {
    RowAddress at;   ///< of its row in table upset_campaign
    std::string key; ///< all that decides its upsets
    findings::UpsetCampaign campaign;
    int origin = 0;
};

struct UpsetRows {
    std::vector<UpsetRow> campaigns;
    std::uint64_t undescribed = 0; ///< upsets of campaigns that an older program stored without saying what they are of
    [[nodiscard]] bool empty() const { return campaigns.empty() && undescribed == 0; }
};

/// A design of an answer of `mantissa tune`.
struct TunedRow {
    RowAddress at;
    std::string problem, device, goal, design, headroom, date;
    std::uint64_t lanes = 1, cores = 1, iterations = 0;
    std::optional<std::uint64_t> inner;
    double area_share = 0, seconds = 0, clock_mhz = 0;
    bool netlist = false, front = false, winner = false;
    int origin = 0;
    [[nodiscard]] std::string answer() const { return problem + "\n" + device + "\n" + goal; }
};

struct Rows {
    std::vector<std::string> stores; ///< their paths, as given
    std::vector<std::string>
        notes; ///< a line for each problem with solves of several contents of its files, and for damaged rows
    std::vector<PointRow> points;
    std::vector<DenseRow> dense;
    std::vector<SynthesisRow> synthesis;
    std::vector<PlacementRow> placements;
    UpsetRows upsets;
    std::vector<TunedRow> tuned;
    std::vector<DocumentRow> measurements, comparisons;
};

/// Reads results files without changing them; tables that are not there are empty. The same point, synthesis or
/// document in several files counts once, the latest; the same campaign of upsets the one with the most. Throws
/// InvalidInput, one line, for a file that is not there, is no results file of this program's schema, is damaged, or
/// holds what cannot be read.
Rows read_stores(const std::vector<std::string>& paths, Origins& origins);

} // namespace mantissa::report
