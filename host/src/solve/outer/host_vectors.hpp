// The outer loop's vectors on the host.
#pragma once

#include <memory>
#include <span>

#include "mantissa/engine.hpp"
#include "mantissa/outer/outer_vectors.hpp"
#include "outer_arithmetic.hpp"

namespace mantissa::solving {

/// What the host keeps of an outer loop: u, b and d, which must live as long, and how it computes with them.
struct HostPlace {
    OuterArithmetic& arithmetic;
    std::span<double> u;
    std::span<const double> b;
    std::span<double> d;
};
/// Works on the place's own vectors; the session's cross in parts of kTransfer elements. `spec` is the session's.
std::unique_ptr<OuterVectors> make_host_vectors(const HostPlace& place, Session& session, const DatapathSpec& spec);

} // namespace mantissa::solving
