// Area and depth of the RTL core, or of one of its operators, from yosys. Internal to host/.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mantissa/host/provenance.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"
#include "mantissa/spec.hpp"

namespace mantissa::synthesis {

/// A cycle core for Poisson's stencil.
struct CycleArea {
    CycleSpec spec;
    int level = 10,
        stored = 5; ///< rows, counters and points for levels up to the one, memory for those up to the other
    int lanes = 1;  ///< nodes a clock and core, a power of two
    int cores = 1;  ///< that share the grid
};

struct SynthesisRequest {
    DatapathSpec spec;
    std::string target = "xc2v";      ///< xc2v, xc7, xcup or ecp5
    std::string multiplier = "block"; ///< logic or block
    std::string part = "core";        ///< core, or another: see synthesis_parts()
    bool combinational = false;       ///< registers as wires; for operators without feedback
    /// A core that holds a constant stencil, in place of one that streams coefficients. Of holds_stencil() it must be
    /// true.
    bool constant_bands = false;
    std::optional<CycleArea> cycle = {}; ///< of part cycle, in the place of `spec`, `multiplier` and bands
};
/// What is synthesised a part of: the datapath, or "b2,w=10,level=10,stored=5", of several
/// lanes with ",lanes=4" after it.
[[nodiscard]] std::string subject_of(const SynthesisRequest& request);
/// Elements a clock: of the datapath, or of the cycle core.
[[nodiscard]] inline int lanes_of(const SynthesisRequest& request) {
    return request.cycle ? request.cycle->lanes : request.spec.lanes;
}

/// Has the core of these rows only a constant stencil, no streams of coefficients? The floating core's second
/// differences are those of (8, -1), whose numbers are part of the hardware.
[[nodiscard]] inline bool holds_stencil(const DatapathSpec& spec) {
    return spec.order == RowOrder::second_difference && !spec.fixed_vectors();
}

/// What a mapped netlist holds. Counts of cells, but for the slices, which are derived from them.
struct SynthesisFigures {
    std::uint64_t luts = 0; ///< LUTs and single inverters; LUTs used as memory are not among them
    std::uint64_t memory_luts = 0;
    std::uint64_t flip_flops = 0;
    std::uint64_t paired = 0;  ///< flip-flops fed by a LUT, carry or (xc2v) hard multiplier, which share its place
    std::uint64_t carries = 0; ///< carry cells: MUXCY, CARRY4, CARRY8, CCU2C
    std::uint64_t multipliers = 0;
    std::uint64_t memory_bits = 0; ///< of block memories, at their full size
    /// The same in memories of 18 Kbit, the block RAM of Virtex-II and half of one of its successors'.
    [[nodiscard]] std::uint64_t memory_blocks() const { return (memory_bits + kBlockBits - 1) / kBlockBits; }
    static constexpr std::uint64_t kBlockBits = 18432;
    std::uint64_t io_bits = 0;
    std::uint64_t depth = 0; ///< cells on the longest path between registers, carry cells counted singly
    double model_mhz = 0;    ///< with the delays of an ECP5 (clock_model.hpp); core_clock.hpp makes a clock of it
    std::string model_path;  ///< "from -> to: 5 LUTs, 12 carry cells, 0 multipliers"
    /// The slices that the cells need (xcup: CLBs, of one slice each). Of xc2v and ecp5 an estimate, where a flip-flop
    /// that no LUT feeds takes a LUT's place; of xc7 and xcup a lower bound from what a slice has (slices.cpp), which a
    /// placement exceeds.
    [[nodiscard]] std::uint64_t slices(const std::string& target) const;
};

/// A netlist's counts by name, in the order of a store's columns.
struct NetlistCount {
    const char* name;
    std::uint64_t SynthesisFigures::*member;
};
inline constexpr NetlistCount kNetlistCounts[] = {{"luts", &SynthesisFigures::luts},
                                                  {"memory_luts", &SynthesisFigures::memory_luts},
                                                  {"flip_flops", &SynthesisFigures::flip_flops},
                                                  {"paired", &SynthesisFigures::paired},
                                                  {"carries", &SynthesisFigures::carries},
                                                  {"multipliers", &SynthesisFigures::multipliers},
                                                  {"memory_bits", &SynthesisFigures::memory_bits},
                                                  {"io_bits", &SynthesisFigures::io_bits},
                                                  {"depth", &SynthesisFigures::depth}};

/// One run of place and route on an LFE5U-85F, speed grade 8, without I/O buffers.
struct Placement {
    int seed = 0;
    double mhz = 0;
    std::string critical; ///< "from -> to": the cells at the ends of the critical path
};

struct SynthesisKey;
struct Top;

/// The results file in the cache folder that holds syntheses where no other is named. Throws InvalidInput where it is
/// not this user's, or is none.
std::string cached_syntheses();

/// Names of parts (SynthesisRequest::part), with one line on each.
const std::vector<std::pair<std::string, std::string>>& synthesis_parts();
/// Is this part a whole core that streams a grid, with or without its coefficients?
bool is_core(std::string_view part);

/// Synthesises for known requests, remembering results. Throws InvalidInput, one line, for a request that the RTL
/// does not have, and ToolFailure for a missing or wrong yosys or a run that failed; failed runs are not remembered.
/// Several threads may ask one at the same time.
class Synthesizer {
public:
    /// `store` is a results file; empty: one in the cache folder. MANTISSA_YOSYS names another yosys.
    Synthesizer(const std::string& store, Provenance provenance);
    /// Throws InvalidInput, one line, for a request that the RTL does not have; runs nothing.
    static void check(const SynthesisRequest& request);
    /// The same for place and route.
    static void check_place(const SynthesisRequest& request, int seeds);
    SynthesisFigures figures(const SynthesisRequest& request);
    /// Runs of yosys from now on end as failed after this many seconds; 0: never.
    void set_patience(double seconds) { patience_ = seconds; }
    /// Puts into the store what the sources ship of this request (kept_netlists.hpp), with its own provenance, unless
    /// the store has the request already. Whether it did. Throws InvalidInput for a kept file that is none.
    bool take_kept(const SynthesisRequest& request);
    /// What is stored; runs nothing.
    [[nodiscard]] std::optional<SynthesisFigures> stored(const SynthesisRequest& request) const;
    /// The stored runs of place and route, slowest first; runs nothing.
    [[nodiscard]] std::vector<Placement> stored_placements(const SynthesisRequest& request) const;
    /// Place and route with seeds 1 to `seeds`, `jobs` at a time; each run is remembered. For ecp5 only; an operator
    /// is placed between registers, so that its first and last stages count. nextpnr comes from PyPI into a virtual
    /// environment in the cache folder; when it cannot be had, nothing is returned and `why_not` says why. Slowest
    /// first. `done` is called after each seed.
    std::vector<Placement> place(const SynthesisRequest& request, int seeds, int jobs, std::string& why_not,
                                 const std::function<void()>& done = {});
    [[nodiscard]] const std::string& tool() const { return tool_; }

private:
    [[nodiscard]] SynthesisKey key_of(const SynthesisRequest& request) const;
    /// Throws ToolFailure when yosys fails.
    void run_recipe(const SynthesisRequest& request, const Top& top, bool place, const std::string& folder) const;

    double patience_ = 0;
    std::string yosys_, tool_, store_, source_;
    mutable std::map<std::string, std::string> hashes_; ///< of sources, by what decides the top module
    mutable std::mutex hashing_;
    Provenance provenance_;
};

} // namespace mantissa::synthesis
