// Google Benchmark of reverse Cuthill-McKee ordering on MatrixMarket files: the library's against the plain one of
// tests/support, interleaved, with the bandwidths that come out (largest and mean |row - column|).
//
//     ordering_bench FILE.mtx... [--benchmark_OPTION...]
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "mantissa/host/matrix_market.hpp"
#include "mantissa/sparse/reorder.hpp"
#include "plain_cuthill_mckee.hpp"

namespace {

using mantissa::Bandwidth, mantissa::CompressedRows;

void report(benchmark::State& state, const CompressedRows& a, const std::vector<std::uint32_t>& order) {
    const Bandwidth before = bandwidth(a), after = bandwidth(permuted(a, order));
    state.counters["before"] = before.largest;
    state.counters["before_mean"] = before.mean;
    state.counters["after"] = after.largest;
    state.counters["after_mean"] = after.mean;
}

template <class Order> void add(const std::string& name, const std::shared_ptr<CompressedRows>& a, Order order) {
    benchmark::RegisterBenchmark(name.c_str(), [a, order](benchmark::State& state) {
        std::vector<std::uint32_t> found;
        for (auto _ : state) benchmark::DoNotOptimize(found = order(*a));
        report(state, *a, found);
    })->Unit(benchmark::kMillisecond);
}

} // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (argc < 2) {
        std::fprintf(stderr, "ordering_bench: no matrix; give MatrixMarket files\n");
        return 2;
    }
    try {
        for (int i = 1; i < argc; ++i) {
            const auto a = std::make_shared<CompressedRows>(mantissa::read_matrix_market(argv[i]));
            const std::string name = std::filesystem::path(argv[i]).stem().string();
            add(name + "/library", a, [](const CompressedRows& m) { return reverse_cuthill_mckee(m); });
            add(name + "/plain", a,
                [](const CompressedRows& m) { return mantissa::testing::PlainCuthillMckee(m).order(); });
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "ordering_bench: %s\n", e.what());
        return 2;
    }
    benchmark::RunSpecifiedBenchmarks();
}
