// Rows that are sums of other rows times factors, each element added up in the order of the terms: the lanes of a
// group, or the threads of a block, take the elements of one term side by side, the terms one after the other. Elements
// are found by a hash table. Most rows fit a small one in shared memory; what does not goes on to a larger one, and the
// longest rows to tables in the device's memory.
#pragma once

#include <bit>

#include "primitives.hpp"
#include "steps.hpp"

namespace mantissa::gpu::multilevel_rows {

/// A term: factor times elements first .. end - 1 of the source's column and value.
struct Term {
    std::uint32_t first = 0, end = 0;
    double factor = 0;
};

struct RowsOut {
    std::uint32_t *start, *length, *column;
    double* value;
    unsigned long long *used, capacity; ///< elements; what is beyond is counted and not written
};
/// Rows that found no room in a table.
struct RowsLeft {
    std::uint32_t *row, *count;
};
/// Tables of blocks, one after the other: `slots` columns and sums, then a bit for each column and how many are below
/// each 32 of them.
struct LongTables {
    std::uint32_t* column;
    double* value;
    std::uint32_t *bits, *below;
    std::uint32_t slots, words;
};

/// The slot of column c, which it takes where it is not there yet (`is_new`). kNone where there is no room.
__device__ __forceinline__ std::uint32_t slot_of(std::uint32_t* column, std::uint32_t slots, std::uint32_t c,
                                                 bool& is_new) {
    std::uint32_t slot = __umulhi(c * 0x9e3779b1U, slots);
    for (std::uint32_t probe = 0; probe < slots; ++probe) {
        std::uint32_t there = *reinterpret_cast<volatile std::uint32_t*>(column + slot);
        if (there == kNone) there = atomicCAS(column + slot, kNone, c);
        is_new = there == kNone;
        if (is_new || there == c) return slot;
        slot = slot + 1 == slots ? 0 : slot + 1;
    }
    return kNone;
}
/// Adds v at column c. False where there is no room. Others may add at other columns meanwhile.
__device__ __forceinline__ bool add_to_table(std::uint32_t* column, double* value, std::uint32_t slots, std::uint32_t c,
                                             double v) {
    bool is_new = false;
    const std::uint32_t slot = slot_of(column, slots, c, is_new);
    if (slot == kNone) return false;
    value[slot] = is_new ? v : value[slot] + v;
    return true;
}
/// How many of `count` columns are below c.
__device__ __forceinline__ std::uint32_t rank_of(const std::uint32_t* column, std::uint32_t count, std::uint32_t c) {
    std::uint32_t rank = 0;
    for (std::uint32_t x = 0; x < count; ++x) rank += column[x] < c ? 1 : 0;
    return rank;
}

/// One row by a group of lanes.
template <class Source, int Lanes, int Slots> struct GroupOfLanes {
    const Source& source;
    std::uint32_t* column;
    double* value;
    unsigned lane, mask;

    /// False where there is no room.
    __device__ bool add_row(std::uint32_t row, std::uint32_t k, std::uint32_t end) const {
        for (std::uint32_t slot = lane; slot < Slots; slot += Lanes) column[slot] = kNone;
        __syncwarp(mask);
        bool fits = true;
        for (; k < end && fits; k += Lanes) {
            const Term mine = k + lane < end ? source.term(row, k + lane) : Term{};
            const auto some = static_cast<int>(min(static_cast<std::uint32_t>(Lanes), end - k));
            for (int q = 0; q < some; ++q) {
                const std::uint32_t first = __shfl_sync(mask, mine.first, q, Lanes),
                                    last = __shfl_sync(mask, mine.end, q, Lanes);
                const double factor = __shfl_sync(mask, mine.factor, q, Lanes);
                // (A full table takes long to say so: once is enough.)
                for (std::uint32_t m = first + lane; m < last && fits; m += Lanes) {
                    const std::uint32_t c = source.column[m];
                    if (source.keeps(row, c))
                        fits = add_to_table(column, value, Slots, c, factor * source.value[m]) && fits;
                }
                __syncwarp(mask);
            }
            fits = __all_sync(mask, fits) != 0;
        }
        return fits;
    }
    /// The elements come to the front of the table. Returns how many there are.
    __device__ std::uint32_t collect() const {
        std::uint32_t count = 0;
        for (std::uint32_t slot = lane; slot < Slots; slot += Lanes) {
            const std::uint32_t c = column[slot];
            const double v = value[slot];
            const unsigned taken = __ballot_sync(mask, c != kNone) & mask;
            if (c != kNone) {
                const std::uint32_t to = count + __popc(taken & ((1U << (threadIdx.x % 32)) - 1));
                column[to] = c;
                value[to] = v;
            }
            count += __popc(taken);
            __syncwarp(mask);
        }
        return count;
    }
};

/// Rows list[0 .. *listed - 1], or all.
template <class Source, int Threads, int Lanes, int Slots>
__global__ void __launch_bounds__(Threads) add_short_rows(const Source source, std::uint32_t rows, const RowsLeft list,
                                                          const RowsOut out, const RowsLeft left) {
    constexpr std::uint32_t kGroups = Threads / Lanes, kOfWarp = 32 / Lanes;
    __shared__ std::uint32_t columns[kGroups][Slots];
    __shared__ double values[kGroups][Slots];
    const unsigned group = threadIdx.x / Lanes, in_warp = threadIdx.x % 32;
    const unsigned mask = Lanes == 32 ? ~0U : ((1U << (Lanes % 32)) - 1) << (in_warp / Lanes * Lanes);
    const GroupOfLanes<Source, Lanes, Slots> lanes{source, columns[group], values[group], threadIdx.x % Lanes, mask};
    const std::uint64_t all = list.row == nullptr ? rows : *list.count;
    std::uint64_t first = std::uint64_t{blockIdx.x} * kGroups + threadIdx.x / 32 * kOfWarp;
    for (; first < all; first += std::uint64_t{gridDim.x} * kGroups) { // (a warp's groups side by side)
        const std::uint64_t index = first + group % kOfWarp;
        const bool is_one = index < all;
        const std::uint32_t row = !is_one               ? 0
                                  : list.row == nullptr ? static_cast<std::uint32_t>(index)
                                                        : list.row[index];
        const bool fits = lanes.add_row(row, is_one ? source.begin(row) : 0, is_one ? source.end(row) : 0);
        std::uint32_t count = lanes.collect();
        if (!fits) {
            count = 0;
            if (lanes.lane == 0) left.row[atomicAdd(left.count, 1U)] = row;
        }
        __syncwarp();
        std::uint32_t before = 0, together = 0;
        for (unsigned g = 0; g < kOfWarp; ++g) {
            const std::uint32_t of = __shfl_sync(~0U, count, static_cast<int>(g * Lanes));
            before += g < in_warp / Lanes ? of : 0;
            together += of;
        }
        unsigned long long at = 0;
        if (in_warp == 0 && together != 0) at = atomicAdd(out.used, static_cast<unsigned long long>(together));
        at = __shfl_sync(~0U, at, 0) + before;
        if (is_one && fits && lanes.lane == 0) {
            out.start[row] = static_cast<std::uint32_t>(at);
            out.length[row] = count;
        }
        if (at + count <= out.capacity)
            for (std::uint32_t e = lanes.lane; e < count; e += Lanes) {
                const std::uint32_t c = lanes.column[e];
                const std::uint64_t to = at + rank_of(lanes.column, count, c);
                out.column[to] = c;
                out.value[to] = lanes.value[e];
            }
        __syncwarp();
    }
}

/// The sums over a block's threads of what comes before each thread's `mine`, and of all. Called by all.
__device__ __forceinline__ std::uint32_t sum_before(std::uint32_t mine, std::uint32_t& all) {
    __shared__ std::uint32_t of_warp[kThreadsOfSetup / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    std::uint32_t sum = mine;
    for (unsigned d = 1; d < 32; d *= 2) {
        const std::uint32_t other = __shfl_up_sync(~0U, sum, d);
        if (lane >= d) sum += other;
    }
    __syncthreads();
    if (lane == 31) of_warp[warp] = sum;
    __syncthreads();
    std::uint32_t before = 0;
    all = 0;
    for (unsigned w = 0; w < kThreadsOfSetup / 32; ++w) {
        before += w < warp ? of_warp[w] : 0;
        all += of_warp[w];
    }
    return before + sum - mine;
}

/// A row by a block, whose table is in the device's memory.
template <class Source> struct RowOfBlock {
    const Source& source;
    std::uint32_t row;
    std::uint32_t* column;
    double* value; ///< -0 at first, which changes no term
    std::uint32_t slots;

    /// Adds the elements of up to kThreadsOfSetup terms, from term k on: as many elements at a time as there are
    /// threads. Those of one column go one after the other, in the terms' order.
    __device__ void add_terms(std::uint32_t k, std::uint32_t end) const {
        __shared__ std::uint32_t before[kThreadsOfSetup], first[kThreadsOfSetup], place[kThreadsOfSetup];
        __shared__ double factor[kThreadsOfSetup];
        const Term mine = k + threadIdx.x < end ? source.term(row, k + threadIdx.x) : Term{};
        std::uint32_t all = 0;
        before[threadIdx.x] = sum_before(mine.end - mine.first, all);
        first[threadIdx.x] = mine.first;
        factor[threadIdx.x] = mine.factor;
        __syncthreads();
        for (std::uint32_t at = 0; at < all; at += kThreadsOfSetup) {
            const std::uint32_t element = at + threadIdx.x;
            const unsigned from = term_of(before, at), mine_is = term_of(before, min(element, all - 1)),
                           last = term_of(before, min(at + kThreadsOfSetup, all) - 1);
            std::uint32_t slot = kNone;
            double v = 0;
            if (element < all) {
                const std::uint32_t m = first[mine_is] + element - before[mine_is], c = source.column[m];
                v = factor[mine_is] * source.value[m];
                bool is_new = false;
                if (source.keeps(row, c)) slot = slot_of(column, slots, c, is_new);
            }
            place[threadIdx.x] = slot;
            __syncthreads();
            int earlier = 0;  // elements of this column
            if (from != last) // (a term has each column once)
                for (unsigned t = 0; t < kThreadsOfSetup; ++t) earlier += t < threadIdx.x && place[t] == slot ? 1 : 0;
            for (int turn = 0; __syncthreads_or(slot != kNone && earlier >= turn) != 0; ++turn)
                if (slot != kNone && earlier == turn) {
                    volatile double* const sum = value + slot;
                    *sum = *sum + v;
                }
        }
    }

private:
    /// The term that has an element: the last one that begins at it or before.
    static __device__ unsigned term_of(const std::uint32_t* before, std::uint32_t element) {
        unsigned at = 0;
        for (unsigned step = kThreadsOfSetup / 2; step > 0; step /= 2)
            if (before[at + step] <= element) at += step;
        return at;
    }
};

/// Bits of the columns that are there and, for each word of them, how many are below. Returns how many there are.
__device__ __forceinline__ std::uint32_t number_columns(const std::uint32_t* column, std::uint32_t slots,
                                                        std::uint32_t* bits, std::uint32_t* below,
                                                        std::uint32_t words) {
    for (std::uint32_t w = threadIdx.x; w < words; w += kThreadsOfSetup) bits[w] = 0;
    __syncthreads();
    for (std::uint32_t slot = threadIdx.x; slot < slots; slot += kThreadsOfSetup)
        if (const std::uint32_t c = __ldcg(column + slot); c != kNone) atomicOr(bits + c / 32, 1U << (c % 32));
    __syncthreads();
    std::uint32_t count = 0;
    for (std::uint32_t base = 0; base < words; base += kThreadsOfSetup) {
        const std::uint32_t w = base + threadIdx.x;
        std::uint32_t all = 0;
        const std::uint32_t mine = sum_before(w < words ? __popc(__ldcg(bits + w)) : 0, all);
        if (w < words) below[w] = count + mine;
        count += all;
    }
    __syncthreads();
    return count;
}

/// Rows that no table on the chip holds, a block each.
template <class Source>
__global__ void __launch_bounds__(kThreadsOfSetup)
    add_long_rows(const Source source, std::uint32_t columns, const RowsLeft list, const RowsOut out,
                  const LongTables tables) {
    __shared__ unsigned long long work, at;
    const std::size_t mine = std::size_t{blockIdx.x} * tables.slots, mine_too = std::size_t{blockIdx.x} * tables.words;
    std::uint32_t *const column = tables.column + mine, *const bits = tables.bits + mine_too,
                         *const below = tables.below + mine_too;
    double* const value = tables.value + mine;
    for (std::uint32_t index = blockIdx.x; index < *list.count; index += gridDim.x) {
        const std::uint32_t row = list.row[index], begin = source.begin(row), end = source.end(row);
        if (threadIdx.x == 0) work = 0;
        __syncthreads();
        unsigned long long terms = 0;
        for (std::uint32_t k = begin + threadIdx.x; k < end; k += kThreadsOfSetup) {
            const Term t = source.term(row, k);
            terms += t.end - t.first;
        }
        atomicAdd(&work, terms);
        __syncthreads();
        const auto slots = static_cast<std::uint32_t>(2 * min(work, static_cast<unsigned long long>(columns)));
        for (std::uint32_t slot = threadIdx.x; slot < slots; slot += kThreadsOfSetup) {
            column[slot] = kNone;
            value[slot] = -0.0;
        }
        __syncthreads();
        const RowOfBlock<Source> sums{source, row, column, value, slots};
        for (std::uint32_t k = begin; k < end; k += kThreadsOfSetup) sums.add_terms(k, end);
        __syncthreads();
        const std::uint32_t count = number_columns(column, slots, bits, below, tables.words);
        if (threadIdx.x == 0) {
            at = atomicAdd(out.used, static_cast<unsigned long long>(count));
            out.start[row] = static_cast<std::uint32_t>(at);
            out.length[row] = count;
        }
        __syncthreads();
        if (at + count <= out.capacity)
            for (std::uint32_t slot = threadIdx.x; slot < slots; slot += kThreadsOfSetup) {
                const std::uint32_t c = __ldcg(column + slot);
                if (c == kNone) continue;
                const std::uint64_t to = at + below[c / 32] + __popc(__ldcg(bits + c / 32) & ((1U << (c % 32)) - 1));
                out.column[to] = c;
                out.value[to] = __ldcg(value + slot);
            }
        __syncthreads();
    }
}

/// Rows of the source, columns ascending. `room`: how many elements they are thought to have; where they have more,
/// they are made again.
template <class Source>
ScatteredRows add_up(const Source& source, std::uint32_t rows, std::uint32_t columns, std::uint64_t room,
                     Arena& scratch) {
    constexpr int kThreadsOfWide = 128;
    const unsigned most_blocks = 16 * static_cast<unsigned>(require_device().multiprocessors);
    ScatteredRows sums{
        rows,    columns, 0, scratch.get<std::uint32_t>(rows), scratch.get<std::uint32_t>(std::size_t{rows} + 1),
        nullptr, nullptr};
    auto* const used = scratch.get<unsigned long long>(2); // and counts of rows left, twice
    auto* const counts = reinterpret_cast<std::uint32_t*>(used + 1);
    const RowsLeft wide{scratch.get<std::uint32_t>(rows), counts},
        longest{scratch.get<std::uint32_t>(rows), counts + 1};
    for (;;) {
        sums.column = scratch.get<std::uint32_t>(room);
        sums.value = scratch.get<double>(room);
        const RowsOut out{sums.start, sums.length, sums.column, sums.value, used, room};
        check(cudaMemsetAsync(used, 0, 2 * sizeof *used), "cudaMemset");
        add_short_rows<Source, kThreadsOfSetup, 8, 64>
            <<<blocks_of(std::size_t{rows} * 8), kThreadsOfSetup>>>(source, rows, RowsLeft{}, out, wide);
        add_short_rows<Source, kThreadsOfWide, 32, 512>
            <<<most_blocks, kThreadsOfWide>>>(source, rows, wide, out, longest);
        check(cudaGetLastError(), "add_short_rows");
        if (const std::uint32_t left = one_from_device(longest.count); left != 0) {
            constexpr std::size_t kTableBytes = std::size_t{256} << 20;
            const std::uint32_t slots = 2 * columns, words = (columns + 31) / 32;
            const auto blocks = static_cast<std::uint32_t>(std::clamp<std::size_t>(
                kTableBytes / (std::size_t{slots} * 12 + std::size_t{words} * 8), 1, std::min(left, most_blocks)));
            const std::size_t all = std::size_t{slots} * blocks, all_words = std::size_t{words} * blocks;
            const LongTables tables{scratch.get<std::uint32_t>(all),
                                    scratch.get<double>(all),
                                    scratch.get<std::uint32_t>(all_words),
                                    scratch.get<std::uint32_t>(all_words),
                                    slots,
                                    words};
            add_long_rows<<<blocks, kThreadsOfSetup>>>(source, columns, longest, out, tables);
            check(cudaGetLastError(), "add_long_rows");
        }
        sums.entries = one_from_device(used);
        if (sums.entries <= room) return sums;
        room = sums.entries;
    }
}

} // namespace mantissa::gpu::multilevel_rows
