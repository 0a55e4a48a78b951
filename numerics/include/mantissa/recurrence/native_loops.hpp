// The native loops of the library's recurrences, on the best instruction set that this processor has.
#pragma once

#include <memory>

#include "mantissa/recurrence/library.hpp"
#include "mantissa/recurrence/native_solver.hpp"
#include "mantissa/recurrence/preconditioner.hpp"

namespace mantissa::recurrence {

/// Has it such loops? cg, bicgstab, flexible, right-bicgstab and chebyshev do.
[[nodiscard]] bool has_native_loops(const Definition& definition);
/// Runs of the recurrence on `a`, of which it keeps what it needs; `single`: in float, else in double; `given`: the
/// definition's scalars that are given; `m`: M, the identity where there is none. Throws InvalidInput where it has no
/// loops.
[[nodiscard]] std::unique_ptr<Runner> make_native_loops(const Definition& definition, const CompressedRows& a,
                                                        bool single, int threads = 1,
                                                        std::span<const double> given = {},
                                                        const Preconditioner& m = {});

} // namespace mantissa::recurrence
