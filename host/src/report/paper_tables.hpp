// The iteration and error tables of FCCM'06, and the solves that reproduce their cells. Internal to host/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/host/point.hpp"

namespace mantissa::report {

struct PaperCell {
    int table = 0;
    std::string scheme;       ///< direct, defect_correction, residual_guided; "..._plain" for plain CG inside
    std::string inner_format; ///< double, float, s23e8, ...
    std::string inner_stop;   ///< fixed25, digits2, empty for direct
    int level = 0;
    std::string status; ///< ok, divergent, na (not run in the paper)
    std::optional<std::uint64_t> inner_iterations, outer_iterations;
    std::optional<double> error; ///< Table 1
};

/// The folder with the paper's tables: `given`, or the installed one, or the source tree's.
std::string paper_folder(const std::string& given);

/// The cells of Table 1, 2, 3 or 4 in the paper's order. Throws InvalidInput naming file and line.
std::vector<PaperCell> read_paper_table(int table, const std::string& folder);

/// The solve behind a cell.
Point cell_point(const PaperCell& cell);

} // namespace mantissa::report
