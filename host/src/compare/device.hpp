// Devices as data: what a file in experiments/devices/ says. Internal to host/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa::compare {

/// Memories of one kind on the chip. Each reads one word and writes another in every clock.
struct ChipMemory {
    std::string name; ///< "block RAM", "UltraRAM"
    std::uint64_t count = 0;
    std::uint64_t width = 0, depth = 0; ///< bits of the widest word, and how many such words
    std::uint64_t narrow = 0;           ///< the shortest word; each halving of the width doubles the depth
    [[nodiscard]] std::uint64_t bits() const { return count * width * depth; }
};

struct Device {
    std::string id;   ///< the file's name without its ending
    std::string name; ///< for people
    std::string kind = "fpga";
    std::string target; ///< of synthesis: xc2v, xc7, xcup or ecp5
    std::uint64_t slices = 0, blocks = 0, memory_bits = 0;
    std::optional<std::uint64_t> pins; ///< data pins, one bit a clock each; nothing: memory is not on pins
    std::optional<double> bandwidth;   ///< of the memory, bytes per second
    std::optional<double> link;        ///< to the host, bytes per second one way; nothing: the host shares the memory
    std::optional<double> max_mhz;     ///< no clock above it
    std::optional<double> clock_mhz;   ///< given for every design, in place of place and route or the model
    std::optional<double> watts;       ///< an upper bound of the power
    std::vector<ChipMemory> memories;  ///< for resident and sparse designs; the first kind is what cores take
                                       ///< memory_bits of
    std::uint64_t channels = 0;        ///< of the memory, for sparse designs; 0: not given
    double channel_bandwidth = 0;      ///< of one channel, bytes per second; 0: not given
    std::string source;                ///< of the figures
    /// Of all memories on the chip, where the file lists them.
    [[nodiscard]] double chip_bits() const;
};

/// Reads a device. Throws InvalidInput, `FILE:LINE: what; the mend`.
Device parse_device(std::string_view text, std::string_view name);

/// A path to a .toml file (relative to `folder`), or the name of a file in experiments/devices/. Throws InvalidInput.
Device find_device(const std::string& name, const std::string& folder);

/// Folder of experiment data NAME ("devices"): beside the program when installed, else in the source tree.
std::string data_folder(const std::string& name);

} // namespace mantissa::compare
