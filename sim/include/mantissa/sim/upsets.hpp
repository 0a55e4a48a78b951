// One upset in a solve on the `rtl` engine: a bit of the Verilated core's registers or memories turned over at a clock.
// RtlOptions::trial; host/src/upset/ makes campaigns of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace mantissa::sim {

/// A register or a memory of a core's model.
struct UpsetPlace {
    std::string name;        ///< by instances: i_update.g_lane[0].i_lane.ap
    std::uint32_t bits = 0;  ///< of a word
    std::uint64_t words = 0; ///< 1: a register
};

/// After the edge number `clock` of the session's model, bit `bit` of word `word` turns over.
struct Upset {
    std::uint32_t place = 0; ///< into UpsetTrial::places
    std::uint32_t bit = 0;
    std::uint64_t word = 0, clock = 0;
};

/// A solve with an upset, or without one to learn of the places and clocks. One session or resident solver at a time.
struct UpsetTrial {
    std::string model;             ///< its path; filled by the first solve, kept for later ones
    std::optional<Upset> upset;    ///< of the next session
    std::uint64_t most_clocks = 0; ///< of a run; after so many it counts as hung. 0: no limit

    bool list = true;               ///< fill `places`
    std::vector<UpsetPlace> places; ///< out
    std::uint64_t clocks = 0;       ///< out: of the session's model so far
    std::uint64_t faults = 0;       ///< out: runs that ended in a fault, or without an answer; no hung ones
    std::uint64_t detected = 0;     ///< out: runs that ended because one of the core's checks failed
    bool hung = false;              ///< out: a run did not end by itself
};

/// Did a model throw this because its core does not answer, or refuses a register that it has? Any other error is no
/// upset's.
bool core_does_not_serve(const std::exception& error);

/// "i_update.g_lane[0].i_lane.ap" of Verilator's name of it.
std::string upset_place_name(const std::string& verilated);

} // namespace mantissa::sim
