// Two sessions in fixed-point words that are given the same and must show the same.
#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/engine.hpp"
#include "systems.hpp"

namespace mantissa::sim::test {

/// Both sessions, with the same random words in all vectors: of full length where `shorter` is 0.
class SessionPair {
public:
    SessionPair(const Engine& rtl, const Engine& emulated, const System& system, const DatapathSpec& spec)
        : spec_(spec), size_(system.size()), subject(rtl.load(system, spec, {})),
          reference(emulated.load(system, spec, {})) {}
    void fill(std::mt19937_64& random, int shorter) {
        const Format formats[] = {spec_.u, spec_.r, spec_.p, spec_.q};
        std::vector<double> values(size_);
        for (std::size_t v = 0; v < 4; ++v) {
            const double most = std::ldexp(formats[v].max(), -shorter);
            std::uniform_real_distribution<double> uniform(-most, most);
            for (double& x : values) x = uniform(random);
            write(static_cast<Vec>(v), 0, values);
        }
    }
    void write(Vec v, std::size_t first, std::span<const double> values) {
        subject->write(v, first, values);
        reference->write(v, first, values);
    }
    void set_scalars(double alpha, double beta) {
        subject->set_scalars(alpha, beta);
        reference->set_scalars(alpha, beta);
    }
    /// Returns how the reference's run ended.
    RunReport run(const RunRequest& request, std::uint64_t number) {
        const RunReport a = subject->run(request), b = reference->run(request);
        compare(a, b, number);
        return b;
    }

private:
    void compare(const RunReport& a, const RunReport& b, std::uint64_t number) {
        ASSERT_EQ(to_string(a.end), to_string(b.end)) << "run " << number << " " << subject->fault();
        ASSERT_EQ(a.passes, b.passes) << "run " << number;
        ASSERT_EQ(a.sigma_guards, b.sigma_guards) << "run " << number;
        expect_same_words(a.words, b.words, number);
        if (::testing::Test::HasFatalFailure()) return;
        expect_same_state(*subject, *reference, size_, number);
    }
    DatapathSpec spec_;
    std::size_t size_;

public:
    std::unique_ptr<Session> subject, reference;
};

/// How runs ended.
struct Ends {
    int overflows = 0, others = 0;
};

/// Runs from random words of every length with alpha and beta of every size and sign.
inline Ends compare_any_scalars(const Engine& rtl, const Engine& emulated, const System& system,
                                const DatapathSpec& spec, std::uint64_t runs, std::uint64_t seed) {
    SessionPair pair(rtl, emulated, system, spec);
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> significand(-2, 2);
    std::uniform_int_distribution<int> exponent(-34, 14), length(0, 12);
    Ends ends;
    for (std::uint64_t k = 0; k < runs && !::testing::Test::HasFatalFailure(); ++k) {
        pair.fill(random, length(random));
        const int far = k % 10 == 0 ? 60 : 0, farther = k % 20 == 0 ? 60 : 0;
        const double alpha = k % 7 == 0 ? 0.0 : std::ldexp(significand(random), exponent(random) - far);
        const double beta = k % 7 == 1 ? 0.0 : std::ldexp(significand(random), exponent(random) + farther);
        SCOPED_TRACE("alpha " + std::to_string(alpha) + ", beta " + std::to_string(beta));
        pair.set_scalars(alpha, beta);
        (pair.run({1}, k).end == RunEnd::window_overflow ? ends.overflows : ends.others) += 1;
        if (k % 4 == 0 && !::testing::Test::HasFatalFailure()) pair.run({3}, k); // from what was left
    }
    return ends;
}

} // namespace mantissa::sim::test
