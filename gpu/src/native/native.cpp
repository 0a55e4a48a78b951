#include "native.hpp"

#include <algorithm>
#include <variant>

#include "mantissa/format.hpp"

namespace mantissa::gpu {

namespace {

bool reads_alike(const Stencil& stencil) {
    const auto& c = stencil.coefficients();
    return c[0] == c[2] && c[0] == c[6] && c[0] == c[8] && c[3] == c[5] && c[1] == c[7];
}

} // namespace

std::string native_refusal(const DatapathSpec& spec, const System& system, const NativeChoice& choice) {
    if (!spec.sums_free())
        return "engine gpu: native solvers add in any order: write " + to_string(spec) +
               ",sum=free for one, or take a scheme of datapaths";
    if (choice.recurrence != nullptr || choice.restart != 0)
        if (const std::string why = recurrence_refusal(system, choice); !why.empty()) return why;
    const auto* const stencil = std::get_if<Stencil>(&system.matrix());
    if (stencil != nullptr && !reads_alike(*stencil))
        return "engine gpu: a native solver's constant stencil is the same left, right, up and down; give this system "
               "as nine bands";
    if (system.size() >= std::size_t{1} << 32)
        return "engine gpu runs systems of fewer than 2^32 unknowns; use --engine emulated for larger ones";
    return {};
}

std::unique_ptr<NativeSolver> make_native(const System& system, const DatapathSpec& spec, const NativeChoice& choice,
                                          const NativeParts& parts) {
    if (const std::string why = native_refusal(spec, system, choice); !why.empty()) throw InvalidInput(why);
    const bool single = spec.r == formats::kFloat;
    if (system.kind() == System::Kind::stencil) return make_native_grid(system, single, choice.plan, parts);
    return make_native_sparse(system, single, choice, parts);
}

PcgEnd native_end(CgEnd end) {
    switch (end) {
    case CgEnd::converged:
        return PcgEnd::reached;
    case CgEnd::stagnated:
        return PcgEnd::stagnated;
    case CgEnd::indefinite:
        return PcgEnd::indefinite;
    case CgEnd::not_finite:
        return PcgEnd::not_finite;
    case CgEnd::cancelled:
        return PcgEnd::cancelled;
    case CgEnd::passes:
        break;
    }
    return PcgEnd::limit;
}

CgEnd end_of(PcgEnd end) {
    for (const CgEnd e : {CgEnd::converged, CgEnd::stagnated, CgEnd::indefinite, CgEnd::not_finite, CgEnd::cancelled})
        if (native_end(e) == end) return e;
    return CgEnd::passes;
}

} // namespace mantissa::gpu
