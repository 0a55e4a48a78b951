// The level-1 operations over sizes, as JSON; docs/gpu.md has the shape of the file.
#include <bit>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/blas1_rounds.hpp"
#include "bench/energy.hpp"
#include "mantissa/gpu/bench.hpp"
#include "mantissa/gpu/cg.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/sparse_solver.hpp"

namespace mantissa::gpu {

namespace {

using Json = nlohmann::ordered_json;

Json describe(const Blas1Round& r, double copy) {
    const double n = static_cast<double>(r.n), size = r.single_precision ? 4 : 8;
    const double bytes = moved_elements(r.operation) * n * size;
    return {{"operation", to_string(r.operation)},
            {"arithmetic", r.single_precision ? "float" : "double"},
            {"n", r.n},
            {"operations", 2 * n},
            {"bytes", bytes},
            {"footprint", r.footprint},
            {"seconds", r.ours},
            {"cublas_seconds", r.cublas},
            {"copy_seconds", r.copy},
            {"processor_seconds", r.processor},
            {"processor_threads", r.processor_threads},
            {"gflops", 2e-9 * n / r.ours},
            {"bytes_per_second", bytes / r.ours},
            {"share_of_copy", bytes / r.ours / copy},
            {"cublas_ratio", r.cublas / r.ours},
            {"processor_ratio", r.processor / r.ours},
            {"same_bits", r.same_bits},
            {"cublas_difference", r.cublas_error}};
}

/// What other operations reach, beside which the level-1 ones stand: products with sparse matrices and with full ones.
Json others(const Blas1BenchRequest& request, const std::function<void(const std::string&)>& tell) {
    Json list = Json::array();
    for (const bool single : {true, false}) {
        tell(single ? "full product, float" : "full product, double");
        constexpr int kSide = 8192;
        const double rate = gemm_rate(single, kSide, 7), work = 2.0 * kSide * kSide * kSide;
        list.push_back({{"operation", "gemm"},
                        {"library", "cuBLAS"},
                        {"arithmetic", single ? "float" : "double"},
                        {"n", kSide},
                        {"operations", work},
                        {"bytes", 4.0 * kSide * kSide * (single ? 4 : 8)},
                        {"seconds", work / rate}});
    }
    for (const NamedMatrix& named : request.matrices)
        for (const bool single : {true, false}) {
            tell(named.name);
            const TimedChoice timed = choose_on_device(named.matrix, single ? SparsePrecision::single_precision
                                                                            : SparsePrecision::double_precision);
            for (std::size_t i = 0; i < timed.reports.size(); ++i)
                if (timed.reports[i].format == timed.choice.format)
                    list.push_back({{"operation", "spmv"},
                                    {"matrix", named.name},
                                    {"format", to_string(timed.choice.format)},
                                    {"arithmetic", single ? "float" : "double"},
                                    {"n", named.matrix.rows()},
                                    {"nonzeros", named.matrix.nonzeros()},
                                    {"operations", 2.0 * static_cast<double>(named.matrix.nonzeros())},
                                    {"bytes", timed.reports[i].traffic},
                                    {"seconds", timed.seconds[i]}});
        }
    return list;
}

} // namespace

std::string run_blas1_bench(const Blas1BenchRequest& request, const std::string& commit, const std::string& date,
                            const std::function<void(const std::string&)>& say) {
    const DeviceInfo& device = require_device();
    const auto tell = [&](const std::string& line) {
        if (say) say(line);
    };
    tell("copy bandwidth");
    const double copy = copy_bandwidth();
    const DevicePeaks peaks = device_peaks();
    std::vector<std::size_t> sizes;
    for (int k = request.first_power; k <= request.last_power; ++k) sizes.push_back(std::size_t{1} << k);
    Json runs = Json::array();
    for (const Blas1Round& r : blas1_rounds(sizes, request.repeats, request.cpu_threads, say)) {
        runs.push_back(describe(r, copy));
        const Json& last = runs.back();
        tell(fmt::format("{:<5} {:<6} 2^{:<2} {:9.2f} us {:8.1f} GFlop/s {:7.0f} GB/s, {:.3f} of copy ({:.3f} of the "
                         "same bytes), cuBLAS {:.2f} x, processor {:.0f} x{}",
                         to_string(r.operation), r.single_precision ? "float" : "double", std::bit_width(r.n) - 1,
                         1e6 * r.ours, last["gflops"].get<double>(), 1e-9 * last["bytes_per_second"].get<double>(),
                         last["share_of_copy"].get<double>(), r.copy / r.ours, r.cublas / r.ours, r.processor / r.ours,
                         r.same_bits ? "" : ", OTHER BITS THAN THE PROCESSOR"));
    }
    const Json all{{"kind", "blas1"},
                   {"device", device.name},
                   {"multiprocessors", device.multiprocessors},
                   {"l2_bytes", device.l2},
                   {"driver", EnergyMeter().driver()},
                   {"driver_cuda", device.driver},
                   {"runtime_cuda", device.runtime},
                   {"date", date},
                   {"commit", commit},
                   {"copy_bytes_per_second", copy},
                   {"peaks",
                    {{"float_operations_per_second", peaks.single_operations},
                     {"double_operations_per_second", peaks.double_operations},
                     {"bytes_per_second", peaks.bytes}}},
                   {"runs", std::move(runs)},
                   {"others", others(request, tell)}};
    return all.dump(1);
}

} // namespace mantissa::gpu
