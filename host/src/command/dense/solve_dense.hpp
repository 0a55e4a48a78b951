// `mantissa solve --dense`: a dense system by LU.
#pragma once

#include <string>

#include "command/options/solve_flags.hpp"

namespace CLI {
class App;
}

namespace mantissa::cli {

struct DenseFlags {
    std::string problem, solution, engine = "emulated", check, format;
    SolveFlags options{options::dense()};
    int threads = 0;
    bool json = false;
    bool engine_given = false; ///< --engine
};

/// The options that only a dense solve has.
void add_dense_options(CLI::App& app, DenseFlags& flags);

/// Solves, prints, and returns the exit code.
int solve_dense_command(const DenseFlags& flags);

} // namespace mantissa::cli
