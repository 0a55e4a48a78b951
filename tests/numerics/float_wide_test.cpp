// The value type against mantissa::exact (which MPFR judges) on operands of any exponent, with limits, ties, zeros,
// infinities and NaNs of every payload among them. Built twice, as Float forms products otherwise where the compiler
// may use fused multiply-adds. MANTISSA_PATHS_OPERATIONS=1e8 in the environment asks for so many operations in all.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/float.hpp"
#include "subjects.hpp"
#include "wide_operands.hpp"

namespace mantissa::judge {
namespace {

constexpr std::size_t kBlock = 1037;

template <int M, int E> inline constexpr auto kPolicies = kDistinctPolicies<M, E>;

double operations() {
    const char* wanted = std::getenv("MANTISSA_PATHS_OPERATIONS");
    return wanted != nullptr ? std::strtod(wanted, nullptr) : 2e6;
}

template <Format F> void check(std::size_t blocks, Verdict& verdict) {
    using Carrier = typename Float<F>::carrier_type;
    WideOperands operands(F, 7);
    FloatSubject<F> subject(kBlock);
    std::vector<double> a(kBlock), b(kBlock), c(kBlock), got(kBlock), expected(kBlock);
    for (std::size_t n = 0; n < blocks && verdict.mismatches() == 0; ++n)
        for (const Op op : kAllOps) {
            for (std::size_t i = 0; i < kBlock; ++i) {
                // A float's signalling NaN would be quietened on its way through double; its quiet ones pass unchanged.
                a[i] = op == Op::convert ? operands.carried<double>(operands.unrounded())
                                         : static_cast<double>(operands.carried<Carrier>(operands.value()));
                b[i] = static_cast<double>(operands.carried<Carrier>(operands.value()));
                c[i] = static_cast<double>(operands.carried<Carrier>(operands.value()));
                expected[i] = exact::apply(op, F, a[i], b[i], c[i], 0);
            }
            subject.apply(op, a, b, c, got, kBlock);
            verdict.compare(F, "Float", op, a, b, c, got, expected, kBlock);
        }
}

template <int M, int E, std::size_t... K>
void check_policies(std::size_t blocks, Verdict& verdict, std::index_sequence<K...>) {
    (check<kPolicies<M, E>[K]>(blocks, verdict), ...);
}

template <int M, int E> struct Shape {
    static void check(std::size_t blocks, Verdict& verdict) {
        check_policies<M, E>(blocks, verdict, std::make_index_sequence<kPolicies<M, E>.size()>());
    }
};

template <class... Shapes> std::size_t check_all(Verdict& verdict) {
    constexpr double kSubjects = 6.0 * sizeof...(Shapes) * std::size(kAllOps);
    const auto blocks = static_cast<std::size_t>(operations() / (kSubjects * kBlock)) + 1;
    (Shapes::check(blocks, verdict), ...);
    return verdict.compared();
}

TEST(FloatType, AgreesWithExactOnWideOperands) {
    Verdict verdict;
    const std::size_t compared =
        check_all<Shape<3, 4>, Shape<7, 8>, Shape<10, 5>, Shape<17, 8>, Shape<22, 8>, Shape<23, 8>, Shape<23, 7>,
                  Shape<24, 8>, Shape<30, 11>, Shape<23, 10>, Shape<50, 10>, Shape<51, 9>, Shape<51, 11>, Shape<52, 11>,
                  Shape<52, 10>>(verdict);
    EXPECT_EQ(verdict.mismatches(), 0u);
    std::printf("%zu operations compared, %zu mismatches\n", compared, verdict.mismatches());
}

} // namespace
} // namespace mantissa::judge
