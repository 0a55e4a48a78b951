// A recurrence's scalars as a program of the RTL's scalar unit: run here instruction by instruction, as
// scalar_program.svh says what each does, it forms what the recurrence says, bit for bit. (That the unit runs its
// program so is tested in tests/rtl/scalar_test.cpp; that the file has this program by rtl.scalar_program.)
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "expect_invalid.hpp"
#include "mantissa/recurrence/library.hpp"
#include "mantissa/recurrence/scalar_program.hpp"
#include "mantissa/recurrence/scalar_steps.hpp"

namespace mantissa::recurrence {
namespace {

struct Doubles {
    static double add(double a, double b) { return a + b; }
    static double sub(double a, double b) { return a - b; }
    static double mul(double a, double b) { return a * b; }
    static double div(double a, double b) { return a / b; }
};

/// What an iteration's scalars leave.
struct Left {
    std::map<std::string, double> scalar;
    std::array<double, 2> operand{};
    RunEnd end = RunEnd::passes;
    std::uint64_t guarded = 0;
};

/// The unit, as the program's reader has it.
Left run_program(const ScalarProgram& program, std::vector<double> totals, double threshold, bool over) {
    Left left;
    double held = 0;
    bool not_finite = false, zero = false, indefinite = false, below = false;
    const auto stored = [&](const ScalarInstruction& i, double value) {
        not_finite = not_finite || (i.demand != ScalarDemand::any && !std::isfinite(value));
        zero = zero || (i.demand == ScalarDemand::nonzero && value == 0);
        indefinite = indefinite || (i.demand == ScalarDemand::positive && !(value > 0));
        if (i.demand == ScalarDemand::guarded && std::signbit(value) && !std::isnan(value)) {
            value = 0;
            ++left.guarded;
        }
        left.scalar[i.result] = value;
    };
    const ScalarInstruction* dividing = nullptr; // it is stored where it is waited for, and dropped where the run ends
    double quotient = 0;
    for (std::size_t pc = 0; pc < program.instruction.size(); ++pc) {
        const ScalarInstruction& i = program.instruction[pc];
        if (dividing != nullptr && (i.a == dividing->result || i.operation == ScalarOperation::divide))
            stored(*std::exchange(dividing, nullptr), quotient);
        const double a = left.scalar.contains(i.a) ? left.scalar[i.a] : 0;
        switch (i.operation) {
        case ScalarOperation::total:
            stored(i, totals.at(std::stoul(i.a)));
            break;
        case ScalarOperation::hold:
            held = a;
            break;
        case ScalarOperation::divide:
            dividing = &i;
            quotient = a / held;
            break;
        case ScalarOperation::times:
            stored(i, a * held);
            break;
        case ScalarOperation::minus:
            stored(i, a - held);
            break;
        case ScalarOperation::below:
            below = held < threshold;
            break;
        case ScalarOperation::operand:
            left.operand.at(std::stoul(i.result)) = held;
            break;
        case ScalarOperation::clear:
            left.scalar[i.result] = 0;
            break;
        case ScalarOperation::done:
            return left;
        case ScalarOperation::check:
            if (over || not_finite || zero || indefinite) {
                left.end = over         ? RunEnd::window_overflow
                           : not_finite ? RunEnd::not_finite
                           : zero       ? RunEnd::exact
                                        : RunEnd::indefinite;
                pc = (over ? program.window : program.stop) - 1;
                dividing = nullptr;
            } else if (i.result == "1") {
                if (below) left.end = RunEnd::rho_reached;
                return left;
            }
        }
    }
    ADD_FAILURE() << "the program has no end";
    return left;
}

/// The definition, statement by statement.
Left run_definition(const Definition& d, const std::vector<double>& totals, double threshold) {
    Left left;
    std::array<double, Definition::kMostScalars> scalar{};
    ScalarFindings findings;
    std::size_t total = 0;
    for (std::size_t k = d.first; k < d.steps && left.end == RunEnd::passes; ++k) {
        const Step& s = d.step[k];
        if (s.operation == Operation::dot) scalar[s.result] = totals[total++];
        if (on_scalars(s.operation)) left.end = scalar_step(Doubles{}, s, scalar, threshold, true, findings);
    }
    const bool clears = left.end != RunEnd::passes && left.end != RunEnd::rho_reached;
    for (std::size_t i = 0; i < d.scalars; ++i)
        left.scalar[std::string(d.scalar[i].name.view())] = clears && d.scalar[i].cleared ? 0 : scalar[i];
    left.guarded = findings.guarded;
    left.operand = {left.scalar["alpha"], left.scalar["beta"]};
    return left;
}

/// Steepest descent with one product an iteration, from other sums.
constexpr Definition kSteepest = define("steepest", R"(
vector u u
vector r r residual
vector p p
vector q q
scalar rho
scalar pq
scalar alpha
clears alpha
solution u
needs positive-definite
counts begun
iterate
u = u + alpha p
r = r - alpha q
p = r
q = A p
rho = r . r
pq = p . q
finite rho
finite pq
exact rho
definite pq
alpha = rho / pq
finite alpha
stop rho
)");

double drawn(std::mt19937_64& random) {
    const std::uint64_t bits = random();
    switch (bits % 16) {
    case 0:
        return 0;
    case 1:
        return -std::ldexp(1.0, static_cast<int>(random() % 20));
    case 2:
        return std::bit_cast<double>(random());
    case 3:
        return random() % 2 == 0 ? HUGE_VAL : std::nan("");
    default:
        return std::ldexp(1.0 + std::ldexp(static_cast<double>(random() >> 12), -52),
                          static_cast<int>(random() % 40) - 20);
    }
}

TEST(ScalarProgram, FormsWhatTheRecurrenceSays) {
    std::mt19937_64 random(7);
    for (const Definition* d : {&kPipelined, &kSteepest}) {
        const ScalarProgram program = scalar_program(*d);
        std::map<RunEnd, int> ends;
        for (int k = 0; k < 20000; ++k) {
            const std::vector<double> totals = {std::abs(drawn(random)), drawn(random), std::abs(drawn(random))};
            const double threshold = std::ldexp(1.0, static_cast<int>(random() % 40) - 20);
            const Left got = run_program(program, totals, threshold, false);
            const Left want = run_definition(*d, totals, threshold);
            ASSERT_EQ(got.end, want.end);
            ++ends[want.end];
            ASSERT_EQ(got.guarded, want.guarded);
            const bool goes_on = want.end == RunEnd::passes || want.end == RunEnd::rho_reached;
            for (const char* name : {"rho", "pq", "qq", "alpha", "sigma", "beta"}) {
                if (d->scalar_named(name) == Definition::kNone || (!goes_on && std::isnan(want.scalar.at(name))))
                    continue;
                ASSERT_EQ(std::bit_cast<std::uint64_t>(got.scalar.at(name)),
                          std::bit_cast<std::uint64_t>(want.scalar.at(name)))
                    << d->name.view() << ' ' << name;
            }
            ASSERT_EQ(got.operand[0], want.operand[0]);
            if (d == &kPipelined) {
                ASSERT_EQ(got.operand[1], want.operand[1]);
            }
        }
        EXPECT_EQ(ends.size(), 5U) << "passes, rho_reached, not_finite, exact and indefinite";
    }
}

TEST(ScalarProgram, ALostTotalClearsAllOfThem) {
    const Left left = run_program(scalar_program(kPipelined), {1, 2, 3}, 0, true);
    EXPECT_EQ(left.end, RunEnd::window_overflow);
    for (const auto& [name, value] : left.scalar)
        if (name != "work") {
            EXPECT_EQ(value, 0) << name;
        }
}

TEST(ScalarProgram, RefusesWhatTheUnitHasNot) {
    expect_invalid([] { static_cast<void>(scalar_program(kCg)); }, "in front of its iteration");
    expect_invalid([] { static_cast<void>(scalar_program(kChronopoulosGear)); }, "recurrence chronopoulos-gear: ");
    expect_invalid([] { static_cast<void>(scalar_program(kBicgstab)); }, "scalar unit has not");
}

} // namespace
} // namespace mantissa::recurrence
