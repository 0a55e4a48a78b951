#include "grid_launches.hpp"
#include "grid_stream.cuh"
#include "part_shared.cuh"

namespace mantissa::gpu {

namespace {

constexpr int kDoubleThreads = 512, kFloatThreads = 640;

/// A restart: what the inner solve has found goes to x, and r becomes the new defect.
template <class T, int V, int Threads>
__device__ __forceinline__ bool restart_part(const GridPart<T>& a, PartShared<Threads>& m, PartBlock& block, int from,
                                             bool begun) {
    const SumRatios ratios(m.state);
    if (begun) {
        part_correction(a, m.scalars, from);
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
    part_defect(a, m.scalars.scale, from, static_cast<int>(blockIdx.x * (Threads / 32) + (threadIdx.x >> 5)), sums);
    block.publish(sums, Seen::all);
    if (threadIdx.x < 32) {
        double sum[kSums];
        if (block.collect(sum, Seen::all) && threadIdx.x == 0) {
            m.control.after_defect(sum, m.scalars, m.state);
            ratios.keep(m.state);
        }
    }
    ++block.round;
    __syncthreads();
    return !m.dead;
}

/// Alone: the device has one part, whose parameters then need no index. (Registers decide how many warps there are, and
/// they how much is under way: in float 640 threads take 5 % less time than 512.)
template <class T, int V, int Threads, int Ahead, bool Alone>
__global__ void __launch_bounds__(Threads, 1) part_stream(const __grid_constant__ PartsHere<GridPart<T>> parts) {
    const GridPart<T>& a = parts.part[Alone ? 0 : blockIdx.y];
    __shared__ PartShared<Threads> m;
    __shared__ double lows[sizeof(T) == 8 ? kSums * Threads : 1];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    // Tasks are dealt out evenly, neighbours to a block.
    const int tasks = a.strips * a.segments, blocks = static_cast<int>(gridDim.x),
              block_at = static_cast<int>(blockIdx.x);
    const int task = static_cast<int>(static_cast<long long>(tasks) * block_at / blocks) + warp;
    const bool works = task < static_cast<int>(static_cast<long long>(tasks) * (block_at + 1) / blocks);
    if (threadIdx.x == 0) m.begin(a);
    __syncthreads();
    PartBlock block = m.block(a);
    int from = 0;
    bool up = false, begun = false;
    while (true) {
        if (m.scalars.restart) {
            if (!restart_part<T, V, Threads>(a, m, block, from, begun)) return;
            if (m.scalars.stop) break;
            begun = true;
        }
        auto sums = [&] {
            if constexpr (sizeof(T) == 8) return OrderFreeShared<Threads>(m.state.exponent, lows + threadIdx.x);
            else return OrderFree<T>(m.state.exponent);
        }();
        if (works) {
            PassScalars s = m.scalars;
            if (m.redo) s.update_u = false; // it is done
            part_pass<T, V, Ahead>(a, s, from, up, task, sums);
        }
        block.publish(sums, Seen::all);
        if (warp == 0) {
            double sum[kSums];
            if (block.collect(sum, Seen::all) && lane == 0) {
                m.redo = m.range.misses(sum, m.state, sum_reach<T>);
                if (!m.redo) m.control.after_pass(sum, m.scalars, m.state, !a.plain);
            }
        }
        ++block.round;
        __syncthreads();
        m.laps.lap(PartLaps::scalars);
        if (m.dead) return;
        if (m.redo) continue;
        from ^= 1;
        up = !up;
        if (m.scalars.stop) break;
    }
    if (a.plain) part_correction(a, m.scalars, from);
    if (blockIdx.x == 0 && threadIdx.x == 0) *a.result = m.control.result;
    if (blockIdx.x + 1 == gridDim.x && threadIdx.x < PartLaps::count) a.laps[threadIdx.x] = m.laps.spent[threadIdx.x];
}

template <class T, int V, int Threads, int Ahead>
void launch(Peers& peers, std::span<const GridPart<T>> parts, int blocks) {
    const bool alone = peers.distinct().size() == parts.size();
    const auto kernel = alone ? part_stream<T, V, Threads, Ahead, true> : part_stream<T, V, Threads, Ahead, false>;
    peers.launch<GridPart<T>>(kernel, parts, blocks, Threads, 0);
}

} // namespace

int stream_threads(std::size_t element) {
    return element == 8 ? kDoubleThreads : kFloatThreads;
}

void launch_part_stream(Peers& peers, std::span<const GridPart<double>> parts, int blocks) {
    // Two rows ahead pay where segments are long: on an H200 5 % at 273 rows and more; they cost 2 % on short ones.
    constexpr int kLong = 200;
    if (parts[0].segment_rows > kLong) launch<double, 2, kDoubleThreads, 2>(peers, parts, blocks);
    else launch<double, 2, kDoubleThreads, 1>(peers, parts, blocks);
}
void launch_part_stream(Peers& peers, std::span<const GridPart<float>> parts, int blocks) {
    launch<float, 4, kFloatThreads, 1>(peers, parts, blocks);
}

} // namespace mantissa::gpu
