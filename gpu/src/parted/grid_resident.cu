#include "grid_launches.hpp"
#include "grid_resident.cuh"
#include "part_shared.cuh"

namespace mantissa::gpu {

namespace {

/// A restart: what the inner solve has found goes to x, and r becomes the new defect.
template <class T, int R>
__device__ __forceinline__ bool restart_chip(ChipTile<T, R>& tile, PartShared<kChipThreads>& m, PartBlock& block,
                                             bool begun) {
    const SumRatios ratios(m.state);
    if (begun) {
        tile.correct(m.scalars);
        block.publish(OrderFree<T>(m.state.exponent), Seen::all);
        double none[kSums];
        if (threadIdx.x < 32) block.collect(none, Seen::all);
        ++block.round;
        __syncthreads();
        if (m.dead) return false;
    }
    if (threadIdx.x == 0) {
        m.scalars.scale = m.control.next_scale();
        m.control.expect(m.state, 1.0);
    }
    __syncthreads();
    OrderFree<T> sums(m.state.exponent);
    tile.round = block.round;
    tile.buffer = static_cast<int>(block.round & 1);
    tile.defect(m.scalars.scale, sums);
    block.publish(sums, Seen::none);
    if (threadIdx.x < 32) {
        double sum[kSums];
        if (block.collect(sum, Seen::none) && threadIdx.x == 0) {
            m.control.after_defect(sum, m.scalars, m.state);
            ratios.keep(m.state);
        }
    } else if (!tile.receive(&RingPoint<T>::r)) m.dead = true;
    ++block.round;
    __syncthreads();
    return !m.dead;
}

template <class T, int R>
__global__ void __launch_bounds__(kChipThreads, 1) part_resident(const __grid_constant__ PartsHere<GridPart<T>> parts) {
    extern __shared__ __align__(16) unsigned char bytes[];
    __shared__ PartShared<kChipThreads> m;
    const GridPart<T>& a = parts.part[blockIdx.y];
    ChipTile<T, R> tile(a, bytes);
    if (threadIdx.x == 0) m.begin(a);
    __syncthreads();
    PartBlock block = m.block(a);
    bool begun = false;
    while (true) {
        if (m.scalars.restart) {
            if (!restart_chip(tile, m, block, begun)) return;
            if (m.scalars.stop) break;
            begun = true;
        }
        if (!m.redo) tile.update(m.scalars);
        OrderFree<T> sums(m.state.exponent);
        tile.round = block.round;
        tile.buffer = static_cast<int>(block.round & 1);
        tile.rows(sums);
        block.publish(sums, Seen::none);
        if (threadIdx.x < 32) {
            double sum[kSums];
            if (block.collect(sum, Seen::none) && threadIdx.x == 0) {
                m.redo = m.range.misses(sum, m.state, sum_reach<T>);
                if (!m.redo) m.control.after_pass(sum, m.scalars, m.state, !a.plain);
            }
        } else if (!tile.receive(&RingPoint<T>::q)) m.dead = true;
        ++block.round;
        __syncthreads();
        m.laps.lap(PartLaps::scalars);
        if (m.dead) return;
        if (m.redo) continue;
        if (m.scalars.stop) break;
    }
    if (a.plain) tile.correct(m.scalars);
    if (blockIdx.x == 0 && threadIdx.x == 0) *a.result = m.control.result;
    if (blockIdx.x + 1 == gridDim.x && threadIdx.x < PartLaps::count) a.laps[threadIdx.x] = m.laps.spent[threadIdx.x];
}

template <class T, int R> void go(Peers& peers, std::span<const GridPart<T>> parts, int blocks) {
    peers.launch<GridPart<T>>(part_resident<T, R>, parts, blocks, kChipThreads, ChipShape<T, R>::kBytes);
}
template <class T> void by_depth(Peers& peers, std::span<const GridPart<T>> parts, int depth, int blocks) {
    switch (depth) {
    case 4:
        return go<T, 4>(peers, parts, blocks);
    case 8:
        return go<T, 8>(peers, parts, blocks);
    case 16:
        return go<T, 16>(peers, parts, blocks);
    case 32:
        return go<T, 32>(peers, parts, blocks);
    default:
        if constexpr (sizeof(T) == 4) return go<T, 64>(peers, parts, blocks);
    }
}

} // namespace

ChipTiles chip_tiles(int depth) {
    const int columns = depth >= 8 ? 64 : 32;
    return {columns, kChipThreads / columns * depth};
}

void launch_part_resident(Peers& peers, std::span<const GridPart<double>> parts, int depth, int blocks) {
    by_depth(peers, parts, depth, blocks);
}
void launch_part_resident(Peers& peers, std::span<const GridPart<float>> parts, int depth, int blocks) {
    by_depth(peers, parts, depth, blocks);
}

} // namespace mantissa::gpu
