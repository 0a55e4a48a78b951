// Which kernel runs a solve.
#pragma once

#include <cstdint>

#include "plan.hpp"

namespace mantissa::gpu::cycle_words {

/// How long words are: which types hold them.
enum class WordClass : std::uint8_t {
    even,     ///< shortest, and the stencil is -1 around 8
    shortest, ///< f and a stored defect in 16 bits, sums in 32
    middle,   ///< all in 32
    longest,  ///< sums in 64
};

/// Cooperative kernels without parameters, kThreads threads a block, one block a multiprocessor.
const void* words_kernel(WordClass words);
const void* double_kernel();
/// Their constant memory.
void load_words_plans(const CyclePlan& cycle, const OuterPlan& around);
void load_double_plans(const CyclePlan& cycle, const OuterPlan& around);

} // namespace mantissa::gpu::cycle_words
