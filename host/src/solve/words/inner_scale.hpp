// How an outer loop's defect enters an inner solver: divided by its norm, or, where the inner vectors are fixed-point
// words, by a power of two that leaves them headroom.
#pragma once

#include <algorithm>
#include <cmath>

#include "../context.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa::solving {

class InnerScale {
public:
    /// Words that overflow again and again with this many bits of headroom more leave nothing of the defect.
    static constexpr int kMostWidening = 40;

    explicit InnerScale(const SolveOptions& options) : InnerScale(options, options.spec) {}
    /// For a stage of a schedule.
    InnerScale(const SolveOptions& options, const DatapathSpec& spec)
        : spec_(&spec), fixed_(spec.fixed_vectors()), fixed_headroom_(options.headroom.has_value()),
          first_(options.headroom.value_or(0)) {}

    /// What divides a defect of norm `norm`, so that r has the norm 1. With fixed words a power of two: at first, and
    /// after an overflow, the one that gives r a norm in (1/2, 1] 2^-headroom; after a step, the one that would have
    /// left the longest words of that step, in proportion to the norms, `margin` idle bits.
    double of(double norm) {
        if (!fixed_) return norm;
        double wanted = std::ldexp(norm, first_);
        if (words_ && !fixed_headroom_) wanted = scale_ * (norm / norm_) * std::ldexp(1.0, idle_ + margin_);
        int exponent = 0;
        const double fraction = std::frexp(wanted, &exponent);
        scale_ = std::ldexp(1.0, fraction == 0.5 ? exponent - 1 : exponent);
        norm_ = norm;
        return scale_;
    }
    /// What the words of the step that began with of() took.
    void after(const WordUse& words) {
        if (!fixed_) return;
        const auto over = [](int bits, const Format& f) { return f.is_fixed() ? bits - f.word_bits : -kMostIdle; };
        idle_ = std::max({over(words.u, spec_->u), over(words.r, spec_->r), over(words.p, spec_->p),
                          over(words.q, spec_->q), -kMostIdle});
        words_ = true;
    }
    /// A scalar that meets a fixed vector outside a pass, as the datapath has it.
    [[nodiscard]] double operand(double s) const { return fixed_ ? exact::convert(spec_->operand, s) : s; }

    [[nodiscard]] bool fixed() const { return fixed_; }
    /// After an overflow: one bit more of headroom, and of margin. False where that is hopeless.
    [[nodiscard]] bool widen() {
        words_ = false;
        ++first_;
        ++margin_;
        return ++widened_ <= kMostWidening;
    }

private:
    const DatapathSpec* spec_;
    bool fixed_, fixed_headroom_;
    int first_;      ///< bits of headroom over the norm, where no step is known
    int margin_ = 1; ///< idle bits that a step is to leave
    int widened_ = 0;
    bool words_ = false; ///< is the last step known?
    int idle_ = 0;       ///< minus the idle bits of its longest word
    double scale_ = 1, norm_ = 1;
    static constexpr int kMostIdle = 30; ///< a step that moved next to nothing says little
};

inline constexpr const char* kHopelessOverflow =
    "words overflow however small the scale: the matrix or its coefficients are beyond these formats";

/// Counts an outer step whose work a word's overflow took, and widens. False, and the solve has its status, where that
/// is hopeless.
inline bool lost_to_overflow(InnerScale& scale, SolveContext& context) {
    ++context.result.overflows;
    const bool hope = scale.widen();
    if (!hope) context.stop(Status::breakdown, kHopelessOverflow);
    return hope;
}

inline constexpr const char* kOuterOverflow =
    "a word of the outer loop's u overflowed: give --outer fewer fraction bits";

} // namespace mantissa::solving
