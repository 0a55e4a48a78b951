// gpu_row_cycle_bench [--gpus N] [--spec SPEC]... SYSTEM...: CG preconditioned by multilevel cycles on rows beside CG
// preconditioned by the diagonal, to 1e-8 on the device, all in one run; prints one JSON object. With --gpus the cycles
// over N of them too; with --spec these cycles alone. A system is a MatrixMarket file, laplacian3d (100^3, or as
// laplacian3d:200), circuit or circuit_three_decades (1.6 million rows, or as circuit:2530 that number squared). The
// object's shape: gpu/results/README.md. In words CG keeps one direction, then three, as a solve does unless it is
// told.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/energy.hpp"
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
constexpr const char* kSpecs[] = {"v22,w=10,c=10,p=10",      "v22,w=10,c=10", "v22,w=12/10,c=10", "v22,w=12,c=12,s=64",
                                  "v22,w=16,c=15,p=16,s=64", "v11,w=10,c=10", "v22,w=double",     "v11,w=double"};

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Json by_cycles(const System& system, const std::vector<double>& b, const std::string& text, int gpus, int directions) {
    const double begin = now();
    const auto engine = gpus > 1 ? make_parted_gpu_engine(spread_devices(gpus)) : make_gpu_engine();
    const auto solver = engine->cycles(system, parse_cycle_spec(text), {formats::kDouble, true, kThreads, directions});
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
    return {{"solver", "cg, multilevel:" + text},
            {"gpus", gpus},
            {"directions", directions},
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

struct Wanted {
    int gpus = 1;
    std::vector<std::string> specs{std::begin(kSpecs), std::end(kSpecs)};
};

Json compare(const std::string& name, const CompressedRows& a, const Wanted& wanted) {
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
    for (const std::string& text : wanted.specs) try {
            for (const int directions : {1, kMostDirections}) {
                if (directions > 1 && parse_cycle_spec(text).in_double) break;
                keep(by_cycles(system, b, text, 1, directions));
                if (wanted.gpus > 1) keep(by_cycles(system, b, text, wanted.gpus, directions));
            }
        } catch (const InvalidInput& e) {
            keep({{"solver", "cg, multilevel:" + text}, {"refused", e.what()}});
        }
    return {{"system", name}, {"rows", a.rows()}, {"nonzeros", a.nonzeros()}, {"runs", std::move(runs)}};
}

CompressedRows rows_of(const std::string& text) {
    const std::size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const auto edge = [&](std::size_t usual) {
        return colon == std::string::npos ? usual : std::stoul(text.substr(colon + 1));
    };
    if (name == "laplacian3d") return test::laplacian(edge(100), edge(100), edge(100));
    if (name == "circuit") return test::circuit(edge(1265), 1);
    if (name == "circuit_three_decades") return test::circuit(edge(1265), 3);
    return read_matrix_market(text);
}

} // namespace

int main(int argc, char** argv) {
    try {
        Wanted wanted;
        std::vector<std::string> names, specs;
        for (int i = 1; i < argc; ++i)
            if (const std::string text = argv[i]; text == "--gpus" && i + 1 < argc) wanted.gpus = std::stoi(argv[++i]);
            else if (text == "--spec" && i + 1 < argc) specs.emplace_back(argv[++i]);
            else names.push_back(text);
        if (!specs.empty()) wanted.specs = specs;
        if (names.empty()) {
            std::fputs("usage: gpu_row_cycle_bench [--gpus N] [--spec SPEC]... SYSTEM...\n", stderr);
            return 2;
        }
        const gpu::DeviceInfo& device = gpu::require_device();
        Json systems = Json::array();
        for (const std::string& name : names)
            systems.push_back(compare(std::filesystem::path(name).stem().string(), rows_of(name), wanted));
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
