// A preconditioner as solvers in a datapath's arithmetic call it.
#pragma once

#include <functional>
#include <span>

namespace mantissa::recurrence {

/// out = M x, both of the system's size: x has values of a vector's format, and whoever called rounds what comes into
/// that of its own vector. It may be another map for every x.
using Preconditioner = std::function<void(std::span<const double> x, std::span<double> out)>;

} // namespace mantissa::recurrence
