// Residuals against iterations: the recurrence's and the true one, spec by spec, engine by engine (figure 11 of the
// Concurrent Number Cruncher paper). Internal to host/.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mantissa/host/problem.hpp"
#include "mantissa/spec.hpp"
#include "store/result_json.hpp"

namespace mantissa::residuals {

struct Request {
    std::vector<std::string> specs;   ///< as parse_spec() takes them
    std::vector<std::string> engines; ///< by name; the first one's figures are kept, the others must have its bits
    std::uint64_t iterations = 1000, every = 10;
    int threads = 1; ///< of the emulated engine and the true residuals
};

/// One curve: ||r|| of the recurrence and ||b - A x|| in double precision, both relative to ||b||, at `iteration`.
struct Curve {
    std::string spec;
    std::vector<std::string> engines; ///< those that ran it
    std::string refused;              ///< why the others did not: one line, or empty
    bool same_bits = true;            ///< x, r and rho of all engines that ran it, at every iteration listed
    std::string bits;                 ///< a hash of those of the first engine, in hexadecimal
    std::string end;                  ///< "passes", or what ended the recurrence
    std::vector<std::uint64_t> iteration;
    std::vector<double> recursive, true_residual;
};

struct SystemCurves {
    std::string problem;
    std::size_t unknowns = 0;
    std::uint64_t nonzeros = 0; ///< 0 where the matrix has none stored
    std::vector<Curve> curves;
};

/// Runs pipelined CG on the problem scaled to a unit diagonal (Jacobi's preconditioner), from x = 0 and r = b / ||b||,
/// with no restart. Throws InvalidInput on a spec or engine that is none, or where no engine takes a spec.
SystemCurves run_curves(const Problem& problem, const Request& request,
                        const std::function<void(const std::string&)>& say = {});

results::Json to_json(const SystemCurves& system);
/// Throws InvalidInput, one line, on an object of another shape.
SystemCurves from_json(const results::Json& json);

/// The systems side by side as a picture (SVG): a colour for each spec, the recurrence's residual dashed.
std::string picture_of_curves(const std::vector<SystemCurves>& systems);

} // namespace mantissa::residuals
