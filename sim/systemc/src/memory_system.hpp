// The core's memory behind TLM-2.0 sockets: an interconnect that spreads addresses over channels, and a controller per
// channel with banks, open pages, a data bus and a latency.
#pragma once

#include <memory>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "mantissa/sim/systemc_engine.hpp"

namespace mantissa::sim {

/// One clock of the core in simulated time.
inline const sc_core::sc_time& clock_period() {
    static const sc_core::sc_time period(1, sc_core::SC_NS);
    return period;
}
inline double now_cycles() {
    return sc_core::sc_time_stamp() / clock_period();
}

/// The bytes, shared by the channels.
using Store = std::vector<unsigned char>;

/// One channel. b_transport returns at once with the access's whole delay, as loosely timed models do; requests are
/// served in the order in which they come.
class MemoryController : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<MemoryController> socket;

    explicit MemoryController(const sc_core::sc_module_name& name);
    void configure(const ChannelOptions& options, Store* store);
    void report(ChannelReport& r) const { r = report_; }
    void set_report(const ChannelReport& r) { report_ = r; }

private:
    void transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay);
    unsigned debug(tlm::tlm_generic_payload& access);
    bool copy(tlm::tlm_generic_payload& access) const;

    ChannelOptions options_;
    Store* store_ = nullptr;
    ChannelReport report_;
    std::vector<std::int64_t> open_page_; ///< by bank; -1: none
    std::vector<double> bank_free_;
    double bus_free_ = 0;
};

/// Routes by address.
class Interconnect : public sc_core::sc_module {
public:
    static constexpr int kChannels = 16;
    tlm_utils::multi_passthrough_target_socket<Interconnect> in;
    sc_core::sc_vector<tlm_utils::simple_initiator_socket<Interconnect>> out;

    explicit Interconnect(const sc_core::sc_module_name& name);
    void configure(const ChannelOptions& options) { options_ = options; }

private:
    [[nodiscard]] std::size_t channel(std::uint64_t address) const {
        return address / options_.interleave % static_cast<unsigned>(options_.channels);
    }
    void transport(int, tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
        out[channel(access.get_address())]->b_transport(access, delay);
    }
    unsigned debug(int, tlm::tlm_generic_payload& access) { return out[0]->transport_dbg(access); }

    ChannelOptions options_;
};

} // namespace mantissa::sim
