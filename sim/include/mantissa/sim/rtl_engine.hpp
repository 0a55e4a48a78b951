// The `rtl` engine: the SystemVerilog core under Verilator, clock by clock, with a memory of chosen bandwidth, latency
// and stalls. Models are built on first use (model_cache.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "mantissa/engine.hpp"
#include "mantissa/sim/model_cache.hpp"
#include "mantissa/sim/upsets.hpp"

namespace mantissa::sim {

/// The memory attached to the core; of several each has such a port to it.
struct MemoryOptions {
    double bytes_per_cycle = 0;    ///< shared by all streams, both ways; 0: unlimited
    std::uint32_t latency = 0;     ///< clocks from a request to its data
    std::uint32_t fifo_beats = 64; ///< buffer of each stream
    double stall = 0;              ///< probability, each clock, that a stream begins a random stall (1 to 16 clocks)
    std::uint64_t seed = 1;
};

/// What happened in a core's runs. Streams: 0..3 u r p q in, 4..12 the bands in, 13..16 u r p q out.
struct CycleCounts {
    static constexpr std::size_t kStreams = 17;
    std::uint64_t cycles = 0; ///< clocks busy
    std::uint64_t passes = 0;
    std::uint64_t streaming = 0;                     ///< clocks on which some stream moved
    std::uint64_t stalled = 0;                       ///< clocks on which the pipeline stood still
    std::array<std::uint64_t, kStreams> stall{};     ///< ... waiting for this stream (several may share a clock)
    std::uint64_t stall_command = 0;                 ///< clocks waiting for writes to land before the next pass
    std::uint64_t bytes_read = 0, bytes_written = 0; ///< whole beats; elements take whole bytes
    CycleCounts& operator+=(const CycleCounts& other);
};
/// "u in", "band 4", "q out"; 17: "pass beats".
std::string stream_name(std::size_t stream);

/// A window of clocks to write as waveforms: an FST, and a GTKWave save file beside it.
struct TraceWindow {
    std::string path;                  ///< of the FST; empty: no trace
    std::uint64_t first = 0, last = 0; ///< clocks since the session began
};

/// A stream that misbehaves, to test the core's error flags. Stream 17 is that of the pass beats, which can end only.
struct Misbehaviour {
    enum class Kind : std::uint8_t { none, early_last, no_last, ends } kind = Kind::none;
    std::uint32_t stream = 0;
    std::uint64_t beat = 0;
    std::uint32_t core = 0; ///< of several
};

struct RtlOptions {
    MemoryOptions memory;
    ModelCacheOptions cache;
    TraceWindow trace;
    CoreParameters extra; ///< parameters of pcg_core over those chosen here (CoefMode, Style, DelayRam, ...)
    int outer_lanes = 0;  ///< of a resident core: elements its outer unit takes a clock; 0: as many as lanes
    /// Side by side, with a slab of the vectors each: of fixed-point specs (fx_cores, fx_residents), or of a cycle's
    /// grid (fx_cycles).
    int cores = 1;
    int cycle_lanes = 1;              ///< of a cycle core: a power of two
    bool rules = false;               ///< check the rules of the core's interfaces (rtl/check) in every clock
    std::uint64_t patience = 200'000; ///< clocks without progress after which the harness's watchdog gives up
    /// Filled with the counts of every run of every session of this engine, when set.
    std::shared_ptr<CycleCounts> counts;
    /// A solve with an upset, on a model built for them, when set.
    std::shared_ptr<UpsetTrial> trial;
};

/// A session's view of the hardware, for tests and tools (dynamic_cast from Session).
class RtlSession : public Session {
public:
    [[nodiscard]] virtual const CycleCounts& counts() const = 0;
    virtual void set_memory(const MemoryOptions& memory) = 0;
    virtual void set_misbehaviour(const Misbehaviour& m) = 0;
    [[nodiscard]] virtual std::uint32_t read_register(std::uint32_t address) = 0;
    virtual void write_register(std::uint32_t address, std::uint32_t value) = 0;
    /// Writes the registers of a run and starts it, without waiting for its end.
    virtual void start(const RunRequest& request) = 0;
    /// Clocks on for at most `clocks` (0: to the end). True when the run has ended.
    virtual bool advance(std::uint64_t clocks) = 0;
    /// The report of a run that has ended.
    virtual RunReport finish() = 0;
    /// The reset wire: the core forgets everything; memory stays.
    virtual void reset() = 0;
};

/// Bits of the core's ERRORS register (core_regs.sv).
enum CoreError : std::uint32_t {
    // generated: error bits
    kBadLength = 1,
    kBadRowLength = 2,
    kBusy = 4,
    kEndedEarly = 8,
    kEndedLate = 16,
    kStalled = 32,
    kAborted = 64,
    kNoPasses = 128,
    kStillOffered = 256,
    // end of generated
};
/// "a stream ended early; ...": the flags in words.
std::string describe_errors(std::uint32_t errors);

std::unique_ptr<Engine> make_rtl_engine(RtlOptions options = {});

} // namespace mantissa::sim
