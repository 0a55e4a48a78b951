// The `systemc` engine: the HLS datapath as timed processes joined by bounded FIFOs, with DMA, a memory controller and
// a host processor around it. Same bits as the untimed engine; it adds the clock.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/sim/sparse_cores.hpp"

namespace mantissa::sim {

/// Memory channels, all alike, interleaved by address. Times in clocks of the core.
struct ChannelOptions {
    int channels = 1;           ///< 1..16
    double bytes_per_cycle = 0; ///< of one channel, reads and writes together; 0: no limit
    std::uint32_t latency = 0;  ///< controller and wires: added to every access
    int banks = 8;              ///< rows open at once
    std::uint32_t page_bytes = 2048;
    std::uint32_t page_miss = 0;    ///< precharge and activate, when another row is open in the bank
    std::uint32_t burst_beats = 16; ///< beats that the DMA moves at a time
    /// Bytes that a channel which stood idle may catch up at once (a token bucket). A DRAM's data bus: 0; the memory of
    /// the rtl engine: 4096.
    double idle_credit = 0;
    std::uint32_t interleave = 1024; ///< bytes in a row on one channel
};

/// The outer loop's processor, for the share of time that it takes.
struct HostOptions {
    double core_mhz = 100; ///< the core's clock, to put seconds on cycles
    double mflops = 1000;  ///< sustained double-precision speed
    double flops_per_element =
        25; ///< of an outer step: nine-point defect 18, difference 1, norm 2, scaling 1, correction 3
    double link_mb_per_s = 1000; ///< between the processor and the core's memory
    bool overlap = false;        ///< outer arithmetic goes on while its words travel
};

struct SystemReport;

/// What stands in the core's place.
enum class CoreKind : std::uint8_t {
    hls, ///< the HLS datapath's stages as timed processes
    rtl, ///< the SystemVerilog core under Verilator, clock by clock
};

struct SystemcOptions {
    CoreKind core = CoreKind::hls;
    ChannelOptions memory;
    HostOptions host;
    SparseCoreOptions sparse;                  ///< for sparse rows, in place of memory and FIFOs above and below
    int cycle_lanes = 1;                       ///< of the core of multilevel cycles: 1, 2, 4, 16 or 64
    int cycle_cores = 1;                       ///< that share a grid, with so many lanes each: up to 16
    std::shared_ptr<SystemReport> last_report; ///< when set, holds the report after each run of any session
    std::uint32_t stream_fifo = 64;            ///< beats between DMA and core, each stream
    std::uint32_t link_fifo = 2;               ///< beats between stages
    /// Depths by name, over the above: u_in r_in p_in q_in band_in (all nine) u_out r_out p_out q_out r_dot p_line
    /// p_dot q_dot window. p_dot carries p' past the row sum; by default it holds the row sum's latency and four beats
    /// more.
    std::map<std::string, std::uint32_t> fifo_depth;
};

struct FifoReport {
    std::string name, writer, reader;
    std::uint32_t depth = 0, high_water = 0;
    std::uint64_t writer_stalls = 0; ///< clocks the writer stood because it was full
    std::uint64_t reader_stalls = 0; ///< clocks the reader stood because it was empty
};

struct StageReport {
    std::string name;
    std::uint64_t steps = 0;  ///< beats taken
    std::uint64_t stalls = 0; ///< clocks stood
};

struct ChannelReport {
    std::uint64_t bytes_read = 0, bytes_written = 0;
    std::uint64_t page_hits = 0, page_misses = 0;
    double busy = 0; ///< clocks that data moved
};

/// Since the session began.
struct SystemReport {
    std::uint64_t cycles = 0, passes = 0;
    std::uint64_t streaming = 0; ///< clocks from a pass's first beat to its last dot-product term
    std::uint64_t closing = 0;   ///< clocks for the dot products' end and the scalar unit
    std::uint64_t landing = 0;   ///< clocks that a pass waited for the writes of the one before
    std::vector<StageReport> stages;
    std::vector<FifoReport> fifos;
    std::vector<ChannelReport> channels;
    double host_compute_seconds = 0, host_transfer_seconds = 0, host_seconds = 0; ///< host_seconds: as overlapped
    double core_seconds = 0;
    [[nodiscard]] double host_share() const {
        return host_seconds + core_seconds > 0 ? host_seconds / (host_seconds + core_seconds) : 0;
    }
};

/// What the session can say beside the contract (dynamic_cast from Session).
class SystemcSession : public Session {
public:
    [[nodiscard]] virtual SystemReport report() const = 0;
};

/// SystemC has one simulation per process: runs of several sessions take turns, under a lock.
std::unique_ptr<Engine> make_systemc_engine(const SystemcOptions& options);

/// The report as lines of text for a terminal.
std::string to_text(const SystemReport& report);

} // namespace mantissa::sim

namespace mantissa {
/// With an ideal memory.
std::unique_ptr<Engine> make_systemc_engine();
} // namespace mantissa
