// The Verilated core in the system's socket: registers and one clock at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mantissa/engine.hpp"
#include "mantissa_hls/abi.hpp"
#include "model_abi.h"

namespace mantissa::sim {

class Model;

class RtlCore {
public:
    /// Builds or finds the spec's model and programs the system. Throws InvalidInput when the RTL core refuses it.
    RtlCore(const System& system, const DatapathSpec& spec, const mantissa_hls::Shape& shape);
    ~RtlCore();
    void start(const mantissa_hls::ScalarWords& words, std::uint64_t passes, std::uint64_t rho_stop,
               std::uint64_t rho_stop_from, int bank);
    void cycle(mantissa_ports& ports);
    struct Outcome {
        std::uint64_t passes = 0, sigma_guards = 0, cycles = 0;
        RunEnd end = RunEnd::passes; ///< fault, too, where STATUS names no end
        std::uint32_t errors = 0;
        int bank = 0;
        mantissa_hls::ScalarWords words;
    };
    Outcome finish();
    /// The reset wire; the system's registers are programmed again.
    void reset();

private:
    void program();
    void write_pair(std::uint32_t address, std::uint64_t value);
    std::uint64_t read_pair(std::uint32_t address);
    std::unique_ptr<Model> model_;
    mantissa_hls::Shape shape_;
};

} // namespace mantissa::sim
