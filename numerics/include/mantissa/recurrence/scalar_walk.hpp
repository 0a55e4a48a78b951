// The scalar statements of a definition for a pass that forms vectors and sums itself: those between two of its vector
// steps at a time, each operation rounded once into a format.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "mantissa/exact.hpp"
#include "mantissa/format.hpp"
#include "mantissa/recurrence/definition.hpp"
#include "mantissa/recurrence/scalar_steps.hpp"

namespace mantissa::recurrence {

/// Arithmetic of scalar_step() that rounds into a format.
struct InFormat {
    const Format& f;
    [[nodiscard]] double add(double a, double b) const { return exact::add(f, a, b); }
    [[nodiscard]] double sub(double a, double b) const { return exact::sub(f, a, b); }
    [[nodiscard]] double mul(double a, double b) const { return exact::mul(f, a, b); }
    [[nodiscard]] double div(double a, double b) const { return exact::div(f, a, b); }
};

/// One iteration of D. Its scalars are +0 at first; who walks puts in what it has, and sums as they come.
template <const Definition& D> class ScalarWalk {
public:
    explicit ScalarWalk(const Format& f) : arithmetic_{f} {}

    /// The scalar of this name.
    static consteval std::uint8_t at(std::string_view name) {
        const std::uint8_t s = D.scalar_named(name);
        if (s == Definition::kNone) throw InvalidInput("recurrence: a walk asks for a scalar that is not declared");
        return s;
    }
    [[nodiscard]] double& operator[](std::uint8_t s) { return value_[s]; }

    /// The scalar statements that come next, after the vector steps and sums in front of them. Where one ends the
    /// iteration, what the definition clears is +0. Nothing is below a threshold.
    RunEnd next() {
        while (step_ < D.watched && !on_scalars(D.step[step_].operation)) ++step_;
        for (; step_ < D.watched && on_scalars(D.step[step_].operation); ++step_) {
            const RunEnd end = scalar_step(arithmetic_, D.step[step_], value_, 0, false, findings_);
            if (end != RunEnd::passes) return ended(end);
        }
        return RunEnd::passes;
    }
    /// It ends so, for a reason of the walker's.
    RunEnd ended(RunEnd end) {
        for (std::size_t s = 0; s < D.scalars; ++s)
            if (D.scalar[s].cleared) value_[s] = 0;
        return end;
    }
    [[nodiscard]] bool guarded() const { return findings_.guarded != 0; }

private:
    InFormat arithmetic_;
    std::array<double, D.scalars> value_{};
    ScalarFindings findings_;
    std::size_t step_ = D.first;
};

} // namespace mantissa::recurrence
