// Schemes: short names for a recurrence, a preconditioner and an outer loop.
#include <algorithm>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/recurrence/library.hpp"

namespace mantissa {

namespace options {

std::span<const SchemeAxes> schemes() {
    static const std::vector<SchemeAxes> all{
        {Scheme::direct, "direct", {"cg"}, "none", "none", "textbook CG on the whole problem"},
        {Scheme::pipelined, "pipelined", {"pipelined"}, "none", "none", "one wait for sums in an iteration"},
        {Scheme::chronopoulos_gear, "chronopoulos-gear", {"chronopoulos-gear"}, "none", "none", "engine emulated"},
        {Scheme::ghysels_vanroose, "ghysels-vanroose", {"ghysels-vanroose"}, "none", "none", "engine emulated"},
        {Scheme::defect_correction,
         "defect-correction",
         {"pipelined", "cg", "flexible", "chebyshev", "bicgstab", "gmres"},
         "none",
         "defect-correction",
         "each inner solve starts anew; may cascade through --middle"},
        {Scheme::residual_guided,
         "residual-guided",
         {"pipelined"},
         "none",
         "residual-guided",
         "keeps the search direction; the default"},
        {Scheme::inexact_pcg,
         "inexact-pcg",
         {"pipelined", "cg", "chebyshev"},
         "the inner iterations",
         "flexible-pcg",
         "CG in double outside"},
        {Scheme::jacobi_pcg, "jacobi-pcg", {"cg"}, "jacobi", "none", "in double on this processor, made for speed"},
        {Scheme::gmres,
         "gmres",
         {"gmres"},
         "none",
         "none",
         "GMRES(m), --gmres M; the matrix need not be symmetric; engine emulated",
         true},
        {Scheme::recurrence,
         "recurrence",
         {"flexible", "bicgstab"},
         "none",
         "none",
         "what --recurrence names, on its own; engine emulated, bicgstab in double also gpu (help recurrences)"},
    };
    return all;
}

SolveOptions Request::finish() const {
    if (axes.scheme && axes.recurrence) { // (of a stored point: what the scheme iterates)
        SolveOptions made = options;
        made.recurrence = *axes.recurrence;
        return made;
    }
    if (!axes.recurrence && !axes.outer_loop) {
        SolveOptions made = options;
        // Cycles alone where they smooth on the way down only, else as CG's preconditioner.
        if (made.preconditioner && !axes.scheme)
            made.scheme = made.preconditioner->after == 0 ? Scheme::defect_correction : Scheme::inexact_pcg;
        return made;
    }
    const std::string recurrence = axes.recurrence.value_or("pipelined");
    const bool chebyshev = recurrence == "chebyshev"; // keeps no direction, and has no sum that could end it
    const auto& whole = schemes()[static_cast<std::size_t>(Scheme::recurrence)].recurrences;
    const bool named = std::find(whole.begin(), whole.end(), recurrence) != whole.end();
    const bool alone = named || recurrence == "gmres"; // solves on its own, unless a loop is named
    const std::string loop = axes.outer_loop.value_or(chebyshev ? "defect-correction"
                                                      : alone   ? "none"
                                                                : "residual-guided");
    const auto has = [&](const SchemeAxes& s) {
        return std::find(s.recurrences.begin(), s.recurrences.end(), recurrence) != s.recurrences.end();
    };
    std::string others;
    for (const SchemeAxes& s : schemes()) {
        if (s.scheme == Scheme::jacobi_pcg || !has(s)) continue;
        if (s.outer_loop != loop) {
            others += (others.empty() ? "" : ", ") + std::string(s.outer_loop);
            continue;
        }
        SolveOptions made = options;
        made.scheme = s.scheme;
        if (named) made.recurrence = recurrence;
        else if (chebyshev) made.inner_recurrence = Recurrence::chebyshev;
        else if (axes.recurrence && recurrence != "gmres" && s.recurrences.front() != recurrence)
            made.inner_recurrence = Recurrence::plain;
        return made;
    }
    throw InvalidInput(fmt::format("recurrence {}: it does not go with the outer loop {}; give --outer-loop {}",
                                   recurrence, loop, others));
}

} // namespace options

std::string to_string(Scheme scheme) {
    return std::string(options::schemes()[static_cast<std::size_t>(scheme)].name);
}

Scheme parse_scheme(std::string_view text) {
    std::string names;
    for (const options::SchemeAxes& s : options::schemes()) {
        if (text == s.name) return s.scheme;
        names += (names.empty() ? "" : ", ") + std::string(s.name);
    }
    throw InvalidInput(fmt::format("scheme {}: write one of {}", base::quoted(text), names));
}

const recurrence::Definition* recurrence_of(const SolveOptions& options) {
    if (options.scheme == Scheme::chronopoulos_gear) return &recurrence::kChronopoulosGear;
    if (options.scheme == Scheme::ghysels_vanroose) return &recurrence::kGhyselsVanroose;
    return options.recurrence.empty() ? nullptr : &recurrence::named(options.recurrence);
}

bool refines(Scheme scheme) {
    return options::schemes()[static_cast<std::size_t>(scheme)].outer_loop != "none";
}

} // namespace mantissa
