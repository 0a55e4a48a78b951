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

enum class Operation : std::uint8_t { add, sub, mul, div, sqrt, fma, scale, add_scaled, sub_scaled, convert };
constexpr Operation kOperations[] = {Operation::add,        Operation::sub,    Operation::mul,   Operation::div,
                                     Operation::sqrt,       Operation::fma,    Operation::scale, Operation::add_scaled,
                                     Operation::sub_scaled, Operation::convert};
constexpr const char* kNames[] = {"add", "sub",   "mul",        "div",        "sqrt",
                                  "fma", "scale", "add_scaled", "sub_scaled", "convert"};

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

double expected(const Format& f, Operation op, double a, double b, double c, double s) {
    switch (op) {
    case Operation::add:
        return exact::add(f, a, b);
    case Operation::sub:
        return exact::sub(f, a, b);
    case Operation::mul:
        return exact::mul(f, a, b);
    case Operation::div:
        return exact::div(f, a, b);
    case Operation::sqrt:
        return exact::sqrt(f, a);
    case Operation::fma:
        return exact::fma(f, a, b, c);
    case Operation::scale:
        return exact::mul(f, s, a);
    case Operation::add_scaled:
        return exact::add(f, b, exact::mul(f, s, a));
    case Operation::sub_scaled:
        return exact::sub(f, b, exact::mul(f, s, a));
    case Operation::convert:
        return exact::convert(f, a);
    }
    return 0;
}

template <class T> struct Vectors {
    std::vector<T> a = std::vector<T>(kBlock), b = a, c = a, out = a;
    std::vector<double> unrounded = std::vector<double>(kBlock);
    T s = 0;

    void draw(WideOperands& operands) {
        for (auto* x : {&a, &b, &c})
            for (T& value : *x) value = operands.carried<T>(operands.value());
        for (double& x : unrounded) x = operands.carried<double>(operands.unrounded());
        s = operands.carried<T>(operands.value());
    }
    void apply(const VectorUnit<T>& unit, Operation op) {
        switch (op) {
        case Operation::add:
            return unit.add(a, b, out);
        case Operation::sub:
            return unit.sub(a, b, out);
        case Operation::mul:
            return unit.mul(a, b, out);
        case Operation::div:
            return unit.div(a, b, out);
        case Operation::sqrt:
            return unit.sqrt(a, out);
        case Operation::fma:
            return unit.fma(a, b, c, out);
        case Operation::scale:
            return unit.scale(s, a, out);
        case Operation::add_scaled:
            return unit.add_scaled(b, s, a, out);
        case Operation::sub_scaled:
            return unit.sub_scaled(b, s, a, out);
        case Operation::convert:
            return unit.convert(unrounded, out);
        }
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
        for (const Operation op : kOperations) {
            v.draw(operands);
            v.apply(unit, op);
            for (std::size_t i = 0; i < kBlock; ++i) {
                const double a = op == Operation::convert ? v.unrounded[i] : static_cast<double>(v.a[i]);
                const auto b = static_cast<double>(v.b[i]), c = static_cast<double>(v.c[i]);
                const double want = expected(f, op, a, b, c, static_cast<double>(v.s));
                const auto got = static_cast<double>(v.out[i]);
                if (std::isnan(want) ? std::isnan(got) : judge::same(want, got)) continue;
                if (++tally.mismatches <= 20)
                    ADD_FAILURE() << to_string(f) << " in " << (sizeof(T) == 4 ? "float" : "double") << ", "
                                  << unit.path() << ", " << kNames[static_cast<int>(op)] << std::hexfloat << ": a " << a
                                  << " b " << b << " c " << c << " s " << v.s << " gives " << got << ", expected "
                                  << want;
            }
            tally.compared += kBlock;
        }
}

TEST(KernelPaths, AgreeWithExact) {
    const std::vector<Format> all = formats();
    std::size_t pairs = 0;
    for (const Format& f : all) pairs += f.fits<float>() ? 4 : 3;
    const double each = operations() / static_cast<double>(pairs * std::size(kOperations) * kBlock);
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
