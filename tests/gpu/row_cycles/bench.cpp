// gpu_row_cycle_bench SYSTEM...: CG preconditioned by multilevel cycles on rows beside CG preconditioned by the
// diagonal, to 1e-8 on the device, all in one run; prints one JSON object. A system is a MatrixMarket file,
// laplacian3d (100^3), circuit or circuit_three_decades (1.6 million rows). The object's shape: gpu/results/README.md.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "energy.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/engine.hpp"
#include "mantissa/host/matrix_market.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"
#include "systems.hpp"

namespace {

using namespace mantissa;
using Json = nlohmann::ordered_json;

constexpr double kTolerance = 1e-8;
constexpr int kRepeats = 5, kThreads = 2;
constexpr const char* kSpecs[] = {
    "v22,w=10,c=10",           "v22,w=10,c=10,p=14", "v22,w=12/10,c=10,p=14", "v22,w=12,c=12,p=14,s=64",
    "v22,w=16,c=15,p=16,s=64", "v11,w=10,c=10",      "v22,w=double",          "v11,w=double"};

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Json by_cycles(const System& system, const std::vector<double>& b, const char* text) {
    const double begin = now();
    const auto solver = make_gpu_engine()->cycles(system, parse_cycle_spec(text), {formats::kDouble, true, kThreads});
    const double set_up = now() - begin;
    std::vector<double> u, seconds;
    CycleSolveReport report;
    double whole = 0; // of this processor's clock, b's and u's way to and from the device included
    for (int i = 0; i < kRepeats; ++i) {
        const double at = now();
        report = solver->solve(b, kTolerance, 2000, u);
        seconds.push_back(report.seconds);
        whole = i == 0 ? now() - at : std::min(whole, now() - at);
    }
    std::ranges::sort(seconds);
    return {{"solver", std::string("cg, multilevel:") + text},
            {"levels", solver->description()},
            {"converged", report.end == CycleSolveEnd::reached},
            {"iterations", report.cycles},
            {"seconds", seconds[kRepeats / 2]},
            {"us_per_iteration",
             1e6 * seconds[kRepeats / 2] / static_cast<double>(std::max<std::uint64_t>(1, report.cycles))},
            {"seconds_with_transfers", whole},
            {"set_up_seconds", set_up},
            {"true_residual", relative_residual(system, u, b, kThreads)}};
}

Json by_diagonal(const System& system, const std::vector<double>& b) {
    const auto solver = make_gpu_engine()->native(system, native_spec(), {});
    std::vector<std::vector<double>> x;
    std::vector<double> seconds;
    NativeReport report;
    for (int i = 0; i < kRepeats; ++i) {
        report = solver->solve(std::span(&b, 1), {kTolerance, 100000}, x).front();
        seconds.push_back(report.seconds);
    }
    std::ranges::sort(seconds);
    return {{"solver", "cg, jacobi"},
            {"plan", to_string(solver->plan().plan)},
            {"converged", report.end == PcgEnd::reached},
            {"iterations", report.iterations},
            {"seconds", seconds[kRepeats / 2]},
            {"us_per_iteration",
             1e6 * seconds[kRepeats / 2] / static_cast<double>(std::max<std::uint64_t>(1, report.iterations))},
            {"true_residual", relative_residual(system, x.front(), b, kThreads)}};
}

Json compare(const std::string& name, const CompressedRows& a) {
    const System system(a);
    std::vector<double> ones(a.rows(), 1.0), b(a.rows());
    defect(system, ones, b, b, kThreads);
    for (double& x : b) x = -x; // A times ones
    Json runs = Json::array();
    const auto keep = [&](Json run) {
        std::fprintf(stderr, "%s %s\n", name.c_str(), run.dump().c_str());
        runs.push_back(std::move(run));
    };
    keep(by_diagonal(system, b));
    for (const char* const text : kSpecs) try {
            keep(by_cycles(system, b, text));
        } catch (const InvalidInput& e) {
            keep({{"solver", std::string("cg, multilevel:") + text}, {"refused", e.what()}});
        }
    return {{"system", name}, {"rows", a.rows()}, {"nonzeros", a.nonzeros()}, {"runs", std::move(runs)}};
}

CompressedRows rows_of(const std::string& name) {
    if (name == "laplacian3d") return test::laplacian(100, 100, 100);
    if (name == "circuit") return test::circuit(1265, 1);
    if (name == "circuit_three_decades") return test::circuit(1265, 3);
    return read_matrix_market(name);
}

} // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fputs("usage: gpu_row_cycle_bench SYSTEM...\n", stderr);
        return 2;
    }
    try {
        const gpu::DeviceInfo& device = gpu::require_device();
        Json systems = Json::array();
        for (int i = 1; i < argc; ++i)
            systems.push_back(compare(std::filesystem::path(argv[i]).stem().string(), rows_of(argv[i])));
        const Json all{
            {"kind", "row_cycles"},           {"device", device.name},   {"driver", gpu::EnergyMeter().driver()},
            {"runtime_cuda", device.runtime}, {"tolerance", kTolerance}, {"systems", std::move(systems)}};
        std::puts(all.dump(1).c_str());
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpu_row_cycle_bench: %s\n", error.what());
        return 2;
    }
}
