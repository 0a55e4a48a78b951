// Rounding on the bits of doubles, and the operations: each forms its result in double with the sign of what that lost,
// and rounds it to odd, from which every rounding to 24 bits or fewer is as from the exact result.
#include "mantissa/narrow/narrow_unit.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "mantissa/errors.hpp"

namespace mantissa::narrow {

namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63, kInfinity = std::uint64_t{0x7FF} << 52;

double power_of_two(int e) { // of a normal double
    return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52);
}

/// How far to round: what one element needs of a format.
struct Rounding {
    int fraction_bits, min_exponent;
    double max, min_normal, over, infinite; // what an overflow and an infinity become
    bool gradual;

    explicit Rounding(const NarrowFormat& f)
        : fraction_bits(f.fraction_bits), min_exponent(f.min_exponent), max(f.max),
          min_normal(power_of_two(f.min_exponent)), over(f.max), infinite(0), gradual(f.gradual) {
        if (f.beyond == Beyond::infinity) over = std::numeric_limits<double>::infinity();
        if (f.beyond == Beyond::nan) over = std::numeric_limits<double>::quiet_NaN();
        infinite = f.has_infinity ? std::numeric_limits<double>::infinity() : over;
    }
};

/// Is the magnitude `units` + `rest` (in units of the grid, 0 <= rest < 1) rounded away from zero?
template <Direction D> bool goes_up(std::int32_t units, double rest, bool negative, std::uint32_t random) {
    const bool odd = (units & 1) != 0;
    switch (D) {
    case Direction::toward_zero:
        return false;
    case Direction::nearest_even:
        return rest > 0.5 || (rest == 0.5 && odd);
    case Direction::nearest_away:
        return rest >= 0.5;
    case Direction::to_odd:
        return rest > 0 && !odd;
    case Direction::up:
        return rest > 0 && !negative;
    case Direction::down:
        return rest > 0 && negative;
    case Direction::stochastic:
        return rest * 0x1p32 >= static_cast<double>(random) + 1; // floor(2^32 rest) > random
    }
    return false;
}

/// Where an overflow by a directed rounding goes: not beyond the largest number when it rounds toward zero.
template <Direction D> double beyond(const Rounding& r, bool negative) {
    const bool inward = D == Direction::toward_zero || D == Direction::to_odd || (D == Direction::up && negative) ||
                        (D == Direction::down && !negative);
    return inward ? r.max : r.over;
}

template <Direction D> double round_one(const Rounding& r, double x, std::uint32_t random) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const bool negative = (bits & kSign) != 0;
    const std::uint64_t size = bits & ~kSign;
    if (size > kInfinity) return std::numeric_limits<double>::quiet_NaN();
    double result = 0;
    if (size == kInfinity) {
        result = r.infinite;
    } else if (size != 0) {
        const int exponent = static_cast<int>(size >> 52) - 1023; // -1023 below the normal doubles: far below any grid
        // Without subnormals the grid goes on shrinking, and what rounds to less than a normal number is dropped.
        const int floor_exponent = r.gradual ? r.min_exponent : r.min_exponent - 2;
        const int grid = (exponent > floor_exponent ? exponent : floor_exponent) - r.fraction_bits;
        // In two factors: 2^-grid alone may leave a double's range.
        const double scaled =
            std::bit_cast<double>(size) * power_of_two(-(grid / 2)) * power_of_two(-(grid - grid / 2));
        const auto units = static_cast<std::int32_t>(scaled); // below 2^24: at most 24 bits stay
        const bool up = goes_up<D>(units, scaled - static_cast<double>(units), negative, random);
        const auto rounded = static_cast<double>(units + (up ? 1 : 0));
        result = rounded * power_of_two(grid / 2) * power_of_two(grid - grid / 2);
        if (result > r.max) result = beyond<D>(r, negative);
        else if (!r.gradual && result < r.min_normal) result = 0;
    }
    return negative ? -result : result;
}

