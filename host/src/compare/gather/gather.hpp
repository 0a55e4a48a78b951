// Gathering what a comparison joins: solves, cycles of a pass, areas and clocks, what the host and the GPU take. Every
// piece is stored as it is found, so a comparison that was stopped goes on where it stood. Internal to host/.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "compare/comparison_file.hpp"
#include "compare/comparison_store.hpp"
#include "findings/findings.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/store.hpp"
#include "mantissa/multilevel/grid_words.hpp"

namespace mantissa::compare {

using comparison::Gap;

/// Where a figure comes from.
struct Origin {
    std::string kind; ///< "measured", "modelled" or "given"
    std::string what;
    Provenance provenance;
};

/// Origins by id; equal ones once. May be used from several threads.
class Origins {
public:
    std::string add(const Origin& origin);
    [[nodiscard]] std::vector<comparison::Origin> all() const;

private:
    std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
    std::map<std::string, std::string> ids_; ///< content to id
    std::vector<Origin> all_;
};

/// A figure with the id of its origin.
template <class T> struct Sourced {
    T value{};
    std::string origin;
};

struct SolveFigures {
    std::string engine;
    std::uint64_t inner = 0; ///< iterations per step
    SolveResult result;
};
struct CycleFigures {
    double per_pass = 0;
    double bytes_per_pass = 0; ///< moved by the simulated core; 0 when it is not known
    std::string engine;
    std::uint64_t passes = 0; ///< after the average
    double per_step = 0;      ///< of a resident core: clocks of an outer step besides its passes
};
struct AreaFigures {
    std::uint64_t luts = 0, memory_luts = 0, flip_flops = 0, slices = 0, blocks = 0, memory_bits = 0, io_bits = 0,
                  depth = 0;
    double model_mhz = 0; ///< of the netlist, with ECP5 delays; its clock is synthesis/core_clock.hpp's
    std::string model_path;
    int lanes = 1;
};
struct ClockFigures {
    double mhz = 0;
    std::string kind; ///< "measured", "modelled" or "given"
};
/// A run on a processor or a GPU beside the designs.
struct Peer {
    std::string problem, engine, label;
    std::uint64_t iterations = 0, outer = 0;
    double seconds = 0, true_residual = 0;
    std::optional<double> least, most; ///< seconds of the fastest and the slowest run, where they were kept
    std::optional<double> error, joules;
    std::string origin;
};

/// Clocks of a pass of sparse cores, and how the matrix is streamed (of one core with all rows).
struct SparsePassFigures {
    double clocks = 0;   ///< of a pass, as simulated with the device's channels
    double one_core = 0; ///< addresses + beats + fixed: of one core whose memory keeps up
    double fill = 1;
    std::uint64_t beat_bits = 0, beats = 0, conflict_beats = 0, addresses = 0, fixed = 0, nonzeros = 0;
};
/// Jacobi CG on a GPU, in its fastest format.
struct GpuSparse {
    std::string problem, label;
    std::uint64_t iterations = 0;
    double seconds = 0;
    bool converged = false;
    std::string origin;
};

/// Problem and spec, as texts.
using ProblemSpec = std::pair<std::string, std::string>;
/// The name under which the clocks of a resident core of this spec stand beside those of the core with streams.
inline std::string resident_key(const std::string& spec) {
    return "resident " + spec;
}

/// What the join needs to know of a problem.
struct ProblemFacts {
    std::size_t unknowns = 0, row_length = 0;
    std::string kind;           ///< "stencil", "bands" or "sparse"
    std::uint64_t nonzeros = 0; ///< of sparse rows
};

struct Gathered {
    std::map<std::string, ProblemFacts> problems;
    std::map<ProblemSpec, std::vector<Sourced<SolveFigures>>> solves; ///< the first inner by each engine first
    std::map<ProblemSpec, Sourced<CycleFigures>> cycles;
    std::map<CoreKey, Sourced<AreaFigures>> areas;
    std::map<CoreKey, Sourced<ClockFigures>> clocks;         ///< placed; else empty
    std::map<std::string, Sourced<double>> host_step;        ///< seconds of an outer step, by problem
    std::map<std::string, Sourced<std::uint64_t>> reference; ///< iterations of CG in double, by problem
    std::vector<Peer> peers;
    std::map<ProblemSpec, Sourced<SolveFigures>> cycle_solves;       ///< by problem, and the cycle and its outer words
    std::map<std::string, multilevel::GridWords> cycle_grids;        ///< of their problems
    std::map<std::string, Sourced<SparsePassFigures>> sparse_passes; ///< by SparsePlan::key
    std::vector<GpuSparse> gpu_sparse;
    std::vector<findings::SolveBeside> beside; ///< all solves that the results file holds
    std::vector<Gap> gaps;
    Origins origins;
};

struct GatherOptions {
    std::string store;   ///< the results file
    std::string command; ///< for the provenance of what is computed
    int threads = 1;
    bool stored_only = false; ///< compute nothing, and write nothing; what is not stored is a gap
    std::string areas{};      ///< results file of syntheses; empty: the same
};

/// The gatherer's parts share this.
struct GatherContext {
    const Comparison& comparison;
    const GatherOptions& options;
    Store& store;
    ComparisonStore& documents;
    Gathered& out;
    std::map<std::string, Problem> problems;
    void gap(Gap gap) const;
};

inline constexpr const char* kNotStored = "not in the store; run mantissa compare without --stored";

/// A gap out of one of this program's error lines: what stands after its first semicolon is the mend.
Gap gap_of(std::string what, const std::string& line);

/// Things that are missing for the same reason, as one gap each. May be used from several threads.
class GapGroups {
public:
    void add(const std::string& reason, const std::string& item);
    /// One gap per reason: `what` with the items after it.
    [[nodiscard]] std::vector<Gap> gaps(const std::string& what) const;
    void enter(const GatherContext& context, const std::string& what) const;

private:
    mutable std::mutex mutex_;
    std::vector<std::pair<std::string, std::vector<std::string>>> groups_;
};

void gather_solves(GatherContext& context);
void gather_cycles(GatherContext& context);
void gather_areas(GatherContext& context);
/// Refuses, in one line that names the limit, what the sparse core or the memory of a device does not take.
void check_sparse(const Comparison& comparison, const std::map<std::string, Problem>& problems);
void gather_sparse(GatherContext& context); ///< passes of sparse cores; areas come first
void gather_host(GatherContext& context);   ///< outer steps, solves on the processor

/// A file of `mantissa bench gpu`, as it is stored.
struct GpuFile {
    std::string name; ///< of the measurement
    StoredDocument content;
};
/// The files that the comparison names, every field that it takes from them checked. Throws InvalidInput, one line, for
/// one that is missing, no JSON or of another shape.
std::vector<GpuFile> read_gpu_files(const Comparison& comparison);
void gather_gpu(GatherContext& context, const std::vector<GpuFile>& files);

/// All of it, in that order. Everything that the comparison names is read and checked before anything is computed or
/// stored.
void gather(const Comparison& comparison, const GatherOptions& options, Gathered& out);

} // namespace mantissa::compare
