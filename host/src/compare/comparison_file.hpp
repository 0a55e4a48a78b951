// clang-format off
// Comparison files (TOML): which designs meet which problems on which devices. Internal to host/.
//
// Keys of the file. "Text or list" is one text in quotes or a list of such; a file that a key names is relative to the
// comparison's own folder.
//
//   key         type            default             meaning
//   name        text            the file's name     key of the stored document
//   store       text            FILE.sqlite         results file; --store wins over it
//   problem     text or list    needed              problems, as `mantissa solve --problem` takes them; at most 50
//   device      text or list    needed              names in experiments/devices/, or paths of .toml files; at most 50
//   scheme      text            "residual-guided"   or "defect-correction"
//   inner       whole or list   10                  inner iterations per step, 1 to 1000000, at most 20 values. Each row
//                                                   takes what is fastest for it; the first stands for iterations as
//                                                   such and for section 5.5
//   tolerance   number          1e-10               on the defect relative to the first, above 0, at most 0.5
//   engine      text or list    "emulated"          engines that solve; all but the first with the first `inner` only.
//                                                   With "rtl" or "systemc" the clocks of a pass are those of the solve
//   passes      whole           4                   passes of the RTL core to count clocks on, where no engine of the
//                                                   design counts them; 0 to 10000, 0: none
//   bands       text            "streamed"          or "constant": a stencil held in registers, 8 words per element
//   words       text            "bytes"             or "packed": words in memory rounded up to bytes, or as they are
//   fill        number          0.85                share of a device's slices that cores may take, above 0, at most 1
//   place       true or false   false               place and route of cores that stream a grid, on target ecp5
//   seeds       whole           1                   with place = true: runs of place and route for each core, 1 to 100
//   cpu         true or false   true                time solves in double and mixed precision on this processor, too
//   gpu         text or list    none                files that `mantissa bench gpu` wrote
//   gpu_watts   number          none                greatest power of the GPU in these files, for sparse problems
//
// A key that nothing in the file has a use for is refused.
//
// Keys of each [[design]]; a specification may stand in several, to have other multipliers on other devices.
//
//   spec        text or list    needed              datapaths, as `--spec` takes them; at most 200 in all
//   multiplier  text or list    "block"             "block" (hard multipliers) or "logic"
//   device      text or list    all devices         of those above, by the file's name without its ending
//   engine      text or list    the file's engines  engines that solve with this design
//   area        true or false   true                false: no synthesis, so no rows
//   clock_mhz   number          none                MHz, given; without it: place and route, else the device's
//                                                   clock_mhz, else the model
//   bands       text            the file's bands    "constant": this design's cores are synthesised with a stencil that
//                                                   they hold, too
//   resident    true or false   false               all vectors stay on the chip, and the outer loop runs there; the
//                                                   number of lanes is found. Needs a device with [[memory]]
//   outer       text            "fx64.54"           words of u in a resident design's outer loop, 64 bits
//   sparse      true or false   false               cores for sparse rows, vectors on the chip, the matrix streamed from
//                                                   the channels of a device that has some; the number of lanes is
//                                                   found. Solves are scaled by the diagonal
//   cores       whole or list   1                   of a sparse design: cores that share the rows, 1 to 16; simulated
//   link_words  number          16                  of a sparse design: words of p a clock that a core sends to others
//   link_latency whole          20                  of a sparse design: clocks of an exchange beside its words
//   recurrence  text            "pipelined"         or "chebyshev": cores without dot products, whose step lengths the
//                                                   host knows from bounds of the spectrum; their solves are
//                                                   defect-correction, whatever `scheme` says
//   headroom    whole           none                of fixed-point words: bits that the defect leaves free, -20 to 40
//   jacobi      true or false   false               solves are scaled by the diagonal, as those of sparse designs are
//   fixed_clocks number         none                clocks of a pass besides N / lanes + row / lanes, given in place of
//                                                   counted ones
//
// Keys of each [[cycle]]: cores of multilevel cycles on grids (docs/cycle_core.md), vectors on the chip; they may stand
// without a [[design]].
//
//   cycle       text or list    needed              cycles, as --preconditioner multilevel: takes them, in words
//   lanes       whole or list   1                   nodes a clock, powers of two up to 256
//   mapped      whole or list   none                lanes of cores whose netlists are made; without it no areas
//   outer       text            "fx64.62"           words of u and the defect, 64 bits
//   device      text or list    all devices         of those above
//   clock_mhz   number          none                MHz, given; without it: the device's clock_mhz, else its max_mhz
//   gpu         text or list    none                files that gpu_word_cycle_bench wrote
//
// Keys of each [[published]]: a time that others measured, shown beside sparse designs.
//
//   problem     text            needed              one of the problems
//   label       text            needed              what ran
//   seconds_per_iteration number needed             seconds of one iteration
//   device      text            none                one of the devices: its greatest power is taken
//   source      text            needed              where the figure is from
//
// Keys of [section55], which asks for section 5.5 of the paper again; without the table it is left out.
//
//   narrow      text            "s23e8"             one of the designs
//   wide        text            "s52e11"            one of the designs
//   problem     text            the last problem    one of the problems
//   target      text            "xc2v"              target of one of the devices
//
// An example with every key:
//
//     name = "example"
//     store = "example.sqlite"
//     problem = ["poisson2d:level=7", "poisson2d:level=8"]
//     device = ["xc2v8000", "lfe5u-85f", "alveo-u280"]
//     scheme = "residual-guided"
//     inner = [10, 50]
//     tolerance = 1e-10
//     engine = "emulated"
//     passes = 4
//     bands = "streamed"
//     words = "bytes"
//     fill = 0.85
//     place = true
//     seeds = 3
//     cpu = true
//     gpu = ["results.json"]
//     gpu_watts = 700
//
//     [[design]]
//     spec = ["s23e8", "s52e11"]
//     multiplier = ["block", "logic"]
//     device = "xc2v8000"
//     engine = ["emulated", "rtl"]
//     clock_mhz = 80
//     jacobi = true
//
//     [[design]]
//     spec = "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]"
//     area = false
//
//     [[design]]
//     spec = "fx18.16"
//     bands = "constant"
//     recurrence = "chebyshev"
//
//     [[design]]
//     spec = "fx20.18"
//     device = "alveo-u280"
//     bands = "constant"
//     resident = true
//     outer = "fx64.54"
//     fixed_clocks = 100
//
//     [[design]]
//     spec = "fx24.18,coef=fx18.16"
//     device = "alveo-u280"
//     sparse = true
//     headroom = 0
//     cores = [1, 4]
//     link_words = 16
//     link_latency = 20
//
//     [[cycle]]
//     cycle = ["b2,w=10", "v12,w=10,f=16"]
//     lanes = [64, 256]
//     mapped = [1, 4]
//     outer = "fx64.62"
//     device = "alveo-u280"
//     clock_mhz = 300
//     gpu = "cycles.json"
//
//     [[published]]
//     problem = "poisson2d:level=8"
//     label = "a solver"
//     seconds_per_iteration = 5e-5
//     device = "alveo-u280"
//     source = "a table"
//
//     [section55]
//     narrow = "s23e8"
//     wide = "s52e11"
//     problem = "poisson2d:level=8"
//     target = "xc2v"
// clang-format on
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cycle_cores/cycle_cores.hpp"
#include "device.hpp"
#include "mantissa/host/solve.hpp"
#include "synthesis/synthesis.hpp"

