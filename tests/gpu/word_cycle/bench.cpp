// gpu_word_cycle_bench [--cg] [--gpus N] LEVEL...: poisson2d of each level to 1e-10 on the device, by multilevel cycles
// in words and in double and, with --cg, by CG in double, and with --gpus by the cycles over N devices beside one, all
// in one run; prints one JSON object. Its shape: gpu/results/README.md.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/energy.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/cg.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/peers.hpp"
#include "mantissa/gpu/word_cycle.hpp"
#include "mantissa/host/problem.hpp"

namespace {

using namespace mantissa;
using Json = nlohmann::ordered_json;

constexpr double kTolerance = 1e-10, kStencilScale = 3;
constexpr int kFractionBits = 64, kRepeats = 5, kMostCycles = 60;
constexpr const char* kSpecs[] = {"v12,w=10,f=16", "v22,w=10,f=16", "v11,w=10,f=16", "b2,w=10,f=16",
                                  "v12,w=double",  "v22,w=double",  "b2,w=double"};

/// ||b - A u|| / ||b|| of the stencil in integers and b in double; `product` is exact to long double.
template <class Product> double true_residual(const std::vector<double>& b, std::size_t side, const Product& product) {
    long double defect = 0, norm = 0;
    for (std::size_t y = 1; y + 1 < side; ++y)
        for (std::size_t x = 1; x + 1 < side; ++x) {
            const std::size_t p = y * side + x;
            const long double right = kStencilScale * static_cast<long double>(b[p]), d = right - product(p);
            defect += d * d;
            norm += right * right;
        }
    return static_cast<double>(std::sqrt(defect / norm));
}

template <class T> T stencil_at(const std::vector<T>& u, std::size_t p, std::size_t side) {
    T sum = 9 * u[p];
    for (const std::size_t row : {p - side, p, p + side}) sum -= u[row - 1] + u[row] + u[row + 1];
    return sum;
}

Json solve(int level, const std::string& text, const std::vector<double>& b, const std::shared_ptr<gpu::Peers>& over) {
    const CycleSpec spec = parse_cycle_spec(text);
    const std::size_t side = (std::size_t{1} << level) + 1;
    gpu::WordCycle cycle = over ? gpu::WordCycle(over, level, {}, spec) : gpu::WordCycle(level, {}, spec);
    gpu::WordSolveRequest request;
    request.tolerance = kTolerance;
    request.most_cycles = kMostCycles;
    gpu::WordSolveReport report;
    double truth = 0;
    if (spec.in_double) {
        std::vector<double> scaled(b), u(b.size());
        for (double& x : scaled) x *= kStencilScale;
        report = cycle.solve(std::span<const double>(scaled), request, u, kRepeats);
        const std::vector<long double> wide(u.begin(), u.end());
        truth = true_residual(b, side, [&](std::size_t p) { return stencil_at(wide, p, side); });
    } else {
        std::vector<std::int64_t> words(b.size()), u(b.size());
        for (std::size_t i = 0; i < b.size(); ++i)
            words[i] = static_cast<std::int64_t>(std::floor(std::ldexp(kStencilScale * b[i], kFractionBits) + 0.5));
        report = cycle.solve(std::span<const std::int64_t>(words), request, u, kRepeats);
        truth = true_residual(b, side, [&](std::size_t p) {
            return std::ldexp(static_cast<long double>(stencil_at(u, p, side)), -kFractionBits);
        });
    }
    const double cycles = std::max(1, report.cycles), nodes = std::ldexp(1.0, 2 * level);
    return {{"spec", text},
            {"level", level},
            {"gpus", over ? over->parts() : 1},
            {"end", to_string(report.end)},
            {"cycles", report.cycles},
            {"defects_formed_anew", report.rebuilt},
            {"seconds", report.seconds},
            {"seconds_per_cycle", report.seconds / cycles},
            {"bytes_per_node_and_cycle", cycle.bytes_per_node()},
            {"bytes_per_second", cycle.bytes_per_node() * nodes * cycles / report.seconds},
            {"true_residual", truth}};
}

Json conjugate_gradients(const Problem& problem, int level) {
    gpu::GridSolver solver(problem.system);
    solver.set_rhs(problem.b);
    gpu::CgRequest request;
    request.tolerance = kTolerance;
    gpu::CgReport best = solver.solve(request);
    if (level <= 11)
        for (int i = 1; i < kRepeats; ++i)
            if (const gpu::CgReport report = solver.solve(request); report.seconds < best.seconds) best = report;
    return {{"spec", "cg in double"}, {"level", level},          {"end", gpu::to_string(best.end)},
            {"passes", best.passes},  {"seconds", best.seconds}, {"true_residual", best.true_residual}};
}

} // namespace

int main(int argc, char** argv) {
    bool cg = false;
    int gpus = 1;
    std::vector<int> levels;
    for (int i = 1; i < argc; ++i)
        if (const std::string text = argv[i]; text == "--cg") cg = true;
        else if (text == "--gpus" && i + 1 < argc) gpus = std::atoi(argv[++i]);
        else levels.push_back(std::atoi(text.c_str()));
    if (levels.empty()) {
        std::fputs("usage: gpu_word_cycle_bench [--cg] [--gpus N] LEVEL...\n", stderr);
        return 2;
    }
    try {
        const gpu::DeviceInfo& device = gpu::require_device();
        const auto peers = gpus > 1 ? std::make_shared<gpu::Peers>(gpu::Peers::spread(gpus)) : nullptr;
        Json runs = Json::array();
        const auto keep = [&](Json run) {
            std::fprintf(stderr, "%s\n", run.dump().c_str());
            runs.push_back(std::move(run));
        };
        for (const int level : levels) {
            const Problem problem = make_problem("poisson2d:level=" + std::to_string(level));
            for (const char* const spec : kSpecs) {
                keep(solve(level, spec, problem.b, nullptr));
                if (peers) keep(solve(level, spec, problem.b, peers));
            }
            if (cg) keep(conjugate_gradients(problem, level));
        }
        const Json all{{"kind", "word_cycles"},
                       {"device", device.name},
                       {"driver", gpu::EnergyMeter().driver()},
                       {"runtime_cuda", device.runtime},
                       {"tolerance", kTolerance},
                       {"copy_bytes_per_second", gpu::copy_bandwidth()},
                       {"runs", std::move(runs)}};
        std::puts(all.dump(1).c_str());
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpu_word_cycle_bench: %s\n", error.what());
        return 2;
    }
}
