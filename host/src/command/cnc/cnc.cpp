#include "cnc.hpp"

#include <filesystem>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command/cevahir/cevahir.hpp"
#include "command/command.hpp"
#include "mantissa/format.hpp"

namespace mantissa::cli {

std::vector<NamedMesh> cnc_meshes(const CncFlags& flags, std::vector<NamedMesh> made) {
    if (flags.meshes.empty()) return made;
    std::vector<NamedMesh> meshes;
    for (const std::string& path : flags.meshes)
        meshes.push_back({std::filesystem::path(path).stem().string(), read_mesh(path)});
    return meshes;
}

void add_cnc_options(CLI::App& app, CncFlags& flags) {
    app.add_option("--figure", flags.figure,
                   "cnc: 3, 7 (pictures), 8, 9, 10 or 11 (from stored runs); lu: 5 to 9, 11 to 14 (from stored runs); "
                   "cevahir: 4, 5 (from stored runs)");
    app.add_option("--table", flags.table, "cnc: 3; lu: 1, 2; cevahir: communication")
        ->transform([](const std::string& text) {
            return text == "communication" ? std::to_string(kCommunicationTable) : text;
        });
    app.add_option("--mesh", flags.meshes,
                   "cnc: mesh files for Table 3, one for Figure 3, one or two for Figure 7; default: made ones");
    app.add_option("--results", flags.results,
                   "cnc, lu, cevahir: stored runs of mantissa bench; default: those of the source tree");
    app.add_option("-o,--output", flags.output, "cnc: the picture of Figure 3 or 7 (SVG)");
    app.add_option("--noise", flags.noise, "cnc: noise of the mesh that Figure 7 smooths, in mean edge lengths")
        ->capture_default_str();
    app.add_option("--weight", flags.weight, "cnc: how strongly Figure 7 draws each vertex to its place")
        ->capture_default_str();
    app.add_option("--subdivide", flags.subdivide, "cnc: further rows of Table 3, the last mesh divided so many times")
        ->check(CLI::Range(0, 6))
        ->capture_default_str();
}

int reproduce_cnc(const CncFlags& flags) {
    if ((flags.figure == 0) == (flags.table == 0))
        throw InvalidInput("cnc: give one of --figure 3, 7, 8, 9, 10 or 11 and --table 3");
    if (flags.table != 0 && flags.table != 3)
        throw InvalidInput(fmt::format("--table {}: of this paper only Table 3 is reproduced", flags.table));
    const bool made = flags.table == 3 || flags.figure == 3 || flags.figure == 7;
    if (!made && (flags.figure < 8 || flags.figure > 11))
        throw InvalidInput(fmt::format("--figure {}: give 3, 7, 8, 9, 10 or 11", flags.figure));
    if (!made && !flags.meshes.empty())
        throw InvalidInput(fmt::format("--mesh: Figure {} is read from stored runs; leave it out", flags.figure));
    if (made && !flags.results.empty())
        throw InvalidInput("--results: only Figures 8 to 11 are read from stored runs; leave it out");
    const bool draws = flags.figure == 3 || flags.figure == 7;
    if (draws && flags.output.empty())
        throw InvalidInput(fmt::format("--figure {}: a picture; -o FILE.svg says where it goes", flags.figure));
    if (!draws && !flags.output.empty()) throw InvalidInput("-o: only Figures 3 and 7 are pictures; leave it out");
    check_outputs({{"-o", flags.output, true}}, flags.json);
    if (flags.table == 3) return cnc_table3(flags);
    if (flags.figure == 3) return cnc_figure3(flags);
    if (flags.figure == 7) return cnc_figure7(flags);
    return cnc_stored_figure(flags);
}

} // namespace mantissa::cli
