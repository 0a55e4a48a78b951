#include "make_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa::gpu::cycle_words {

namespace {

constexpr int kWeightBits = 9, kInverseBits = 16;
constexpr double kLeastHigh = 0.25; ///< as in numerics/src/multilevel/words/grid_words.cpp
constexpr int kWide = 2048;         ///< grids from so many intervals on are bound by throughput, not by latency
/// Grids of at most so many intervals a side are worked out by one of several parts: on two H200 128 and 512 were as
/// good, from 1024 on it takes longer.
constexpr int kGathered = 256;
/// The least l with x <= 2^l.
int log2_up(double x) {
    return static_cast<int>(std::ceil(std::log2(x)));
}

/// The symbol is linear in each cosine, so it is largest at corners.
double largest_eigenvalue(const WordStencil& a) {
    double largest = 0;
    for (const double x : {-1.0, 1.0})
        for (const double y : {-1.0, 1.0})
            largest = std::max(largest, a.centre + 2 * a.east_west * x + 2 * a.north_south * y + 4 * a.corner * x * y);
    return largest;
}

/// The k-th of `steps` weights: significand 2^-point.
void make_weight(const WordStencil& a, int k, int steps, int& significand, int& point, double& real) {
    const double largest = largest_eigenvalue(a);
    const double weight =
        1 / (0.75 * largest + 0.25 * largest * std::cos((2 * k + 1) * std::numbers::pi / (2 * steps)));
    int exponent = 0;
    std::frexp(weight, &exponent);
    point = kWeightBits - exponent;
    significand = static_cast<int>(std::floor(std::ldexp(weight, point) + 0.5));
    real = std::ldexp(significand, -point);
}

void make_weights(CyclePlan& plan, const WordStencil& a) {
    for (int k = 0; k < plan.before; ++k)
        make_weight(a, k, plan.before, plan.weight[k], plan.weight_point[k], plan.real_weight[k]);
    for (int k = 0; k < plan.after; ++k)
        make_weight(a, plan.after - 1 - k, plan.after, plan.weight_after[k], plan.weight_point_after[k],
                    plan.real_weight_after[k]);
}

void make_inverse(CyclePlan& plan) {
    plan.real_inverse = 1.0 / plan.centre;
    int exponent = 0; // 2^exponent above the inverse
    std::frexp(plan.real_inverse, &exponent);
    plan.inverse_point = kInverseBits - exponent;
    plan.inverse = std::min((1 << kInverseBits) - 1,
                            static_cast<int>(std::floor(std::ldexp(plan.real_inverse, plan.inverse_point) + 0.5)));
}

int row_sum_log2(const CyclePlan& plan) {
    return log2_up(std::abs(plan.centre) + 2.0 * std::abs(plan.east_west) + 2.0 * std::abs(plan.north_south) +
                   4.0 * std::abs(plan.corner));
}

/// Do 32 bits hold every sum? Upwards: a product that is shifted to the left is cut to 2^28 after the shift, which r,
/// of w + guard bits there, does not bring below what the rest is cut to, 2^(w + guard + 5) (the first condition); r at
/// e's point stays below 2^27, and so does what a weight makes of it (the second); no weight is shifted to the left.
bool fits_32(const CyclePlan& plan) {
    const int sum = row_sum_log2(plan);
    for (int l = 0; l + 1 < plan.levels; ++l) {
        const LevelPlan& level = plan.level[l];
        const int held = level.w + plan.guard + kGuardOfHeld;
        if (held - 1 + 4 > 29 || plan.level[l + 1].e + 1 > 28) return false;
        if (plan.after > 0 && (level.w + plan.guard > 21 || level.w + level.phi > 27)) return false;
        for (int k = 0; k < plan.after; ++k)
            if (plan.weight_point_after[k] + plan.guard < level.phi) return false;
        for (int k = 0; k < plan.before; ++k) {
            const int q = k == 0 ? 0 : plan.guard, r = (k == 0 ? level.w : held) - 1, high = std::max(q, level.phi);
            if (r + kWeightBits + std::max(0, level.phi - q - plan.weight_point[k]) > 30) return false;
            const int most = std::max(r + high - q, level.f - 1 + sum + high - level.phi) + 1;
            if (most + std::max(0, plan.guard - high) > 30) return false;
        }
    }
    return true;
}

WordClass class_of(const CyclePlan& plan) {
    bool shortest = plan.level[0].w <= kShortStored - 3;
    for (int l = 0; l + 1 < plan.levels; ++l)
        shortest = shortest && plan.level[l].f <= 16 && (plan.after == 0 || plan.level[l].w + plan.guard <= 15);
    if (!fits_32(plan)) return WordClass::longest;
    if (!shortest) return WordClass::middle;
    return plan.corner == -1 && plan.east_west == -1 && plan.north_south == -1 ? WordClass::even : WordClass::shortest;
}

void check_stencil(const WordStencil& a) {
    if (a.centre <= 0 || a.centre != -8 * a.corner || a.east_west + a.north_south != 2 * a.corner)
        throw InvalidInput(fmt::format("stencil {}, {}, {}, {}: not one of bilinear elements (centre = -8 corner, "
                                       "east-west + north-south = 2 corner), so not its own coarse operator",
                                       a.centre, a.east_west, a.north_south, a.corner));
    if (a.centre + 2 * std::min(a.east_west, a.north_south) < kLeastHigh * largest_eigenvalue(a))
        throw InvalidInput(
            fmt::format("stencil {}, {}, {}, {}: so much stronger in one direction that smoothing by points "
                        "does not reach what a coarser grid cannot show",
                        a.centre, a.east_west, a.north_south, a.corner));
    if (a.centre > 64 || std::abs(a.east_west) > 64 || std::abs(a.north_south) > 64)
        throw InvalidInput(fmt::format("stencil {}, {}, {}, {}: coefficients above 64 do not fit the words of a cycle",
                                       a.centre, a.east_west, a.north_south, a.corner));
}

} // namespace

