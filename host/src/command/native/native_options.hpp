// mantissa solve: when a solve is native, and what it says of its plan.
#pragma once

#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>

#include "command/options/solve_flags.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa::cli {

/// What of an engine, a scheme and a datapath stands in the command line.
struct NativeFlags {
    bool engine = false, scheme = false, solver = false, datapath = false, plan = false; ///< was one? See AskedFor
    std::string format; ///< as written; empty: not given
};

/// Called once the line is read.
NativeFlags note_asked(const CLI::App& app, const SolveFlags& solver);
/// What is fastest to double accuracy where the flags leave it open: on the engine gpu the native default
/// (take_native_default()); for a matrix file and nothing else the scheme jacobi-pcg on this processor. Returns one
/// line that says what was chosen where that was not written, else nothing.
std::string apply_native(const NativeFlags& flags, const std::string& engine, const std::string& problem,
                         SolveOptions& options);
/// Once the problem is there: bicgstab where that chose CG and the matrix is not symmetric; native loops where a
/// recurrence was named that has them (take_native_loops()). With a line that says so.
std::string apply_native(const NativeFlags& flags, const std::string& engine, const Problem& problem,
                         SolveOptions& options);
/// The rows "plan" and "device" of a native solve's table; nothing for another.
void print_native(std::FILE* to, const SolveResult& result);

} // namespace mantissa::cli
