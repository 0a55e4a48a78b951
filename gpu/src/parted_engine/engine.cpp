// The engine `gpu` over several parts.
#include <fmt/format.h>

#include "mantissa/gpu/engine.hpp"
#include "mantissa/gpu/peers.hpp"
#include "multilevel_words/engine_cycles.hpp"
#include "native/native.hpp"
#include "sessions.hpp"

namespace mantissa {

namespace gpu {

std::vector<PartMap> part_maps(const System& system, int parts, CutMethod method) {
    if (const auto* const rows = std::get_if<CompressedRows>(&system.matrix()))
        return sparse_maps(*rows, parts, method);
    return strip_maps(system, parts);
}

namespace {

class PartedGpuEngine final : public Engine {
public:
    PartedGpuEngine(std::vector<int> devices, CutMethod method)
        : whole_(make_gpu_engine()), peers_(std::make_shared<Peers>(std::move(devices))), method_(method) {}

    [[nodiscard]] std::string name() const override { return "gpu"; }
    [[nodiscard]] std::string description() const override {
        return fmt::format("the same arithmetic in CUDA on {} in {} parts", peers_->text(), peers_->parts());
    }
    [[nodiscard]] std::string refusal(const DatapathSpec& spec, const System& system,
                                      const SessionOptions& options) const override {
        if (std::string why = whole_->refusal(spec, system, options); !why.empty()) return why;
        if (!spec.fixed_vectors() && !spec.dot.fixed)
            return fmt::format("datapath '{}' over {} GPUs: sums in floating point depend on their order; give "
                               "dot=fixed[MSB:LSB], integers, or cycles, --preconditioner multilevel",
                               to_string(spec), peers_->parts());
        const bool sparse = system.kind() == System::Kind::sparse;
        // A strip has two grid rows, so that a row's reach ends in the next strip.
        const std::size_t least = sparse ? system.size() : system.size() / system.row_length() / 2;
        if (static_cast<std::size_t>(peers_->parts()) > least)
            return fmt::format("{} GPUs: this system has rows for at most {} parts", peers_->parts(), least);
        if (sparse && method_ == CutMethod::bisection && !has_metis())
            return "bisection: this Mantissa was built without METIS; cut by contiguous or rcm";
        return {};
    }
    [[nodiscard]] std::unique_ptr<Session> load(const System& system, const DatapathSpec& spec,
                                                const SessionOptions& options) const override {
        if (const std::string why = refusal(spec, system, options); !why.empty()) throw InvalidInput(why);
        return spec.fixed_vectors() ? make_parted_words(system, spec, peers_, method_)
                                    : make_parted_floats(system, spec, peers_, method_);
    }
    [[nodiscard]] bool has_native() const override { return true; }
    [[nodiscard]] std::string native_refusal(const DatapathSpec& spec, const System& system,
                                             const NativeChoice& choice) const override {
        return gpu::native_refusal(spec, system, choice);
    }
    [[nodiscard]] std::unique_ptr<NativeSolver> native(const System& system, const DatapathSpec& spec,
                                                       const NativeChoice& choice) const override {
        return make_native(system, spec, choice, {peers_, method_});
    }
    [[nodiscard]] std::string cycles_refusal(const System& system, const CycleSpec& spec,
                                             const CycleLoop& loop) const override {
        return gpu::cycles_refusal(system, spec, loop, peers_->parts());
    }
    [[nodiscard]] std::unique_ptr<CycleSolver> cycles(const System& system, const CycleSpec& spec,
                                                      const CycleLoop& loop) const override {
        return make_cycles(system, spec, loop, peers_);
    }

private:
    std::unique_ptr<Engine> whole_;
    std::shared_ptr<Peers> peers_;
    CutMethod method_;
};

} // namespace
} // namespace gpu

std::unique_ptr<Engine> make_parted_gpu_engine(const std::vector<int>& devices, CutMethod method) {
    try {
        return std::make_unique<gpu::PartedGpuEngine>(devices, method);
    } catch (const gpu::DeviceError& e) {
        throw InvalidInput(fmt::format("engine gpu: {}", e.what()));
    }
}

std::vector<int> spread_devices(int parts) {
    try {
        return gpu::Peers::spread(parts);
    } catch (const gpu::DeviceError& e) {
        throw InvalidInput(fmt::format("engine gpu: {}", e.what()));
    }
}

} // namespace mantissa
