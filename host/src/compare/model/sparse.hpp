// Which sparse cores fit a device: vectors in banks on the chip, the matrix from the channels of its memory. Clocks are
// simulated elsewhere (gather/sparse.cpp). Pure functions; formulas in docs/compare.md, "Sparse designs". Internal to
// host/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/device.hpp"
#include "mantissa/spec.hpp"
#include "model.hpp"
#include "resident.hpp"

namespace mantissa::compare {

/// Bits of a beat of the stream: for each lane a coefficient and a column, and one bit that ends a slice. Columns as
/// they stand: coding them as differences takes no more.
std::uint64_t sparse_beat_bits(const DatapathSpec& spec, std::uint64_t rows, std::uint64_t lanes);

/// The fewest channels that bring a beat a clock; one at least.
std::uint64_t channels_for_beats(std::uint64_t beat_bits, double clock_hz, double channel_bandwidth);

/// Memories of each of the device's kinds that u, r, p and q of `rows` rows take on `cores` cores of `lanes` lanes:
/// each vector in one bank a lane, all banks of a vector in memories of one kind. A bank of p is read at two places a
/// clock, for which block memory has half its widest word; a core among several holds all of p, its own part of the
/// others. Of the ways that fit, that with the smallest largest share. Empty where none fits.
std::vector<std::uint64_t> sparse_memories(const DatapathSpec& spec, std::uint64_t rows, std::uint64_t cores,
                                           std::uint64_t lanes, const Device& device);

/// The most rows whose vectors one core holds, with any number of lanes.
std::uint64_t most_sparse_rows(const DatapathSpec& spec, const Device& device);

/// Sparse cores that fit.
struct SparseCores {
    std::uint64_t cores = 1, lanes = 1; ///< lanes of each core
    std::uint64_t channels = 1;         ///< of each core
    CoreArea area;                      ///< of all cores, but for the memories of vectors
    std::vector<std::uint64_t> memories;
    double area_share = 0; ///< the largest of the shares of slices, blocks, memories of a kind
    /// What twice the lanes would lack: "logic", "blocks", "memory", "channels"; "lanes" where they would fit, or the
    /// core has no more.
    std::string bound;
};

/// Cores of so many lanes; `lacks` says what is short, empty where they fit.
SparseCores sparse_arrangement(const LaneArea& core, const DatapathSpec& spec, std::uint64_t rows, std::uint64_t cores,
                               std::uint64_t lanes, const Device& device, double fill, double clock_hz,
                               std::string& lacks);

/// Cores with the most lanes that fit, and with a quarter and a sixteenth of them, fewest first. Empty, with the reason
/// in `why_not`, where one lane does not fit.
std::vector<SparseCores> sparse_arrangements(const LaneArea& core, const DatapathSpec& spec, std::uint64_t rows,
                                             std::uint64_t cores, const Device& device, double fill, double clock_hz,
                                             std::string& why_not);

} // namespace mantissa::compare
