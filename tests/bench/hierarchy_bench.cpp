// Google Benchmark of make_aggregation(): a 3-D Laplacian of 10^6 rows, circuits of 1.6 10^6 rows with conductances
// over one decade and over three, and MatrixMarket files. Counters: the levels, their entries over those of the first
// (`complexity`), and iterations of CG to 1e-10 with the reference's V(2,2) cycle. Beside it whole solves to 1e-8 by CG
// with cycles, `solve/SYSTEM/SPEC`, the right-hand side A times ones, their set-up included.
//
//     hierarchy_bench [FILE.mtx...] [--benchmark_OPTION...]
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>

#include <benchmark/benchmark.h>

#include "mantissa/engine.hpp"
#include "mantissa/host/matrix_market.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/multilevel/hierarchy.hpp"
#include "reference_cycle.hpp"
#include "systems.hpp"

namespace {

using mantissa::CompressedRows;

constexpr int kThreads = 2;

/// `make` is called when the benchmark runs, so that no two large matrices are held at once.
void add(const std::string& name, const std::function<CompressedRows()>& make) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [make](benchmark::State& state) {
                                     const CompressedRows a = make();
                                     mantissa::multilevel::Hierarchy h;
                                     for (auto _ : state) h = mantissa::multilevel::make_aggregation(a, {}, kThreads);
                                     state.counters["rows"] = static_cast<double>(a.rows());
                                     state.counters["levels"] = static_cast<double>(h.level.size());
                                     state.counters["complexity"] = h.operator_complexity();
                                     if (h.why_not.empty())
                                         state.counters["iterations"] = mantissa::test::iterations(h);
                                     else state.SetLabel(h.why_not);
                                 })
        ->Unit(benchmark::kMillisecond)
        ->MeasureProcessCPUTime()
        ->UseRealTime();
    for (const std::string spec : {"v22,w=10,c=10,p=10", "v22,w=10,c=10", "v22,w=12/10,c=10", "v22,w=12,c=12,s=64",
                                   "v22,w=16,c=15,p=15,s=64", "v22,w=double"})
        benchmark::RegisterBenchmark(("solve/" + name + "/" + spec).c_str(),
                                     [make, spec](benchmark::State& state) {
                                         const CompressedRows a = make();
                                         mantissa::Problem problem{
                                             .name = "rows", .system = mantissa::System(a), .b = {}, .exact = {}};
                                         problem.b.assign(a.rows(), 0.0);
                                         for (std::size_t i = 0; i < a.rows(); ++i)
                                             for (auto k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
                                                 problem.b[i] += a.value()[k];
                                         mantissa::SolveOptions o;
                                         o.scheme = mantissa::Scheme::inexact_pcg;
                                         o.preconditioner = mantissa::parse_cycle_spec(spec);
                                         o.tolerance = 1e-8;
                                         o.threads = kThreads;
                                         mantissa::SolveResult r;
                                         for (auto _ : state) r = solve(problem, *mantissa::make_emulated_engine(), o);
                                         state.counters["iterations"] = static_cast<double>(r.inner_iterations);
                                         if (r.status != mantissa::Status::converged)
                                             state.SetLabel(to_string(r.status));
                                     })
            ->Unit(benchmark::kMillisecond)
            ->Iterations(1)
            ->UseRealTime();
}

} // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    try {
        add("laplacian3d", [] { return mantissa::test::laplacian(100, 100, 100); });
        add("circuit", [] { return mantissa::test::circuit(1265, 1); });
        add("c400_3", [] { return mantissa::test::circuit(400, 3); });
        add("c400_4", [] { return mantissa::test::circuit(400, 4); });
        add("c400_6", [] { return mantissa::test::circuit(400, 6); });
        add("c150_3", [] { return mantissa::test::circuit(150, 3); });
        add("c150_2", [] { return mantissa::test::circuit(150, 2); });
        add("c700_2", [] { return mantissa::test::circuit(700, 2); });
        add("circuit_three_decades", [] { return mantissa::test::circuit(1265, 3); });
        for (int i = 1; i < argc; ++i) {
            const std::string path = argv[i];
            add(std::filesystem::path(path).stem().string(), [path] { return mantissa::read_matrix_market(path); });
        }
        benchmark::RunSpecifiedBenchmarks();
    } catch (const std::exception& e) {
        std::fprintf(stderr, "hierarchy_bench: %s\n", e.what());
        return 2;
    }
}
