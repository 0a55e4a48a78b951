// The processor's cores.
#pragma once

namespace mantissa::base {

/// The cores that this process may run on (taskset and containers leave some of a machine's); at least 1.
int usable_cores();

} // namespace mantissa::base
