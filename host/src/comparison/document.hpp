// What `mantissa compare` gathers and joins, stores, prints and reads again: the document of a comparison. Times are in
// seconds, frequencies in hertz where the name says no MHz, bandwidths in bytes per second, energies in joules.
// `origin` and `origins` are ids of ComparisonDocument::origins; specifications are texts of mantissa/spec.hpp.
// Internal to host/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "maybe.hpp"

namespace mantissa::comparison {

/// How a figure was had.
enum class Kind : std::uint8_t { none, measured, modelled, given, published };
template <> struct Texts<Kind> {
    static constexpr std::string_view kAll[] = {"", "measured", "modelled", "given", "published"};
};
/// What holds a design back: a pass that waits (clock, io, bandwidth), what a further core or lane lacks, or that more
/// lanes would fit (lanes) or gain nothing (fixed_clocks).
enum class Bound : std::uint8_t {
    none,
    clock,
    io,
    bandwidth,
    logic,
    blocks,
    memory,
    ports,
    channels,
    lanes,
    fixed_clocks
};
template <> struct Texts<Bound> {
    static constexpr std::string_view kAll[] = {"",       "clock", "io",       "bandwidth", "logic",       "blocks",
                                                "memory", "ports", "channels", "lanes",     "fixed clocks"};
};
/// How a solve ended; not_solved: there is none.
enum class Ending : std::uint8_t { none, converged, diverged, stagnated, breakdown, iteration_limit, not_solved };
template <> struct Texts<Ending> {
    static constexpr std::string_view kAll[] = {"",          "converged",       "diverged",  "stagnated",
                                                "breakdown", "iteration limit", "not solved"};
};
enum class DeviceKind : std::uint8_t { none, fpga };
template <> struct Texts<DeviceKind> { static constexpr std::string_view kAll[] = {"", "fpga"}; };
/// What a run beside the designs ran on.
enum class PeerEngine : std::uint8_t { none, cpu, gpu };
template <> struct Texts<PeerEngine> { static constexpr std::string_view kAll[] = {"", "cpu", "gpu"}; };
/// What a best design has least of.
enum class By : std::uint8_t { none, time, area_time };
template <> struct Texts<By> { static constexpr std::string_view kAll[] = {"", "time", "area_time"}; };
/// What a core's multipliers are made of: LUTs, or the device's hard ones.
enum class Multiplier : std::uint8_t { none, logic, block };
template <> struct Texts<Multiplier> { static constexpr std::string_view kAll[] = {"", "logic", "block"}; };
/// Where a core has its matrix from: a stream of its bands, or a stencil in registers.
enum class CoreBands : std::uint8_t { none, streamed, constant };
template <> struct Texts<CoreBands> { static constexpr std::string_view kAll[] = {"", "streamed", "constant"}; };
/// Stages of a datapath.
enum class Stage : std::uint8_t { none, vectors, iterate, row_sum, accumulators };
template <> struct Texts<Stage> {
    static constexpr std::string_view kAll[] = {"", "vectors", "iterate", "row sum", "accumulators"};
};

/// The format of each stage.
struct StageFormats {
    std::string vectors{}, iterate{}, row_sum{}, accumulators{};
};

/// Memories of one kind on a device.
struct Memory {
    std::string name{};
    std::uint64_t count = 0, width = 0, depth = 0; ///< width in bits, depth in words of that width
};

/// Of a file in experiments/devices/.
struct Device {
    std::string id{}, name{}; ///< id: how rows name it; name: for people
    DeviceKind kind = DeviceKind::none;
    std::string target{}; ///< of synthesis
    std::uint64_t slices = 0, blocks = 0, memory_bits = 0;
    Maybe<std::uint64_t> pins{};       ///< for data; null: memory is not on pins
    Maybe<double> bandwidth{}, link{}; ///< of the memory; to the host, one way
    Maybe<double> max_mhz{}, watts{};  ///< no clock above it; an upper bound of the power
    Maybe<std::uint64_t> channels{};   ///< of the memory
    Maybe<double> channel_bandwidth{}; ///< of one channel
    std::vector<Memory> memories{};
    std::string source{}; ///< of the figures
};

/// A design's solve on one engine.
struct EngineSolve {
    std::string engine{};    ///< "emulated", "systemc", ...: as the option names it
    std::uint64_t inner = 0; ///< iterations per step
    std::uint64_t outer_iterations = 0;
    Ending status = Ending::none;
    std::uint64_t inner_iterations = 0;
    Maybe<double> seconds{}; ///< of the simulation or emulation: no time of hardware
    Maybe<std::uint64_t> cycles{};
    std::string origin{};
};

/// A design on a problem, with the solve that stands for it.
struct Design {
    std::string spec{};
    std::optional<bool> resident{}, sparse{}; ///< vectors stay on the chip; streamed sparse rows
    std::string problem{};
    std::uint64_t unknowns = 0;
    StageFormats stages{};
    int lanes = 1;
    Ending status = Ending::none;
    std::string engine{};
    std::uint64_t inner = 0, inner_iterations = 0, outer_iterations = 0;
    Maybe<double> true_residual{}, error{};
    std::string iterations_origin{};
    std::vector<EngineSolve> engines{};
    int words_per_element = 0; ///< moved in a pass; 0 where nothing leaves the chip
    double bytes_per_element = 0;
    Maybe<double> cycles_per_iteration{}; ///< clocks of a pass on a simulated core
    Maybe<std::string> cycles_origin{}, cycles_engine{};
    Maybe<Kind> cycles_kind{};
    std::optional<bool> chebyshev{}, jacobi{}; ///< its recurrence; solves of the matrix scaled by its diagonal
    std::optional<int> headroom{};             ///< bits
};

/// A mapped core, alone.
struct Core {
    std::string spec{}, target{};
    Multiplier multiplier = Multiplier::none;
    CoreBands bands = CoreBands::none;
    std::string part{}; ///< "core", or a unit of it
    int lanes = 0;
    std::uint64_t luts = 0, memory_luts = 0, flip_flops = 0, slices = 0;
    Kind slices_kind = Kind::none;
    std::uint64_t blocks = 0, memory_bits = 0, memory_blocks = 0, io_bits = 0, depth = 0;
    double mhz = 0;
    Kind mhz_kind = Kind::none;
    std::string model_path{}, mhz_origin{}, origin{}; ///< model_path: what bounds the modelled clock
};

/// Memories of one kind that a design takes; `count` of them are on the device.
struct MemoryUse {
    std::string name{};
    std::uint64_t used = 0;
    std::optional<std::uint64_t> count{};
};

/// Of a row whose vectors stay on the chip.
struct Resident {
    int outer_lanes = 0;
    std::string outer_words{};                 ///< their format
    double fixed_clocks = 0, outer_clocks = 0; ///< of a pass beside its elements; of an outer step
    double seconds_link = 0;
    std::vector<MemoryUse> memories{};
};

/// A design on so many cores of a device, solving a problem. All times are modelled, from counted clocks.
struct Row {
    std::string problem{}, device{}, spec{};
    Multiplier multiplier = Multiplier::none;
    int lanes = 0;
    std::uint64_t cores = 0;
    Bound bound = Bound::none;
    double clock_hz = 0;
    Kind clock_kind = Kind::none;
    std::uint64_t inner = 0, inner_iterations = 0, outer_iterations = 0;
    double cycles_per_iteration = 0, bytes_per_iteration = 0, seconds_per_iteration = 0;
    double seconds_inner = 0, seconds_outer = 0, seconds = 0;
    Kind seconds_kind = Kind::none;
    std::uint64_t slices = 0, blocks = 0, memory_bits = 0; ///< of all cores
    double area_share = 0; ///< the largest of the shares of slices, blocks and memories, 0 to 1
    double area_time = 0;  ///< area_share * seconds
    Maybe<double> energy_joules{};
    bool pareto = false; ///< on the front of area_share against seconds, for its problem and device
    Maybe<Resident> resident{};
    std::vector<std::string> modelled{}, origins{}; ///< keys of figures that are modelled
    std::optional<bool> chebyshev{};
    std::optional<double> seconds_link{}; ///< of seconds_outer: defects and corrections on the way over the link
};

/// Sparse cores on a device (ours() holds), or somebody else's time beside them. Null figures are of solves that did
/// not converge.
struct SparseRow {
    std::string problem{};
    Maybe<std::string> device{};
    Kind kind = Kind::none;
    std::string label{}; ///< "4 x 16 lanes", or whose time it is
    // Of ours alone.
    std::string spec{};
    Multiplier multiplier = Multiplier::none;
    std::uint64_t cores = 0, lanes = 0, channels = 0; ///< lanes of each core
    Bound bound = Bound::none;
    std::optional<double> clock_hz{};
    Kind clock_kind = Kind::none;
    double cycles_per_iteration = 0; ///< simulated with the device's channels
    Kind cycles_kind = Kind::none;
    double cycles_one_core = 0; ///< of one core whose memory keeps up
    std::uint64_t beats = 0, addresses = 0, fixed_clocks = 0, conflict_beats = 0;
    double fill = 0; ///< of the matrix's stream, 0 to 1
    std::uint64_t slices = 0, blocks = 0;
    std::optional<double> area_share{};
    std::vector<MemoryUse> memories{};
    std::vector<std::string> modelled{};
    // Of all.
    std::vector<std::string> origins{};
    double seconds_per_iteration = 0, operations_per_second = 0;
    Maybe<double> watts{}, operations_per_joule{}, bytes_per_second{};
    Maybe<std::uint64_t> inner{}, iterations{}, outer_iterations{};
    Maybe<double> true_residual{}, seconds{}, seconds_inner{}, energy_joules{};
    Maybe<Ending> status{};
    Maybe<double> area_time{};
    bool pareto = false;
    [[nodiscard]] bool ours() const { return clock_hz.has_value(); }
};

/// A cycle core on a device (ours() holds), its clocks by formula; or a GPU's run of the same cycle.
struct CycleRow {
    std::string problem{}, device{}, cycle{};
    std::string outer{};                            ///< the format of u and the defect
    std::uint64_t lanes = 0, cores = 1, cycles = 0; ///< lanes of each core
    Maybe<double> true_residual{};
    std::uint64_t clocks_per_cycle = 0;
    double clocks = 0; ///< of the solve
    std::optional<double> clock_hz{};
    Kind clock_kind = Kind::none;
    double seconds_core = 0;
    int bus_words = 0;                               ///< of b and u, a clock
    Maybe<double> seconds_streams{}, seconds_link{}; ///< b and u, by the device's own memory; to and from the host
    double seconds = 0;                              ///< core and link
    Maybe<double> energy_joules{};
    double memory_share = 0; ///< of the chip's memories, 0 to 1
    Maybe<double> area_share{};
    std::vector<std::string> modelled{}, origins{};
    std::optional<std::uint64_t> slices{}, multipliers{};
    std::optional<std::string> area_from{}; ///< "mapped", or the lanes that a line was drawn through
    [[nodiscard]] bool ours() const { return clock_hz.has_value(); }
};
/// "b2,w=10", with the words of its outer loop where they are not the usual ones: "b2,w=10, u fx64.54".
std::string cycle_name(const std::string& cycle, const std::string& outer);

/// A run on a processor or a GPU beside the designs.
struct Peer {
    std::string problem{};
    PeerEngine engine = PeerEngine::none;
    std::string label{};
    std::uint64_t iterations = 0, outer_iterations = 0;
    double seconds = 0;
    Maybe<double> seconds_least{}, seconds_most{}; ///< of the fastest and the slowest run
    Maybe<double> true_residual{};
    std::optional<bool> reached{}; ///< the tolerance
    Maybe<double> error{}, energy_joules{};
    Kind kind = Kind::none;
    std::string origin{};
};

/// A narrow core against a wide one; above 1 where the narrow one is ahead, but for iterations and slowdown.
template <class T> struct Ratios {
    T iterations_ratio{}, area_ratio{}, clock_ratio{};
    Maybe<T> io_ratio{};
    T slowdown{}, speedup{}; ///< of one core; of the same silicon
};
/// The same of cores with one style of multipliers.
struct CoreRatios {
    Maybe<double> area_ratio{}, blocks_ratio{}, io_ratio{};
    double clock_ratio = 0;
    Kind clock_kind = Kind::none;
    std::vector<std::string> origins{};
};
/// By the multipliers of both cores.
struct ByMultiplier {
    std::optional<CoreRatios> logic{}, block{};
};
struct DesignRatios {
    std::string spec{};
    Multiplier multiplier = Multiplier::none;
    double iterations_ratio = 0;
    CoreRatios cores{};
    double speedup = 0;
};
/// Section 5.5 of the paper with our figures.
struct Section55 {
    std::string narrow{}, wide{}, problem{}, target{}; ///< specifications; target of synthesis
    Ratios<double> paper{}, ours{};
    Ratios<Kind> kinds{}; ///< of `ours`
    Multiplier area_multiplier = Multiplier::none, clock_multiplier = Multiplier::none;
    ByMultiplier by_multiplier{};
    std::vector<DesignRatios> designs{}; ///< all others against the wide one
    std::vector<std::string> origins{};
    std::string text{};
};

/// The best design for a problem on a device.
struct Best {
    std::string problem{}, device{};
    By by = By::none;
    std::uint64_t designs = 0; ///< among so many
    std::string spec{};
    Multiplier multiplier = Multiplier::none;
    int lanes = 0;
    bool resident = false;
    std::uint64_t cores = 0, inner = 0;
    Bound bound = Bound::none;
    double seconds = 0, area_share = 0, area_time = 0;
    Kind kind = Kind::none;
    StageFormats stages{};
    std::vector<std::string> origins{};
    std::optional<bool> chebyshev{};
};

/// The best design among those with a format in a stage.
struct StageChoice {
    std::string format{}, spec{};
    Multiplier multiplier = Multiplier::none;
    std::uint64_t cores = 0;
    double seconds = 0, area_time = 0;
};
/// A stage's formats for a problem on a device, the best first.
struct StageChoices {
    std::string problem{}, device{};
    Stage stage = Stage::none;
    By by = By::none;
    std::string format{}; ///< of the first choice
    Kind kind = Kind::none;
    std::vector<StageChoice> choices{};
};

/// What is missing, why, and what to do about it.
struct Gap {
    std::string what{}, why{}, mend{};
    friend bool operator==(const Gap&, const Gap&) = default;
};

/// Iterations of CG in double on a problem.
struct Reference {
    std::string problem{}, what{};
    std::uint64_t iterations = 0;
    std::string origin{};
};

/// Where a figure comes from.
struct Origin {
    std::string id{};
    Kind kind = Kind::none;
    std::string what{}, command{}, commit{}, machine{}, date{}, version{};
};

struct ComparisonDocument {
    std::string name{};
    double tolerance = 0;
    std::string scheme{};    ///< of the solves, as the option names it
    std::uint64_t inner = 0; ///< iterations per step: the first of `inners`
    std::vector<std::uint64_t> inners{};
    std::vector<std::string> assumptions{};
    std::vector<Device> devices{};
    std::vector<Design> designs{};
    std::vector<Core> cores{};
    std::vector<Row> rows{};
    std::optional<std::vector<SparseRow>> sparse{};
    std::optional<std::vector<CycleRow>> cycle_cores{};
    std::vector<Peer> peers{};
    Maybe<Section55> section55{};                      ///< null where it is not asked for or something is missing
    std::vector<Best> best{}, best_constant_stencil{}; ///< the latter as if stencils were held in registers
    std::vector<StageChoices> stages{};
    std::vector<Gap> gaps{};
    std::vector<Reference> references{};
    std::vector<std::string> findings{};
    std::vector<Origin> origins{};
};

using Json = nlohmann::ordered_json;

Json to_json(const ComparisonDocument& document);
Json to_json(const Row& row);
Json to_json(const SparseRow& row);
/// Of this or an earlier version. What is missing or of another type stays as the structures have it from the start;
/// keys that are not known are passed over. `wrong`, where it is given, becomes the first key with a value of another
/// type.
ComparisonDocument document_from_json(const Json& json, std::string* wrong = nullptr);

} // namespace mantissa::comparison
