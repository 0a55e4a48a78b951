// `mantissa solve --dense`: a dense system by LU.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace mantissa::cli {

struct DenseFlags {
    std::string problem, spec = "lu:half,acc=fixed[15:-34],scale=top", refine = "gmres-ir", method = "lu", solution,
                         engine = "emulated", check, format;
    std::uint32_t steps = 50, krylov = 50;
    double tolerance = 1e-8; ///< of GMRES
    int threads = 0;
    bool plain = false, json = false;              ///< plain: without scaling
    bool spec_given = false, engine_given = false; ///< --lu, --engine
};

/// The options that only a dense solve has.
void add_dense_options(CLI::App& app, DenseFlags& flags);

/// Solves, prints, and returns the exit code.
int solve_dense_command(const DenseFlags& flags);

} // namespace mantissa::cli
