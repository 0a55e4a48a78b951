// The search of `mantissa tune` for the Python module.
#pragma once

#include "bindings.hpp"

namespace mantissa::python {

void bind_tuning(nb::module_& m);

} // namespace mantissa::python
