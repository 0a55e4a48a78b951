// mantissa bench cpu: products of a sparse matrix on this processor, scalar, with vectors, with threads, and Eigen's.
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "bench_cpu.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/sparse/formats.hpp"
#include "store/result_json.hpp"

#ifdef MANTISSA_MEASURE
#include "command/options/declare.hpp"
#include "mantissa/kernels.hpp"
#include "products.hpp"
#include "text/json_text.hpp"
#include "text/tables/table.hpp"
#endif

namespace mantissa::cli {

namespace {

struct BenchCpuFlags {
    std::string problem;
    int rounds = 21, threads = 0;
    bool json = false;
};

#ifdef MANTISSA_MEASURE
CompressedRows rows_of(const System& system) {
    if (const auto* rows = std::get_if<CompressedRows>(&system.matrix())) return *rows;
    if (const auto* bands = std::get_if<Bands>(&system.matrix())) return to_compressed_rows(*bands);
    throw InvalidInput("bench cpu: the problem is a grid's; give sparse rows (mtx:, lscm:, dsi:)");
}

void print_table(const std::vector<bench::ProductTimes>& all, int threads) {
    const text::Table table(fmt::format("{{format:<12}} {{number:<7}} {{MB:>9.3f*1e-6}} {{scalar us:>10.2f*1e6}} | "
                                        "{{SIMD:>6.2f}} {{SIMD x{0}:>9.2f}} | "
                                        "{{Eigen us:>9.2f*1e6}} {{ours 1:>7.2f}} {{ours x{0}:>10.2f}}",
                                        threads));
    fmt::print("{}", table.head());
    for (const bench::ProductTimes& t : all) {
        const auto beside = [&t](double figure) { return t.eigen > 0 ? std::optional(figure) : std::nullopt; };
        fmt::print("{}",
                   table.row({to_string(t.format), t.number, t.bytes, t.scalar, t.scalar / t.simd, t.scalar / t.threads,
                              beside(t.eigen), beside(t.eigen / t.simd), beside(t.eigen_threads / t.threads)}));
    }
    fmt::print(
        "SIMD, SIMD x{0}: speed beside the scalar twin. ours 1, ours x{0}: beside Eigen's row-major product, both "
        "with as many threads.\n",
        threads);
}
#endif

int bench_cpu(const BenchCpuFlags& flags) {
#ifdef MANTISSA_MEASURE
    if (flags.rounds < 1 || flags.rounds > 10000)
        throw InvalidInput(fmt::format("--rounds {}: give a number from 1 to 10000", flags.rounds));
    const int threads = thread_count(flags.threads);
    const Problem problem = make_problem(flags.problem);
    const CompressedRows a = rows_of(problem.system);
    const auto all = bench::measure_products(a, threads, flags.rounds);
    if (!flags.json) {
        fmt::print("{}: {} rows, {} nonzeros; instruction set {}; medians of {} interleaved rounds\n", problem.name,
                   a.rows(), a.nonzeros(), kernel_isa(), flags.rounds);
        print_table(all, threads);
        return kDone;
    }
    results::Json list = results::Json::array();
    for (const bench::ProductTimes& t : all)
        list.push_back({{"problem", problem.name},
                        {"rows", a.rows()},
                        {"nonzeros", a.nonzeros()},
                        {"isa", std::string(kernel_isa())},
                        {"threads", threads},
                        {"format", to_string(t.format)},
                        {"number", t.number},
                        {"matrix_bytes", t.bytes},
                        {"seconds_scalar", t.scalar},
                        {"seconds_simd", t.simd},
                        {"seconds_simd_threads", t.threads},
                        {"seconds_eigen", t.eigen},
                        {"seconds_eigen_threads", t.eigen_threads}});
    fmt::print("{}\n", json_text(list));
    return kDone;
#else
    (void)flags;
    throw InvalidInput("bench cpu: this build has no benchmarks; configure with -DMANTISSA_BENCHMARKS=ON");
#endif
}

} // namespace

Run setup_bench_cpu(CLI::App& app) {
    const auto flags = std::make_shared<BenchCpuFlags>();
    declare(app, Common::problem, flags->problem, "sparse rows, as for mantissa solve: mtx:FILE, lscm:FILE, dsi:FILE")
        ->required();
    app.add_option("--rounds", flags->rounds, "interleaved rounds")->capture_default_str();
    declare(app, Common::threads, flags->threads, "of the last column, 0 for all cores");
    declare(app, Common::json, flags->json, "print a JSON list");
    return [flags] { return bench_cpu(*flags); };
}

} // namespace mantissa::cli
