// A recurrence that the library does not have, on the device: its definition is all that it takes.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "../device_test.hpp"
#include "recurrence/on_device.cuh"

namespace mantissa {
namespace {

struct SteepestDescent {
    static constexpr recurrence::Definition kDefinition = recurrence::define("steepest-descent", R"(
vector u u
vector r r residual
vector q q
scalar rho
scalar rq
scalar alpha
solution u
needs positive-definite
iterate
q = A r
rho = r . r
rq = r . q
finite rho
exact rho
stop rho
definite rq
alpha = rho / rq
u = u + alpha r
r = r - alpha q
)");
};

/// 5 on the diagonal, -1 beside it and n / 2 away.
CompressedRows ring(std::uint32_t n) {
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < n; ++i) {
        for (std::uint32_t j = 0; j < n; ++j) {
            const std::uint32_t apart = i < j ? j - i : i - j;
            if (apart != 0 && apart != 1 && apart != n - 1 && apart != n / 2) continue;
            column.push_back(j);
            value.push_back(j == i ? 5 : -1);
        }
        begin.push_back(column.size());
    }
    return {std::move(begin), std::move(column), std::move(value)};
}

class GpuSteepestDescent : public testing::DeviceTest {};

template <class T> void descend(double goal) {
    const CompressedRows a = ring(1998);
    std::vector<double> b(a.rows()), u(a.rows());
    double square = 0;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::cos(0.3 * static_cast<double>(i) * static_cast<double>(i));
    for (const double x : b) square += x * x;
    for (double& x : b) x /= std::sqrt(square);
    gpu::RecurrenceOnDevice<SteepestDescent, T> solver(a, kPlainSell);
    const gpu::RecurrenceRun run = solver.run(b, goal, 5000, 5000, u);
    EXPECT_EQ(to_string(run.end), "rho reached");
    double defect = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        double d = b[i];
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k) d -= a.value()[k] * u[a.column()[k]];
        defect += d * d;
    }
    EXPECT_LT(std::sqrt(defect), 1.2 * goal);
    // The condition is (5 + 3) / (5 - 3): the error falls by 0.6 an iteration at the least.
    EXPECT_GT(run.iterations, 5U);
    EXPECT_LT(run.iterations, std::log(goal / 2) / std::log(0.6) + 2);
}

TEST_F(GpuSteepestDescent, TakesItsDefinitionAlone) {
    descend<double>(1e-10);
    descend<float>(1e-4);
}

} // namespace
} // namespace mantissa
