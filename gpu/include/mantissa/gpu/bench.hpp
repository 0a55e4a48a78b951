// `mantissa bench gpu`: the solvers and products here against cuSPARSE and cuBLAS in one run, as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::gpu {

struct NamedMatrix {
    std::string name;
    CompressedRows matrix;
    bool reorder = true; ///< measure it after reverse Cuthill-McKee too; its pattern must be symmetric
};

/// A matrix that is made when its turn comes.
struct MadeMatrix {
    std::string name;
    std::function<CompressedRows()> make;
    bool reorder = false; ///< after reverse Cuthill-McKee
};

/// One matrix, two or three right-hand sides.
struct NamedSystems {
    std::string name;
    CompressedRows matrix;
    std::vector<std::vector<double>> b;
};

struct BenchRequest {
    int first_level = 8, last_level = 13; ///< of poisson2d
    int last_solve_level = 12;            ///< whole solves to 1e-10 up to here
    int last_library_level = 12;          ///< cuBLAS + cuSPARSE CG up to here (12 bytes a nonzero of memory)
    std::uint32_t passes = 200;           ///< timed passes of a solver
    int repeats = 5;                      ///< of every solve; the median counts
    std::vector<NamedMatrix> matrices;
    std::vector<NamedSystems> systems;
    int product_repeats = 40;                ///< of every product's batch, all formats in turn
    double matrix_tolerance = 1e-8;          ///< Jacobi CG on the matrices
    std::uint32_t matrix_iterations = 20000; ///< at most
    int cpu_threads = 0;                     ///< of the processor's products, 0: none
};

/// Runs everything and returns one JSON object: device, driver, copy bandwidth, "poisson" and "matrices". Times are
/// medians in seconds; energy is the board's in joules over a solve, null where NVML has no counter. `say` gets one
/// line for each step. Throws DeviceError.
std::string run_bench(const BenchRequest& request, const std::string& commit, const std::string& date,
                      const std::function<void(const std::string&)>& say = {});

/// `mantissa bench gpu --blas1`: axpy, dot and nrm2 of 2^first_power to 2^last_power elements.
struct Blas1BenchRequest {
    int first_power = 10, last_power = 27;
    int repeats = 15;                  ///< of every timed batch; the median counts
    int cpu_threads = 1;               ///< of the processor's version
    std::vector<NamedMatrix> matrices; ///< whose products' shares of the peaks stand beside
};

/// One JSON object: the device, its peaks and copy bandwidth, "runs" and "others". Times are medians in seconds, beside
/// cuBLAS's, a copy's of as many bytes and the processor's, of one run. Throws DeviceError.
std::string run_blas1_bench(const Blas1BenchRequest& request, const std::string& commit, const std::string& date,
                            const std::function<void(const std::string&)>& say = {});

struct NamedSystem {
    std::string name;
    CompressedRows matrix;
    std::vector<double> b;
};

/// `mantissa bench gpu --cg`: textbook and pipelined Jacobi CG on sparse systems.
struct CgBenchRequest {
    std::vector<NamedSystem> systems;
    double tolerance = 1e-6;
    std::uint32_t iterations = 20000; ///< at most
    int repeats = 5;                  ///< of every solve; the median counts
    std::uint32_t points = 150;       ///< of a history, at most
    int cpu_threads = 1;              ///< of the processor's solver
};

/// One JSON object, "systems": for each, in float and double, the solves by both recurrences and both tests of the
/// textbook one with kernel, device and wall times, and the histories of both; in double beside the processor's. Throws
/// DeviceError, and InvalidInput on a diagonal that Jacobi refuses.
std::string run_cg_bench(const CgBenchRequest& request, const std::string& commit, const std::string& date,
                         const std::function<void(const std::string&)>& say = {});

/// `mantissa bench gpu --dense`: dense systems beside cuSOLVER and cuBLAS.
struct DenseBenchRequest {
    std::vector<std::size_t> sizes = {256, 512, 1024, 2048, 4096, 8192, 16384};
    std::vector<std::string> contests; ///< of dense_contest_names(); empty: all
    int repeats = 7;                   ///< of everything timed; the median counts
};
/// Which comparisons there are.
std::vector<std::string> dense_contest_names();

/// One JSON object, "runs": for each comparison and size the solvers in turn, with medians in seconds and the errors of
/// their answers. Throws DeviceError, and InvalidInput on a comparison that there is not.
std::string run_dense_bench(const DenseBenchRequest& request, const std::string& commit, const std::string& date,
                            const std::function<void(const std::string&)>& say = {});

/// `mantissa bench gpu --gpus`: solves over several GPUs of one process.
struct PartedBenchRequest {
    std::vector<int> gpus = {1, 2}; ///< how many
    bool grids = true;              ///< poisson2d of these levels:
    int first_level = 10, last_level = 14;
    int last_solve_level = 12;        ///< whole solves to 1e-10 up to here
    int repeats = 5;                  ///< of everything timed; the median counts
    std::vector<MadeMatrix> matrices; ///< sparse CG on these, beside the vendor's
};

/// One JSON object, "links", "grids" and "sparse": strong and weak scaling, whole solves, the fitted model. Throws
/// DeviceError.
std::string run_parted_bench(const PartedBenchRequest& request, const std::string& commit, const std::string& date,
                             const std::function<void(const std::string&)>& say = {});

} // namespace mantissa::gpu
