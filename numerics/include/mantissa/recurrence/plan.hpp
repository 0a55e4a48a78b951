// How kernels go through an iteration of a recurrence: in sweeps, each once over memory.
//
// A sweep ends where a sum is waited for, and where a product of A or M begins: its rows need neighbours of what the
// sweep made. The solution's advance is put off to the sweep that overwrites the vector along which it goes, which
// reads that one anyway, unless the scalar is another by then; so when a run ends one may still be due.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mantissa/recurrence/definition.hpp"

namespace mantissa::recurrence {

/// The numbers of steps that a sweep does for each element, in order; then scalar steps.
struct Sweep {
    std::array<std::uint8_t, Definition::kMostSteps> step{};
    std::uint8_t steps = 0;
    std::uint8_t scalar_from = 0, scalar_to = 0; ///< of the definition's steps: those of scalars after it

    constexpr void add(std::uint8_t k) { step[steps++] = k; }
};

/// The parts of a definition.
enum class Section : std::uint8_t { start, iteration, watch };

/// An iteration, or what runs once in front of all, or what is watched now and then.
struct Plan {
    static constexpr std::size_t kMostSweeps = 12;
    std::array<Sweep, kMostSweeps> sweep{};
    std::uint8_t sweeps = 0;
    std::uint8_t waits = 0, overlapped = 0;
};

namespace detail {

constexpr bool advances(const Definition& d, const Step& s) {
    return on_vectors(s.operation) && s.result == d.solution;
}
/// Does a step make a vector, or read it as an element?
constexpr bool writes(const Step& s, std::uint8_t vector) {
    return on_vectors(s.operation) && s.result == vector;
}

/// Does a step form this scalar anew?
constexpr bool forms(const Step& s, std::uint8_t scalar) {
    return s.result == scalar &&
           (s.operation == Operation::dot || s.operation == Operation::guard || forms_scalar(s.operation));
}

/// Where an advance of the solution goes: in front of the next step that overwrites its direction, the next iteration's
/// too; where its scalar is formed anew before that, or no scalar is between the two, it stays.
constexpr std::uint8_t put_off(const Definition& d, std::uint8_t advance) {
    const Step& a = d.step[advance];
    const int iteration = d.watched - d.first;
    bool after_scalars = false;
    for (int n = 1; n < iteration; ++n) {
        const auto k = static_cast<std::uint8_t>(d.first + (advance - d.first + n) % iteration);
        // (A product of M may be formed in front of all that its sweep does.)
        if (writes(d.step[k], a.b))
            return after_scalars && d.step[k].operation != Operation::precondition ? k : advance;
        after_scalars = after_scalars || on_scalars(d.step[k].operation);
        if (forms(d.step[k], a.scalar)) break;
    }
    return advance;
}

} // namespace detail

/// Has a kernel vector v in a register before step n of the sweep, if it goes through the sweep's steps element by
/// element? `products`: it has what the sweep's products made, too.
constexpr bool in_hand(const Definition& d, const Sweep& sweep, std::size_t n, std::uint8_t v, bool products) {
    for (std::size_t k = 0; k < n; ++k) {
        const Step& s = d.step[sweep.step[k]];
        const bool product = s.operation == Operation::apply;
        const bool pair = s.operation == Operation::dot || s.operation == Operation::add_scaled ||
                          s.operation == Operation::sub_scaled;
        if (!product && (s.a == v || (pair && s.b == v))) return true;
        if (s.operation != Operation::dot && s.result == v && (!product || products)) return true;
    }
    return false;
}

/// The sweeps of the steps `from` up to `to`.
constexpr Plan plan(const Definition& d, std::uint8_t from, std::uint8_t to) {
    Plan plan;
    Sweep sweep;
    std::array<bool, Definition::kMostVectors> made{}, gathered{};
    bool scalars = false, sums = false, product_since = false;
    const auto close = [&] {
        if (sweep.steps != 0 || sweep.scalar_to > sweep.scalar_from) plan.sweep[plan.sweeps++] = sweep;
        sweep = {};
        made = gathered = {};
        scalars = false;
    };
    for (std::uint8_t k = from; k < to; ++k) {
        const Step& s = d.step[k];
        if (on_scalars(s.operation)) {
            if (sums) {
                ++plan.waits;
                plan.overlapped = static_cast<std::uint8_t>(plan.overlapped + (product_since ? 1 : 0));
            }
            sums = product_since = false;
            if (!scalars) sweep.scalar_from = k;
            scalars = true;
            sweep.scalar_to = static_cast<std::uint8_t>(k + 1);
            continue;
        }
        if (scalars) close();
        const bool product = s.operation == Operation::apply || s.operation == Operation::precondition;
        if (product && made[s.a]) close();
        if (on_vectors(s.operation) && gathered[s.result]) close();
        if (product) gathered[s.a] = true;
        if (s.operation == Operation::dot) sums = true;
        else if (product && sums) product_since = true;
        // Those that were put off to here come in front.
        for (std::uint8_t a = d.first; a < d.watched; ++a)
            if (a != k && detail::advances(d, d.step[a]) && detail::put_off(d, a) == k) sweep.add(a);
        if (detail::advances(d, s) && detail::put_off(d, k) != k) continue;
        sweep.add(k);
        if (on_vectors(s.operation)) made[s.result] = true;
    }
    if (sums) ++plan.waits;
    close();
    return plan;
}
/// Those of a section.
constexpr Plan plan(const Definition& d, Section of) {
    return of == Section::start       ? plan(d, 0, d.first)
           : of == Section::iteration ? plan(d, d.first, d.watched)
                                      : plan(d, d.watched, d.steps);
}
/// Those of an iteration.
constexpr Plan plan(const Definition& d) {
    return plan(d, Section::iteration);
}

namespace detail {

/// Does a sweep read what it has not made itself of vector v, or a product of it?
constexpr bool reads_of_others(const Definition& d, const Sweep& sweep, std::uint8_t v) {
    bool made = false;
    for (std::size_t n = 0; n < sweep.steps; ++n) {
        const Step& s = d.step[sweep.step[n]];
        const bool product = s.operation == Operation::apply || s.operation == Operation::precondition;
        const bool pair = !product && s.operation != Operation::copy;
        if ((s.a == v && (product || !made)) || (pair && s.b == v && !made)) return true;
        made = made || writes(s, v);
    }
    return false;
}

} // namespace detail

/// Is vector v in memory? One that is read in the sweeps that make it alone lives in registers, unless M makes it.
constexpr bool kept(const Definition& d, std::uint8_t v) {
    for (std::size_t k = 0; k < d.steps; ++k)
        if (d.step[k].operation == Operation::precondition && d.step[k].result == v) return true;
    if (v == d.solution || v == d.lag_vector || d.vector[v].residual) return true;
    for (const Section of : {Section::start, Section::iteration, Section::watch}) {
        const Plan sweeps = plan(d, of);
        for (std::size_t s = 0; s < sweeps.sweeps; ++s)
            if (detail::reads_of_others(d, sweeps.sweep[s], v)) return true;
    }
    return false;
}

} // namespace mantissa::recurrence
