// Native solves by an engine (mantissa/native.hpp) through solve(): what asks for one.
#pragma once

#include <span>
#include <string_view>

#include "mantissa/host/solve.hpp"

namespace mantissa {

/// `double,sum=free` or `float,sum=free`.
[[nodiscard]] DatapathSpec native_spec(bool single = false);

/// Is such a solve native: on an engine that has native solvers, with free sums; on a device by the scheme jacobi_pcg
/// (which has no datapath), and by the scheme recurrence in plain double or float, too?
[[nodiscard]] bool solves_natively(const SolveOptions& options, const Engine& engine);

/// What was written for a solve, as far as it says that a datapath is wanted or not.
struct AskedFor {
    std::string_view engine, format; ///< as written; format is empty where none was
    bool scheme = false;             ///< a scheme was
    bool solver = false;             ///< a recurrence, an outer loop or a preconditioner was
    /// Something was that datapaths alone have: a full spec, inner iterations or digits, a schedule, words of an outer
    /// loop, an engine to compare with.
    bool datapath = false;
    bool plan = false; ///< where vectors live
};
/// The engine gpu and nothing of a datapath asked for: CG preconditioned by the diagonal in native double, or in the
/// native float that --format float names; without a format solve_fastest() may go another way from there. (Written
/// forms, s52e11 and s23e8, a scheme and sum=ordered keep the datapath.) Free sums without a scheme have the same
/// scheme. True where `options` is such a solve now and its spec was not written so.
bool take_native_default(const AskedFor& asked, SolveOptions& options);
/// After it, once the problem is there: bicgstab in the place of CG preconditioned by the diagonal where CG does not
/// take the matrix: native over sparse rows, in double in a datapath on a grid's. True where it is now.
bool take_native_recurrence(const Problem& problem, SolveOptions& options);
/// After a solve by a way that the program chose: gmres(30) in its place, whose residual never rises, where bicgstab
/// ended short of the tolerance by itself, or CG preconditioned by the diagonal broke down, which wants a positive
/// definite matrix. On this processor in a datapath, which is double. True where `options` is that now.
bool take_gmres_instead(std::span<const SolveResult> results, const Engine& engine, SolveOptions& options);
/// cg or bicgstab asked for by name, alone, in --format double or float, on this processor and for sparse rows: by its
/// native loops (mantissa/recurrence/native_loops.hpp). True where `options` is such a solve now.
bool take_native_loops(const AskedFor& asked, const Problem& problem, SolveOptions& options);

} // namespace mantissa
