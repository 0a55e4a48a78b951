// Native loops of cg and bicgstab beside Eigen's ConjugateGradient and BiCGSTAB: time per iteration, in one program, by
// turns. Both have no preconditioner and the same right-hand side.
//
//     recurrence_bench [--threads N] [--seconds S] PROBLEM ...
//
// PROBLEM is as for `mantissa solve`, with sparse rows. Prints the least of the rounds of S seconds, in us per iteration.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

#include "mantissa/host/problem.hpp"
#include "mantissa/recurrence/native_loops.hpp"

namespace {

using namespace mantissa;
using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

constexpr std::uint32_t kFewest = 12, kMost = 400;

/// Of one thread the processor's time, which others' programs do not add to; of several the time that passes.
double now(int threads) {
    if (threads == 1) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double seconds_of(int threads, const auto& work) {
    const double start = now(threads);
    work();
    return now(threads) - start;
}

/// The least time per iteration.
struct Least {
    double seconds = std::numeric_limits<double>::infinity();
    std::uint64_t iterations = 0;
    void take(double total, std::uint64_t made) {
        if (made == 0) return;
        seconds = std::min(seconds, total / static_cast<double>(made));
        iterations = made;
    }
};

template <class Solver> void eigen_round(Solver& solver, const Vector& b, int iterations, int threads, Least& least) {
    solver.setMaxIterations(iterations);
    solver.setTolerance(1e-14);
    Vector x(b.size());
    const double time = seconds_of(threads, [&] { x = solver.solve(b); });
    least.take(time, static_cast<std::uint64_t>(solver.iterations()));
}

void compare(const std::string& name, const Problem& problem, int threads, double seconds) {
    const auto& rows = std::get<CompressedRows>(problem.system.matrix());
    const auto n = static_cast<Eigen::Index>(rows.rows());
    const std::vector<int> begin(rows.row_begin().begin(), rows.row_begin().end());
    const std::vector<int> column(rows.column().begin(), rows.column().end());
    const Matrix a = Eigen::Map<const Matrix>(n, n, begin.back(), begin.data(), column.data(), rows.value().data());
    const Vector b = Eigen::Map<const Vector>(problem.b.data(), n);
    Eigen::setNbThreads(threads);
    const auto iterations = static_cast<std::uint32_t>(
        std::clamp(1e7 / static_cast<double>(rows.value().size()), double(kFewest), double(kMost)));
    for (const bool symmetric : {true, false}) {
        if (symmetric && !problem.symmetric) continue;
        Least ours, eigens;
        const auto runner =
            recurrence::make_native_loops(symmetric ? recurrence::kCg : recurrence::kBicgstab, rows, false, threads);
        Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper, Eigen::IdentityPreconditioner> cg(a);
        Eigen::BiCGSTAB<Matrix, Eigen::IdentityPreconditioner> bicgstab(a);
        std::vector<double> u(rows.rows());
        for (const double begun = now(2); now(2) - begun < seconds;) {
            recurrence::RecurrenceRun run;
            const double time = seconds_of(threads, [&] { run = runner->run(problem.b, 1e-14, iterations, iterations, u); });
            ours.take(time, run.iterations);
            if (symmetric) eigen_round(cg, b, static_cast<int>(iterations), threads, eigens);
            else eigen_round(bicgstab, b, static_cast<int>(iterations), threads, eigens);
        }
        std::printf(
            "%-44s %-9s %8zu %9zu  %4llu %10.2f  %4llu %10.2f  %6.2f\n", name.c_str(), symmetric ? "cg" : "bicgstab",
            rows.rows(), rows.value().size(), static_cast<unsigned long long>(ours.iterations), 1e6 * ours.seconds,
            static_cast<unsigned long long>(eigens.iterations), 1e6 * eigens.seconds, ours.seconds / eigens.seconds);
        std::fflush(stdout);
    }
}

} // namespace

int main(int count, char** argument) {
    int threads = 1;
    double seconds = 4;
    std::printf("%-44s %-9s %8s %9s  %15s  %15s  %6s\n", "problem", "", "rows", "entries", "Mantissa, us", "Eigen, us",
                "ratio");
    for (int i = 1; i < count; ++i) {
        const std::string_view text = argument[i];
        if (text == "--threads" && i + 1 < count) threads = std::atoi(argument[++i]);
        else if (text == "--seconds" && i + 1 < count) seconds = std::atof(argument[++i]);
        else compare(argument[i], make_problem(argument[i]), threads, seconds);
    }
}
