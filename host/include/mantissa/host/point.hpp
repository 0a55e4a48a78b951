// A point of an experiment: one solve, named completely.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mantissa/host/solve.hpp"

namespace mantissa {

/// What a solve needs beside its engine's code. Thread counts and what is kept of the result do not belong to it.
struct Point {
    std::string problem = "poisson2d:level=8"; ///< canonical text, as outline_problem() gives it
    std::string engine = "emulated";
    SolveOptions options;
};

/// The full configuration as text, the key under which its result is stored: equal keys, equal results. Options that
/// the scheme does not use are left out.
std::string point_key(const Point& point);

/// A guess of the arithmetic in a solve, in unknowns times passes: to run long points first and to tell the time left.
double estimated_work(const Point& point);

/// What a problem's text tells before anything is built or read.
struct ProblemOutline {
    std::string name;               ///< canonical text
    double unknowns = 0;            ///< for files a guess from their length
    std::vector<std::string> files; ///< that the text names and make_problem() reads
};

/// Checks a problem's text. Throws InvalidInput like make_problem, except for what only the file's content tells.
ProblemOutline outline_problem(std::string_view text);

} // namespace mantissa
