// Sparse cores under way: for each a process that updates, one that takes rows, and one for each channel of its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mantissa/sim/systemc_engine.hpp"
#include "mantissa_hls/abi.hpp"
#include "plan.hpp"
#include "timed_fifo.hpp"

namespace mantissa::sim {

/// A word of p' that one core sends to another: positions there and here.
struct Ghost {
    std::uint32_t core, from, to;
};

/// Memory for a kernel's state.
struct alignas(64) Registers {
    std::byte bytes[64];
};

/// One core: its rows, its memories, the kernel's registers.
struct SparseCoreState {
    hls::SparseRows rows;
    std::vector<Ghost> ghosts;
    std::uint64_t sends = 0;                ///< words, each counted once for each core that reads it
    std::vector<std::uint64_t> vector[4];   ///< u r p q by position, words of the kernel's sizes
    std::unique_ptr<Registers[]> registers; ///< the kernel's state
    std::vector<std::unique_ptr<TimedFifo>> channel;
    std::unique_ptr<TimedFifo> formed; ///< addresses whose p' is there
    StageReport update, take;
    Cycle first = 0, last = 0; ///< clocks of the pass's first and last beat
    [[nodiscard]] mantissa_hls::SparseMemory memory();
};

class SparseCores {
public:
    SparseCores(const mantissa_hls::Kernel& kernel, const SparseCoreOptions& options,
                std::vector<SparseCoreState> cores, const DatapathSpec& spec, bool overlaps);
    /// Runs passes until one ends the run; alpha and beta go on in `words`. To be called under the simulation's lock.
    RunReport run(const RunRequest& request, std::uint64_t rho_stop, mantissa_hls::ScalarWords& words, bool unfit,
                  const DatapathSpec& spec, SystemReport& report);
    [[nodiscard]] std::vector<SparseCoreState>& cores() { return cores_; }

private:
    void pass(Cycle asked, const mantissa_hls::PassRequest& request, mantissa_hls::ScalarResult& result);
    void channel(SparseCoreState& core, std::size_t index, Cycle asked);
    void update(SparseCoreState& core, Cycle first);
    void take(SparseCoreState& core, Cycle first);
    Cycle exchange(Cycle first);

    const mantissa_hls::Kernel& kernel_;
    SparseCoreOptions options_;
    std::vector<SparseCoreState> cores_;
    SparseTiming timing_;
    bool overlaps_;
    std::uint64_t random_;
    Cycle ended_ = 0; ///< the clock of the scalar unit's start
    std::uint64_t exchange_clocks_ = 0;
    bool never_abandoned_ = false;
};

} // namespace mantissa::sim
