// A whole solve in one cooperative launch: cycles, u, its defect, the test that ends it.
#pragma once

#include <span>

#include "launch.hpp"
#include "mantissa/gpu/device.hpp"
#include "parts_barrier.cuh"
#include "small.cuh"
#include "sync/grid_barrier.cuh"

namespace mantissa::gpu::cycle_words {

template <class P, bool kFinest, int kColumns>
__device__ __forceinline__ unsigned long long down_by(int l, int side, int shift) {
    switch (plan.before) {
    case 1:
        return down<P, 1, kFinest, kColumns>(l, side, shift);
    case 2:
        return down<P, 2, kFinest, kColumns>(l, side, shift);
    case 3:
        return down<P, 3, kFinest, kColumns>(l, side, shift);
    default:
        return down<P, 4, kFinest, kColumns>(l, side, shift);
    }
}
template <class P, bool kFinest> __device__ __forceinline__ unsigned long long down_by(int l, int side, int shift) {
    return plan.level[l].columns_down == 2 ? down_by<P, kFinest, 2>(l, side, shift)
                                           : down_by<P, kFinest, 4>(l, side, shift);
}
template <class P, bool kFinest, int kColumns>
__device__ __forceinline__ Risen<P> up_by(int l, const Rise& rise, int shift, const FinestTold& finest) {
    switch (plan.after) {
    case 0:
        return up<P, 0, kFinest, kColumns>(l, rise, shift, finest);
    case 1:
        return up<P, 1, kFinest, kColumns>(l, rise, shift, finest);
    case 2:
        return up<P, 2, kFinest, kColumns>(l, rise, shift, finest);
    case 3:
        return up<P, 3, kFinest, kColumns>(l, rise, shift, finest);
    default:
        return up<P, 4, kFinest, kColumns>(l, rise, shift, finest);
    }
}
/// In double four columns upwards have no room in the registers.
template <class P, bool kFinest>
__device__ __forceinline__ Risen<P> up_by(int l, const Rise& rise, int shift, const FinestTold& finest) {
    if constexpr (!P::real)
        if (plan.level[l].columns_up == 4) return up_by<P, kFinest, 4>(l, rise, shift, finest);
    return up_by<P, kFinest, 2>(l, rise, shift, finest);
}
template <class P> __device__ __forceinline__ Risen<P> defect_by(const FinestTold& finest) {
    if constexpr (!P::real)
        if (plan.level[0].columns_up == 4) return defect<P, 4>(finest);
    return defect<P, 2>(finest);
}

/// A value that another block wrote before the last barrier.
template <class T> __device__ __forceinline__ T seen(const T& cell) {
    return *const_cast<const volatile T*>(&cell);
}

/// (Here and not in an object: a kernel calls what it does not inline, and what has no register over a call waits on
/// the stack, which a barrier puts far away.)
static __shared__ Gathered gathered_here;

/// Where the blocks of a solve meet, and what they found comes together: in the cells of every part.
template <class P> class ReducingBarrier {
public:
    __device__ ReducingBarrier() : barrier_(tally<P>().barrier) {}

    __device__ void wait() { barrier_.wait(); }
    /// The part's own blocks alone.
    __device__ void wait_alone() {
        if constexpr (P::parted) barrier_.wait_alone();
        else barrier_.wait();
    }
    /// The block's findings go to `cell`, which lies in the part's own cells, then all meet.
    __device__ void reduce(unsigned long long* cell, unsigned long long bits) {
        find(cell, bits, P::parted);
        wait();
    }
    __device__ void reduce_alone(unsigned long long* cell, unsigned long long bits) {
        find(cell, bits, false);
        wait_alone();
    }
    __device__ void reduce(Cells& cells, const Risen<P>& risen) {
        const auto sum = warp_sum(risen.squares);
        if ((threadIdx.x & (kLanes - 1)) == 0) {
            if constexpr (P::real) add(squares_in_double(cells), sum);
            else gathered_here.squares[threadIdx.x / kLanes] = sum;
        }
        if (risen.overflow)
            for (unsigned p = 0; p < count(); ++p) *tally_of(p).overflow = 1;
        if constexpr (!P::real) {
            __syncthreads();
            if (threadIdx.x < kLanes) {
                const unsigned long long all =
                    warp_sum(threadIdx.x < kWarps ? gathered_here.squares[threadIdx.x] : 0ULL);
                if (threadIdx.x < count() && all != 0) add(of_part(&cells.squares), all);
            }
        }
        reduce(&cells.defect, risen.bits);
    }
    /// Have all parts come so far?
    [[nodiscard]] __device__ bool alive() const {
        if constexpr (P::parted) return barrier_.alive();
        else return true;
    }
    /// A sum of squares in double is one part's, so that all parts see the same bits.
    [[nodiscard]] __device__ static double* squares_in_double(Cells& cells) {
        return reinterpret_cast<double*>(&on(0, &cells)->squares);
    }
    /// The same place in part p's cells.
    template <class T> [[nodiscard]] __device__ static T* on(unsigned p, T* cell) {
        if constexpr (!P::parted) return cell;
        const auto bytes = reinterpret_cast<char*>(cell) - reinterpret_cast<char*>(tally<P>().cells);
        return reinterpret_cast<T*>(reinterpret_cast<char*>(tally_of(p).cells) + bytes);
    }

private:
    [[nodiscard]] __device__ static unsigned count() {
        if constexpr (P::parted) return static_cast<unsigned>(parts[blockIdx.y].view.parts);
        else return 1;
    }
    [[nodiscard]] __device__ static const Tally& tally_of(unsigned p) {
        if constexpr (P::parted) return parts[blockIdx.y].tally[p];
        else return outer.tally;
    }
    /// A cell of the part whose number the thread has.
    template <class T> [[nodiscard]] __device__ static T* of_part(T* cell) { return on(threadIdx.x, cell); }
    template <class T> __device__ static void add(T* to, T x) {
        if constexpr (P::parted) atomicAdd_system(to, x);
        else atomicAdd(to, x);
    }
    __device__ void find(unsigned long long* cell, unsigned long long bits, bool everywhere) {
        if constexpr (!P::real) {
            gather(&gathered_here.low, &gathered_here.high, bits);
            __syncthreads();
            if (P::parted && everywhere) {
                const unsigned long long found =
                    static_cast<unsigned long long>(gathered_here.high) << 32 | gathered_here.low;
                if (found != 0 && threadIdx.x < count()) atomicOr_system(of_part(cell), found);
                __syncwarp();
            } else if (threadIdx.x == 0 && (gathered_here.low | gathered_here.high) != 0)
                atomicOr(cell, static_cast<unsigned long long>(gathered_here.high) << 32 | gathered_here.low);
            if (threadIdx.x == 0) gathered_here.low = gathered_here.high = 0;
        }
    }

    std::conditional_t<P::parted, PartsBarrier, GridBarrier> barrier_;
};

template <class P> class Solve {
public:
    __device__ void run() {
        if (blockIdx.x == 0) clear_small<P>();
        rebuild();
        for (;;) {
            if (ended()) break;
            cycle();
        }
    }

private:
    __device__ Cells& cells(int cycle) { return tally<P>().cells[cycle % kCellSets]; }
    __device__ void clear(Cells& set) {
        if (blockIdx.x == gridDim.x - 1)
            for (int i = static_cast<int>(threadIdx.x); i < static_cast<int>(sizeof(Cells) / 4); i += kThreads)
                reinterpret_cast<unsigned*>(&set)[i] = 0;
    }
    __device__ FinestTold finest() const {
        FinestTold f;
        f.side = cycles_ & 1;
        return f;
    }
    /// The shift of a stored defect of at most `length` bits and a little more.
    __device__ void store_for(FinestTold& f, int length) const {
        f.p = max(0, length + outer.headroom - outer.stored_bits);
        f.q = max(0, length + outer.headroom - f.p - 15);
        f.odd = f.p + f.q > 0 ? 1 : 0;
    }
    /// d from u and b. Its largest word is known: where a solve begins u is 0, and later a cycle has formed it. Cells
    /// of the set `cycles_`.
    __device__ void rebuild() {
        FinestTold f = finest();
        f.in_place = true;
        Cells& here = cells(cycles_);
        if constexpr (!P::real) {
            length_ = rebuilt_ == 0 ? outer.length_b : length_of(seen(here.defect));
            store_for(f, length_);
        }
        ++rebuilt_;
        // What the cycle gathered of a store that does not fit goes.
        barrier_.wait();
        if (blockIdx.x == 0 && threadIdx.x == 0) here.squares = 0;
        barrier_.wait();
        barrier_.reduce(here, defect_by<P>(f));
        take(f, here);
    }
    __device__ void take(const FinestTold& f, Cells& set) {
        p_ = f.p;
        places_ = f.p + f.q;
        length_ = length_of(seen(set.defect));
        if constexpr (P::real)
            squares_ = static_cast<unsigned long long>(
                __double_as_longlong(seen(*ReducingBarrier<P>::squares_in_double(set))));
        else squares_ = seen(set.squares);
    }
    __device__ bool ended() {
        Stop stop = Stop::converged;
        bool end = false;
        if constexpr (P::real) end = __longlong_as_double(static_cast<long long>(squares_)) <= outer.real_limit;
        else end = length_ == 0 || squares_ <= outer.limit[places_];
        if (outer.raw) end = cycles_ > 0;
        if (!end && seen(*tally<P>().overflow) != 0) end = true, stop = Stop::overflow;
        if (!end && cycles_ >= outer.most_cycles) end = true, stop = Stop::cycles;
        end = end || !barrier_.alive();
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            Outcome& out = *tally<P>().outcome;
            if (cycles_ < kHistory) {
                out.stored[cycles_] = places_;
                out.squares[cycles_] = squares_;
            }
            if (end) {
                out.stop = static_cast<int>(stop);
                out.cycles = cycles_;
                out.rebuilt = rebuilt_;
                out.point = point_;
            }
        }
        return end;
    }
    __device__ void cycle() {
        Cells& now = cells(cycles_ + 1);
        FinestTold f = finest();
        const int w = plan.level[0].w, last = plan.first_small - 1, shared = P::parted ? plan.shared : last + 1;
        const int shift = length_ - (w - 1) - p_;
        barrier_.reduce(&now.entering[1], down_by<P, true>(0, f.side, shift));
        for (int l = 1; l < shared; ++l)
            barrier_.reduce(&now.entering[l + 1], down_by<P, false>(l, 0, entered(now, l)));
        if (!P::parted || parts[blockIdx.y].view.me == 0) gathered(now, shared, last);
        clear(cells(cycles_ + 2));
        barrier_.wait();
        int point = seen(now.point);
        for (int l = shared - 1; l >= 1; --l) {
            const Rise rise = rise_to(now, l, point);
            barrier_.reduce(&now.leaving[l], up_by<P, false>(l, rise, entered(now, l), f).bits);
            point = rise.point;
        }
        const Rise rise = rise_to(now, 0, point);
        point_ = rise.point + w - 1 - length_;
        f.shift_e = outer.raw ? 0 : point_;
        store_for(f, length_);
        barrier_.reduce(now, up_by<P, true>(0, rise, shift, f));
        ++cycles_;
        take(f, now);
        if constexpr (!P::real)
            if (!outer.raw && (length_ > p_ + outer.stored_bits || (p_ > 0 && p_ > length_ - w))) rebuild();
    }
    /// The levels that the first part works out alone, the small ones in one block. All parts are told e's point and
    /// its largest word.
    __device__ void gathered(Cells& now, int shared, int last) {
        if constexpr (P::parted)
            for (int l = shared; l <= last; ++l)
                barrier_.reduce_alone(&now.entering[l + 1], down_by<P, false>(l, 0, entered(now, l)));
        if (blockIdx.x == 0) small<P>(now);
        if constexpr (P::parted) {
            if (shared <= last) {
                barrier_.wait_alone();
                int point = seen(now.point);
                for (int l = last; l >= shared; --l) {
                    const Rise rise = rise_to(now, l, point);
                    barrier_.reduce_alone(&now.leaving[l], up_by<P, false>(l, rise, entered(now, l), finest()).bits);
                    point = rise.point;
                }
                if (blockIdx.x == 0 && threadIdx.x == 0) now.point = point;
            }
            if (blockIdx.x != 0 || threadIdx.x != 0) return;
            for (int p = 1; p < parts[blockIdx.y].view.parts; ++p) {
                Cells& there = *ReducingBarrier<P>::on(p, &now);
                there.point = now.point;
                there.leaving[shared] = seen(now.leaving[shared]);
            }
        }
    }
    __device__ int entered(const Cells& set, int l) const {
        return length_of(seen(set.entering[l])) - (plan.level[l].w - 1);
    }
    __device__ Rise rise_to(const Cells& set, int l, int point) const {
        return Rise(l, point, length_of(seen(set.leaving[l + 1])), length_of(seen(set.entering[l + 1])));
    }

    ReducingBarrier<P> barrier_;
    int cycles_ = 0, rebuilt_ = 0;
    int p_ = 0, places_ = 0, length_ = 0, point_ = 0;
    unsigned long long squares_ = 0;
};

template <class P> __global__ void __launch_bounds__(kThreads, 1) solve_kernel() {
    if (threadIdx.x == 0) gathered_here = Gathered{};
    __syncthreads();
    Solve<P>().run();
}

/// (static: constant memory is of this source's kernels)
static void load(const CyclePlan& cycle, const OuterPlan& around, std::span<const PartPlan> of_device) {
    check(cudaMemcpyToSymbol(plan, &cycle, sizeof(cycle)), "cudaMemcpyToSymbol");
    check(cudaMemcpyToSymbol(outer, &around, sizeof(around)), "cudaMemcpyToSymbol");
    if (!of_device.empty())
        check(cudaMemcpyToSymbol(parts, of_device.data(), of_device.size_bytes()), "cudaMemcpyToSymbol");
}
template <class P> SolveKernel solve_kernel_of() {
    return {reinterpret_cast<const void*>(&solve_kernel<P>), &load};
}

} // namespace mantissa::gpu::cycle_words
