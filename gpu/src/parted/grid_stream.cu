#include "grid_launches.hpp"
#include "grid_stream.cuh"

namespace mantissa::gpu {

namespace {

/// Shared memory of a block.
template <class T, int Threads> struct StreamShared {
    GridPart<T> part;
    long long scratch[Threads / 32][kPartWords];
    GridState state;
    PassScalars scalars;
    Control control; // thread 0's
    bool dead, redo;
};

/// Whether a first pass's sums are so far below what was expected that they have few bits: then it is made again.
__device__ bool far_below(const double (&sum)[kSums], GridState& state) {
    bool far = false;
    for (int k = 0; k < kSums; ++k)
        if (sum[k] > 0 && ilogb(sum[k]) + 1 < state.exponent[k] - 8) {
            state.exponent[k] = ilogb(sum[k]) + 1;
            far = true;
        }
    return far;
}

/// A restart: what the inner solve has found goes to x, and r becomes the new defect.
template <class T, int V, int Threads>
__device__ __forceinline__ bool restart_part(StreamShared<T, Threads>& m, PartBlock& block, int from, bool begun) {
    if (begun) {
        part_correction(m.part, m.scalars, from);
        block.publish(OrderFreeSums(m.state.exponent), Seen::all);
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
    OrderFreeSums sums(m.state.exponent);
    part_defect(m.part, m.scalars.scale, from, static_cast<int>(blockIdx.x * (Threads / 32) + (threadIdx.x >> 5)),
                sums);
    block.publish(sums, Seen::all);
    if (threadIdx.x < 32) {
        double sum[kSums];
        if (block.collect(sum, Seen::all) && threadIdx.x == 0) m.control.after_defect(sum, m.scalars, m.state);
    }
    ++block.round;
    __syncthreads();
    return !m.dead;
}

template <class T, int V, int Threads>
__global__ void __launch_bounds__(Threads, 1) part_stream(const GridPart<T>* parts) {
    __shared__ StreamShared<T, Threads> m;
    for (unsigned i = threadIdx.x; i < sizeof(GridPart<T>) / 4; i += Threads)
        reinterpret_cast<unsigned*>(&m.part)[i] = reinterpret_cast<const unsigned*>(parts + blockIdx.y)[i];
    __syncthreads();
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const int task = static_cast<int>(blockIdx.x) * (Threads / 32) + warp;
    const bool works = task < m.part.strips * m.part.segments;
    if (threadIdx.x == 0) {
        m.control.reset(m.part.ask, m.scalars, m.state, !m.part.plain);
        m.dead = m.redo = false;
    }
    __syncthreads();
    PartBlock block{m.part.view, m.part.words, m.scratch, m.state, m.dead, m.part.points, m.part.first_round};
    int from = 0;
    bool up = false, begun = false;
    while (true) {
        if (m.scalars.restart) {
            if (!restart_part<T, V, Threads>(m, block, from, begun)) return;
            if (m.scalars.stop) break;
            begun = true;
        }
        OrderFreeSums sums(m.state.exponent);
        if (works) {
            const PassScalars s = m.scalars;
            part_pass<T, V>(m.part, s, from, up, task, sums);
        }
        block.publish(sums, Seen::all);
        if (warp == 0) {
            double sum[kSums];
            if (block.collect(sum, Seen::all) && lane == 0) {
                m.redo = m.scalars.first && !m.redo && far_below(sum, m.state);
                if (!m.redo) m.control.after_pass(sum, m.scalars, m.state, !m.part.plain);
            }
        }
        ++block.round;
        __syncthreads();
        if (m.dead) return;
        if (m.redo) continue;
        from ^= 1;
        up = !up;
        if (m.scalars.stop) break;
    }
    if (m.part.plain) part_correction(m.part, m.scalars, from);
    if (blockIdx.x == 0 && threadIdx.x == 0) *m.part.result = m.control.result;
}

} // namespace

int stream_threads() {
    return 640;
}

void launch_part_stream(Peers& peers, std::span<const GridPart<double>> parts, int blocks) {
    peers.launch<GridPart<double>>(part_stream<double, 2, 640>, parts, blocks, 640, 0);
}
void launch_part_stream(Peers& peers, std::span<const GridPart<float>> parts, int blocks) {
    peers.launch<GridPart<float>>(part_stream<float, 4, 640>, parts, blocks, 640, 0);
}

} // namespace mantissa::gpu
