// One reader per problem kind. Internal to host/; make_problem is the way in.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/host/problem.hpp"

namespace mantissa::problems {

/// What a problem's text says, before anything is assembled or a file read.
struct Description {
    std::string name;                  ///< canonical text
    double unknowns = 0;               ///< for files: a guess from the file's length, 0 where it cannot be told
    std::function<Problem()> assemble; ///< builds the problem; it has this name
    std::vector<std::string> files{};  ///< that assemble() reads
};

// `text` is the whole problem text, `options` what stands after its colon.
Description describe_poisson2d(std::string_view text, std::string_view options);
Description describe_diffusion2d(std::string_view text, std::string_view options);
Description describe_poisson3d(std::string_view text, std::string_view options);
Description describe_convection2d(std::string_view text, std::string_view options);
Description describe_convection3d(std::string_view text, std::string_view options);
Description describe_matrix_problem(std::string_view text, std::string_view options);
Description describe_lscm(std::string_view text, std::string_view options);
Description describe_dsi(std::string_view text, std::string_view options);
Description describe_generated(std::string_view text, std::string_view options);

} // namespace mantissa::problems
