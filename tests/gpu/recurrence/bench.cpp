// gpu_recurrence_bench [REPEATS [RECURRENCE]]: BiCGStab and GMRES(30) on convection-diffusion, both on A D^-1, and the
// Chebyshev iteration on Poisson's equation with the bounds of its spectrum, the device's own beside cuSPARSE and
// cuBLAS in one run; prints one JSON object. RECURRENCE: bicgstab, gmres or chebyshev alone. Its shape:
// gpu/results/README.md.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/bench_samples.hpp"
#include "bench/energy.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/recurrence/library.hpp"
#include "mantissa/recurrence/native_solver.hpp"
#include "native/native.hpp"
#include "recurrence/vendor_recurrences.hpp"

namespace {

using namespace mantissa;
using Json = nlohmann::ordered_json;

constexpr double kTolerance = 1e-8;
constexpr std::uint32_t kIterations = 4000;
const char* const kProblems[] = {
    "convection2d:n=127,peclet=100,rhs=random", "convection2d:n=511,peclet=100,rhs=random",
    "convection3d:n=63,peclet=100,rhs=random",  "convection2d:n=1023,peclet=100,rhs=random",
    "convection3d:n=127,peclet=100,rhs=random", "convection3d:n=200,peclet=100,rhs=random",
};

CompressedRows columns_scaled(const CompressedRows& a) {
    std::vector<double> value(a.value()), inverse(a.rows(), 1.0);
    for (std::size_t i = 0; i < a.rows(); ++i)
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
            if (a.column()[k] == i) inverse[i] = 1 / a.value()[k];
    for (std::size_t k = 0; k < value.size(); ++k) value[k] *= inverse[a.column()[k]];
    return a.with_values(std::move(value));
}

/// Both solvers, in turn.
template <class Ours, class Theirs>
Json compare(const std::string& name, const std::string& recurrence, bool single, const CompressedRows& a, int repeats,
             const std::string& why, Ours&& solve, Theirs&& vendor_solve) {
    std::vector<double> ours, theirs;
    NativeReport mine;
    gpu::VendorRecurrence vendor;
    for (int i = 0; i < repeats + 1; ++i) { // (the first loads the kernels)
        mine = solve();
        vendor = vendor_solve();
        if (i == 0) continue;
        ours.push_back(1e6 * mine.seconds / static_cast<double>(std::max<std::uint64_t>(1, mine.iterations)));
        theirs.push_back(1e6 * vendor.seconds / std::max(1U, vendor.iterations));
    }
    return {{"system", name},
            {"recurrence", recurrence},
            {"arithmetic", single ? "float" : "double"},
            {"rows", a.rows()},
            {"nonzeros", a.nonzeros()},
            {"why", why},
            {"us_per_iteration", gpu::median(ours)},
            {"iterations", mine.iterations},
            {"true_residual", mine.residual},
            {"library_us_per_iteration", gpu::median(theirs)},
            {"library_iterations", vendor.iterations},
            {"library_recursive_residual", vendor.recursive_residual},
            {"ratio", gpu::median(theirs) / gpu::median(ours)}};
}

double tolerance_of(bool single) { // (what float reaches in one run)
    return single ? 1e-4 : kTolerance;
}

Json convection(const std::string& name, std::size_t restart, bool single, int repeats) {
    const Problem problem = make_problem(name);
    const CompressedRows& a = std::get<CompressedRows>(problem.system.matrix());
    const CompressedRows scaled = columns_scaled(a);
    const std::vector<std::vector<double>> b(1, problem.b);
    const double tolerance = tolerance_of(single);
    NativeChoice choice{NativePlan::automatic, true, restart == 0 ? &recurrence::kBicgstab : nullptr};
    choice.restart = restart;
    const auto solver = gpu::make_native(problem.system, native_spec(single), choice);
    std::vector<std::vector<double>> x;
    return compare(
        name, restart == 0 ? "bicgstab" : "gmres(" + std::to_string(restart) + ")", single, a, repeats,
        solver->plan().why,
        [&] {
            return solver->solve(b, {tolerance, kIterations}, x).front();
        },
        [&] {
            return restart == 0 ? gpu::library_bicgstab(scaled, problem.b, single, tolerance, kIterations)
                                : gpu::library_gmres(scaled, problem.b, single, tolerance, kIterations, restart);
        });
}

Json poisson(int level, bool single, int repeats) {
    const std::string name = "poisson3d:level=" + std::to_string(level);
    const Problem problem = make_problem(name);
    const CompressedRows& a = std::get<CompressedRows>(problem.system.matrix());
    // The seven-point stencil's: its diagonal times 1 -+ cos(pi h), h = 2^-level.
    const double inverse = recurrence::inverse_diagonal(a, true).front();
    const double c = std::cos(std::numbers::pi * std::ldexp(1.0, -level));
    NativeChoice choice{NativePlan::automatic, false, &recurrence::kChebyshev};
    choice.low = (1 - c) / inverse;
    choice.high = (1 + c) / inverse;
    const auto solver = gpu::make_native(problem.system, native_spec(single), choice);
    const std::vector<std::vector<double>> b(1, problem.b);
    std::vector<std::vector<double>> x;
    const double tolerance = tolerance_of(single);
    return compare(
        name, "chebyshev", single, a, repeats, solver->plan().why,
        [&] {
            return solver->solve(b, {tolerance, kIterations}, x).front();
        },
        [&] { return gpu::library_chebyshev(a, problem.b, choice.low, choice.high, single, tolerance, kIterations); });
}

} // namespace

int main(int argc, char** argv) {
    if (const std::string missing = gpu::device_missing(); !missing.empty()) {
        std::fprintf(stderr, "gpu_recurrence_bench: %s\n", missing.c_str());
        return 77;
    }
    const int repeats = argc > 1 ? std::atoi(argv[1]) : 5;
    Json rows = Json::array();
    const std::string only = argc > 2 ? argv[2] : "";
    const auto wanted = [&](const char* recurrence) { return only.empty() || only == recurrence; };
    const auto add = [&](Json row) {
        rows.push_back(std::move(row));
        std::fprintf(stderr, "%s\n", rows.back().dump().c_str());
    };
    for (const std::size_t restart : {std::size_t{0}, std::size_t{30}})
        for (const bool single : {false, true})
            for (const char* const name : kProblems)
                if (wanted(restart == 0 ? "bicgstab" : "gmres")) add(convection(name, restart, single, repeats));
    for (const bool single : {false, true})
        for (const int level : {4, 5, 6, 7})
            if (wanted("chebyshev")) add(poisson(level, single, repeats));
    std::printf("%s\n", Json{{"kind", "recurrences"},
                             {"device", gpu::require_device().name},
                             {"driver", gpu::EnergyMeter().driver()},
                             {"tolerance", kTolerance},
                             {"rows", std::move(rows)}}
                            .dump(1)
                            .c_str());
}
