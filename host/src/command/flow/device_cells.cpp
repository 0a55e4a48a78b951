#include "device_cells.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#ifdef MANTISSA_GPU
#include "mantissa/gpu/bubbles.hpp"
#include "mantissa/gpu/device.hpp"
#endif

namespace mantissa::cli {

#ifdef MANTISSA_GPU

namespace {

template <class T> class DeviceCells final : public CellSolver {
public:
    DeviceCells(const FlowOptions& o, bool pivot, gpu::BatchedProducts products)
        : cells_(o.bubbles, o.unknowns / o.bubbles, o.batch(), pivot ? gpu::LuPivoting::partial : gpu::LuPivoting::none,
                 products) {}

    std::vector<Point2> solve(std::span<const BubbleCell> cells) override {
        const auto start = std::chrono::steady_clock::now();
        std::vector<gpu::BubbleSystem> systems;
        for (const BubbleCell& c : cells) systems.push_back({c.centres, c.radius, c.drive});
        const bool judged = batches_++ == 0; // the same arithmetic follows; what is judged is not timed
        const gpu::BubbleReport r = cells_.solve(systems, judged);
        for (std::size_t s = 0; s < r.systems.size(); ++s)
            if (r.systems[s].end != LuEnd::factored)
                throw InvalidInput(fmt::format("cell {} of the batch, no factors: {} at column {}", s,
                                               to_string(r.systems[s].end), r.systems[s].at));
        times_.assembly += r.times.assembly;
        times_.factor += r.times.factor;
        times_.solve += r.times.solve;
        const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        // Whatever else the call took, waiting for the device and packing, counts as transfers.
        times_.transfers += judged ? r.times.transfers : wall - r.times.assembly - r.times.factor - r.times.solve;
        backward_error_ = std::max(backward_error_, r.backward_error);
        return r.flow;
    }

    [[nodiscard]] std::string where() const override { return gpu::require_device().name; }

private:
    gpu::BubbleCells<T> cells_;
    std::size_t batches_ = 0;
};

} // namespace

std::unique_ptr<CellSolver> make_device_cells(const std::string& precision, const FlowOptions& options, bool pivot) {
    if (const std::string missing = gpu::device_missing(); !missing.empty())
        throw InvalidInput("--device gpu: " + missing);
    try {
        if (precision == "float")
            return std::make_unique<DeviceCells<float>>(options, pivot, gpu::BatchedProducts::plain);
        if (precision == "tf32x3")
            return std::make_unique<DeviceCells<float>>(options, pivot, gpu::BatchedProducts::tf32x3);
        if (precision == "double")
            return std::make_unique<DeviceCells<double>>(options, pivot, gpu::BatchedProducts::plain);
    } catch (const gpu::DeviceError& fault) {
        throw InvalidInput(fmt::format("--device gpu: {}", fault.what()));
    }
    throw InvalidInput(
        fmt::format("--precision {}: on the GPU it is float, tf32x3 or double", base::quoted(precision)));
}

#else

std::unique_ptr<CellSolver> make_device_cells(const std::string&, const FlowOptions&, bool) {
    throw InvalidInput("--device gpu: this build has no CUDA part; build with nvcc, or leave --device out");
}

#endif

} // namespace mantissa::cli
