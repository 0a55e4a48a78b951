// Which matrices the sparse core takes: the same answer, in one line, from every engine that has it.
#pragma once

#include <cstddef>
#include <string>

#include "mantissa/spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa::sparse_core {

/// The most rows: u, r, p and q stay on the chip, and a million of them in words of 18 to 31 bits take 85 Mbit.
inline constexpr std::size_t kMostRows = std::size_t{1} << 20;
/// The most bits of a coefficient: one more than a format's, as for the diagonal of a matrix scaled by its diagonal.
inline constexpr int kMostCoefficientBits = 33;
/// The most entries of a row, as a power of two.
inline constexpr int kMostRowLog = 20;

/// Empty where a(i, j) is a(j, i) everywhere and the diagonal of every row that is not empty is above zero; else one
/// line that names the first place where it is not, counted from 0.
std::string matrix_refusal(const CompressedRows& matrix);

/// Empty when the core runs `spec`, whose vectors are fixed-point words, on `system`: sparse rows, as many as fit,
/// symmetric but for roundings of 2^-40, with a positive diagonal, and coefficients that fit. Else one line.
std::string refusal(const DatapathSpec& spec, const System& system);

} // namespace mantissa::sparse_core
