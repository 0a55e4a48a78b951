#include "memory_system.hpp"

#include <algorithm>
#include <cstring>

namespace mantissa::sim {

MemoryController::MemoryController(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &MemoryController::transport);
    socket.register_transport_dbg(this, &MemoryController::debug);
}

void MemoryController::configure(const ChannelOptions& options, Store* store) {
    options_ = options;
    store_ = store;
    open_page_.assign(static_cast<std::size_t>(options.banks), -1);
    bank_free_.assign(static_cast<std::size_t>(options.banks), 0);
    bus_free_ = 0;
}

bool MemoryController::copy(tlm::tlm_generic_payload& access) const {
    const std::uint64_t address = access.get_address();
    const unsigned length = access.get_data_length();
    if (store_ == nullptr || address > store_->size() || length > store_->size() - address) {
        access.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return false;
    }
    if (access.is_read()) std::memcpy(access.get_data_ptr(), store_->data() + address, length);
    else std::memcpy(store_->data() + address, access.get_data_ptr(), length);
    access.set_response_status(tlm::TLM_OK_RESPONSE);
    return true;
}

unsigned MemoryController::debug(tlm::tlm_generic_payload& access) {
    return copy(access) ? access.get_data_length() : 0;
}

void MemoryController::transport(tlm::tlm_generic_payload& access, sc_core::sc_time& delay) {
    if (!copy(access)) return;
    const unsigned bytes = access.get_data_length();
    (access.is_read() ? report_.bytes_read : report_.bytes_written) += bytes;
    const double arrival = now_cycles() + delay / clock_period();
    const std::uint64_t page = access.get_address() / options_.page_bytes;
    const std::size_t bank = page % open_page_.size();
    const bool hit = open_page_[bank] == static_cast<std::int64_t>(page);
    ++(hit ? report_.page_hits : report_.page_misses);
    // A row is opened while other banks' data move.
    double ready = std::max(arrival, bank_free_[bank]);
    if (!hit) ready += options_.page_miss;
    open_page_[bank] = static_cast<std::int64_t>(page);
    const double duration = options_.bytes_per_cycle > 0 ? bytes / options_.bytes_per_cycle : 0;
    const double start = std::max(ready, bus_free_);
    if (options_.bytes_per_cycle > 0) bus_free_ = start + duration;
    bank_free_[bank] = start + duration;
    report_.busy += duration;
    delay += (start + duration + options_.latency - arrival) * clock_period();
}

Interconnect::Interconnect(const sc_core::sc_module_name& name) : sc_module(name), in("in"), out("out", kChannels) {
    in.register_b_transport(this, &Interconnect::transport);
    in.register_transport_dbg(this, &Interconnect::debug);
}

} // namespace mantissa::sim
