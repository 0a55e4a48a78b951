// Google Benchmark over every case, interleaved, then the ratios from the medians of that same run.
//
//     arithmetic_bench                       all, with ratios
//     arithmetic_bench --quick               without Google Benchmark: paired repetitions, ratios only
//     arithmetic_bench --benchmark_filter=s17e8
#include <cstring>
#include <map>
#include <string>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "mantissa/kernels.hpp"
#include "measure.hpp"

namespace {

using mantissa::bench::Case;

/// Prints as usual and keeps the medians, of processor time: every case runs in one thread.
class MedianReporter : public benchmark::ConsoleReporter {
public:
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs)
            if (run.run_type == Run::RT_Aggregate && run.aggregate_name == "median")
                medians[run.run_name.function_name] = run.GetAdjustedCPUTime();
        ConsoleReporter::ReportRuns(runs);
    }
    std::map<std::string, double> medians; ///< nanoseconds
};

void print_header() {
    fmt::print("kernels use {}\n{:<42} {:>12} {:>9}  {:<8} {}\n", mantissa::kernel_isa(), "case", "us", "speed",
               "target", "relative to");
}

void print_ratio(const std::string& name, const std::string& baseline, double microseconds, double speed,
                 double target) {
    fmt::print("{:<42} {:>12.1f} {:>9.3f}  {:<8} {}\n", name, microseconds, speed,
               target > 0 ? fmt::format("{:.2f} {}", target, speed >= target ? "ok" : "--") : "", baseline);
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<Case> cases = mantissa::bench::make_cases();
    if (argc > 1 && std::strcmp(argv[1], "--quick") == 0) {
        print_header();
        for (const auto& r : mantissa::bench::measure(cases))
            print_ratio(r.name, r.baseline, r.seconds * 1e6, r.speed, r.target);
        return 0;
    }
    for (const Case& c : cases)
        benchmark::RegisterBenchmark(c.name.c_str(),
                                     [&c](benchmark::State& state) {
                                         c.run(); // its arrays into the cache
                                         for (auto _ : state) c.run();
                                     })
            ->Unit(benchmark::kMicrosecond)
            ->MinTime(0.02)
            ->Repetitions(15)
            ->ReportAggregatesOnly(true);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    MedianReporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    print_header();
    for (const Case& c : cases) {
        const auto own = reporter.medians.find(c.name), base = reporter.medians.find(c.baseline);
        if (own != reporter.medians.end() && base != reporter.medians.end())
            print_ratio(c.name, c.baseline, own->second, base->second / own->second, c.target);
    }
    return 0;
}
