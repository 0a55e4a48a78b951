// gpu_recurrence_bench [REPEATS]: BiCGStab and GMRES(30) on convection-diffusion, the device's own beside cuSPARSE and
// cuBLAS, both on A D^-1 in one run; prints one JSON object. Its shape: gpu/results/README.md.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "energy.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/recurrence/library.hpp"
#include "native/native.hpp"
#include "recurrence/rival.hpp"

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

double median(std::vector<double> v) {
    std::ranges::sort(v);
    return v[v.size() / 2];
}

CompressedRows columns_scaled(const CompressedRows& a) {
    std::vector<double> value(a.value()), inverse(a.rows(), 1.0);
    for (std::size_t i = 0; i < a.rows(); ++i)
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
            if (a.column()[k] == i) inverse[i] = 1 / a.value()[k];
    for (std::size_t k = 0; k < value.size(); ++k) value[k] *= inverse[a.column()[k]];
    return a.with_values(std::move(value));
}

Json race(const std::string& name, std::size_t restart, bool single, int repeats) {
    const Problem problem = make_problem(name);
    const CompressedRows& a = std::get<CompressedRows>(problem.system.matrix());
    const CompressedRows scaled = columns_scaled(a);
    const std::vector<std::vector<double>> b(1, problem.b);
    const double tolerance = single ? 1e-4 : kTolerance; // what float reaches in one run
    NativeChoice choice{NativePlan::automatic, true, restart == 0 ? &recurrence::kBicgstab : nullptr};
    choice.restart = restart;
    const auto solver = gpu::make_native(problem.system, native_spec(single), choice);
    std::vector<double> ours, theirs;
    std::vector<std::vector<double>> x;
    NativeReport mine;
    gpu::RivalRecurrence rival;
    for (int i = 0; i < repeats + 1; ++i) { // (the first loads the kernels)
        mine = solver->solve(b, {tolerance, kIterations}, x).front();
        rival = restart == 0 ? gpu::library_bicgstab(scaled, problem.b, single, tolerance, kIterations)
                             : gpu::library_gmres(scaled, problem.b, single, tolerance, kIterations, restart);
        if (i == 0) continue;
        ours.push_back(1e6 * mine.seconds / static_cast<double>(std::max<std::uint64_t>(1, mine.iterations)));
        theirs.push_back(1e6 * rival.seconds / std::max(1U, rival.iterations));
    }
    return {{"system", name},
            {"recurrence", restart == 0 ? "bicgstab" : "gmres(" + std::to_string(restart) + ")"},
            {"arithmetic", single ? "float" : "double"},
            {"rows", a.rows()},
            {"nonzeros", a.nonzeros()},
            {"why", solver->plan().why},
            {"us_per_iteration", median(ours)},
            {"iterations", mine.iterations},
            {"true_residual", mine.residual},
            {"library_us_per_iteration", median(theirs)},
            {"library_iterations", rival.iterations},
            {"library_recursive_residual", rival.recursive_residual},
            {"ratio", median(theirs) / median(ours)}};
}

} // namespace

int main(int argc, char** argv) {
    if (const std::string missing = gpu::device_missing(); !missing.empty()) {
        std::fprintf(stderr, "gpu_recurrence_bench: %s\n", missing.c_str());
        return 77;
    }
    const int repeats = argc > 1 ? std::atoi(argv[1]) : 5;
    Json rows = Json::array();
    for (const std::size_t restart : {std::size_t{0}, std::size_t{30}})
        for (const bool single : {false, true})
            for (const char* const name : kProblems) {
                rows.push_back(race(name, restart, single, repeats));
                std::fprintf(stderr, "%s\n", rows.back().dump().c_str());
            }
    std::printf("%s\n", Json{{"kind", "recurrences"},
                             {"device", gpu::require_device().name},
                             {"driver", gpu::EnergyMeter().driver()},
                             {"tolerance", kTolerance},
                             {"rows", std::move(rows)}}
                            .dump(1)
                            .c_str());
}
