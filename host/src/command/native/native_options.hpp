// mantissa solve: when a solve is native, and what it says of its plan.
#pragma once

#include <cstdio>
#include <string>

#include <CLI/CLI.hpp>

#include "mantissa/host/solve.hpp"

namespace mantissa::cli {

struct NativeFlags {
    std::string plan;                                      ///< empty: the solver's choice
    bool engine = false, scheme = false, datapath = false; ///< was one asked for? See AskedFor
};

void add_native_options(CLI::App& app, NativeFlags& flags);
/// What of an engine, a scheme and a datapath stands in the command line; called once it is read.
void note_asked(const CLI::App& app, NativeFlags& flags);
/// The plan, and what is fastest to double accuracy where the flags leave it open: on the engine gpu the native default
/// (take_native_default()); for a matrix file and nothing else the scheme jacobi-pcg on this processor. Returns one
/// line that says what was chosen where that was not written, else nothing.
std::string apply_native(const NativeFlags& flags, const std::string& engine, const std::string& format,
                         const std::string& problem, SolveOptions& options);
/// The rows "plan" and "device" of a native solve's table; nothing for another.
void print_native(std::FILE* to, const SolveResult& result);

} // namespace mantissa::cli
