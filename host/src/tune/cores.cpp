#include "cores.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "compare/model/sparse.hpp"
#include "cycle_cores.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/scaling.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "mantissa/sparse_core/limits.hpp"
#include "mantissa/sparse_core/row_stream.hpp"
#include "mantissa/system.hpp"
#include "synthesis/core_clock.hpp"
#include "synthesis/sources.hpp"

#ifdef MANTISSA_ENGINE_SYSTEMC
#include "mantissa/sim/sparse_cores.hpp"
#endif

namespace mantissa::tuning {

namespace {

/// An outer step on the host moves some fifteen doubles of every unknown. A figure of its own, so that the answer does
/// not depend on this machine's load.
constexpr double kHostBytes = 120, kHostBandwidth = 10e9;

constexpr const char* kMultiplier = "block";

DatapathSpec with_lanes(DatapathSpec spec, int lanes) {
    spec.lanes = lanes;
    return spec;
}

/// Two rows with a unit diagonal. What a core asks of a datapath, and the clocks of its pipelines, are the same for all
/// matrices that are scaled by their diagonal.
const System& two_rows() {
    static const System kSystem(CompressedRows({0, 2, 4}, {0, 1, 0, 1}, {1.0, 0.5, 0.5, 1.0}));
    return kSystem;
}

#ifdef MANTISSA_ENGINE_SYSTEMC
constexpr bool kTimesRows = true;
/// Clocks of a pass besides those of addresses and rows: pipelines, and the scalar unit.
double pipeline_clocks(const DatapathSpec& spec) {
    return static_cast<double>(sim::sparse_pass(spec, two_rows()).fixed);
}
#else
constexpr bool kTimesRows = false;
double pipeline_clocks(const DatapathSpec& /*spec*/) {
    return 0;
}
#endif

} // namespace

Cores::Cores(const Problem& problem, const compare::Device& device, double fill, const AreaModel& model,
             const CycleModel& cycle_model, const std::string& table)
    : problem_(problem), device_(device), fill_(fill), model_(model), cycle_model_(cycle_model),
      table_(table, device.target, kMultiplier), grid_(poisson_grid(problem)) {
    const System& system = problem.system;
    unknowns_ = static_cast<double>(system.size());
    row_ = static_cast<double>(system.row_length());
    rows_ = system.kind() == System::Kind::stencil  ? "constant"
            : system.kind() == System::Kind::sparse ? "sparse"
                                                    : "streamed";
    const auto refused = [&](const std::string& why) {
        throw InvalidInput(fmt::format("problem {}: {}", base::quoted(problem.name), why));
    };
    if (rows_ == "streamed")
        if (const std::string why = model_.refusal(parse_spec("fx18.16"), device.target, kMultiplier, rows_);
            !why.empty() && !model_.refusal(parse_spec("s23e8"), device.target, kMultiplier, rows_).empty())
            refused(fmt::format("a grid with coefficients of its own: {}; mantissa solve --advise --device {} takes it",
                                why, base::quoted(device.id)));
    if (rows_ != "sparse") return;
    if (!kTimesRows) refused("built without SystemC, which times sparse cores; install libsystemc-dev and build again");
    if (device.channels == 0 || device.memories.empty())
        throw InvalidInput(fmt::format("device {}: sparse rows stream from channels of its memory to vectors on the "
                                       "chip; give its file channels = N, channel_bandwidth = B and [[memory]]",
                                       base::quoted(device.id)));
    if (!problem.suits_cg()) refused("a core of sparse rows wants a symmetric matrix with a positive diagonal");
    if (system.size() > sparse_core::kMostRows)
        refused(fmt::format("{} rows; a core holds {} at most", system.size(), sparse_core::kMostRows));
    const ScaledProblem scaled = jacobi_scaled(problem);
    if (const std::string why = sparse_core::matrix_refusal(std::get<CompressedRows>(scaled.problem.system.matrix()));
        !why.empty())
        refused(why);
    for (int lanes = 1; lanes <= sparse_core::kMostLanes; lanes *= 2) (void)row_clocks(lanes);
}

const std::string& Cores::rows(const DatapathSpec& spec) const {
    static const std::string kConstant = "constant", kStreamed = "streamed";
    if (!spec.fixed_vectors() && rows_ != "sparse") return synthesis::holds_stencil(spec) ? kConstant : kStreamed;
    return rows_;
}

std::string Cores::refusal(const SolveOptions& options) {
    return options.preconditioner ? cycle_refusal(*options.preconditioner) : datapath_refusal(options.spec);
}

std::vector<Build> Cores::builds(const SolveOptions& options) {
    return options.preconditioner ? cycle_builds(*options.preconditioner) : datapath_builds(options.spec);
}

std::string Cores::datapath_refusal(const DatapathSpec& spec) {
    std::string why =
        rows_ == "sparse" ? sparse_core::refusal(spec, two_rows()) : sim::core_refusal(spec, problem_.system);
    if (why.empty()) why = model_.refusal(spec, device_.target, kMultiplier, rows(spec));
    if (!why.empty()) return why;
    if (rows_ == "sparse") {
        for (const Build& b : datapath_builds(spec))
            if (!arranged(b, 1, 1).empty()) return {};
        return "one core does not fit the device";
    }
    const compare::Fit fit = compare::cores_that_fit(datapath_builds(spec).front().figures.area, device_, fill_);
    return fit.cores == 0 ? fmt::format("one core does not fit the device (short of {})", fit.bound) : "";
}

double Cores::row_clocks(int lanes) {
    const auto it = row_clocks_.find(lanes);
    if (it != row_clocks_.end()) return it->second;
    sparse_core::StreamOptions options;
    options.lanes = lanes;
    const sparse_core::RowStream stream(std::get<CompressedRows>(problem_.system.matrix()), options);
    return row_clocks_[lanes] = static_cast<double>(stream.slices()) + static_cast<double>(stream.beats());
}

std::vector<Build> Cores::datapath_builds(const DatapathSpec& spec) {
    const bool sparse = rows_ == "sparse";
    const std::string& kind = rows(spec);
    std::vector<Build> list;
    const double pipelines = sparse ? pipeline_clocks(with_lanes(spec, 1)) : 0;
    for (int lanes = sparse ? 1 : spec.lanes; lanes <= (sparse ? sparse_core::kMostLanes : spec.lanes); lanes *= 2) {
        Build build{with_lanes(spec, lanes), kind, {}};
        if (!model_.refusal(build.spec, device_.target, kMultiplier, kind).empty()) break; // (more lanes than it has)
        const ModelledCore core = model_.at(build.spec, device_.target, kMultiplier, kind);
        build.figures = {
            core.area, device_mhz(core.model_mhz), sparse ? row_clocks(lanes) + pipelines : core.fixed_clocks, 0, false,
            0};
        take_netlist(build);
        list.push_back(std::move(build));
    }
    return list;
}

/// Area and clock of its netlist, where it was entered or the table has it; clocks of a pass stay.
void Cores::take_netlist(Build& build) {
    auto it = netlists_.find(build.name());
    if (it == netlists_.end()) {
        const auto shipped = table_.of(netlist_of(build));
        if (!shipped) return;
        enter(build, *shipped);
        it = netlists_.find(build.name());
    }
    const CoreFigures modelled = build.figures;
    build.figures = it->second;
    build.figures.clocks = modelled.clocks;
    build.figures.last = modelled.last;
}

std::vector<Arranged> Cores::arranged(const Build& build, double iterations, double outer) const {
    const CoreFigures& f = build.figures;
    std::vector<Arranged> list;
    if (rows_ == "sparse" || build.cycle) {
        Arranged one = build.cycle ? arranged_cycle(build, iterations) : arranged_sparse(build, iterations, outer);
        if (one.estimate.cores > 0) list.push_back(std::move(one));
        return list;
    }
    const compare::Workload work{unknowns_,  row_,  (unknowns_ + row_) / build.spec.lanes + f.clocks,
                                 iterations, outer, kHostBytes * unknowns_ / kHostBandwidth};
    compare::Fit fit;
    for (const compare::Estimate& e :
         compare::estimates(f.area, build.spec, compare::traffic_of(build.spec, rows_ == "constant", false), work,
                            device_, fill_, f.mhz * 1e6, fit))
        list.push_back({build, e});
    return list;
}

/// As `mantissa compare` has it, but for the clocks: those of a core whose memory keeps up, since its channels do.
/// `cores` is 0 where it does not fit.
Arranged Cores::arranged_sparse(const Build& build, double iterations, double outer) const {
    const CoreFigures& f = build.figures;
    const auto lanes = static_cast<std::uint64_t>(build.spec.lanes);
    std::string lacks;
    const compare::SparseCores fit =
        compare::sparse_arrangement(compare::LaneArea({{build.spec.lanes, f.area}}), build.spec, problem_.system.size(),
                                    1, lanes, device_, fill_, f.mhz * 1e6, lacks);
    Arranged a{build, {}};
    compare::Estimate& e = a.estimate;
    e.cores = lacks.empty() ? 1 : 0;
    e.pass_clocks = f.clocks;
    e.pass_seconds = f.clocks / (f.mhz * 1e6);
    e.seconds_inner = iterations * e.pass_seconds;
    e.seconds_host = outer * kHostBytes * unknowns_ / kHostBandwidth;
    if (device_.link)
        e.seconds_link = outer * compare::traffic_of(build.spec, false, false).vector_bytes * unknowns_ / *device_.link;
    e.seconds = e.seconds_inner + e.seconds_host + e.seconds_link;
    e.area_share = fit.area_share;
    e.area_time = e.area_share * e.seconds;
    e.bound = "clock";
    return a;
}

void Cores::enter(const Build& build, const synthesis::SynthesisFigures& netlist) {
    CoreFigures f = build.figures;
    const auto modelled = static_cast<double>(f.area.slices);
    // (A cycle core's netlist holds the vectors of a smaller grid.)
    f.area = {netlist.slices(device_.target), netlist.multipliers,
              build.cycle ? f.area.memory_bits : netlist.memory_bits};
    f.area_error = modelled / static_cast<double>(std::max<std::uint64_t>(f.area.slices, 1)) - 1;
    f.mhz = device_mhz(netlist.model_mhz);
    f.synthesised = true;
    netlists_[build.name()] = f;
}

synthesis::SynthesisRequest Cores::netlist_of(const Build& build) const {
    synthesis::SynthesisRequest r;
    r.spec = build.spec;
    r.target = device_.target;
    r.multiplier = kMultiplier;
    if (build.cycle) {
        r.part = "cycle";
        r.cycle = synthesis::CycleArea{*build.cycle, build.cycle_level, kCycleStored, build.cycle_lanes};
    } else if (rows_ == "sparse") {
        r.part = "sparse";
    } else {
        r.constant_bands = build.rows == "constant";
    }
    return r;
}

std::map<Part, ModelError> Cores::errors(const Build& build) const {
    return build.cycle ? cycle_model_.errors(device_.target)
                       : model_.errors(build.spec, device_.target, kMultiplier, build.rows);
}

bool Cores::of_this_rtl(const Build& build) const {
    const std::string sources = synthesis::sources_hash(synthesis::sources_folder(), netlist_of(build));
    return build.cycle ? cycle_model_.made_of(sources, device_.target)
                       : model_.made_of(sources, build.spec, device_.target, kMultiplier, build.rows);
}

double Cores::device_mhz(double model_mhz) const {
    const double mhz = device_.clock_mhz.value_or(model_mhz / synthesis::delay_ratio(device_.target));
    return device_.max_mhz ? std::min(mhz, *device_.max_mhz) : mhz;
}

} // namespace mantissa::tuning
