// Which kernel runs a solve.
#pragma once

#include <cstdint>

#include "plan.hpp"

namespace mantissa::gpu::cycle_words {

/// How long words are: which types hold them.
enum class WordClass : std::uint8_t {
    shortest, ///< f and a stored defect in 16 bits, sums in 32
    middle,   ///< f in 16, a stored defect in 32
    longest,  ///< f in 32, sums in 64
};

/// Cooperative kernels of (CyclePlan, OuterPlan), kThreads threads a block, one block a multiprocessor.
const void* words_kernel(WordClass words);
const void* double_kernel();

} // namespace mantissa::gpu::cycle_words
