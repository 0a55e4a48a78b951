#include "parts.hpp"

#include <algorithm>

#include "../peers/peers.cuh"
#include "rows.cuh"
#include "setup/primitives.hpp"

namespace mantissa::gpu::multilevel_rows {

namespace {

// What lies in another part's memory is read past this multiprocessor's cache, which may hold what was there before.
__device__ __forceinline__ std::uint32_t there(const std::uint32_t* at) {
    std::uint32_t value;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}
__device__ __forceinline__ unsigned long long there(const unsigned long long* at) {
    return load_relaxed(at);
}

constexpr unsigned kUnderWay = 4; ///< loads of a thread from other parts, which take the time of one

/// Elements of others, by all threads of all blocks.
template <class T>
__device__ __forceinline__ void bring_elements(const Exchange& m, unsigned thread, unsigned threads) {
    const std::uint32_t count = m.ghosts.begin[kMaxParts];
    int owner = 0;
    for (std::uint32_t k = thread; k < count; k += kUnderWay * threads) {
        std::uint32_t index[kUnderWay];
        int of[kUnderWay];
#pragma unroll
        for (unsigned j = 0; j < kUnderWay; ++j) { // (after the last one, that once more)
            const std::uint32_t at = min(k + j * threads, count - 1);
            index[j] = m.ghosts.index[at];
            while (at >= m.ghosts.begin[owner + 1]) ++owner;
            of[j] = owner;
        }
        T value[kUnderWay];
#pragma unroll
        for (unsigned j = 0; j < kUnderWay; ++j) value[j] = there(static_cast<const T*>(m.vector[of[j]]) + index[j]);
#pragma unroll
        for (unsigned j = 0; j < kUnderWay; ++j) static_cast<T*>(m.vector[m.view.me])[index[j]] = value[j];
    }
}
/// A part's word may be the largest of all already, where that part was faster: the largest of all it is anyhow.
__device__ __forceinline__ void bring_largest(const Exchange& m) {
    for (const auto& words : m.largest) {
        if (words[0] == nullptr) continue;
        unsigned long long most = 0;
        for (int p = 0; p < m.view.parts; ++p) most = max(most, there(words[p]));
        *words[m.view.me] = most;
    }
}
__device__ __forceinline__ void bring_sums(const Exchange& m) {
    for (const auto& sums : m.sums) {
        if (sums[0] == nullptr) break;
        for (int owner = 0; owner < m.view.parts; ++owner) {
            if (owner == m.view.me) continue;
            const auto* const from = reinterpret_cast<const unsigned long long*>(sums[owner]);
            auto* const to = reinterpret_cast<unsigned long long*>(sums[m.view.me]);
            const unsigned first = static_cast<unsigned>(owner) * m.sums_of_part, last = first + m.sums_of_part - 1;
            for (unsigned k = first + threadIdx.x; k <= last; k += kUnderWay * kThreads) {
                unsigned long long value[kUnderWay];
#pragma unroll
                for (unsigned j = 0; j < kUnderWay; ++j) value[j] = there(from + min(k + j * kThreads, last));
#pragma unroll
                for (unsigned j = 0; j < kUnderWay; ++j) to[min(k + j * kThreads, last)] = value[j];
            }
        }
    }
}

/// All parts' earlier kernels are complete, and this part has what it needs of what they wrote. What a part has read
/// here its owner writes after the next exchange at the earliest. Where somebody does not come, the solve ends
/// (Peers::wait() says who).
__global__ void __launch_bounds__(kThreads) exchange(const __grid_constant__ Exchange m, Status* status) {
    if (!begin_kernel(status)) return;
    const int me = m.view.me, other = static_cast<int>(threadIdx.x);
    const unsigned long long round = status->exchanged + m.number;
    bool gone = false;
    if (other < m.view.parts && other != me) {
        if (blockIdx.x == 0) store_release(&m.arrivals[other][me], round);
        gone = !wait_until(m.view, other, [&] { return load_acquire(&m.arrivals[me][other]) >= round; });
    }
    if (__syncthreads_or(gone ? 1 : 0) != 0) {
        status->done = 1;
        return;
    }
    const unsigned thread = blockIdx.x * kThreads + threadIdx.x, threads = gridDim.x * kThreads;
    if (m.bytes == 4) bring_elements<std::uint32_t>(m, thread, threads);
    if (m.bytes == 8) bring_elements<unsigned long long>(m, thread, threads);
    if (blockIdx.x != 0) return;
    bring_sums(m);
    if (threadIdx.x == 0) bring_largest(m);
}

__global__ void take_off(std::uint32_t* begin, std::uint32_t size, std::uint32_t by) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) begin[i] -= by;
}
__global__ void mark_columns(const std::uint32_t* column, std::uint32_t entries, RowRange own, std::uint32_t* mark) {
    const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= entries) return;
    const std::uint32_t j = column[k];
    if (j < own.first || j >= own.end) mark[j] = 1;
}
__global__ void mark_others(std::uint32_t size, RowRange own, std::uint32_t* mark) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) mark[i] = i < own.first || i >= own.end ? 1 : 0;
}
__global__ void list_marked(const std::uint32_t* mark, const std::uint32_t* place, std::uint32_t size,
                            std::uint32_t* index) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size && mark[i] != 0) index[place[i]] = i;
}