Sizes sizes_of(bool in_double, WordClass words) {
    if (in_double) return {8, 8, 8, 8, 8};
    switch (words) {
    case WordClass::even:
    case WordClass::shortest:
        return {2, 4, 4, 2, 8};
    case WordClass::middle:
        return {4, 4, 4, 4, 8};
    default:
        return {4, 8, 4, 4, 8};
    }
}

int most_parts(int level) {
    return std::clamp((1 << level) / kLeastStrip, 1, kMaxParts);
}

MadePlan make_plan(int level, const WordStencil& stencil, const CycleSpec& spec, int parts) {
    check_stencil(stencil);
    if (parts > most_parts(level))
        throw InvalidInput(fmt::format("a grid of {} nodes a side over {} GPUs: strips are {} rows at least; give at "
                                       "most {}",
                                       (1 << level) + 1, parts, kLeastStrip, most_parts(level)));
    MadePlan made;
    CyclePlan& plan = made.plan;
    plan.levels = level;
    plan.before = spec.before;
    plan.after = spec.after;
    plan.guard = spec.guard;
    plan.centre = stencil.centre;
    plan.east_west = stencil.east_west;
    plan.north_south = stencil.north_south;
    plan.corner = stencil.corner;
    plan.most = std::min(26, std::max(16, 30 - row_sum_log2(plan)));
    make_weights(plan, stencil);
    make_inverse(plan);
    double weights = 0;
    for (int k = 0; k < plan.before; ++k) weights += plan.real_weight[k];
    for (int l = 0; l < plan.levels; ++l) {
        LevelPlan& here = plan.level[l];
        here.n = (1 << level) >> l;
        here.pitch = here.n + 8;
        here.w = CycleSpec::of(spec.w, static_cast<std::size_t>(l));
        here.f = CycleSpec::of(spec.f, static_cast<std::size_t>(l));
        here.e = CycleSpec::of(spec.e, static_cast<std::size_t>(l));
        here.phi = here.f - here.w - log2_up(weights);
        here.columns_down = here.n >= kWide ? 4 : 2;
        here.columns_up = spec.in_double ? 2 : here.columns_down;
    }
    made.words = class_of(plan);
    if (parts > 1 && made.words == WordClass::shortest) made.words = WordClass::middle;
    made.size = sizes_of(spec.in_double, made.words);
    plan.first_small = std::max(1, level - (made.size.sum == 8 ? 5 : 6)); // small grids and rings share the memory
    // (strips of a level are twice as high as those of the next one, and at the first that is gathered of about one
    // height)
    int& shared = plan.shared = plan.first_small;
    while (shared > 1 && (plan.level[shared - 1].n <= kGathered || 2 * (plan.level[shared].n / parts) < kLeastStrip))
        --shared;
    return made;
}

} // namespace mantissa::gpu::cycle_words
