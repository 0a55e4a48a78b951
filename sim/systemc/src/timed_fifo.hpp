// A bounded FIFO between two processes that keep their own clocks. Every beat carries the clock from which it can be
// read; every slot, the clock from which it can be written again. Because each FIFO has one writer and one reader, the
// clocks do not depend on the order in which the simulator runs the processes, so they need not meet at every clock:
// a process gives way only when a FIFO really holds nothing, or nothing more.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <systemc>

#include "mantissa/sim/systemc_engine.hpp"

namespace mantissa::sim {

using Cycle = std::uint64_t;

/// Thrown through a process that a deadlock left behind.
struct Abandoned {};

class TimedFifo {
public:
    TimedFifo(std::string name, std::string writer, std::string reader)
        : name_(std::move(name)), writer_(std::move(writer)), reader_(std::move(reader)) {}

    void configure(std::uint32_t depth, std::size_t beat_bytes) {
        report_.name = name_;
        report_.writer = writer_;
        report_.reader = reader_;
        report_.depth = depth_ = depth;
        beat_bytes_ = beat_bytes;
        data_.assign(depth * beat_bytes, std::byte{});
        at_.assign(depth, 0);
        ready_.assign(depth, 0);
        popped_.assign(depth + 1, 0);
        reset();
    }
    /// Empty, as at the start of a pass.
    void reset() { written_ = read_ = gone_ = 0; }

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::uint32_t depth() const { return depth_; }
    [[nodiscard]] bool empty() const { return written_ == read_; }
    [[nodiscard]] bool room(std::uint64_t beats = 1) const { return written_ - read_ + beats <= depth_; }
    [[nodiscard]] std::uint64_t size() const { return written_ - read_; }

    /// Waits until a beat is there; the clock from which it can be read.
    Cycle await_beat(const bool& abandoned) {
        wait_for([this] { return !empty(); }, filled_, reader_waits_, abandoned);
        return ready_[read_ % depth_];
    }
    /// Waits until `beats` more fit; the clock from which the last of them can be written.
    Cycle await_room(const bool& abandoned, std::uint64_t beats = 1) {
        wait_for([this, beats] { return room(beats); }, drained_, writer_waits_, abandoned);
        const std::uint64_t last = written_ + beats;
        return last > depth_ ? popped_[(last - 1 - depth_) % (depth_ + 1)] + 1 : 0;
    }
    /// Written in clock `at`, so readable from the next; `fall_through`: readable in `at`.
    void push(Cycle at, const void* beat, bool fall_through = false) {
        const std::uint64_t slot = written_ % depth_;
        std::memcpy(data_.data() + slot * beat_bytes_, beat, beat_bytes_);
        at_[slot] = at;
        ready_[slot] = fall_through ? at : at + 1;
        ++written_;
        if (reader_waits_) filled_.notify(sc_core::SC_ZERO_TIME);
    }
    void pop(Cycle at, void* beat) {
        const std::uint64_t slot = read_ % depth_;
        std::memcpy(beat, data_.data() + slot * beat_bytes_, beat_bytes_);
        // Slots taken when this beat was written: those read before that clock were free again. So the most is the
        // depth that would have done.
        while (gone_ < read_ && popped_[gone_ % (depth_ + 1)] < at_[slot]) ++gone_;
        const auto held = static_cast<std::uint32_t>(read_ + 1 - gone_);
        if (held > report_.high_water) report_.high_water = held;
        popped_[read_ % (depth_ + 1)] = at;
        ++read_;
        if (writer_waits_) drained_.notify(sc_core::SC_ZERO_TIME);
    }
    /// The next beat, without taking it.
    [[nodiscard]] const std::byte* head() const { return data_.data() + read_ % depth_ * beat_bytes_; }
    [[nodiscard]] Cycle head_ready() const { return ready_[read_ % depth_]; }

    [[nodiscard]] FifoReport& report() { return report_; }
    [[nodiscard]] const FifoReport& report() const { return report_; }
    [[nodiscard]] bool writer_waits() const { return writer_waits_; }
    [[nodiscard]] bool reader_waits() const { return reader_waits_; }
    void wake() {
        filled_.notify(sc_core::SC_ZERO_TIME);
        drained_.notify(sc_core::SC_ZERO_TIME);
    }

private:
    template <class Condition>
    void wait_for(Condition condition, sc_core::sc_event& event, bool& waits, const bool& abandoned) {
        while (!condition()) {
            waits = true;
            sc_core::wait(event);
            if (abandoned) {
                waits = false;
                throw Abandoned{};
            }
        }
        waits = false;
    }

    std::string name_, writer_, reader_;
    std::uint32_t depth_ = 1;
    std::size_t beat_bytes_ = 0;
    std::vector<std::byte> data_;
    std::vector<Cycle> at_, ready_, popped_; ///< when written, readable, read
    std::uint64_t written_ = 0, read_ = 0, gone_ = 0;
    sc_core::sc_event filled_, drained_;
    bool reader_waits_ = false, writer_waits_ = false;
    FifoReport report_;
};

} // namespace mantissa::sim