namespace mantissa::compare {

struct Design {
    struct Core {
        std::size_t device = 0; ///< into Comparison::devices
        std::string multiplier; ///< "block" or "logic"
        friend bool operator==(const Core&, const Core&) = default;
    };
    DatapathSpec spec;
    std::vector<Core> cores; ///< to synthesise; none with area = false
    std::vector<std::string> engines;
    std::optional<double> clock_mhz;
    std::optional<bool> constant_bands; ///< in place of the comparison's; true: cores are synthesised so, too
    bool resident = false;
    bool chebyshev = false;             ///< cores of the Chebyshev recurrence
    std::optional<Format> outer;        ///< of a resident design: u and the defect in the outer loop
    std::optional<double> fixed_clocks; ///< of a resident design's pass
    bool sparse = false;                ///< cores for sparse rows
    std::vector<std::uint64_t> sparse_cores = {1};
    double link_words = 16; ///< between the cores of a sparse design: words a clock
    std::uint64_t link_latency = 20;
    std::optional<int> headroom; ///< of its solves
    bool jacobi = false;         ///< its solves are scaled by the diagonal; of a sparse design true
    /// The bands that its cores are synthesised with.
    [[nodiscard]] const char* core_bands() const {
        return constant_bands.value_or(false) || synthesis::holds_stencil(spec) ? "constant" : "streamed";
    }
    /// What results of this design are kept under: the specification, whether it is resident, sparse or Chebyshev's,
    /// and how its solves are scaled.
    [[nodiscard]] std::string key() const {
        std::string text = to_string(spec) + (resident    ? ", resident"
                                              : sparse    ? ", sparse"
                                              : chebyshev ? ", chebyshev"
                                                          : "");
        if (jacobi && !sparse) text += ", Jacobi scaling";
        if (headroom) text += ", headroom " + std::to_string(*headroom);
        return text;
    }
    /// The part that is synthesised for it, where it is a core for grids.
    [[nodiscard]] const char* core_part() const { return chebyshev ? "chebyshev" : "core"; }
    /// What the clocks of its passes are kept under.
    [[nodiscard]] std::string cycles_key() const { return resident ? to_string(spec) : key(); }
    /// Two entries of a file with the same of these are one design.
    [[nodiscard]] bool same_as(const Design& other) const {
        return spec == other.spec && resident == other.resident && sparse == other.sparse &&
               chebyshev == other.chebyshev && constant_bands == other.constant_bands && headroom == other.headroom &&
               jacobi == other.jacobi;
    }
};

/// A time of an iteration that others measured.
struct Published {
    std::string problem, label, source;
    double seconds_per_iteration = 0;
    std::optional<std::size_t> device; ///< into Comparison::devices
};

struct Section55Request {
    DatapathSpec narrow, wide;
    std::string problem, target;
};

struct Comparison {
    std::string name, store;           ///< store: as written; may be empty
    std::vector<std::string> problems; ///< canonical texts
    std::vector<Device> devices;
    std::vector<Design> designs;
    Scheme scheme = Scheme::residual_guided;
    std::vector<std::uint64_t> inner = {10}; ///< iterations per step
    double tolerance = 1e-10;
    std::uint64_t passes = 4;
    bool constant_bands = false, packed = false;
    double fill = 0.85;
    bool place = false, cpu = true;
    int seeds = 1;
    std::vector<std::string> gpu; ///< paths
    std::optional<double> gpu_watts;
    std::vector<CycleDesign> cycles;
    std::vector<Published> published;
    std::optional<Section55Request> section55;
    [[nodiscard]] bool has_sparse() const {
        for (const Design& design : designs)
            if (design.sparse) return true;
        return false;
    }
};

inline constexpr std::size_t kMaxDesigns = 200, kMaxCompared = 50;

/// Reads a comparison from TOML `text`; `name` stands for the file in errors, and files that it names are relative to
/// `folder`. Throws InvalidInput with one line, `FILE:LINE: what; the mend`.
Comparison parse_comparison(std::string_view text, std::string_view name, const std::string& folder);
Comparison read_comparison(const std::string& path);

} // namespace mantissa::compare
