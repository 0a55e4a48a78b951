#include "rtl_core.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core_registers.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "mantissa/sim/model_cache.hpp"
#include "model_library.hpp"

namespace mantissa::sim {

RtlCore::RtlCore(const System& system, const DatapathSpec& spec, const mantissa_hls::Shape& shape) : shape_(shape) {
    if (const std::string why = core_refusal(spec, system); !why.empty())
        throw InvalidInput(fmt::format("engine 'systemc' with the RTL core, datapath {}: {}", to_string(spec), why));
    ModelRequest request;
    request.parameters = core_parameters(spec, system);
    model_ = std::make_unique<Model>(std::make_shared<ModelLibrary>(build_model(request, {})));
    program();
}

RtlCore::~RtlCore() = default;

void RtlCore::program() {
    const auto& api = model_->api();
    api.write_register(model_->state(), kLength, static_cast<std::uint32_t>(shape_.size));
    api.write_register(model_->state(), kRowLength, shape_.row_length);
    api.write_register(model_->state(), kMode, shape_.stencil);
    api.write_register(model_->state(), kStallLimit, 0);
    for (std::uint32_t b = 0; shape_.stencil != 0 && b < 9; ++b)
        write_pair(kCoefficient + 8 * b, shape_.coefficient[b]);
}

void RtlCore::reset() {
    model_->api().reset(model_->state());
    program();
}

void RtlCore::write_pair(std::uint32_t address, std::uint64_t value) {
    model_->api().write_register(model_->state(), address, static_cast<std::uint32_t>(value));
    model_->api().write_register(model_->state(), address + 4, static_cast<std::uint32_t>(value >> 32));
}

std::uint64_t RtlCore::read_pair(std::uint32_t address) {
    const std::uint64_t low = model_->api().read_register(model_->state(), address);
    return low | (std::uint64_t{model_->api().read_register(model_->state(), address + 4)} << 32);
}

void RtlCore::start(const mantissa_hls::ScalarWords& words, std::uint64_t passes, std::uint64_t rho_stop,
                    std::uint64_t rho_stop_from, int bank) {
    constexpr std::uint64_t kMost = 0xFFFF'FFFF;
    const auto write = [this](std::uint32_t address, std::uint64_t value) {
        model_->api().write_register(model_->state(), address, static_cast<std::uint32_t>(value));
    };
    write(kErrors, 0x1FF);
    write_pair(kAlpha, words.alpha);
    write_pair(kBeta, words.beta);
    write(kPasses, std::min(passes, kMost));
    write(kRhoStopFrom, std::min(rho_stop_from, kMost));
    write_pair(kRhoStop, rho_stop);
    write(kBank, static_cast<std::uint64_t>(bank));
    write(kControl, 1);
}

void RtlCore::cycle(mantissa_ports& ports) {
    model_->api().cycle(model_->state(), &ports);
}

RtlCore::Outcome RtlCore::finish() {
    const auto read = [this](std::uint32_t address) { return model_->api().read_register(model_->state(), address); };
    Outcome out;
    const std::uint32_t status = read(kStatus);
    out.end = run_end_of(end_number(status)).value_or(RunEnd::fault);
    out.bank = (status & kBankBit) != 0 ? 1 : 0;
    out.errors = read(kErrors);
    out.passes = read(kPassCount);
    out.sigma_guards = read(kSigmaGuards);
    out.cycles = read_pair(kCycles);
    out.words = {read_pair(kRho),   read_pair(kPq),    read_pair(kQq),
                 read_pair(kAlpha), read_pair(kSigma), read_pair(kBeta)};
    return out;
}

} // namespace mantissa::sim
