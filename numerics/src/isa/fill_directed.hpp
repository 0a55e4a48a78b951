// The half of a kernel table that directed_isa.cpp fills.
#pragma once

#include "isa.hpp"

namespace mantissa::detail::MANTISSA_ISA {

void fill_directed(KernelTable& table);

} // namespace mantissa::detail::MANTISSA_ISA