template <Direction D>
void round_all(const NarrowFormat& f, std::uint64_t seed, std::span<const double> a, std::span<double> out,
               std::uint64_t first) {
    const Rounding r(f);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = round_one<D>(r, a[i], D == Direction::stochastic ? random_bits(seed, first + i) : 0);
}

/// A result in double and what it lost, whose sign alone counts: rounded to odd.
double to_odd(double sum, double lost) {
    auto bits = std::bit_cast<std::uint64_t>(sum);
    if (lost == 0 || (bits & ~kSign) >= kInfinity) return sum;
    if (sum == 0) return lost;
    if ((lost < 0) != (sum < 0)) --bits; // toward zero
    return std::bit_cast<double>(bits | 1);
}

/// a + b and what it lost, exactly (Knuth).
double add_odd(double a, double b) {
    const double sum = a + b, from_b = sum - a, from_a = sum - from_b;
    const double lost = (a - from_a) + (b - from_b);
    return std::isfinite(sum) ? to_odd(sum, lost) : sum;
}

double operate(Operation op, double a, double b, double c) {
    switch (op) {
    case Operation::add:
        return add_odd(a, b);
    case Operation::sub:
        return add_odd(a, -b);
    case Operation::mul:
        return a * b; // 24 bits by 24 bits: exact
    case Operation::fma:
        return add_odd(a * b, c);
    case Operation::div: {
        const double q = a / b;
        if (!std::isfinite(q) || q == 0 || !std::isfinite(b)) return q;
        const double rest = std::fma(-q, b, a); // exact
        return to_odd(q, std::signbit(b) ? -rest : rest);
    }
    case Operation::sqrt: {
        const double root = std::sqrt(a);
        return std::isfinite(root) && root != 0 ? to_odd(root, std::fma(-root, root, a)) : root;
    }
    default:
        return a;
    }
}

void require_floats(std::span<const double> x) {
    bool wrong = false;
    for (const double v : x) wrong |= v == v && static_cast<double>(static_cast<float>(v)) != v;
    if (wrong)
        throw InvalidInput(
            "an operand is no float32 value, and operations of narrow formats take no other; round it into "
            "a format first");
}

} // namespace

void NarrowUnit::round(std::span<const double> a, std::span<double> out, std::uint64_t first) const {
    if (a.size() != out.size()) throw InvalidInput("narrow format: arrays of different lengths; give equal ones");
    switch (format_.direction) {
    case Direction::toward_zero:
        return round_all<Direction::toward_zero>(format_, seed_, a, out, first);
    case Direction::nearest_even:
        return round_all<Direction::nearest_even>(format_, seed_, a, out, first);
    case Direction::nearest_away:
        return round_all<Direction::nearest_away>(format_, seed_, a, out, first);
    case Direction::to_odd:
        return round_all<Direction::to_odd>(format_, seed_, a, out, first);
    case Direction::up:
        return round_all<Direction::up>(format_, seed_, a, out, first);
    case Direction::down:
        return round_all<Direction::down>(format_, seed_, a, out, first);
    case Direction::stochastic:
        return round_all<Direction::stochastic>(format_, seed_, a, out, first);
    }
}

void NarrowUnit::apply(Operation op, std::span<const double> a, std::span<const double> b, std::span<const double> c,
                       std::span<double> out, std::uint64_t first) const {
    if (op == Operation::convert) return round(a, out, first);
    if (op != Operation::add && op != Operation::sub && op != Operation::mul && op != Operation::div &&
        op != Operation::sqrt && op != Operation::fma)
        throw InvalidInput("narrow formats have the operations add, sub, mul, div, sqrt and fma");
    const bool equal =
        a.size() == out.size() && (!reads_b(op) || b.size() == out.size()) && (!reads_c(op) || c.size() == out.size());
    if (!equal) throw InvalidInput("narrow format: arrays of different lengths; give equal ones");
    require_floats(a);
    if (reads_b(op)) require_floats(b);
    if (reads_c(op)) require_floats(c);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = operate(op, a[i], reads_b(op) ? b[i] : 0.0, reads_c(op) ? c[i] : 0.0);
    round(out, out, first);
}

} // namespace mantissa::narrow
