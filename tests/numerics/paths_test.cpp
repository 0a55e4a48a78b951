// Every path of the vector kernels against mantissa::exact (which MPFR judges): format and policy x carrier x
// operation, on operands of any exponent, with limits, ties, zeros, infinities and NaNs of every payload among them.
// CTest runs it for each instruction set. MANTISSA_PATHS_OPERATIONS=1e8 in the environment asks for so many operations
// in all.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "judge.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/kernels.hpp"
#include "wide_operands.hpp"

namespace mantissa {
namespace {

using judge::WideOperands;

/// What is no value of the format.
enum class Foreign : std::uint8_t {
    nothing,
    scalar,  ///< s is any T
    array,   ///< a is any T
    doubles, ///< a is any double
};
struct Trial {
    const char* name;
    Operation operation;
    Foreign foreign = Foreign::nothing;
};
constexpr Trial kTrials[] = {{"add", Operation::add},
                             {"sub", Operation::sub},
                             {"mul", Operation::mul},
                             {"div", Operation::div},
                             {"sqrt", Operation::sqrt},
                             {"fma", Operation::fma},
                             {"scale", Operation::scale},
                             {"add_scaled", Operation::add_scaled},
                             {"sub_scaled", Operation::sub_scaled},
                             {"convert", Operation::convert, Foreign::doubles},
                             {"scale by any", Operation::scale, Foreign::scalar},
                             {"add_scaled by any", Operation::add_scaled, Foreign::scalar},
                             {"sub_scaled by any", Operation::sub_scaled, Foreign::scalar},
                             {"round", Operation::convert, Foreign::array}};

constexpr std::size_t kBlock = 1037; // several inner blocks, and no multiple of a vector's length

/// Operations in all, over formats, carriers and operations.
double operations() {
    const char* wanted = std::getenv("MANTISSA_PATHS_OPERATIONS");
    return wanted != nullptr ? std::strtod(wanted, nullptr) : 4e6;
}

/// M and E at the seams: ends of the range, one and two bits short of a carrier, the carriers' own ranges and next to
/// them, and where double stops holding quotients.
constexpr int kShapes[][2] = {{2, 2},   {3, 10},  {7, 8},   {10, 5},  {17, 8},  {17, 7}, {21, 8},  {22, 8},
                              {23, 8},  {23, 7},  {23, 10}, {24, 8},  {30, 11}, {40, 9}, {23, 11}, {50, 10},
                              {50, 11}, {51, 10}, {51, 11}, {52, 10}, {52, 11}, {52, 5}};

std::vector<Format> formats() {
    std::vector<Format> all;
    for (const auto& [m, e] : kShapes)
        for (Rounding r : {Rounding::toward_zero, Rounding::nearest_even})
            for (Subnormals s : {Subnormals::flush, Subnormals::gradual})
                for (Overflow o : {Overflow::infinity, Overflow::saturate}) {
                    const Format f{m, e, r, s, o};
                    if (f == f.canonical()) all.push_back(f);
                }
    return all;
}

/// A value of T about the format's range, on and beside its ties, in float rounded from such a double to odd so that it
/// stays beside them.
template <class T> T any(WideOperands& operands) {
    const double x = operands.unrounded();
    if constexpr (sizeof(T) == 4) {
        if (std::isnan(x)) return operands.carried<float>(x);
        const auto truncated = static_cast<float>(
            exact::convert(Format{23, 8, Rounding::toward_zero, Subnormals::gradual, Overflow::infinity}, x));
        if (static_cast<double>(truncated) == x || std::isinf(truncated)) return truncated;
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(truncated) | 1U);
    }
    return operands.carried<T>(x);
}

template <class T> struct Vectors {
    std::vector<T> a = std::vector<T>(kBlock), b = a, c = a, out = a;
    std::vector<double> doubles = std::vector<double>(kBlock);
    T s = 0;

    void draw(WideOperands& operands, const Trial& trial) {
        for (auto* x : {&a, &b, &c})
            for (T& value : *x) value = operands.carried<T>(operands.value());
        if (trial.foreign == Foreign::array)
            for (T& value : a) value = any<T>(operands);
        for (double& x : doubles) x = operands.carried<double>(operands.unrounded());
        s = trial.foreign == Foreign::scalar ? any<T>(operands) : operands.carried<T>(operands.value());
    }
    void apply(const VectorUnit<T>& unit, const Trial& trial) {
        if (trial.foreign == Foreign::doubles) unit.convert(doubles, out);
        else unit.apply(trial.operation, a, b, c, s, out);
    }
};

struct Tally {
    std::size_t compared = 0, mismatches = 0;
    std::map<std::string, std::size_t> paths;
};

/// Operands are values of `from`.
template <class T>
void check(const Format& f, const Format& from, std::size_t blocks, std::uint64_t seed, Tally& tally) {
    const VectorUnit<T> unit(f);
    ++tally.paths[std::string(unit.path())];
    WideOperands operands(from, seed);
    Vectors<T> v;
    for (std::size_t n = 0; n < blocks; ++n)
        for (const Trial& trial : kTrials) {
            v.draw(operands, trial);
            v.apply(unit, trial);
            for (std::size_t i = 0; i < kBlock; ++i) {
                const double a = trial.foreign == Foreign::doubles ? v.doubles[i] : static_cast<double>(v.a[i]);
                const auto b = static_cast<double>(v.b[i]), c = static_cast<double>(v.c[i]);
                const double want = exact::apply(trial.operation, f, a, b, c, static_cast<double>(v.s));
                const auto got = static_cast<double>(v.out[i]);
                if (std::isnan(want) ? std::isnan(got) : judge::same(want, got)) continue;
                if (++tally.mismatches <= 20)
                    ADD_FAILURE() << to_string(f) << " in " << (sizeof(T) == 4 ? "float" : "double") << ", "
                                  << unit.path() << ", " << trial.name << std::hexfloat << ": a " << a << " b " << b
                                  << " c " << c << " s " << v.s << " gives " << got << ", expected " << want;
            }
            tally.compared += kBlock;
        }
}

TEST(KernelPaths, AgreeWithExact) {
    const std::vector<Format> all = formats();
    std::size_t pairs = 0;
    for (const Format& f : all) pairs += f.fits<float>() ? 4 : 3;
    const double each = operations() / static_cast<double>(pairs * std::size(kTrials) * kBlock);
    const std::size_t blocks = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(each)));
    Tally tally;
    std::uint64_t seed = 1;
    for (const Format& f : all) {
        if (f.fits<float>()) check<float>(f, f, blocks, ++seed, tally);
        check<double>(f, f, blocks, ++seed, tally);
        // Doubles of any length, in exponents about the format's and in all.
        const Format wide = formats::ieee(52, f.exponent_bits);
        check<double>(f, wide, blocks, ++seed, tally);
        check<double>(f, formats::kDouble, blocks, ++seed, tally);
    }
    EXPECT_EQ(tally.mismatches, 0u);
    RecordProperty("compared", std::to_string(tally.compared));
    std::string paths;
    for (const auto& [path, count] : tally.paths) paths += " " + path + " " + std::to_string(count);
    std::printf("%s: %zu operations compared, %zu mismatches; formats by path:%s\n", std::string(kernel_isa()).c_str(),
                tally.compared, tally.mismatches, paths.c_str());
}

} // namespace
} // namespace mantissa
