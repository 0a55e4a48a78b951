#include "device_solve.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <limits>
#include <span>
#include <vector>

#include "mantissa/format.hpp"
#ifdef MANTISSA_GPU
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/multilevel.hpp"
#endif

namespace mantissa::cli {

#ifdef MANTISSA_GPU

void require_device_for_meshes() {
    if (const std::string missing = gpu::device_missing(); !missing.empty())
        throw InvalidInput("--device gpu: " + missing);
    // The device takes a fifth of a second to get ready: that goes on while the mesh is read.
    static const std::future<void> ready = std::async(std::launch::async, [] { const gpu::Buffer<char> some(1); });
}

MapSolver map_solver_on_device() {
    return [](const CompressedRows& a, std::span<const std::array<double, 3>> points, const std::vector<double>& b,
              std::vector<double>& x, const PcgOptions& o) {
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max() / 2;
        const gpu::SparseCgReport done =
            gpu::multilevel_solve(a, points, b,
                                  {.tolerance = o.tolerance,
                                   .max_iterations = static_cast<std::uint32_t>(std::min(o.max_iterations, kMost)),
                                   .threads = o.threads},
                                  &x);
        PcgReport report;
        report.end = gpu::native_end(done.end);
        report.iterations = done.iterations;
        return report;
    };
}

#else

void require_device_for_meshes() {
    throw InvalidInput("--device gpu: built without CUDA; install the CUDA toolkit and build again");
}

MapSolver map_solver_on_device() {
    require_device_for_meshes();
    return {};
}

#endif

} // namespace mantissa::cli
