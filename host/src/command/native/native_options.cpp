#include "command/native/native_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "mantissa/host/native.hpp"
#include "running/ranks.hpp"

namespace mantissa::cli {

void add_native_options(CLI::App& app, NativeFlags& flags) {
    app.add_option("--plan", flags.plan,
                   "native solves (--engine gpu, with --format double, float or nothing of a datapath): grid-resident, "
                   "grid-stream, grid-parts, sparse-resident, sparse-stream or sparse-parts; unless given, by the "
                   "system's size");
}

void note_asked(const CLI::App& app, NativeFlags& flags) {
    flags.engine = app.get_option("--engine")->count() != 0;
    flags.scheme = app.get_option("--scheme")->count() != 0;
    flags.datapath = running::launch().count > 1; // (ranks' GPUs have a solver of their own)
    for (const char* name :
         {"--spec", "--schedule", "--inner", "--digits", "--inner-recurrence", "--middle", "--middle-digits", "--outer",
          "--resident", "--headroom", "--couplings", "--check", "--parts"})
        if (app.get_option(name)->count() != 0) flags.datapath = true;
}

std::string apply_native(const NativeFlags& flags, const std::string& engine, const std::string& format,
                         const std::string& problem, SolveOptions& options) {
    if (!flags.plan.empty()) options.plan = parse_native_plan(flags.plan);
    if (take_native_default({engine, format, flags.scheme, flags.datapath}, options))
        return fmt::format("engine gpu, no datapath asked for: native {}, {}", format == "float" ? "float" : "double",
                           options.jacobi ? "CG on the scaled system" : "CG preconditioned by the diagonal");
    // (Grids keep the reduced datapath that they always had: there is no matrix of anybody's to be solved fast.)
    const bool matrix_alone = problem.starts_with("mtx:") && format.empty() && flags.plan.empty() && !flags.engine &&
                              !flags.scheme && !flags.datapath && !options.jacobi;
    if (!matrix_alone) return {};
    options.scheme = Scheme::jacobi_pcg;
    options.spec = DatapathSpec(formats::kDouble);
    return "no datapath asked for: CG in double on this processor, preconditioned by the diagonal; --format s17e8 has "
           "a reduced one";
}

void print_native(std::FILE* to, const SolveResult& result) {
    if (!result.native) return;
    const NativeOutcome& n = *result.native;
    const auto iterations = static_cast<double>(std::max<std::uint64_t>(result.inner_iterations, 1));
    fmt::print(to, "{:<15}{}: {}\n", "plan", to_string(n.plan), n.why);
    fmt::print(to, "{:<15}{:.3g} s, {:.2f} us per iteration\n", "device", n.seconds, 1e6 * n.seconds / iterations);
}

} // namespace mantissa::cli
