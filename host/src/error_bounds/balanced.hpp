// A system whose diagonal lies near 1, by powers of two: nothing of it is rounded. Internal to host/.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mantissa/host/problem.hpp"
#include "mantissa/system.hpp"

namespace mantissa::errors {

/// What powers of two that led below double precision's range can have lost: 2^-1074 of each number, so less than this
/// of a sum of up to 2^60 terms with factors up to 2^60.
inline constexpr double kLost = 0x1p-950;

/// S A S y = 2^-shift S b with x = 2^shift S y, S powers of two that bring the diagonal into 1/2 .. 4, and the shift
/// that of the largest of S b and y. Rows that are empty (Dirichlet nodes) are left out: x is zero there.
struct Balanced {
    System system;             ///< sparse rows
    std::vector<double> slack; ///< by how much a diagonal entry may be off its exact value; empty: by nothing
    std::vector<double> b, y;
    std::vector<std::size_t> row; ///< of the problem's
    std::vector<int> exponent;    ///< of S
    int shift = 0;

    [[nodiscard]] std::size_t size() const { return y.size(); }
    [[nodiscard]] const CompressedRows& rows() const { return std::get<CompressedRows>(system.matrix()); }
    [[nodiscard]] double slack_of(std::size_t i) const { return slack.empty() ? 0.0 : slack[i]; }
};

/// Nothing, and `why` in one line, where the problem is none that has an error to bound: its matrix is not symmetric,
/// a diagonal entry is not above zero, a number is not finite, an empty row has an element of b or x that is not zero.
std::optional<Balanced> balanced(const Problem& problem, std::span<const double> x, std::string& why);

/// d = b - A y of a balanced system with A as its rows have it, and how far an element may be off, its last rounding
/// and what kLost stands for included: |exact_i - d_i| <= error + 2^-53 |d_i|.
double defect_of(const Balanced& s, std::span<const double> y, std::span<const double> b, std::span<double> d,
                 int threads);

} // namespace mantissa::errors
