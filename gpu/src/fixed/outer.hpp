// The outer loop's vectors beside a session in fixed-point words.
#pragma once

#include "engine/outer_vectors.hpp"
#include "kernels.hpp"

namespace mantissa::gpu {

/// What of a session its outer loop takes; all of it outlives the outer vectors.
struct FixedSessionVectors {
    const FixedParams* params;
    Format u, r, p;
    FixedU u_kind;
    bool* unfit; ///< becomes true where a restart writes a value that does not fit
};
std::unique_ptr<OuterVectors> make_fixed_outer(const FixedSessionVectors& session, const System& given);

} // namespace mantissa::gpu
