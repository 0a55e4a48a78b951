// Sparse cores and their memory as the systemc engine times them: vectors on the chip, the matrix streamed from the
// channels of a high-bandwidth memory. Clocks are the core's.
#pragma once

#include <cstdint>
#include <string>

#include "mantissa/spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa::sim {

/// How the two parts of a pass follow each other.
enum class PassOrder : std::uint8_t {
    two_part,    ///< all updates, then all rows: as the RTL core
    overlapping, ///< rows as soon as the p' that they read are formed; wants a second copy of p'
    shorter,     ///< overlapping where that takes fewer clocks for this matrix, else two_part
};

struct SparseCoreOptions {
    int cores = 1;            ///< each with a part of the rows, the lanes of the spec, and channels of its own
    int channels = 1;         ///< of one core, 1..32: each brings an equal share of every beat
    double channel_bytes = 0; ///< that a channel brings in a clock of its own; 0: as many as asked for
    double channel_mhz = 450; ///< of that clock
    double core_mhz = 300;
    std::uint32_t latency = 0;     ///< clocks from the request at a pass's begin to a channel's first bytes
    double stall = 0;              ///< chance, for each beat of a channel, that it comes a clock later; then again
    std::uint64_t seed = 1;        ///< of these stalls
    std::uint32_t fifo_beats = 64; ///< read ahead by each channel
    PassOrder order = PassOrder::two_part;
    double link_words = 0;          ///< words of p' a clock that a core sends, and that it receives; 0: any number
    std::uint32_t link_latency = 0; ///< clocks of an exchange beside its words, and of the addition of the totals
};

/// The clocks of a pass on one core whose memory keeps up.
struct SparsePass {
    std::uint64_t addresses = 0;      ///< clocks of the updates
    std::uint64_t beats = 0;          ///< clocks of the rows
    std::uint64_t fixed = 0;          ///< all others: pipelines, and the scalar unit
    std::uint64_t two_part = 0;       ///< addresses + beats + fixed
    std::uint64_t overlapping = 0;    ///< the best order of rows for it
    std::size_t sort_window = 0;      ///< of that order: rows after reverse Cuthill-McKee, sorted within so many
    double fill = 1;                  ///< entries with padding over entries, two-part
    std::uint64_t conflict_beats = 0; ///< of `beats`, those that banks cost
    int beat_bits = 0;                ///< that memory holds for each beat
};

/// Of a spec and a matrix that the engine takes. Throws InvalidInput with the line of hls::sparse_refusal().
SparsePass sparse_pass(const DatapathSpec& spec, const System& system);

} // namespace mantissa::sim
