// How an outer loop's defect enters an inner solver: divided by its norm, or, where the inner vectors are fixed-point
// words, by a power of two that leaves them headroom.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "context.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa::solving {

class InnerScale {
public:
    /// Words that overflow again and again with this many bits of headroom more leave nothing of the defect.
    static constexpr int kMostWidening = 40;

    explicit InnerScale(const SolveOptions& options)
        : spec_(&options.spec), fixed_(options.spec.fixed_vectors()), first_(options.headroom),
          headroom_(options.headroom) {}

    /// What divides a defect of norm `norm`, so that r has the norm 1; with fixed words the power of two that gives it
    /// a norm in (1/2, 1] 2^-headroom.
    [[nodiscard]] double of(double norm) const {
        if (!fixed_) return norm;
        int exponent = 0;
        const double fraction = std::frexp(norm, &exponent);
        return std::ldexp(1.0, (fraction == 0.5 ? exponent - 1 : exponent) + headroom_);
    }
    /// A scalar that meets a fixed vector outside a pass, as the datapath has it.
    [[nodiscard]] double operand(double s) const { return fixed_ ? exact::convert(spec_->operand, s) : s; }

    [[nodiscard]] bool fixed() const { return fixed_; }
    [[nodiscard]] int headroom() const { return headroom_; }
    /// After an overflow: one bit more of headroom. False where that is hopeless.
    [[nodiscard]] bool widen() {
        ++headroom_;
        return headroom_ - first_ <= kMostWidening;
    }

private:
    const DatapathSpec* spec_;
    bool fixed_;
    int first_, headroom_;
};

/// Counts an outer step whose work a word's overflow took, and widens. False, and the solve has its status, where that
/// is hopeless.
inline bool lost_to_overflow(InnerScale& scale, SolveContext& context) {
    ++context.result.overflows;
    const bool hope = scale.widen();
    context.result.headroom = scale.headroom();
    if (!hope)
        context.stop(Status::breakdown, "words overflow however small the scale: the matrix or its coefficients are "
                                        "beyond these formats");
    return hope;
}

inline constexpr const char* kOuterOverflow =
    "a word of the outer loop's u overflowed: give --outer fewer fraction bits";

} // namespace mantissa::solving
