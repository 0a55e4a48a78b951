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
#include "mantissa/gpu/engine.hpp"
#include "mantissa/gpu/multilevel.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/native.hpp"
#endif

namespace mantissa::cli {

#ifdef MANTISSA_GPU

namespace {

void judge(PcgEnd end, SolveResult& result) {
    const auto say = [&](Status status, std::string why) {
        result.status = status;
        result.detail = std::move(why);
    };
    switch (end) {
    case PcgEnd::reached:
        return say(Status::converged, {});
    case PcgEnd::stagnated:
        return say(Status::stagnated, fmt::format("the recurrence's residual reached the tolerance, the true one stays "
                                                  "at {:.2e}: double precision cannot",
                                                  result.true_residual));
    case PcgEnd::indefinite:
        return say(Status::breakdown, "p.q is not above zero: the matrix is not positive definite");
    case PcgEnd::not_finite:
        return say(Status::breakdown, "a dot product left the range of double precision: scale the system");
    case PcgEnd::cancelled:
    case PcgEnd::limit:
        break;
    }
    say(Status::iteration_limit, fmt::format("the limit of {} iterations is reached", result.inner_iterations));
}

std::uint32_t most_iterations(const SolveOptions& options, std::size_t rows) {
    const std::uint64_t limit = options.max_iterations != 0 ? options.max_iterations : default_iteration_limit(rows);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(limit, std::numeric_limits<std::uint32_t>::max() / 2));
}

SolveResult result_of(const System& system, const std::vector<double>& b, std::vector<double> x,
                      std::uint64_t iterations, PcgEnd end, int threads) {
    SolveResult r;
    r.inner_iterations = iterations;
    r.true_residual = relative_residual(system, x, b, threads);
    judge(end, r);
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
    const auto start = std::chrono::steady_clock::now();
    const auto solver = make_gpu_engine()->native(built.system(), native_spec(), {});
    std::vector<std::vector<double>> b, x;
    for (std::size_t s = 0; s < built.systems(); ++s) b.push_back(built.b(s));
    const auto reports = solver->solve(b, {options.tolerance, most_iterations(options, built.system().size())}, x);
    std::vector<SolveResult> results;
    for (std::size_t s = 0; s < b.size(); ++s) {
        results.push_back(
            result_of(built.system(), b[s], std::move(x[s]), reports[s].iterations, reports[s].end, options.threads));
        results.back().native = NativeOutcome{solver->plan().plan, solver->plan().why, reports[s].seconds};
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
    const PcgEnd end = report.end == gpu::CgEnd::converged    ? PcgEnd::reached
                       : report.end == gpu::CgEnd::stagnated  ? PcgEnd::stagnated
                       : report.end == gpu::CgEnd::indefinite ? PcgEnd::indefinite
                       : report.end == gpu::CgEnd::not_finite ? PcgEnd::not_finite
                                                              : PcgEnd::limit;
    SolveResult result = result_of(built.system(), built.b(), std::move(x), report.iterations, end, options.threads);
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
