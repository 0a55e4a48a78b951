#include "mantissa/multilevel/words.hpp"

#include <numbers>

namespace mantissa::multilevel {

namespace {

constexpr int kHeadroom = 6; ///< bits by which r may grow inside a level
constexpr int kMostE = 26, kLeastE = 16;

} // namespace

std::vector<Weight> chebyshev_weights(int steps, double smallest, double largest) {
    const double middle = (largest + smallest) / 2, half_width = (largest - smallest) / 2;
    std::vector<Weight> weights;
    for (int k = 0; k < steps; ++k) {
        const double w = 1 / (middle + half_width * std::cos((2 * k + 1) * std::numbers::pi / (2 * steps)));
        Weight weight;
        weight.shift = kWeightBits - exponent_of(w);
        weight.significand = static_cast<int>(std::floor(std::ldexp(w, weight.shift) + 0.5));
        weights.push_back(weight);
    }
    return weights;
}

LevelWords level_words(const CycleSpec& spec, std::size_t level, double smallest, double largest, int row_sum_log2,
                       int sum_bits) {
    LevelWords words;
    words.w = CycleSpec::of(spec.w, level);
    words.f = CycleSpec::of(spec.f, level);
    words.e = CycleSpec::of(spec.e, level);
    words.guard = spec.guard;
    words.before = chebyshev_weights(spec.before, smallest, largest);
    if (spec.after != 0) words.after = chebyshev_weights(spec.after, smallest, largest);
    std::reverse(words.after.begin(), words.after.end());
    double sum = 0;
    for (const Weight& weight : words.before) sum += weight.value();
    words.phi = words.f - words.w - ceil_log2(sum);
    words.h = words.w + words.guard + kHeadroom;
    words.n = std::min(kMostE, std::max(kLeastE, sum_bits - 2 - row_sum_log2));
    return words;
}

} // namespace mantissa::multilevel
