// CG in double over the ranks of a program, or over parts in threads of one, each with its vectors on a GPU of its own:
// the device's side of parted_cg() (mantissa/partition/parted_cg.hpp), with its bits.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mantissa/partition/parted_cg.hpp"

namespace mantissa::gpu {

/// How parts exchange boundary elements and sums.
enum class RankExchange : std::uint8_t {
    host, ///< through the hosts' memory and the Space: between any ranks, also several of one GPU
    nccl, ///< from device memory to device memory by NCCL; each part has a GPU of its own
};

struct RankCgOptions {
    std::vector<int> device; ///< of each part of the space: the GPU's number in the process that holds the part
    RankExchange exchange = RankExchange::host;
    double wait = 120; ///< seconds that another part may be silent in a call of NCCL
    /// Ends the program when that time is over; where it is empty or returns, DeviceError is thrown.
    std::function<void()> silent;
};

/// The GPUs' own numbers (UUIDs, 32 hexadecimal digits), by the numbers that this process gives them.
std::vector<std::string> visible_devices();

/// Why NCCL cannot be used in this process: one line; empty where its library is there.
std::string nccl_missing();

/// What PartedCgOptions::elsewhere takes. The scalars of an iteration are formed on the devices. Inner rows are
/// multiplied while the elements of the others are on their way. Making a part throws DeviceError: no such device, not
/// enough memory, NCCL absent; InvalidInput: no device is named for a part, a diagonal entry that is not above zero,
/// `exchange.way` through a host array.
MakePartSolver rank_cg(RankCgOptions options);

} // namespace mantissa::gpu
