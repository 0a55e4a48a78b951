// Kernels without floating-point instructions: a test reads their machine code.
#include "launch.hpp"
#include "solve.cuh"

namespace mantissa::gpu::cycle_words {

const void* words_kernel(WordClass words) {
    switch (words) {
    case WordClass::shortest: return reinterpret_cast<const void*>(&solve_kernel<Words<int, short, short>>);
    case WordClass::middle: return reinterpret_cast<const void*>(&solve_kernel<Words<int, short, int>>);
    default: return reinterpret_cast<const void*>(&solve_kernel<Words<long long, int, int>>);
    }
}

} // namespace mantissa::gpu::cycle_words
