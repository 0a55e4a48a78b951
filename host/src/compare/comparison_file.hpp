// Comparison files: which designs meet which problems on which devices. Internal to host/.
//
//     name = "quickstart"                     # key of the stored document; default: the file's name
//     store = "compare.sqlite"                # beside the file unless absolute; default: the file's name
//     problem = ["poisson2d:level=7"]         # one or a list
//     device = ["xc2v8000", "mine.toml"]      # names in experiments/devices/, or paths beside the file
//     scheme = "residual-guided"              # or defect-correction
//     inner = [10, 50]                        # one or a list; each row takes what is fastest for it. The first
//                                             # stands for iterations as such, and for section 5.5
//     tolerance = 1e-10
//     engine = ["emulated"]                   # that solve (all but the first: the first inner only); with "rtl" or
//     "systemc" the cycles are those of the solve passes = 4                              # of the RTL core, to count
//     the cycles of a pass; 0: none bands = "streamed"                      # or "constant": a stencil held in
//     registers, 8 words an element not 17 words = "bytes"                         # or "packed": a word's bits rounded
//     up to bytes, or as they are fill = 0.85                             # share of a device's slices that cores may
//     take place = false                           # place and route for ecp5, `seeds` times seeds = 1 cpu = true #
//     double and mixed float solves on this processor beside it gpu = ["results.json"]                  # files of
//     `mantissa bench gpu`, beside this file
//     [[design]]
//     spec = ["s17e8", "s23e8"]               # one or a list
//     multiplier = ["block", "logic"]         # default: block
//     device = ["xc2v8000"]                   # of those above; default: all of them
//     engine = ["rtl"]                        # default: those above
//     area = true                             # false: no synthesis
//     clock_mhz = 100                         # given; default: place and route, else the device's, else the model
//     A spec may stand in several [[design]] tables, to have other multipliers on other devices.
//     [section55]                             # the paper's example, with these designs
//     narrow = "s23e8"
//     wide = "s52e11"
//     problem = "poisson2d:level=10"          # default: the last problem above
//     target = "xc2v"
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa::detail {

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
    std::vector<std::uint64_t> inner = {10}; ///< iterations a step
    double tolerance = 1e-10;
    std::uint64_t passes = 4;
    bool constant_bands = false, packed = false;
    double fill = 0.85;
    bool place = false, cpu = true;
    int seeds = 1;
    std::vector<std::string> gpu; ///< paths
    std::optional<Section55Request> section55;
};

inline constexpr std::size_t kMaxDesigns = 200, kMaxCompared = 50;

/// Reads a comparison from TOML `text`; `name` stands for the file in errors, and files that it names are relative to
/// `folder`. Throws InvalidInput with one line, `FILE:LINE: what; the mend`.
Comparison parse_comparison(std::string_view text, std::string_view name, const std::string& folder);
Comparison read_comparison(const std::string& path);

} // namespace mantissa::detail
