// mantissa reproduce cnc: figures and a table of the Concurrent Number Cruncher (Buatois, Caumon, Levy, IJPEDS 24(3),
// 2008), our values beside the paper's ratios.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "mantissa/host/mesh.hpp"

namespace CLI {
class App;
}

namespace mantissa::cli {

using CncJson = nlohmann::ordered_json;

struct CncFlags {
    int figure = 0, table = 0;        ///< one of them; 0: not asked for
    std::vector<std::string> meshes;  ///< files; none: meshes that are made
    std::vector<std::string> results; ///< stored runs of `mantissa bench gpu`; none: those of the source tree
    std::string output;               ///< the picture
    std::string data;                 ///< folder of the paper's tables
    double noise = 0.3, weight = 1;   ///< of the mesh that Figure 7 smooths
    int threads = 1, subdivide = 0;
    bool json = false;
};

/// The options that only `cnc` has.
void add_cnc_options(CLI::App& app, CncFlags& flags);

/// The command. Throws InvalidInput, one line, for a wrong request and for stored runs that are missing.
int reproduce_cnc(const CncFlags& flags);

/// A mesh and what to call it.
struct NamedMesh {
    std::string name;
    TriangleMesh mesh;
};

// What is made on the spot.
int cnc_figure3(const CncFlags& flags);
int cnc_figure7(const CncFlags& flags);
int cnc_table3(const CncFlags& flags);
/// The meshes of the request, or `made`.
std::vector<NamedMesh> cnc_meshes(const CncFlags& flags, std::vector<NamedMesh> made);

// What is read from stored runs: figures 8 to 11.
int cnc_stored_figure(const CncFlags& flags);

} // namespace mantissa::cli
