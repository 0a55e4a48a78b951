// gpu_parted_sweep PROBLEM...: solves each problem with the engine emulated and with the engine gpu in parts, compares
// every bit of solutions and histories, times passes, and prints one JSON object. Options: --matrices DIR solves every
// .mtx file there as well; --time LEVEL times passes of poisson2d of that level (may be given several times).
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>
#include <nlohmann/json.hpp>

#include "mantissa/engine.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/engine.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"

namespace {

using namespace mantissa;
using Json = nlohmann::json;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
        return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    });
}

bool same(const SolveResult& a, const SolveResult& b) {
    const auto defects = [](const SolveResult& r) {
        std::vector<double> all;
        for (const HistoryPoint& h : r.history) all.push_back(h.relative_defect);
        return all;
    };
    return a.status == b.status && a.inner_iterations == b.inner_iterations &&
           a.outer_iterations == b.outer_iterations && a.overflows == b.overflows && a.words == b.words &&
           a.sigma_guards == b.sigma_guards && same_bits(defects(a), defects(b)) && same_bits(a.u, b.u);
}

/// Two parts on two devices where there are two; 1, 2, 3, 4 and 8 on the first one.
std::vector<std::vector<int>> placements() {
    std::vector<std::vector<int>> all;
    for (const std::size_t parts : {1, 2, 3, 4, 8}) all.emplace_back(parts, 0);
    int count = 0;
    gpu::check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    if (count > 1) all.insert(all.begin() + 1, {{0, 1}, {0, 1, 0, 1}});
    return all;
}

Json solve_all(const std::string& name, const std::string& spec) {
    Json j = {{"problem", std::filesystem::path(name).filename().string()}, {"datapath", spec}};
    try {
        const Problem problem = make_problem(name);
        SolveOptions options;
        options.spec = parse_spec(spec);
        options.inner = 25;
        options.threads = static_cast<int>(std::thread::hardware_concurrency());
        const bool sparse = problem.system.kind() == System::Kind::sparse;
        options.jacobi = sparse;
        if (sparse) options.max_iterations = 1000;
        options.keep_solution = options.history = true;
        const SolveResult want = solve(problem, *make_emulated_engine(), options);
        j["unknowns"] = problem.system.size();
        j["kind"] = to_string(problem.system.kind());
        j["status"] = to_string(want.status);
        j["inner_iterations"] = want.inner_iterations;
        j["outer_iterations"] = want.outer_iterations;
        j["true_residual"] = want.true_residual;
        j["emulated_seconds"] = want.seconds;
        for (const auto& devices : placements())
            for (const CutMethod method : {CutMethod::contiguous, CutMethod::bisection}) {
                if (method == CutMethod::bisection && (!sparse || !has_metis())) continue;
                const auto engine = make_parted_gpu_engine(devices, method);
                const SolveResult got = solve(problem, *engine, options);
                j["runs"].push_back({{"devices", devices},
                                     {"cut", sparse ? to_string(method) : "strips"},
                                     {"same_bits", same(got, want)},
                                     {"seconds", got.seconds}});
            }
    } catch (const std::exception& e) {
        j["refused"] = e.what();
    }
    return j;
}

Json time_passes(const std::string& level, const std::string& text) {
    const Problem problem = make_problem("poisson2d:level=" + level);
    const DatapathSpec spec = parse_spec(text);
    Json j = {{"problem", problem.name}, {"datapath", text}};
    const auto time = [&](const Engine& engine, const std::string& key) {
        try {
            const auto session = engine.load(problem.system, spec, {});
            std::vector<double> r(problem.system.size());
            std::uint64_t random = 1; // (a smooth right-hand side is solved in a few passes)
            for (std::size_t i = 0; i < r.size(); ++i) {
                random = random * 6364136223846793005 + 1442695040888963407;
                const double x = static_cast<double>(static_cast<std::int64_t>(random)) * 0x1p-66;
                r[i] = problem.system.on_edge(i) ? 0 : x;
            }
            const auto start = [&] {
                session->clear(Vec::p);
                session->clear(Vec::q);
                session->write(Vec::r, 0, r);
                session->set_scalars(0, 0);
            };
            start();
            static_cast<void>(session->run({.passes = 20}));
            // What a run costs besides its passes falls out.
            constexpr std::uint64_t kShort = 20, kLong = 120;
            std::vector<double> brief, full;
            for (int k = 0; k < 7; ++k)
                for (const std::uint64_t passes : {kShort, kLong}) {
                    double begin = now();
                    if (session->run({.passes = passes}).passes != passes) { // a word that overflowed, say
                        start();
                        begin = now();
                        if (session->run({.passes = passes}).passes != passes) throw InvalidInput("runs end early");
                    }
                    (passes == kShort ? brief : full).push_back(1e6 * (now() - begin));
                }
            std::ranges::sort(brief);
            std::ranges::sort(full);
            const double pass = (full[3] - brief[3]) / static_cast<double>(kLong - kShort);
            j[key] = {{"us_per_pass", pass}, {"us_per_run", brief[3] - kShort * pass}};
        } catch (const std::exception& e) {
            j[key] = e.what();
        }
    };
    time(*make_gpu_engine(), "whole");
    for (const auto& devices : placements()) {
        std::string key = "on";
        for (const int d : devices) key += "_" + std::to_string(d);
        if (devices.size() <= 2) time(*make_parted_gpu_engine(devices), key);
    }
    return j;
}

} // namespace

int main(int count, char** arguments) {
    std::vector<std::string> problems, levels;
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        if ((word == "--matrices" || word == "--time") && i + 1 < count) {
            const std::string value = arguments[++i];
            if (word == "--time") levels.push_back(value);
            else
                for (const auto& file : std::filesystem::directory_iterator(value))
                    if (file.path().extension() == ".mtx") problems.push_back("mtx:" + file.path().string());
        } else if (word.starts_with("--")) {
            std::fprintf(stderr, "usage: gpu_parted_sweep [--matrices DIR] [--time LEVEL]... PROBLEM...\n");
            return 2;
        } else {
            problems.push_back(word);
        }
    }
    std::ranges::sort(problems);
    Json all = {{"kind", "parted_engine"}, {"device", gpu::require_device().name}, {"times", Json::array()}};
    all["driver"] = gpu::require_device().driver;
    bool good = true;
    for (const std::string& problem : problems)
        for (const char* spec : {"fx24.20", "s17e8,u=s23e8,dot=fixed[13:-50]"}) {
            all["solves"].push_back(solve_all(problem, spec));
            const Json& j = all["solves"].back();
            std::size_t same = 0;
            for (const Json& run : j.value("runs", Json::array())) same += run["same_bits"].get<bool>() ? 1 : 0;
            const std::size_t of = j.value("runs", Json::array()).size();
            good = good && same == of;
            std::fprintf(stderr, "%-28s %-32s %5d iterations %-16s same bits %zu of %zu  %s\n",
                         j["problem"].get<std::string>().c_str(), spec, j.value("inner_iterations", 0),
                         j.value("status", "-").c_str(), same, of, j.value("refused", "").c_str());
        }
    for (const std::string& level : levels)
        for (const char* spec : {"fx18.16", "s14e8,u=s23e8,dot=fixed[13:-50]"}) {
            all["times"].push_back(time_passes(level, spec));
            std::fprintf(stderr, "%s\n", all["times"].back().dump().c_str());
        }
    std::puts(all.dump(1).c_str());
    return good ? 0 : 1;
}
