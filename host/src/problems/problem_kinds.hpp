// One builder per problem kind. Internal to host/; make_problem is the way in.
#pragma once

#include <cstdint>
#include <string_view>

#include "mantissa/host/problem.hpp"

namespace mantissa::problems {

/// How much of a problem is wanted.
enum class Build : std::uint8_t {
    everything,
    outline, ///< the name and the number of unknowns only (for files: a guess from the file's length)
};

// `text` is the whole problem text, `options` what stands behind its colon.
Problem make_poisson2d(std::string_view text, std::string_view options, Build build);
Problem make_diffusion2d(std::string_view text, std::string_view options, Build build);
Problem make_poisson3d(std::string_view text, std::string_view options, Build build);
Problem make_matrix_problem(std::string_view text, std::string_view options, Build build);

} // namespace mantissa::problems
