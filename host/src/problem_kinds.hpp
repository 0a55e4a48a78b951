// One builder per problem kind. Internal to host/; make_problem is the way in.
#pragma once

#include <string_view>

#include "mantissa/host/problem.hpp"

namespace mantissa::detail {

// `text` is the whole problem text, `options` what stands behind its colon.
Problem make_poisson2d(std::string_view text, std::string_view options);
Problem make_diffusion2d(std::string_view text, std::string_view options);
Problem make_poisson3d(std::string_view text, std::string_view options);
Problem make_matrix_problem(std::string_view text, std::string_view options);

} // namespace mantissa::detail
