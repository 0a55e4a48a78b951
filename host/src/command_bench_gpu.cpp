// mantissa bench gpu: the native GPU solvers and sparse products against cuSPARSE and cuBLAS, in one run.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/matrix_market.hpp"
#include "mantissa/host/provenance.hpp"
#ifdef MANTISSA_GPU_BENCH
#include "mantissa/gpu/bench.hpp"
#include "mantissa/gpu/device.hpp"
#endif

namespace mantissa::cli {

namespace {

struct Flags {
    std::vector<int> levels = {8, 13};
    std::vector<std::string> matrices;
    std::string output;
    int threads = 0;
};

#ifdef MANTISSA_GPU_BENCH

/// The files asked for, or every *.mtx of $MANTISSA_DATA/matrices.
std::vector<std::string> matrix_files(const Flags& flags) {
    if (!flags.matrices.empty()) return flags.matrices;
    std::vector<std::string> files;
    const char* const data = std::getenv("MANTISSA_DATA");
    const std::filesystem::path folder = data == nullptr ? "" : std::filesystem::path(data) / "matrices";
    if (data != nullptr && std::filesystem::is_directory(folder))
        for (const auto& entry : std::filesystem::directory_iterator(folder))
            if (entry.path().extension() == ".mtx") files.push_back(entry.path().string());
    std::ranges::sort(files);
    return files;
}

int bench_gpu(const Flags& flags, const std::string& typed) {
    if (flags.levels.size() != 2 || flags.levels[0] < 2 || flags.levels[1] > 14 || flags.levels[0] > flags.levels[1])
        throw InvalidInput("--levels: give the first and the last, from 2 to 14");
    if (const std::string missing = gpu::device_missing(); !missing.empty())
        throw InvalidInput("bench gpu: " + missing);
    gpu::BenchRequest request;
    request.first_level = flags.levels[0];
    request.last_level = flags.levels[1];
    request.cpu_threads = thread_count(flags.threads);
    for (const std::string& file : matrix_files(flags))
        request.matrices.push_back(
            {std::filesystem::path(file).stem().string(), gpu::to_crs(read_matrix_market(file))});
    std::ofstream file;
    if (!flags.output.empty()) {
        file.open(flags.output);
        if (!file) throw InvalidInput(fmt::format("--output {}: it cannot be written", flags.output));
    }
    const Provenance here = current_provenance(typed);
    const std::string json = gpu::run_bench(request, here.commit, here.date,
                                            [](const std::string& line) { fmt::print(stderr, "{}\n", line); });
    if (flags.output.empty()) fmt::print("{}\n", json);
    else file << json << '\n';
    return kDone;
}

#else

int bench_gpu(const Flags&, const std::string&) {
    throw InvalidInput(
        "bench gpu: built without CUDA; install the CUDA toolkit with cuSPARSE and cuBLAS and build again");
}

#endif

} // namespace

Run setup_bench_gpu(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<Flags>();
    app.add_option("--levels", flags->levels, "first and last level of poisson2d")->expected(2)->capture_default_str();
    app.add_option("--matrix", flags->matrices, "MatrixMarket files; default: those of $MANTISSA_DATA/matrices");
    app.add_option("--output", flags->output, "write the JSON there instead of printing it");
    app.add_option("--threads", flags->threads, "of the processor's own products, 0 for all cores");
    return [flags, typed] { return bench_gpu(*flags, typed); };
}

} // namespace mantissa::cli
