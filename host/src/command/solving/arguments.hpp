// What `mantissa solve` is asked for, and what it does with that whether it solves at once or after an advice.
#pragma once

#include <string>
#include <vector>

#include "command/dense/solve_dense.hpp"
#include "command/native/native_options.hpp"
#include "command/options/solve_flags.hpp"
#include "command/parts/parts.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/provenance.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa::cli {

struct SolveArguments {
    std::string problem, engine = "emulated", history, solution, check, advise, guess, device, store;
    int threads = 0;
    bool json = false;
    SolveFlags solver;
    DenseFlags dense;
    PartFlags parts;
    NativeFlags native;
};

SolveOptions options_of(const SolveArguments& flags);

/// Writes the files asked for. When one cannot be written, the others are, and the first fault is returned.
std::string write_files(const SolveArguments& flags, const Point& point, const Problem& problem,
                        const std::vector<SolveResult>& results, const Provenance& here);

/// --guess: columns as --solution writes them, one for all right-hand sides or one for each; empty where none is given.
std::vector<double> read_guess(const SolveArguments& flags, const Problem& problem);

/// The advice; with --advise=solve the solve that it names after it. `engines`: as given, or empty. `typed`: the
/// command line.
int advise_command(const SolveArguments& flags, const std::string& engines, const std::string& typed);

} // namespace mantissa::cli
