// Which kernel runs a solve.
#pragma once

#include <cstdint>
#include <span>

#include "plan.hpp"

namespace mantissa::gpu::cycle_words {

/// How long words are: which types hold them.
enum class WordClass : std::uint8_t {
    even,     ///< shortest, and the stencil is -1 around 8
    shortest, ///< f and a stored defect in 16 bits, sums in 32
    middle,   ///< all in 32
    longest,  ///< sums in 64
};

/// A cooperative kernel without parameters, kThreads threads a block, one block a multiprocessor, and what fills its
/// constant memory on the current device: the parts there are blockIdx.y.
struct SolveKernel {
    const void* kernel = nullptr;
    void (*load)(const CyclePlan&, const OuterPlan&, std::span<const PartPlan>) = nullptr;
};
/// On one device, a part by itself.
SolveKernel words_kernel(WordClass words);
SolveKernel double_kernel();
/// On several parts. Not `shortest`.
SolveKernel parted_words_kernel(WordClass words);
SolveKernel parted_double_kernel();

} // namespace mantissa::gpu::cycle_words
