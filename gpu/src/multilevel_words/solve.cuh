// A whole solve in one cooperative launch: cycles, u, its defect, the test that ends it.
#pragma once

#include "../grid_barrier.cuh"
#include "mantissa/gpu/device.hpp"
#include "small.cuh"

namespace mantissa::gpu::cycle_words {

template <class P, bool kFinest, int kColumns>
__device__ __forceinline__ unsigned long long down_by(int l, const typename P::Defect* d, int shift) {
    switch (plan.before) {
    case 1:
        return down<P, 1, kFinest, kColumns>(l, d, shift);
    case 2:
        return down<P, 2, kFinest, kColumns>(l, d, shift);
    case 3:
        return down<P, 3, kFinest, kColumns>(l, d, shift);
    default:
        return down<P, 4, kFinest, kColumns>(l, d, shift);
    }
}
template <class P, bool kFinest>
__device__ __forceinline__ unsigned long long down_by(int l, const typename P::Defect* d, int shift) {
    return plan.level[l].columns_down == 2 ? down_by<P, kFinest, 2>(l, d, shift) : down_by<P, kFinest, 4>(l, d, shift);
}
template <class P, bool kFinest, int kColumns>
__device__ __forceinline__ Risen<P> up_by(int l, const Rise& rise, int shift, const Finest<P>& finest) {
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
__device__ __forceinline__ Risen<P> up_by(int l, const Rise& rise, int shift, const Finest<P>& finest) {
    if constexpr (!P::real)
        if (plan.level[l].columns_up == 4) return up_by<P, kFinest, 4>(l, rise, shift, finest);
    return up_by<P, kFinest, 2>(l, rise, shift, finest);
}
template <class P> __device__ __forceinline__ Risen<P> defect_by(const Finest<P>& finest) {
    if constexpr (!P::real)
        if (plan.level[0].columns_up == 4) return defect<P, 4>(finest);
    return defect<P, 2>(finest);
}

/// A value that another block wrote before the last barrier.
template <class T> __device__ __forceinline__ T seen(const T& cell) {
    return *const_cast<const volatile T*>(&cell);
}

template <class P> class Solve {
public:
    __device__ explicit Solve(Gathered& block) : block_(block), barrier_(outer.barrier) {}

    __device__ void run() {
        if (blockIdx.x == 0) clear_small<P>();
        rebuild();
        for (;;) {
            if (ended()) break;
            cycle();
        }
    }

private:
    /// The block's findings go to the grid, then all meet.
    __device__ void meet(unsigned long long* cell, unsigned long long bits) {
        if constexpr (!P::real) {
            gather(&block_.low, &block_.high, bits);
            __syncthreads();
            if (threadIdx.x == 0 && (block_.low | block_.high) != 0) {
                atomicOr(cell, static_cast<unsigned long long>(block_.high) << 32 | block_.low);
                block_.low = block_.high = 0;
            }
        }
        barrier_.wait();
    }
    __device__ void meet(Cells& cells, const Risen<P>& risen) {
        const auto sum = warp_sum(risen.squares);
        if ((threadIdx.x & (kLanes - 1)) == 0) {
            if constexpr (P::real) atomicAdd(reinterpret_cast<double*>(&cells.squares), sum);
            else block_.squares[threadIdx.x / kLanes] = sum;
        }
        if (risen.overflow) *outer.overflow = 1;
        if constexpr (!P::real) {
            __syncthreads();
            if (threadIdx.x < kLanes) {
                const unsigned long long all = warp_sum(threadIdx.x < kWarps ? block_.squares[threadIdx.x] : 0ULL);
                if (threadIdx.x == 0 && all != 0) atomicAdd(&cells.squares, all);
            }
        }
        meet(&cells.defect, risen.bits);
    }
    __device__ Cells& cells(int cycle) { return outer.cells[cycle % kCellSets]; }
    __device__ void clear(Cells& set) {
        if (blockIdx.x == gridDim.x - 1)
            for (int i = static_cast<int>(threadIdx.x); i < static_cast<int>(sizeof(Cells) / 4); i += kThreads)
                reinterpret_cast<unsigned*>(&set)[i] = 0;
    }
    __device__ Finest<P> finest() {
        Finest<P> f;
        f.from = static_cast<const typename P::Wide*>(outer.u[cycles_ & 1]);
        f.to = static_cast<typename P::Wide*>(outer.u[(cycles_ & 1) ^ 1]);
        f.b = static_cast<const typename P::Wide*>(outer.b);
        f.read = static_cast<typename P::Defect*>(outer.d[cycles_ & 1]);
        f.write = static_cast<typename P::Defect*>(outer.d[(cycles_ & 1) ^ 1]);
        return f;
    }
    /// The shift of a stored defect of at most `length` bits and a little more.
    __device__ void store_for(Finest<P>& f, int length) const {
        f.p = max(0, length + outer.headroom - outer.stored_bits);
        f.q = max(0, length + outer.headroom - f.p - 15);
        f.odd = f.p + f.q > 0 ? 1 : 0;
    }
    /// d from u and b. Its largest word is known: where a solve begins u is 0, and later a cycle has formed it. Cells
    /// of the set `cycles_`.
    __device__ void rebuild() {
        Finest<P> f = finest();
        f.write = f.read;
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
        meet(here, defect_by(f));
        take(f, here);
    }
    __device__ void take(const Finest<P>& f, const Cells& set) {
        p_ = f.p;
        places_ = f.p + f.q;
        length_ = length_of(seen(set.defect));
        squares_ = seen(set.squares);
    }
    __device__ bool ended() {
        Stop stop = Stop::converged;
        bool end = false;
        if constexpr (P::real) end = __longlong_as_double(static_cast<long long>(squares_)) <= outer.real_limit;
        else end = length_ == 0 || squares_ <= outer.limit[places_];
        if (outer.raw) end = cycles_ > 0;
        if (!end && seen(*outer.overflow) != 0) end = true, stop = Stop::overflow;
        if (!end && cycles_ >= outer.most_cycles) end = true, stop = Stop::cycles;
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            Outcome& out = *outer.outcome;
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
        Finest<P> f = finest();
        const int w = plan.level[0].w, last = plan.first_small - 1;
        const int shift = length_ - (w - 1) - p_;
        meet(&now.entering[1], down_by<P, true>(0, f.read, shift));
        for (int l = 1; l <= last; ++l) meet(&now.entering[l + 1], down_by<P, false>(l, nullptr, entered(now, l)));
        if (blockIdx.x == 0) small<P>(now);
        clear(cells(cycles_ + 2));
        barrier_.wait();
        int point = seen(now.point);
        for (int l = last; l >= 1; --l) {
            const Rise rise = rise_to(now, l, point);
            meet(&now.leaving[l], up_by<P, false>(l, rise, entered(now, l), f).bits);
            point = rise.point;
        }
        const Rise rise = rise_to(now, 0, point);
        point_ = rise.point + w - 1 - length_;
        f.shift_e = outer.raw ? 0 : point_;
        store_for(f, length_);
        meet(now, up_by<P, true>(0, rise, shift, f));
        ++cycles_;
        take(f, now);
        if constexpr (!P::real)
            if (!outer.raw && (length_ > p_ + outer.stored_bits || (p_ > 0 && p_ > length_ - w))) rebuild();
    }
    __device__ int entered(const Cells& set, int l) const {
        return length_of(seen(set.entering[l])) - (plan.level[l].w - 1);
    }
    __device__ Rise rise_to(const Cells& set, int l, int point) const {
        return Rise(l, point, length_of(seen(set.leaving[l + 1])), length_of(seen(set.entering[l + 1])));
    }

    Gathered& block_;
    GridBarrier barrier_;
    int cycles_ = 0, rebuilt_ = 0;
    int p_ = 0, places_ = 0, length_ = 0, point_ = 0;
    unsigned long long squares_ = 0;
};

template <class P> __global__ void __launch_bounds__(kThreads, 1) solve_kernel() {
    __shared__ Gathered block;
    if (threadIdx.x == 0) block = Gathered{};
    __syncthreads();
    Solve<P>(block).run();
}

inline void load_plans(const CyclePlan& cycle, const OuterPlan& around) {
    check(cudaMemcpyToSymbol(plan, &cycle, sizeof(cycle)), "cudaMemcpyToSymbol");
    check(cudaMemcpyToSymbol(outer, &around, sizeof(around)), "cudaMemcpyToSymbol");
}

} // namespace mantissa::gpu::cycle_words
