// A part of a sparse solve in its device's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "part.hpp"

namespace mantissa::gpu {

/// Vectors have the part's rows in the layout's order; p has what other parts send after them.
template <class T> struct SparseMemory {
    static constexpr std::size_t kBarrier = 2 * kMaxParts * kSumPieces + 16;

    SparseLayout layout; ///< without the stream
    Buffer<std::byte> stream;
    Buffer<std::uint64_t> warp_offset;
    Buffer<uint2> warp_steps;
    Buffer<std::uint32_t> block_row, block_send;
    Buffer<SparseSend> send;
    Buffer<T> x, r, p, q, inverse;
    Buffer<unsigned long long> words; ///< of sums, then the barrier's on a line of its own
    Buffer<PartedStatus> status;
    Buffer<BlockClocks> clocks;

    /// On the current device. `blocks`: of the kernel.
    SparseMemory(SparseLayout&& made, std::size_t blocks)
        : layout(std::move(made)), stream(to_device(layout.stream)), warp_offset(to_device(layout.warp_offset)),
          block_row(to_device(layout.block_row)), block_send(to_device(layout.block_send)),
          send(to_device(layout.send)) {
        layout.stream = {};
        std::vector<uint2> steps;
        for (std::size_t w = 0; w < layout.warp_steps.size(); w += 2)
            steps.push_back({layout.warp_steps[w], layout.warp_steps[w + 1]});
        warp_steps = to_device(steps);
        for (Buffer<T>* v : {&x, &r, &q}) v->allocate(layout.ghost_base);
        p.allocate(layout.ghost_base + layout.ghosts);
        words.allocate(kBarrier + 1);
        status.allocate(1);
        clocks.allocate(blocks);
    }
};

} // namespace mantissa::gpu
