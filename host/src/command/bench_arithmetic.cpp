// mantissa bench arithmetic: what reduced-precision arithmetic costs on this processor, as ratios to a yardstick
// measured in the same run.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "mantissa/format.hpp"
#include "store/result_json.hpp"

#ifdef MANTISSA_MEASURE
#include "command/options/declare.hpp"
#include "mantissa/kernels.hpp"
#include "measure.hpp"
#include "text/json_text.hpp"
#include "text/tables/table.hpp"
#endif

namespace mantissa::cli {

namespace {

struct ArithmeticFlags {
    int repetitions = 21;
    bool json = false;
};

#ifdef MANTISSA_MEASURE
/// Speed of every path of the vector kernels beside native arithmetic of the carrier, one row for each format.
void print_paths(const std::vector<bench::Ratio>& ratios) {
    fmt::print(
        "\nevery path of the vector kernels, arrays in cache; speed relative to the same native operation\n{:<44}",
        "carrier, format (path)");
    for (const std::string& operation : bench::path_operations()) fmt::print(" {:>10}", operation);
    std::string row;
    for (const bench::Ratio& r : ratios) {
        if (r.row.empty()) continue;
        if (r.row != row) fmt::print("\n{:<44}", r.row);
        row = r.row;
        fmt::print(" {:>10.2f}", r.speed);
    }
    fmt::print("\n");
}
#endif

int arithmetic_command(const ArithmeticFlags& flags) {
#ifdef MANTISSA_MEASURE
    if (flags.repetitions < 1 || flags.repetitions > 10000)
        throw InvalidInput(fmt::format("--repetitions {}: give a number from 1 to 10000", flags.repetitions));
    const auto ratios = bench::measure(bench::make_cases(), flags.repetitions);
    results::Json list = results::Json::array();
    const text::Table table("{what:<34} {us:>10.1f*1e6}   {against:<30} {speed:>6.2f} {asked:>8.2f}");
    if (!flags.json)
        fmt::print("instruction set {}, median of {} repetitions; speed is the baseline's time over this one's\n"
                   "{}",
                   kernel_isa(), flags.repetitions, table.head());
    for (const bench::Ratio& r : ratios) {
        list.push_back({{"name", r.name},
                        {"baseline", r.baseline},
                        {"seconds", r.seconds},
                        {"baseline_seconds", r.baseline_seconds},
                        {"speed", r.speed},
                        {"target", r.target},
                        {"isa", std::string(kernel_isa())}});
        if (!flags.json && r.row.empty())
            fmt::print("{}", table.row({r.name, r.seconds, r.baseline, r.speed,
                                        r.target > 0 ? text::Cell(r.target) : text::Cell("")}));
    }
    if (flags.json) fmt::print("{}\n", json_text(list));
    else print_paths(ratios);
    return kDone;
#else
    (void)flags;
    throw InvalidInput("bench arithmetic: this build has no benchmarks; configure with -DMANTISSA_BENCHMARKS=ON");
#endif
}

} // namespace

Run setup_bench_arithmetic(CLI::App& app) {
    const auto flags = std::make_shared<ArithmeticFlags>();
    app.add_option("--repetitions", flags->repetitions, "interleaved repetitions of each case")->capture_default_str();
    declare(app, Common::json, flags->json, "print a JSON list");
    return [flags] { return arithmetic_command(*flags); };
}

} // namespace mantissa::cli
