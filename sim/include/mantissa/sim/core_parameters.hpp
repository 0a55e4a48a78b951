// From a DatapathSpec to the parameters of the RTL core, for simulation and synthesis alike.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/spec.hpp"

namespace mantissa::sim {

/// A core's parameters by name: those of pcg_core, or of fx_core for fixed-point vectors. Specs that the core cannot
/// tell apart get the same list.
using CoreParameters = std::vector<std::pair<std::string, int>>;

/// Pairs of alpha and beta that a core of the Chebyshev recurrence holds: its parameter Chebyshev. Longer runs go in
/// pieces.
inline constexpr int kStepPairs = 512;

/// Are these the integer core's (fx_core)?
bool is_integer_core(const CoreParameters& parameters);

/// Are these the resident core's (fx_resident), which has the integer core's and more?
bool is_resident_core(const CoreParameters& parameters);

/// Are these the cycle core's (fx_cycle)?
bool is_cycle_core(const CoreParameters& parameters);

/// Empty when the RTL core computes `spec`; else one line that says why not.
std::string core_refusal(const DatapathSpec& spec);

/// Empty when it also runs on `system`; else one line.
std::string core_refusal(const DatapathSpec& spec, const System& system);

/// What the registers COEFFICIENT hold for a constant stencil: its nine coefficients, or what rows of differences are
/// formed from (engine.hpp): w of E, NW, N, NE and c; alpha, beta, gamma and c. `order` must be one that it has.
std::array<double, kBands> core_coefficients(RowOrder order, const Stencil& stencil);

/// The parameters for `spec`, which core_refusal must accept: formats, roundings, row order, dot products, lanes.
/// Row length, coefficient mode, multiplier style and delay lines are the caller's choice; so is, of the integer core,
/// what matrix_parameters() has.
CoreParameters core_parameters(const DatapathSpec& spec);

/// What a matrix asks of the integer core: a constant stencil its integers and the shift of a row's sum (CoefMode 1, S0
/// to S8, RowShift), other symmetric bands the stream of row sums and the bits of a coefficient (CoefMode 0, RowSums,
/// CoefW, RowShift). Throws InvalidInput where core_refusal has a line.
CoreParameters matrix_parameters(const DatapathSpec& spec, const System& system);

/// core_parameters(spec) with what a simulation of `system` asks for besides: MaxRow, DelayRam 1, and CoefMode 1 (no
/// coefficient streams, a faster model) for a constant stencil, and RowSums where rows of differences end with row
/// sums; for the integer core matrix_parameters() and LenW. With floating vectors `system` is of the kind that
/// converted_for() gives for the spec's order.
CoreParameters core_parameters(const DatapathSpec& spec, const System& system);

/// The adder's latency in clocks at a significand of `fraction_bits`, fp_add's with one format throughout (see
/// latencies.hpp).
int adder_latency(int fraction_bits);

/// The MaxRow parameter for a row length: 1025, or the next 2^k + 1.
int max_row(std::size_t row_length);

} // namespace mantissa::sim
