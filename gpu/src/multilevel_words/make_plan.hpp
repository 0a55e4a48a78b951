// From a stencil and a cycle's text form to what the kernels are told, but for where things lie.
#pragma once

#include <cstddef>

#include "launch.hpp"
#include "mantissa/gpu/word_cycle.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"

namespace mantissa::gpu::cycle_words {

inline constexpr int kShortStored = 15, kLongStored = 29; ///< bits of a stored defect without its sign

/// Bytes of an element.
struct Sizes {
    std::size_t found, sum, leaving, defect, wide;
};
Sizes sizes_of(bool in_double, WordClass words);

struct MadePlan {
    CyclePlan plan;
    WordClass words = WordClass::longest;
    Sizes size{};
};
/// Grids of 2^level + 1 nodes a side over `parts` parts. Throws InvalidInput: a stencil that is not its own coarse
/// operator, coefficients that do not fit, more parts than the grid has strips for.
MadePlan make_plan(int level, const WordStencil& stencil, const CycleSpec& spec, int parts);

/// The most parts that such a grid has strips for.
int most_parts(int level);

} // namespace mantissa::gpu::cycle_words