/// mark: of all elements and one more.
Ghosts list_of(const std::uint32_t* mark, const RowPartition& partition, Arena& keep, Arena& scratch) {
    const std::uint32_t size = partition.first[kMaxParts];
    auto* const place = scratch.get<std::uint32_t>(std::size_t{size} + 1);
    const std::uint32_t count = sum_counts(mark, size, place, scratch);
    auto* const index = keep.get<std::uint32_t>(count);
    list_marked<<<blocks_of(size), kThreadsOfSetup>>>(mark, place, size, index);
    check(cudaGetLastError(), "list_marked");
    Ghosts ghosts{index};
    for (std::size_t p = 0; p <= kMaxParts; ++p) ghosts.begin[p] = one_from_device(place + partition.first[p]);
    return ghosts;
}

} // namespace

Parts::Parts(std::shared_ptr<Peers> peers) : peers_(std::move(peers)) {
    if (!peers_) {
        static_cast<void>(require_device());
        check(cudaGetDevice(&device_), "cudaGetDevice");
    }
    const int count = peers_ ? peers_->parts() : 1;
    for (int p = 0; p < count; ++p) {
        const OnDevice here(device(p));
        arrivals_.emplace_back(kMaxParts);
        early_ = early_ && (count == 1 || peers_->sharing(p) == 1);
    }
}

void Parts::reset() {
    for (int p = 0; p < count() && several(); ++p) {
        const OnDevice here(device(p));
        arrivals_[static_cast<std::size_t>(p)].zero();
    }
    for (int p = 0; p < count() && several(); ++p) {
        const OnDevice here(device(p));
        check(cudaDeviceSynchronize(), "cudaMemset");
    }
}

void Parts::exchange(cudaStream_t stream, int part, Exchange what, Status* status) {
    if (!several()) return;
    constexpr unsigned kMostBlocks = 64; // of a part, of which eight may wait on one device
    what.number = number_++;
    what.view = peers_->view(part);
    for (std::size_t p = 0; p < arrivals_.size(); ++p) what.arrivals[p] = arrivals_[p].data();
    const unsigned elements = what.ghosts.begin[kMaxParts];
    const unsigned blocks = std::clamp((elements + kThreads - 1) / kThreads, 1U, kMostBlocks);
    launch(multilevel_rows::exchange, blocks, kThreads, stream, early_, what, status);
}

template <class V> RowPartition divide(const Matrix<V>& a, int parts) {
    RowPartition partition;
    for (int p = 0; p <= kMaxParts; ++p) {
        const std::uint64_t before =
            std::uint64_t{a.entries} * static_cast<unsigned>(std::min(p, parts)) / static_cast<unsigned>(parts);
        // The first row that begins there or later; the host asks for a few of the begins.
        std::uint32_t low = 0, high = p == 0 ? 0 : a.rows;
        while (p < parts && low < high) {
            const std::uint32_t middle = low + (high - low) / 2;
            if (one_from_device(a.begin + middle) < before) low = middle + 1;
            else high = middle;
        }
        partition.first[static_cast<std::size_t>(p)] = high;
    }
    return partition;
}

template <class V> Matrix<V> strip_of(const Matrix<V>& a, RowRange rows, Arena& keep) {
    const std::uint32_t from = one_from_device(a.begin + rows.first), to = one_from_device(a.begin + rows.end);
    Matrix<V> strip = new_matrix<V>(keep, rows.count(), a.columns, to - from);
    const auto copy = [](auto* into, const auto* of, std::size_t count) {
        check(cudaMemcpy(into, of, count * sizeof(*into), cudaMemcpyDefault), "cudaMemcpy between devices");
    };
    const std::uint32_t begins = rows.count() + 1;
    copy(strip.begin, a.begin + rows.first, begins);
    take_off<<<blocks_of(begins), kThreadsOfSetup>>>(strip.begin, begins, from);
    check(cudaGetLastError(), "take_off");
    copy(strip.column, a.column + from, to - from);
    copy(strip.value, a.value + from, to - from);
    return strip;
}

template <class V>
Ghosts ghosts_of(const Matrix<V>& rows, const RowPartition& columns, int part, Arena& keep, Arena& scratch) {
    auto* const mark = scratch.zeros<std::uint32_t>(std::size_t{columns.first[kMaxParts]} + 1);
    mark_columns<<<blocks_of(rows.entries), kThreadsOfSetup>>>(rows.column, rows.entries, columns.of(part), mark);
    return list_of(mark, columns, keep, scratch);
}

Ghosts all_of_others(const RowPartition& rows, int part, Arena& keep, Arena& scratch) {
    const std::uint32_t size = rows.first[kMaxParts];
    auto* const mark = scratch.zeros<std::uint32_t>(std::size_t{size} + 1);
    mark_others<<<blocks_of(size), kThreadsOfSetup>>>(size, rows.of(part), mark);
    return list_of(mark, rows, keep, scratch);
}

template RowPartition divide(const Matrix<double>&, int);
template RowPartition divide(const Matrix<std::int32_t>&, int);
template Matrix<double> strip_of(const Matrix<double>&, RowRange, Arena&);
template Matrix<std::int32_t> strip_of(const Matrix<std::int32_t>&, RowRange, Arena&);
template Ghosts ghosts_of(const Matrix<double>&, const RowPartition&, int, Arena&, Arena&);
template Ghosts ghosts_of(const Matrix<std::int32_t>&, const RowPartition&, int, Arena&, Arena&);

} // namespace mantissa::gpu::multilevel_rows
