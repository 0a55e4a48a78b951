// What a request means to the tools: its top module and parameters, and the yosys script. Internal to host/.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/base/process.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "synthesis.hpp"

namespace mantissa::synthesis {

struct Top {
    std::string module;
    sim::CoreParameters parameters = {};
    bool core = false;
    std::string registered =
        {}; ///< a file whose module `registered` is to be the top instead: see registered_operator()
};

/// Throws InvalidInput, one line, for a part that there is none of.
Top top_of(const SynthesisRequest& request);

/// The cycle core's of a request that has a cycle. Throws InvalidInput, one line, for one that the core has not.
sim::CoreParameters cycle_core(const CycleArea& cycle);

/// Copies all that a recipe reads from the project's folder `source` into `folder`, where yosys is to run, under the
/// same names from there. So its script holds only these: the folders' own names may have spaces, quotes or semicolons,
/// which yosys's scripts, and the shell that it starts ABC with, would take for something else. Throws InvalidInput for
/// a source that is named so itself.
void copy_sources(const std::string& source, const std::string& folder);

/// The recipe with names filled in and the lines whose condition fails left out, for yosys to run where copy_sources()
/// has put the files of the project's folder `source`.
std::string fill_recipe(const std::string& recipe, const SynthesisRequest& request, const Top& top,
                        const std::string& source, bool place);

struct Port {
    bool input = false;
    int bits = 0;
    std::string name;
};
/// Of "input [31:0] name" lines, as yosys's portlist writes them.
std::vector<Port> read_ports(const std::string& text);

/// Bits of the ports that a core has to the outside. Those by which several cores of one system talk to each other are
/// none of a resident or cycle core alone, in which nothing looks at them.
std::uint64_t io_bits(const SynthesisRequest& request, const std::vector<Port>& ports);

/// A module `registered` that holds an operator between registers fed and read through shift registers, so that place
/// and route times its first and last stages too, and it needs three pins.
std::string registered_operator(const Top& top, const std::vector<Port>& ports);

} // namespace mantissa::synthesis
