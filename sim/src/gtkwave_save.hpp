// A GTKWave save file beside an FST, open on the signals that tell a pass's story.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "mantissa/sim/rtl_engine.hpp"
#include "mantissa/spec.hpp"

namespace mantissa::sim {

/// Writes `path` with .gtkw in place of its extension; of several cores it shows the first.
void write_gtkwave_save(const std::string& fst_path, const DatapathSpec& spec, bool several);
/// The same of the sparse core.
void write_sparse_gtkwave_save(const std::string& fst_path, const DatapathSpec& spec);

/// When the save file is written: once the window's first clock came, with which the waveform begins. A window that a
/// run does not reach leaves the waveform of an earlier run, and so its save file too.
class SaveOfTrace {
public:
    SaveOfTrace() = default;
    /// A trace that begins at `clock`.
    SaveOfTrace(const TraceWindow& window, std::uint64_t clock, std::function<void()> write)
        : first_(window.first > clock ? window.first : clock), last_(window.last), write_(std::move(write)) {}
    /// The clocks below `clock` are over.
    void at(std::uint64_t clock) {
        if (!write_ || first_ > last_ || clock <= first_) return;
        std::exchange(write_, nullptr)();
    }

private:
    std::uint64_t first_ = 0, last_ = 0;
    std::function<void()> write_;
};

} // namespace mantissa::sim
