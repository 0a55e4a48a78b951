#include "command/native/native_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "command/options/declare.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/native.hpp"
#include "running/ranks.hpp"

namespace mantissa::cli {

NativeFlags note_asked(const CLI::App& app, const SolveFlags& solver) {
    using options::Asks;
    NativeFlags flags;
    flags.engine = given(app, Common::engine);
    flags.datapath = running::launch().count > 1; // (ranks' GPUs have a solver of their own)
    for (const options::Option& option : options::common())
        flags.datapath = flags.datapath || (option.asks == Asks::datapath && given(app, option.name));
    for (const options::Option* option : solver.given()) {
        flags.scheme = flags.scheme || option->asks == Asks::scheme;
        flags.solver = flags.solver || option->asks == Asks::solver;
        flags.plan = flags.plan || option->asks == Asks::plan;
        flags.datapath = flags.datapath || option->asks == Asks::datapath;
        if (option->asks == Asks::format) flags.format = options::text_of(solver.value(*option));
    }
    return flags;
}

std::string apply_native(const NativeFlags& flags, const std::string& engine, const std::string& problem,
                         SolveOptions& options) {
    const std::string& format = flags.format;
    if (take_native_default({engine, format, flags.scheme, flags.solver, flags.datapath}, options))
        return fmt::format("engine gpu, no datapath asked for: native {}, {}", format == "float" ? "float" : "double",
                           options.jacobi ? "CG on the scaled system" : "CG preconditioned by the diagonal");
    // (Grids keep the reduced datapath that they always had: there is no matrix of anybody's to be solved fast.)
    const bool matrix_alone = problem.starts_with("mtx:") && format.empty() && !flags.plan && !flags.engine &&
                              !flags.scheme && !flags.solver && !flags.datapath && !options.jacobi;
    if (!matrix_alone) return {};
    options.spec = DatapathSpec(formats::kDouble);
    if (options.energy) { // which jacobi-pcg does not see
        options.scheme = Scheme::cg;
        options.jacobi = true;
        return "no datapath asked for: CG in double on this processor, on the system scaled to a unit diagonal; "
               "--format s17e8 has a reduced one";
    }
    options.scheme = Scheme::jacobi_pcg;
    return "no datapath asked for: CG in double on this processor, preconditioned by the diagonal; --format s17e8 has "
           "a reduced one";
}

std::string apply_native(const NativeFlags& flags, const std::string& engine, const Problem& problem,
                         SolveOptions& options) {
    if (take_native_loops({engine, flags.format, flags.scheme, flags.solver, flags.datapath}, problem, options))
        return fmt::format("{} in native {} on this processor{}; --format {} has it in a datapath",
                           to_string(iterated(options)), flags.format,
                           options.jacobi ? ", preconditioned by the diagonal" : "",
                           flags.format == "float" ? "s23e8" : "s52e11");
    if (flags.scheme || !take_native_recurrence(problem, options)) return {};
    return fmt::format("the matrix is not {}: {} preconditioned by the diagonal from the right, in CG's place",
                       problem.symmetric ? "positive definite" : "symmetric", to_string(iterated(options)));
}

void print_native(std::FILE* to, const SolveResult& result) {
    if (!result.native) return;
    const NativeOutcome& n = *result.native;
    const auto iterations = static_cast<double>(std::max<std::uint64_t>(result.inner_iterations, 1));
    fmt::print(to, "{:<15}{}: {}\n", "plan", to_string(n.plan), n.why);
    fmt::print(to, "{:<15}{:.3g} s, {:.2f} us per iteration\n", n.plan == NativePlan::processor ? "loops" : "device",
               n.seconds, 1e6 * n.seconds / iterations);
}

} // namespace mantissa::cli
