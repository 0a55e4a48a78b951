#include "mantissa/recurrence/ledger.hpp"

#include <array>

#include <fmt/format.h>

#include "mantissa/recurrence/plan.hpp"

namespace mantissa::recurrence {

namespace {

using Flags = std::array<bool, Definition::kMostVectors>;

int count(const Flags& flags) {
    int n = 0;
    for (const bool flag : flags) n += flag ? 1 : 0;
    return n;
}

/// What one sweep reads and writes.
void add(const Definition& d, const Sweep& sweep, Ledger& ledger) {
    Flags made{}, read{};
    const auto need = [&](std::uint8_t v) { read[v] = read[v] || !made[v]; };
    for (std::size_t k = 0; k < sweep.steps; ++k) {
        const Step& s = d.step[sweep.step[k]];
        need(s.a);
        if (s.operation == Operation::add_scaled || s.operation == Operation::sub_scaled ||
            s.operation == Operation::dot)
            need(s.b);
        if (on_vectors(s.operation)) made[s.result] = true;
        ledger.products += s.operation == Operation::apply ? 1 : 0;
        ledger.preconditioned += s.operation == Operation::precondition ? 1 : 0;
        ledger.sums += s.operation == Operation::dot ? 1 : 0;
    }
    ledger.reads += count(read);
    for (std::uint8_t v = 0; v < d.vectors; ++v) ledger.writes += made[v] && kept(d, v) ? 1 : 0;
    ledger.sweeps += sweep.steps != 0 ? 1 : 0;
}

} // namespace

Ledger ledger(const Definition& definition) {
    const Plan iteration = plan(definition);
    Ledger ledger;
    for (std::size_t k = 0; k < iteration.sweeps; ++k) add(definition, iteration.sweep[k], ledger);
    ledger.waits = iteration.waits;
    ledger.overlapped = iteration.overlapped;
    for (std::uint8_t v = 0; v < definition.vectors; ++v) ledger.vectors += kept(definition, v) ? 1 : 0;
    return ledger;
}

std::string to_string(const Definition& d, const Step& s) {
    const auto vector = [&](std::uint8_t v) { return d.vector[v].name.view(); };
    const auto scalar = [&](std::uint8_t v) { return d.scalar[v].name.view(); };
    const auto scaled = [&](char sign) {
        return fmt::format("{} = {} {} {} {}", vector(s.result), vector(s.a), sign, scalar(s.scalar), vector(s.b));
    };
    const auto formed = [&](char sign) {
        return fmt::format("{} = {} {} {}", scalar(s.result), scalar(s.a), sign, scalar(s.b));
    };
    switch (s.operation) {
    case Operation::add_scaled:
        return scaled('+');
    case Operation::sub_scaled:
        return scaled('-');
    case Operation::copy:
        return fmt::format("{} = {}", vector(s.result), vector(s.a));
    case Operation::apply:
        return fmt::format("{} = A {}", vector(s.result), vector(s.a));
    case Operation::precondition:
        return fmt::format("{} = M {}", vector(s.result), vector(s.a));
    case Operation::dot:
        return fmt::format("{} = {} . {}", scalar(s.result), vector(s.a), vector(s.b));
    case Operation::assign:
        return fmt::format("{} = {}", scalar(s.result), scalar(s.a));
    case Operation::negate:
        return fmt::format("{} = - {}", scalar(s.result), scalar(s.a));
    case Operation::add:
        return formed('+');
    case Operation::subtract:
        return formed('-');
    case Operation::multiply:
        return formed('*');
    case Operation::divide:
        return formed('/');
    case Operation::guard:
        return fmt::format("guard {}", scalar(s.a));
    case Operation::finite:
        return fmt::format("finite {}", scalar(s.a));
    case Operation::exact:
        return fmt::format("exact {}", scalar(s.a));
    case Operation::definite:
        return fmt::format("definite {}", scalar(s.a));
    case Operation::unbroken:
        return fmt::format("unbroken {}", scalar(s.a));
    case Operation::stop:
        return fmt::format("stop {}", scalar(s.a));
    }
    return {};
}

} // namespace mantissa::recurrence
