// How an outer loop enters words of r and p whose binary point moves: with a scale under which the words are as long as
// the first pass allows, so that it has not to move the point down. A bare shift followed by other roundings is biased.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "../inner.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/moving_point.hpp"

namespace mantissa::solving {

[[nodiscard]] inline double largest_of(std::span<const double> v) {
    double largest = 0;
    for (const double x : v) largest = std::max(largest, std::abs(x));
    return largest;
}

class MovingRestart {
public:
    explicit MovingRestart(const SolveOptions& options)
        : spec_(&options.spec), room_(std::max(0, options.headroom.value_or(0))) {}

    /// A direction that is kept: the length of its longest word, and beta times the scale of r.
    struct Kept {
        int length = 0;
        double beta_scale = 0;
    };
    /// The power of two that divides a defect with the largest element `largest`: the smallest one for which words of r
    /// hold the quotient and the first pass, from r and the kept direction, does not lower the point.
    [[nodiscard]] double scale(double largest, const std::optional<Kept>& kept) const {
        const int bits = std::min(spec_->r.word_bits, spec_->p.word_bits);
        const int word_bits = std::max(bits - guard_, fixed::kLeastMovingWord);
        int exponent = 0; // largest < 2^exponent, and so the quotient
        static_cast<void>(std::frexp(largest, &exponent));
        exponent -= bits - 1 - spec_->r.fraction_bits;
        for (;; ++exponent) {
            const double s = std::ldexp(1.0, exponent);
            const fixed::Rounded word = fixed::from_double(spec_->r, largest / s);
            if (word.overflow) continue;
            std::optional<int> along;
            if (kept)
                if (const auto b = fixed::exponent_of(operand(kept->beta_scale / s))) along = *b + kept->length;
            if (fixed::point_rise(word_bits, fixed::length_of(word.word), {}, along) >= 0) return std::ldexp(s, room_);
        }
    }

    /// Restarts from r = d / scale and p = +0 or, with `keep`, the session's p less what it has along r, lengthened to
    /// full words; u and q become +0. Enters with beta, for p as it was, times the scale of r; leaves the session's.
    /// Returns the scale.
    double restart(Session& session, std::span<const double> d, double norm, bool keep, double& beta) {
        std::optional<Kept> kept;
        if (keep) kept = take_direction(session, d, norm, beta);
        const double s = scale(largest_of(d), kept);
        for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) session.clear(v);
        std::vector<double> part(std::min(d.size(), kTransfer));
        for (std::size_t at = 0; at < d.size(); at += part.size()) {
            const std::span<double> r(part.data(), std::min(part.size(), d.size() - at));
            for (std::size_t i = 0; i < r.size(); ++i) r[i] = d[at + i] / s;
            session.write(Vec::r, at, r);
        }
        if (keep) session.write(Vec::p, 0, direction_);
        beta = kept ? kept->beta_scale / s : 0;
        return s;
    }

    /// After a step that a word's overflow ended: a smaller r where it was one of u; else the session has taken a bit
    /// from what its words may fill, and this one does so too.
    void widen(const WordUse& words) {
        const bool of_vectors =
            words.r > spec_->r.word_bits || words.p > spec_->p.word_bits || words.q > spec_->q.word_bits;
        if (of_vectors) ++guard_;
        else ++room_;
    }

private:
    [[nodiscard]] double operand(double s) const { return exact::convert(spec_->operand, s); }

    /// Reads p into direction_, orthogonal to d and scaled to full words.
    Kept take_direction(const Session& session, std::span<const double> d, double norm, double beta_scale) {
        const std::size_t size = d.size();
        direction_.resize(size);
        session.read(Vec::p, 0, direction_);
        int exponent = 0;
        static_cast<void>(std::frexp(norm, &exponent));
        const double unit = std::ldexp(1.0, exponent); // d / unit has a norm of 1/2 to 1
        std::vector<double> r(std::min(size, kTransfer));
        const auto for_parts = [&](auto&& body) {
            for (std::size_t at = 0; at < size; at += r.size()) {
                const std::size_t n = std::min(r.size(), size - at);
                for (std::size_t i = 0; i < n; ++i) r[i] = d[at + i] / unit;
                body(std::span<const double>(r.data(), n), std::span<double>(direction_).subspan(at, n));
            }
        };
        BlockDot dot;
        for_parts([&](std::span<const double> part, std::span<double> p) { dot.add(part, p); });
        const double projection = operand(dot.total() / (norm / unit * (norm / unit)));
        for_parts([&](std::span<const double> part, std::span<double> p) {
            for (std::size_t i = 0; i < p.size(); ++i) p[i] -= projection * part[i];
        });
        const double largest = largest_of(direction_);
        if (largest == 0) return {0, 0};
        static_cast<void>(std::frexp(largest, &exponent));
        int up = spec_->p.word_bits - 1 - spec_->p.fraction_bits - exponent;
        if (fixed::from_double(spec_->p, std::ldexp(largest, up)).overflow) --up;
        for (double& x : direction_) x = std::ldexp(x, up);
        return {spec_->p.word_bits - 1, std::ldexp(beta_scale, -up)};
    }

    const DatapathSpec* spec_;
    int room_;      ///< bits of headroom of r
    int guard_ = 0; ///< the session's (engine.hpp)
    std::vector<double> direction_;
};

} // namespace mantissa::solving
