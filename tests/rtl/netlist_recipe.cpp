// Writes the yosys script that `mantissa synthesize` would run for a part of a specification, with its netlist as
// Verilog at its end, and what the benches need to know of the part. The script is the one of the library: what is
// simulated is what is synthesised. usage: netlist_recipe SOURCE SPEC TARGET MULTIPLIER PART FOLDER
#include <cstdio>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>

#include "mantissa/spec.hpp"
#include "synthesis/recipe.hpp"

int main(int argc, char** argv) {
    using namespace mantissa;
    if (argc != 7) return 2;
    try {
        synthesis::SynthesisRequest request;
        const std::string source = argv[1], folder = argv[6];
        request.spec = parse_spec(argv[2]);
        request.target = argv[3];
        request.multiplier = argv[4];
        request.part = argv[5];
        request.constant_bands = request.spec.fixed_vectors(); // the integer core with its stencil built in
        const synthesis::Top top = synthesis::top_of(request);
        std::ifstream file(source + "/experiments/synthesis/recipe.ys");
        std::ostringstream recipe;
        recipe << file.rdbuf();
        synthesis::copy_sources(source, folder);
        std::ofstream script(folder + "/run.ys");
        script << synthesis::fill_recipe(recipe.str(), request, top, source, false);
        // Beside its own RTL in one simulation, an operator's netlist has another name.
        script << fmt::format("rename {} netlist\nwrite_verilog -noattr netlist.v\n", top.module);
        std::ofstream parameters(folder + "/parameters.svh");
        for (std::size_t k = 0; k < top.parameters.size(); ++k)
            parameters << fmt::format("  .{}({}){}\n", top.parameters[k].first, top.parameters[k].second,
                                      k + 1 < top.parameters.size() ? "," : "");
        std::ofstream defines(folder + "/operator.txt");
        defines << fmt::format("-DPART_{}", top.module);
        for (const auto& [name, value] : top.parameters) defines << fmt::format(" -DP_{}={}", name, value);
        defines << "\n";
        return script.good() && defines.good() && parameters.good() ? 0 : 1;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
