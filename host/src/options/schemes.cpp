// Schemes: short names for a recurrence, a preconditioner and an outer loop.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/recurrence/gmres.hpp"
#include "mantissa/recurrence/library.hpp"
#include "text/whole_range.hpp"
#include "values.hpp"

namespace mantissa {

namespace options {

std::span<const SchemeAxes> schemes() {
    using R = RecurrenceChoice;
    static const std::vector<SchemeAxes> all{
        {Scheme::cg, "direct", {R::cg}, "none", "none", "textbook CG on the whole problem"},
        {Scheme::pipelined, "pipelined", {R::pipelined}, "none", "none", "one wait for sums in an iteration"},
        {Scheme::recurrence, "chronopoulos-gear", {R::chronopoulos_gear}, "none", "none", "engine emulated"},
        {Scheme::recurrence, "ghysels-vanroose", {R::ghysels_vanroose}, "none", "none", "engine emulated"},
        {Scheme::defect_correction,
         "defect-correction",
         {R::pipelined, R::cg, R::flexible, R::chebyshev, R::bicgstab, R::gmres},
         "none",
         "defect-correction",
         "each inner solve starts anew; may cascade through --middle"},
        {Scheme::residual_guided,
         "residual-guided",
         {R::pipelined},
         "none",
         "residual-guided",
         "keeps the search direction; the default"},
        {Scheme::inexact_pcg,
         "inexact-pcg",
         {R::pipelined, R::cg, R::chebyshev},
         "the inner iterations",
         "flexible-pcg",
         "CG in double outside"},
        {Scheme::jacobi_pcg, "jacobi-pcg", {R::cg}, "jacobi", "none", "in double on this processor, made for speed"},
        {Scheme::recurrence, "flexible", {R::flexible}, "none", "none", "takes multilevel cycles; engine emulated"},
        {Scheme::recurrence,
         "bicgstab",
         {R::bicgstab},
         "none",
         "none",
         "the matrix need not be symmetric; takes multilevel cycles; engine emulated, in double also gpu; native loops "
         "(help recurrences)"},
        {Scheme::recurrence,
         "gmres",
         {R::gmres},
         "none",
         "none",
         "GMRES(m), --recurrence gmres(M); the matrix need not be symmetric; takes multilevel cycles; engine emulated, "
         "in double also gpu"},
    };
    return all;
}

bool SchemeAxes::has(const RecurrenceChoice& choice) const {
    return std::ranges::any_of(recurrences, [&](const RecurrenceChoice& mine) { return mine.name == choice.name; });
}

const SchemeAxes& axes_of(const SolveOptions& options) {
    const SchemeAxes* first = nullptr;
    for (const SchemeAxes& s : schemes()) {
        if (s.scheme != options.scheme) continue;
        if (options.recurrence && s.has(*options.recurrence)) return s;
        if (first == nullptr) first = &s;
    }
    return *first;
}

namespace {

/// The options with the scheme that the axes make.
SolveOptions with_scheme(const SolveOptions& options, const Axes& axes) {
    SolveOptions made = options;
    if (axes.recurrence) made.recurrence = axes.recurrence;
    if (axes.scheme) {
        set_scheme(made, *axes.scheme);
        if (!axes.recurrence) return made;
        if (made.recurrence && made.recurrence->name != axes.recurrence->name)
            throw InvalidInput(fmt::format("recurrence {}: the scheme {} is a recurrence itself; leave one of the two "
                                           "out",
                                           to_string(*axes.recurrence), *axes.scheme));
        made.recurrence = axes.recurrence;
        return made;
    }
    if (!made.recurrence && !axes.outer_loop) {
        // Cycles alone where they smooth on the way down only, else as CG's preconditioner.
        if (made.preconditioner)
            made.scheme = made.preconditioner->after == 0 ? Scheme::defect_correction : Scheme::inexact_pcg;
        return made;
    }
    const RecurrenceChoice wanted = made.recurrence.value_or(RecurrenceChoice::pipelined);
    std::string loops;
    // Where no loop is named: the usual one if it has the recurrence, else none, else what there is.
    const SchemeAxes* usual = nullptr;
    const auto rank = [](const SchemeAxes& s) {
        return s.scheme == Scheme::residual_guided ? 2 : s.outer_loop == "none" ? 1 : 0;
    };
    for (const SchemeAxes& s : schemes()) {
        if (s.scheme == Scheme::jacobi_pcg || !s.has(wanted)) continue;
        loops += (loops.empty() ? "" : ", ") + std::string(s.outer_loop);
        const bool fits = !axes.outer_loop || *axes.outer_loop == s.outer_loop;
        if (fits && (usual == nullptr || rank(s) > rank(*usual))) usual = &s;
    }
    if (usual == nullptr)
        throw InvalidInput(fmt::format("recurrence {}: it does not go with the outer loop {}; give --outer-loop {}",
                                       to_string(wanted), axes.outer_loop.value_or(""), loops));
    made.scheme = usual->scheme;
    return made;
}

} // namespace

SolveOptions Request::finish() const {
    SolveOptions made = with_scheme(options, axes);
    // BiCGStab has no step that mends an M which words round anew each time, as CG's flexible beta and GMRES do.
    const bool rigid = made.scheme == Scheme::recurrence && made.recurrence == RecurrenceChoice::bicgstab;
    if (usual_cycle && rigid) made.preconditioner = parse_cycle_spec(kUsualCycleOfBicgstab);
    return made;
}

} // namespace options

std::string to_string(Scheme scheme) {
    if (scheme == Scheme::recurrence) return "recurrence";
    SolveOptions of;
    of.scheme = scheme;
    return scheme_name(of);
}

int directions_of(const SolveOptions& options, std::size_t unknowns) {
    constexpr int kShort = 12; // bits of r: what longer words lose costs no iterations
    const auto& cycle = options.preconditioner;
    const bool rounds = cycle && !cycle->in_double && cycle->w.front() <= kShort;
    const auto wanted = static_cast<std::size_t>(options.directions.value_or(rounds ? kMostDirections : 1));
    return static_cast<int>(std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(unknowns, 2) - 1));
}

