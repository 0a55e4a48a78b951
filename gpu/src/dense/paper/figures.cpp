#include <algorithm>
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bench/bench_samples.hpp"
#include "lapack.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/gauss_jordan.hpp"
#include "mantissa/gpu/lu_figures.hpp"
#include "mantissa/gpu/lu_full.hpp"
#include "mantissa/gpu/lu_paper.hpp"

namespace mantissa::gpu {

namespace {

using Json = nlohmann::ordered_json;
using Say = std::function<void(const std::string&)>;

/// LINPACK's random matrix; with `diagonal` added, it needs no pivots.
template <class T> std::vector<T> random_matrix(std::size_t n, double diagonal) {
    std::vector<T> a(n * n);
    std::uint64_t state = n;
    for (T& x : a) { // splitmix64
        std::uint64_t z = state += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        x = static_cast<T>(static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53 - 0.5);
    }
    for (std::size_t i = 0; i < n; ++i) a[i * n + i] += static_cast<T>(diagonal);
    return a;
}

/// Bytes a second of a copy on the device, read and written.
double copy_rate() {
    constexpr std::size_t kBytes = std::size_t{1} << 30;
    const Buffer<char> from(kBytes), to(kBytes);
    Timer timer;
    std::vector<double> seconds;
    for (int i = 0; i < 12; ++i) {
        timer.start();
        check(cudaMemcpyAsync(to.data(), from.data(), kBytes, cudaMemcpyDeviceToDevice), "cudaMemcpyAsync");
        seconds.push_back(timer.stop());
    }
    return 2.0 * static_cast<double>(kBytes) / median(seconds);
}

/// There and back.
double transfer_seconds(const std::vector<float>& a) {
    Buffer<float> there(a.size());
    std::vector<float> back(a.size());
    std::vector<double> seconds;
    for (int i = 0; i < 5; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        there.upload(a);
        there.download(back);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return median(seconds);
}

double paper_seconds(const std::vector<float>& a, std::size_t n, PaperOptions o, int repeats) {
    o.repeat = (n > 4096 ? 2 : repeats) + 1; // the first one loads the kernel
    std::vector<double> seconds = paper_lu(a, n, o).seconds;
    seconds.erase(seconds.begin());
    return median(std::move(seconds));
}

Json number(const std::optional<double>& x) {
    return x ? Json(*x) : Json(nullptr);
}

Json paper_run(std::size_t n, const LuFiguresRequest& request, const dense::Lapack& lapack) {
    const std::vector<float> plain = random_matrix<float>(n, static_cast<double>(n)), a = random_matrix<float>(n, 0);
    const PaperLedger table = paper_lu_ledger(n);
    Json run{{"n", n}, {"arithmetic", "float"}};
    PaperOptions o;
    run["none_seconds"] = paper_seconds(plain, n, o, request.repeats);
    o.one_texel = true;
    run["one_texel_seconds"] = paper_seconds(plain, n, o, request.repeats);
    o.one_texel = false;
    o.pivot = PaperPivot::partial;
    run["partial_seconds"] = paper_seconds(a, n, o, request.repeats);
    o.pivot = PaperPivot::full;
    run["full_seconds"] = paper_seconds(a, n, o, request.repeats);
    run["table_bytes"] = paper_total(table).bytes;
    run["memory_bytes"] = 8 * count_of(table, PaperPass::eliminate).fragments;
    if (n <= request.counted_to) {
        o.count = true;
        o.pivot = PaperPivot::none;
        const PaperLedger counted = paper_lu(plain, n, o).ledger;
        const std::vector<float> b(n, 1.0F);
        const PaperLedger jordan = paper_gauss_jordan(plain, b, n, 1, o).ledger;
        Json passes = Json::array();
        for (const auto& [algorithm, ledger] : {std::pair{"LU", counted}, std::pair{"Gauss-Jordan", jordan}})
            for (std::size_t p = 0; p < kPaperPasses; ++p)
                if (ledger[p] != PaperCount())
                    passes.push_back({{"algorithm", algorithm},
                                      {"pass", to_string(static_cast<PaperPass>(p))},
                                      {"fragments", ledger[p].fragments},
                                      {"bytes", ledger[p].bytes},
                                      {"divisions", ledger[p].divisions},
                                      {"mads", ledger[p].mads}});
        run["counted"] = passes;
        run["counted_is_table"] = counted == table && jordan == paper_gauss_jordan_ledger(n);
    }
    run["transfer_seconds"] = transfer_seconds(a);
    static_cast<void>(lapack.getrf(a, static_cast<int>(n))); // wakes its threads
    std::vector<double> seconds;
    for (int i = 0; i < 3; ++i)
        if (const auto s = lapack.getrf(a, static_cast<int>(n))) seconds.push_back(*s);
    run["processor_getrf_seconds"] = seconds.empty() ? Json(nullptr) : Json(median(seconds));
    run["processor_getc2_seconds"] =
        n <= request.processor_full_to ? number(lapack.getc2(a, static_cast<int>(n))) : Json(nullptr);
    return run;
}

template <class T> Json full_run(std::size_t n, int repeats, double copy) {
    FullLuOptions o;
    o.repeat = (n > 4096 ? 2 : repeats) + 1;
    const FullLuResult<T> r = full_lu(random_matrix<T>(n, 0), n, o);
    std::vector<double> seconds = r.seconds;
    seconds.erase(seconds.begin());
    const double cube = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n), s = median(seconds);
    const double bound = cube / 3 * 2 * sizeof(T) / copy; // an update in memory reads and writes each element
    return {{"n", n},
            {"arithmetic", sizeof(T) == 4 ? "float" : "double"},
            {"resident", n <= full_lu_resident_most<T>()},
            {"end", std::string(to_string(r.end))},
            {"seconds", s},
            {"bound_seconds", bound},
            {"bound_over_seconds", bound / s},
            {"teraflops", 2e-12 * cube / 3 / s}};
}

template <class T> Json jordan_run(std::size_t n, int repeats) {
    const std::vector<T> a = random_matrix<T>(n, 0), b(n, T(1));
    Json run{{"n", n}, {"arithmetic", sizeof(T) == 4 ? "float" : "double"}};
    for (const bool inverse : {false, true}) {
        std::vector<double> seconds = gauss_jordan(a, b, n, 1, inverse, repeats + 1).seconds;
        seconds.erase(seconds.begin());
        run[inverse ? "inverse_seconds" : "solve_seconds"] = median(seconds);
    }
    return run;
}

} // namespace

std::string run_lu_figures(const LuFiguresRequest& request, const std::string& commit, const std::string& date,
                           const Say& say) {
    const auto tell = [&](const std::string& line) {
        if (say) say(line);
    };
    const DeviceInfo& device = require_device();
    const dense::Lapack lapack;
    const double copy = copy_rate();
    Json all{{"kind", "lu_figures"},
             {"device", device.name},
             {"driver", device.driver},
             {"date", date},
             {"commit", commit},
             {"multiprocessors", device.multiprocessors},
             {"l2_bytes", device.l2},
             {"copy_bytes_per_second", copy},
             {"processor", {{"library", lapack.name()}, {"threads", std::thread::hardware_concurrency()}}},
             {"runs", Json::array()},
             {"by_multiprocessors", Json::array()},
             {"full", Json::array()},
             {"gauss_jordan", Json::array()}};
    for (const std::uint64_t n : request.sizes) {
        tell(fmt::format("the paper's algorithms, n = {}", n));
        all["runs"].push_back(paper_run(n, request, lapack));
    }
    for (const std::uint64_t n : request.multiprocessor_sizes) {
        const std::vector<float> a = random_matrix<float>(n, static_cast<double>(n));
        for (const int part : {16, 8, 4, 2, 1}) {
            PaperOptions o;
            o.multiprocessors = device.multiprocessors / part;
            all["by_multiprocessors"].push_back({{"n", n},
                                                 {"multiprocessors", o.multiprocessors},
                                                 {"seconds", paper_seconds(a, n, o, request.repeats)}});
        }
    }
    for (const std::uint64_t n : request.full_sizes) {
        tell(fmt::format("full pivoting, n = {}", n));
        all["full"].push_back(full_run<float>(n, request.repeats, copy));
        if (n <= 8192) all["full"].push_back(full_run<double>(n, request.repeats, copy));
    }
    for (const std::uint64_t n : {1024, 2048, 4096, 8192}) {
        tell(fmt::format("Gauss-Jordan, n = {}", n));
        all["gauss_jordan"].push_back(jordan_run<float>(n, request.repeats));
        all["gauss_jordan"].push_back(jordan_run<double>(n, request.repeats));
    }
    return all.dump(2);
}

} // namespace mantissa::gpu
