#include "device_solve.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <limits>
#include <span>
#include <variant>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "mantissa/host/residual.hpp"
#ifdef MANTISSA_GPU
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/multilevel.hpp"
#include "mantissa/gpu/sparse_solver.hpp"
#include "mantissa/sparse/complex_blocks.hpp"
#endif

namespace mantissa::cli {

#ifdef MANTISSA_GPU

namespace {

void judge(const gpu::SparseCgReport& report, SolveResult& result) {
    const auto say = [&](Status status, std::string why) {
        result.status = status;
        result.detail = std::move(why);
    };
    switch (report.end) {
    case gpu::CgEnd::converged:
        return say(Status::converged, {});
    case gpu::CgEnd::stagnated:
        return say(Status::stagnated, fmt::format("the recurrence's residual reached the tolerance, the true one stays "
                                                  "at {:.2e}: double precision cannot",
                                                  report.true_residual));
    case gpu::CgEnd::indefinite:
        return say(Status::breakdown, "p.q is not above zero: the matrix is not positive definite");
    case gpu::CgEnd::not_finite:
        return say(Status::breakdown, "a dot product left the range of double precision: scale the system");
    default:
        return say(Status::iteration_limit, fmt::format("the limit of {} iterations is reached", report.iterations));
    }
}

std::uint32_t most_iterations(const SolveOptions& options, std::size_t rows) {
    const std::uint64_t limit = options.max_iterations != 0 ? options.max_iterations : default_iteration_limit(rows);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(limit, std::numeric_limits<std::uint32_t>::max() / 2));
}

SolveResult result_of(const System& system, const std::vector<double>& b, std::vector<double> x,
                      const gpu::SparseCgReport& report, int threads) {
    SolveResult r;
    r.inner_iterations = report.iterations;
    r.true_residual = relative_residual(system, x, b, threads);
    judge(report, r);
    r.u = std::move(x);
    return r;
}

} // namespace

void require_device_for_meshes() {
    if (const std::string missing = gpu::device_missing(); !missing.empty())
        throw InvalidInput("--device gpu: " + missing);
    // The device takes a fifth of a second to get ready: that goes on while the mesh is read.
    static const std::future<void> ready = std::async(std::launch::async, [] { const gpu::Buffer<char> some(1); });
}

std::vector<SolveResult> solve_on_device(const BuiltSystem& built, const SolveOptions& options) {
    constexpr std::size_t kTogether = 3;
    const auto start = std::chrono::steady_clock::now();
    const auto& a = std::get<CompressedRows>(built.system().matrix());
    const bool complex = built.systems() == 1 && why_no_complex_blocks(a).empty();
    const gpu::SparseMatrix matrix(a, complex ? SparseFormat::complex_sell : SparseFormat::sell_lengths,
                                   gpu::SparsePrecision::double_precision);
    const std::uint32_t most = most_iterations(options, a.rows());
    std::vector<SolveResult> results;
    for (std::size_t first = 0; first < built.systems(); first += kTogether) {
        std::vector<std::vector<double>> b, x;
        for (std::size_t s = first; s < std::min(built.systems(), first + kTogether); ++s) b.push_back(built.b(s));
        const auto reports = matrix.solve_several(b, options.tolerance, most, &x);
        for (std::size_t s = 0; s < b.size(); ++s)
            results.push_back(result_of(built.system(), b[s], std::move(x[s]), reports[s], options.threads));
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (SolveResult& r : results) r.seconds = seconds;
    return results;
}

SolveResult solve_map_on_device(const BuiltSystem& built, std::span<const Point3> points, const SolveOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    const auto& a = std::get<CompressedRows>(built.system().matrix());
    std::vector<double> x;
    const gpu::SparseCgReport report = gpu::multilevel_solve(a, points, built.b(),
                                                             {.tolerance = options.tolerance,
                                                              .max_iterations = most_iterations(options, a.rows()),
                                                              .threads = options.threads},
                                                             &x);
    SolveResult result = result_of(built.system(), built.b(), std::move(x), report, options.threads);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

#else

void require_device_for_meshes() {
    throw InvalidInput("--device gpu: built without CUDA; install the CUDA toolkit and build again");
}

std::vector<SolveResult> solve_on_device(const BuiltSystem&, const SolveOptions&) {
    require_device_for_meshes();
    return {};
}
SolveResult solve_map_on_device(const BuiltSystem&, std::span<const Point3>, const SolveOptions&) {
    require_device_for_meshes();
    return {};
}

#endif

} // namespace mantissa::cli
