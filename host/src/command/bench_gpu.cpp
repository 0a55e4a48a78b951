// mantissa bench gpu: the native GPU solvers and sparse products against cuSPARSE and cuBLAS, in one run.
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <variant>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.hpp"
#include "command/options/declare.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/matrix_market.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/provenance.hpp"
#ifdef MANTISSA_GPU_BENCH
#include "command/options/declare.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/fitted.hpp"
#include "mantissa/gpu/bench.hpp"
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/engine.hpp"
#include "mantissa/gpu/lu_figures.hpp"
#include "mantissa/gpu/peers.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/symmetry.hpp"
#include "text/json_text.hpp"
#include <nlohmann/json.hpp>
#endif

namespace mantissa::cli {

namespace {

struct BenchGpuFlags {
    std::vector<int> levels = {8, 13};
    std::vector<std::string> matrices;
    std::string output;
    int threads = 0;
    bool blas1 = false, cg = false, several = false, sparse = false, dense = false, lu_figures = false;
    std::vector<std::size_t> sizes;
    std::vector<std::string> contests;
    std::vector<std::string> problems;
    double tolerance = 1e-6;
    std::vector<int> powers = {10, 27};
    std::vector<int> gpus;
};

#ifdef MANTISSA_GPU_BENCH

constexpr int kEngineLevel = 9; ///< where the reduced-format engine is measured

/// The files asked for, or every *.mtx of $MANTISSA_DATA/matrices.
std::vector<std::string> matrix_files(const BenchGpuFlags& flags) {
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

template <class Work> double median_seconds(int repeats, Work&& work) {
    std::vector<double> seconds;
    for (int i = 0; i < repeats; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    std::ranges::sort(seconds);
    return seconds[seconds.size() / 2];
}

constexpr int kThreads = 2;

/// Of a run from a start that leaves fixed words room for all its passes, so that none ends early.
double seconds_per_pass(const Problem& problem, const Engine& engine, const DatapathSpec& spec) {
    constexpr int kRepeats = 5;
    constexpr std::uint64_t kPasses = 128;
    const auto fit = fitted(problem.system, spec);
    const auto session = engine.load(fit ? fit->system : problem.system, spec, {kThreads, Recurrence::pipelined});
    double norm = 0;
    for (const double x : problem.b) norm += x * x;
    std::vector<double> r(problem.b);
    for (double& x : r) x /= 16 * std::sqrt(norm);
    std::vector<double> seconds;
    for (int i = 0; i <= kRepeats; ++i) {
        for (const Vec v : {Vec::u, Vec::p, Vec::q}) session->clear(v);
        session->write(Vec::r, 0, r);
        session->set_scalars(0, 0);
        RunReport report;
        const double spent = median_seconds(1, [&] { report = session->run({.passes = kPasses}); });
        if (report.end != RunEnd::passes)
            throw InvalidInput(
                fmt::format("bench gpu: {}: a pass ended the run: {}", to_string(spec), to_string(report.end)));
        if (i > 0) seconds.push_back(spent); // (the first one loads the kernels)
    }
    std::ranges::sort(seconds);
    return seconds[kRepeats / 2] / static_cast<double>(kPasses);
}

/// The reduced-format engine against the emulated one on two threads: microseconds a pass, whole solves to 1e-10, and
/// whether all the bits of both solutions are the same.
nlohmann::ordered_json bench_engine(int level) {
    const Problem problem = make_problem(fmt::format("poisson2d:level={}", level));
    const auto device = make_gpu_engine(), host = make_emulated_engine();
    nlohmann::ordered_json runs = nlohmann::ordered_json::array();
    for (const char* text :
         {"fx18.16", "fx20.18", "fx20.18,operand=s13e8,scalar=s20e8", "fx22.20", "fx24.22",
          "s17e8,order=second-difference,dot=fixed[13:-50]", "s17e8", "s17e8,dot=fixed[13:-50]", "s23e8",
          "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]", "s7e8,u=s23e8,row=s20e8,dot=fixed[13:-50]", "s52e11"}) {
        nlohmann::ordered_json run{{"spec", text}};
        SolveOptions options;
        options.spec = parse_spec(text);
        options.scheme = Scheme::residual_guided;
        options.inner = options.spec.fixed_vectors() ? 10 : 100; // short words have room for few steps
        options.threads = kThreads;
        options.keep_solution = true;
        options.max_iterations = 20000;
        SolveResult solved[2];
        for (const bool gpu : {true, false}) {
            const Engine& engine = gpu ? *device : *host;
            run[gpu ? "us_per_pass" : "emulated_us_per_pass"] = 1e6 * seconds_per_pass(problem, engine, options.spec);
            if (gpu) static_cast<void>(solve(problem, engine, options)); // loads the kernels
            run[gpu ? "solve_seconds" : "emulated_solve_seconds"] =
                median_seconds(3, [&] { solved[gpu ? 0 : 1] = solve(problem, engine, options); });
        }
        run["status"] = to_string(solved[0].status);
        run["inner"] = solved[0].inner_iterations;
        run["outer"] = solved[0].outer_iterations;
        run["inner_steps"] = options.inner;
        run["true_residual"] = solved[0].true_residual;
        run["same_bits"] = solved[0].inner_iterations == solved[1].inner_iterations &&
                           std::ranges::equal(solved[0].u, solved[1].u, [](double a, double b) {
                               return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
                           });
        runs.push_back(std::move(run));
    }
    return {{"level", level}, {"emulated_threads", kThreads}, {"runs", std::move(runs)}};
}

std::vector<gpu::NamedMatrix> read_matrices(const std::vector<std::string>& files) {
    std::vector<gpu::NamedMatrix> matrices;
    for (const std::string& file : files) {
        CompressedRows rows = read_matrix_market(file);
        const bool symmetric = !asymmetry(rows);
        matrices.push_back({std::filesystem::path(file).stem().string(), std::move(rows), symmetric});
    }
    return matrices;
}

/// Writes `all` with the command that made it; where the file went is no part of that.
void write_result(nlohmann::ordered_json all, const BenchGpuFlags& flags, const std::string& typed) {
    const std::string went = flags.output.empty() ? "" : " --output " + flags.output;
    const std::size_t at = went.empty() ? std::string::npos : typed.find(went);
    all["command"] = at == std::string::npos ? typed : typed.substr(0, at) + typed.substr(at + went.size());
    base::write_file(flags.output.empty() ? "-" : flags.output, json_text(all, 1) + "\n");
}

void say(const std::string& line) {
    fmt::print(stderr, "{}\n", line);
}

/// Of a problem with a file: without its folder, so that results from two places have one name.
std::string without_folder(const std::string& name) {
    const std::size_t colon = name.find(':') + 1, slash = name.rfind('/');
    const bool folder = slash != std::string::npos && slash > colon;
    return folder ? name.substr(0, colon) + name.substr(slash + 1) : name;
}

/// The matrices of problems that have rows: mtx:FILE, lscm:FILE, dsi:FILE.
std::vector<gpu::NamedMatrix> problem_matrices(const std::vector<std::string>& problems) {
    std::vector<gpu::NamedMatrix> matrices;
    for (const std::string& text : problems) {
        const Problem problem = make_problem(text);
        const auto* const rows = std::get_if<CompressedRows>(&problem.system.matrix());
        if (rows == nullptr)
            throw InvalidInput(fmt::format("--problem {}: it has no sparse rows; give mtx:, lscm: or dsi:", text));
        matrices.push_back({without_folder(problem.name), *rows, problem.symmetric});
    }
    return matrices;
}

int bench_blas1(const BenchGpuFlags& flags, const std::string& typed) {
    if (flags.powers.size() != 2 || flags.powers[0] < 0 || flags.powers[1] > 28 || flags.powers[0] > flags.powers[1])
        throw InvalidInput("--powers: give the first and the last, from 0 to 28");
    gpu::Blas1BenchRequest request;
    request.first_power = flags.powers[0];
    request.last_power = flags.powers[1];
    request.cpu_threads = thread_count(flags.threads);
    request.matrices = read_matrices(flags.matrices);
    const Provenance here = current_provenance(typed);
    write_result(nlohmann::ordered_json::parse(gpu::run_blas1_bench(request, here.commit, here.date, say)), flags,
                 typed);
    return kDone;
}

/// Where smoothing's three coordinates have a matrix in common: dsi: problems, three right-hand sides each.
std::vector<gpu::NamedSystems> coordinate_systems(const std::vector<std::string>& problems) {
    std::vector<gpu::NamedSystems> systems;
    for (const std::string& text : problems) {
        std::optional<gpu::NamedSystems> all;
        for (const char* const coordinate : {"x", "y", "z"}) {
            const Problem problem = make_problem(fmt::format("{},coordinate={}", text, coordinate));
            const auto& rows = std::get<CompressedRows>(problem.system.matrix());
            if (!all) all = gpu::NamedSystems{without_folder(text), rows, {}};
            else if (!(rows == all->matrix))
                throw InvalidInput(fmt::format("--problem {}: its coordinates have different matrices", text));
            all->b.push_back(problem.b);
        }
        systems.push_back(std::move(*all));
    }
    return systems;
}

int bench_cg(const BenchGpuFlags& flags, const std::string& typed) {
    if (flags.problems.empty()) throw InvalidInput("--cg: name systems with --problem, as for mantissa solve");
    if (!(flags.tolerance > 0 && flags.tolerance < 1))
        throw InvalidInput(fmt::format("--tolerance {}: give a number between 0 and 1", flags.tolerance));
    gpu::CgBenchRequest request;
    request.tolerance = flags.tolerance;
    request.cpu_threads = thread_count(flags.threads);
    for (const std::string& text : flags.problems) {
        const Problem problem = make_problem(text);
        options::require_suits_cg(problem, "--cg");
        const auto* const rows = std::get_if<CompressedRows>(&problem.system.matrix());
        if (rows == nullptr) throw InvalidInput(fmt::format("--problem {}: --cg is for sparse rows", text));
        request.systems.push_back({problem.name, *rows, problem.b});
    }
    const Provenance here = current_provenance(typed);
    write_result(nlohmann::ordered_json::parse(gpu::run_cg_bench(request, here.commit, here.date, say)), flags, typed);
    return kDone;
}

void check_dense(const BenchGpuFlags& flags) {
    for (const std::size_t n : flags.sizes)
        if (n == 0) throw InvalidInput("--sizes 0: give sizes from 1 on");
    const std::vector<std::string> names = gpu::dense_contest_names();
    for (const std::string& name : flags.contests)
        if (std::ranges::find(names, name) == names.end())
            throw InvalidInput(fmt::format("--contest {}: there are {}", base::quoted(name), fmt::join(names, ", ")));
}

int bench_dense(const BenchGpuFlags& flags, const std::string& typed) {
    gpu::DenseBenchRequest request;
    if (!flags.sizes.empty()) request.sizes = flags.sizes;
    request.contests = flags.contests;
    const Provenance here = current_provenance(typed);
    write_result(nlohmann::ordered_json::parse(gpu::run_dense_bench(request, here.commit, here.date, say)), flags,
                 typed);
    return kDone;
}

int bench_lu_figures(const BenchGpuFlags& flags, const std::string& typed) {
    const Provenance here = current_provenance(typed);
    write_result(nlohmann::ordered_json::parse(gpu::run_lu_figures({}, here.commit, here.date, say)), flags, typed);
    return kDone;
}

/// Large matrices like those of Cevahir et al. 2009, of more than five million entries.
const std::vector<std::string> kLargeProblems = {
    "generated:kind=nd,n=72000",          "generated:kind=band,n=60000",         "generated:kind=thermal,n=1200000",
    "generated:kind=elasticity,n=400000", "generated:kind=elasticity,n=1000000", "generated:kind=scattered,n=150000"};

std::vector<gpu::MadeMatrix> large_matrices(const std::vector<std::string>& problems) {
    std::vector<gpu::MadeMatrix> list;
    for (const std::string& text : problems)
        list.push_back({text,
                        [text] {
                            const Problem problem = make_problem(text);
                            const auto* const rows = std::get_if<CompressedRows>(&problem.system.matrix());
                            if (rows == nullptr)
                                throw InvalidInput(
                                    fmt::format("--problem {}: the sparse contest over GPUs takes sparse "
                                                "systems; grids are there without --problem",
                                                text));
                            return *rows;
                        },
                        text.find("kind=scattered") != std::string::npos});
    return list;
}

int bench_parted(const BenchGpuFlags& flags, const std::string& typed, bool levels_given) {
    gpu::PartedBenchRequest request;
    request.gpus = flags.gpus;
    if (levels_given) {
        request.first_level = flags.levels[0];
        request.last_level = flags.levels[1];
    }
    if (!flags.problems.empty()) {
        request.grids = levels_given;
        for (const std::string& text : flags.problems) static_cast<void>(outline_problem(text)); // says what is wrong
        request.matrices = large_matrices(flags.problems);
    } else if (!levels_given) {
        request.matrices = large_matrices(kLargeProblems);
    }
    const Provenance here = current_provenance(typed);
    write_result(nlohmann::ordered_json::parse(gpu::run_parted_bench(request, here.commit, here.date, say)), flags,
                 typed);
    return kDone;
}

/// Counts that this machine has.
void check_gpus(const std::vector<int>& counts) {
    int there = 0;
    gpu::check(cudaGetDeviceCount(&there), "cudaGetDeviceCount");
    for (const int count : counts)
        if (count < 1 || count > std::min(there, gpu::kMaxParts))
            throw InvalidInput(fmt::format("--gpus {}: there {} {} GPU{} here (and {} at most)", count,
                                           there == 1 ? "is" : "are", there, there == 1 ? "" : "s", gpu::kMaxParts));
}

int bench_gpu(const BenchGpuFlags& flags, const std::string& typed, bool levels_given) {
    check_outputs({{"--output", flags.output}}, false);
    if (flags.levels.size() != 2 || flags.levels[0] < 2 || flags.levels[1] > 14 || flags.levels[0] > flags.levels[1])
        throw InvalidInput("--levels: give the first and the last, from 2 to 14");
    check_dense(flags);
    if (const std::string missing = gpu::device_missing(); !missing.empty())
        throw InvalidInput("bench gpu: " + missing);
#ifdef MANTISSA_QUICK_CUDA
    throw InvalidInput(
        "bench gpu: this build's kernels were compiled without optimisation (test.sh on a machine without a GPU); "
        "configure with -DMANTISSA_QUICK_CUDA=OFF and build again");
#endif
    check_gpus(flags.gpus);
    if (!flags.gpus.empty()) return bench_parted(flags, typed, levels_given);
    if (flags.blas1) return bench_blas1(flags, typed);
    if (flags.cg) return bench_cg(flags, typed);
    if (flags.dense) return bench_dense(flags, typed);
    if (flags.lu_figures) return bench_lu_figures(flags, typed);
    gpu::BenchRequest request;
    request.first_level = flags.levels[0];
    request.last_level = flags.levels[1];
    request.cpu_threads = thread_count(flags.threads);
    if (flags.sparse || flags.several) request.last_level = request.first_level - 1;
    if (flags.several) {
        request.systems = coordinate_systems(flags.problems);
    } else {
        request.matrices = read_matrices(matrix_files(flags));
        for (gpu::NamedMatrix& m : problem_matrices(flags.problems)) request.matrices.push_back(std::move(m));
    }
    const Provenance here = current_provenance(typed);
    auto all = nlohmann::ordered_json::parse(gpu::run_bench(request, here.commit, here.date, say));
    if (!flags.sparse && !flags.several && flags.levels[0] <= kEngineLevel && flags.levels[1] >= kEngineLevel) {
        say("engine");
        all["engine"] = bench_engine(kEngineLevel);
    }
    write_result(std::move(all), flags, typed);
    return kDone;
}

#else

int bench_gpu(const BenchGpuFlags&, const std::string&, bool) {
    throw InvalidInput(
        "bench gpu: built without CUDA; install the CUDA toolkit with cuSPARSE and cuBLAS and build again");
}

#endif

/// One kind of comparison at a time, and no option of another kind: what was given is not passed over.
void check_kinds(const CLI::App& app) {
    const auto given = [&app](const std::string& name) { return app.get_option(name)->count() != 0; };
    std::string kind;
    for (const char* name : {"--sparse", "--blas1", "--cg", "--several", "--dense", "--lu-figures", "--gpus"}) {
        if (!given(name)) continue;
        if (!kind.empty()) throw InvalidInput(fmt::format("{} and {}: one comparison at a time; give one", kind, name));
        kind = name;
    }
    struct Own {
        const char* option;
        std::vector<std::string> kinds; ///< "": without any of them
    };
    for (const auto& [option, kinds] :
         {Own{"--levels", {"", "--gpus"}}, Own{"--matrix", {"", "--sparse", "--blas1"}},
          Own{"--problem", {"", "--sparse", "--cg", "--several", "--gpus"}}, Own{"--tolerance", {"--cg"}},
          Own{"--powers", {"--blas1"}}, Own{"--sizes", {"--dense"}}, Own{"--contest", {"--dense"}},
          Own{"--threads", {"", "--sparse", "--blas1", "--cg"}}}) {
        if (!given(option) || std::ranges::find(kinds, kind) != kinds.end()) continue;
        throw InvalidInput(fmt::format("{}: {}; leave it out", option,
                                       kind.empty() ? "it is for " + kinds.front() : kind + " has no such option"));
    }
}

/// What --several needs to know before it looks for a device.
void check_several(const BenchGpuFlags& flags) {
    if (!flags.several) return;
    if (flags.problems.empty()) throw InvalidInput("--several: name systems with --problem dsi:FILE");
    for (const std::string& text : flags.problems)
        if (!text.starts_with("dsi:") || text.find("coordinate=") != std::string::npos)
            throw InvalidInput(fmt::format("--problem {}: --several takes dsi:FILE without a coordinate, which stands "
                                           "for all three",
                                           text));
}

} // namespace

Run setup_bench_gpu(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<BenchGpuFlags>();
    app.add_option("--levels", flags->levels, "first and last level of poisson2d")->expected(2)->capture_default_str();
    app.add_option("--matrix", flags->matrices, "MatrixMarket files; default: those of $MANTISSA_DATA/matrices");
    app.add_flag("--sparse", flags->sparse, "the sparse part alone, without the grids");
    declare(app, Common::problem, flags->problems,
            "further matrices, as problems: lscm:FILE, dsi:FILE, mtx:FILE; of --cg: the systems; of --gpus: "
            "these alone");
    app.add_option("--output", flags->output, "write the JSON there instead of printing it");
    declare(app, Common::threads, flags->threads, "of the processor's own work, 0 for all cores");
    app.add_flag("--blas1", flags->blas1,
                 "axpy, dot and nrm2 over sizes instead, beside cuBLAS, a copy and the processor");
    app.add_flag(
        "--cg", flags->cg,
        "textbook and pipelined Jacobi CG on sparse systems instead, with kernel and wall times and histories");
    app.add_flag("--several", flags->several,
                 "Jacobi CG of smoothing's three coordinates at once instead, beside one after the other");
    app.add_flag("--dense", flags->dense, "dense systems instead, beside cuSOLVER and cuBLAS");
    app.add_option("--sizes", flags->sizes, "of --dense: the sizes n; default: 256 to 16384 by powers of two");
    app.add_option("--contest", flags->contests, "of --dense: only these comparisons; default: all");
    app.add_flag("--lu-figures", flags->lu_figures,
                 "the unblocked LU of the LU-GPU paper over sizes instead, beside the processor's LAPACK, and today's "
                 "full pivoting and Gauss-Jordan");
    declare(app, Common::gpus, flags->gpus,
            "solves over so many GPUs of this machine instead, beside one: 1,2 (scaling, its model, where time "
            "goes; levels 10 to 14)")
        ->delimiter(',');
    app.add_option("--tolerance", flags->tolerance, "of --cg")->capture_default_str();
    app.add_option("--powers", flags->powers, "of --blas1: sizes from 2^FIRST to 2^LAST")
        ->expected(2)
        ->capture_default_str();
    return [flags, typed, &app] {
        check_kinds(app);
        check_several(*flags);
        return bench_gpu(*flags, typed, app.count("--levels") != 0);
    };
}

} // namespace mantissa::cli