std::string scheme_name(const SolveOptions& options) {
    return std::string(options::axes_of(options).name);
}

void set_scheme(SolveOptions& options, std::string_view name) {
    std::string names;
    for (const options::SchemeAxes& s : options::schemes()) {
        if (name == s.name) {
            options.scheme = s.scheme;
            options.recurrence.reset();
            if (s.scheme == Scheme::recurrence) options.recurrence = s.recurrences.front();
            return;
        }
        names += (names.empty() ? "" : ", ") + std::string(s.name);
    }
    throw InvalidInput(fmt::format("scheme {}: write one of {}", base::quoted(name), names));
}

Scheme parse_scheme(std::string_view text) {
    SolveOptions options;
    set_scheme(options, text);
    return options.scheme;
}

namespace {
/// In the order of RecurrenceChoice::Name.
constexpr std::array<std::string_view, 8> kRecurrences{
    "pipelined", "cg", "chronopoulos-gear", "ghysels-vanroose", "flexible", "chebyshev", "bicgstab", "gmres"};
} // namespace

std::string to_string(const RecurrenceChoice& choice) {
    std::string text(kRecurrences.at(choice.name));
    if (choice.name == RecurrenceChoice::gmres) text += fmt::format("({})", choice.restart);
    return text;
}

RecurrenceChoice parse_recurrence_choice(std::string_view text) {
    const std::string_view name = text.substr(0, text.find('('));
    const auto* const found = std::ranges::find(kRecurrences, name);
    if (found == kRecurrences.end())
        throw InvalidInput(fmt::format("recurrence {}: write one of {}, the last with the steps of a cycle as gmres(M)",
                                       base::quoted(text), fmt::join(kRecurrences, ", ")));
    const auto chosen = static_cast<RecurrenceChoice::Name>(found - kRecurrences.begin());
    if (name.size() == text.size()) return chosen;
    const text::WholeRange steps{kLeastRestart, kMostRestart};
    const std::string_view rest = text.substr(name.size() + 1);
    const auto number = rest.ends_with(')') ? steps.read(rest.substr(0, rest.size() - 1)) : std::nullopt;
    if (chosen != RecurrenceChoice::gmres || !number)
        throw InvalidInput(fmt::format("recurrence {}: write gmres(M), with {} for the steps of a cycle",
                                       base::quoted(text), steps.name()));
    return {chosen, *number};
}

bool takes_any_matrix(const RecurrenceChoice& choice) {
    if (choice.name == RecurrenceChoice::gmres) return true;
    const recurrence::Definition* const known = recurrence::find(to_string(choice)); // (gmres is none)
    return known != nullptr && known->needs == recurrence::Needs::nothing;
}

RecurrenceChoice iterated(const SolveOptions& options) {
    if (options.recurrence) return *options.recurrence;
    if (options.scheme == Scheme::recurrence) throw InvalidInput("scheme recurrence: which one? give a recurrence");
    return options::axes_of(options).recurrences.front();
}

std::optional<Recurrence> session_recurrence(const RecurrenceChoice& choice) {
    switch (choice.name) {
    case RecurrenceChoice::pipelined:
        return Recurrence::pipelined;
    case RecurrenceChoice::cg:
        return Recurrence::plain;
    case RecurrenceChoice::chebyshev:
        return Recurrence::chebyshev;
    default:
        return std::nullopt;
    }
}

const recurrence::Definition* recurrence_of(const SolveOptions& options) {
    if (options.scheme != Scheme::recurrence && options.scheme != Scheme::defect_correction) return nullptr;
    const RecurrenceChoice choice = iterated(options);
    if (session_recurrence(choice) || choice.name == RecurrenceChoice::gmres) return nullptr;
    if (choice.name == RecurrenceChoice::bicgstab && options.preconditioner) return &recurrence::kRightBicgstab;
    return &recurrence::named(to_string(choice));
}

bool refines(Scheme scheme) {
    SolveOptions of;
    of.scheme = scheme;
    return options::axes_of(of).outer_loop != "none";
}

} // namespace mantissa
