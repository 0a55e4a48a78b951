// The matrix of a cyclic shift: row i has a 1 in column i + 1. GMRES gains nothing on it until its last step, unless b
// is all ones, which one step solves.
#pragma once

#include <cstdint>
#include <vector>

#include "mantissa/system.hpp"

namespace mantissa::testing {

inline CompressedRows cyclic_shift(std::uint32_t rows) {
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    for (std::uint32_t i = 0; i < rows; ++i) {
        column.push_back((i + 1) % rows);
        begin.push_back(i + 1);
    }
    return {begin, column, std::vector<double>(rows, 1.0)};
}

} // namespace mantissa::testing
