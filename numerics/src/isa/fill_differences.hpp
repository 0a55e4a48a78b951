// The part of the pass kernels that differences_isa.cpp fills.
#pragma once

#include "isa.hpp"
#include "pass.hpp"

namespace mantissa::detail::MANTISSA_ISA {

void fill_differences(DifferenceKernels<float>& kernels, bool masked);
void fill_differences(DifferenceKernels<double>& kernels, bool masked);

} // namespace mantissa::detail::MANTISSA_ISA
