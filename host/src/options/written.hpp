// What is written from the declarations of options for people and for other languages. Internal to host/.
#pragma once

#include <span>
#include <string>

#include "mantissa/host/options.hpp"

namespace mantissa::options {

/// The scheme table and the options by group, in Markdown: docs/options.md.
std::string reference_page(std::span<const Option> among = table());
/// The keywords of Python's solve() and simulate() with their types: python/mantissa/_options.py.
std::string python_keywords(std::span<const Option> among = table());
/// What a solve is made with, in words: its scheme, then every option that is not at its default, as
/// "defect-correction, recurrence=gmres(5), inner=10"; without the datapath and what ends_text() says. `used`: does the
/// option count beside the others?
std::string solver_text(const SolveOptions& options, bool (*used)(const Option&, const SolveOptions&));
/// What ends a solve: "residual=1e-10", "energy=1e-06, max_iterations=50".
std::string ends_text(const SolveOptions& options);
/// What each scheme stands for, in columns.
std::string scheme_table();

} // namespace mantissa::options
