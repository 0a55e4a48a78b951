// A whole solve in one cooperative launch: cycles, u, its defect, the test that ends it.
#pragma once

#include "../grid_barrier.cuh"
#include "small.cuh"

namespace mantissa::gpu::cycle_words {

template <class P, bool kFinest, int kColumns>
__device__ __forceinline__ unsigned long long down_by(const CyclePlan& plan, int l, const typename P::Defect* d, int shift,
                                                      unsigned char* ring) {
    switch (plan.before) {
    case 1: return down<P, 1, kFinest, kColumns>(plan, l, d, shift, ring);
    case 2: return down<P, 2, kFinest, kColumns>(plan, l, d, shift, ring);
    case 3: return down<P, 3, kFinest, kColumns>(plan, l, d, shift, ring);
    default: return down<P, 4, kFinest, kColumns>(plan, l, d, shift, ring);
    }
}
template <class P, bool kFinest>
__device__ __forceinline__ unsigned long long down_by(const CyclePlan& plan, int l, const typename P::Defect* d, int shift,
                                                      unsigned char* ring) {
    return plan.level[l].columns_down == 2 ? down_by<P, kFinest, 2>(plan, l, d, shift, ring)
                                           : down_by<P, kFinest, 4>(plan, l, d, shift, ring);
}
template <class P, bool kFinest>
__device__ __forceinline__ Risen<P> up_by(const CyclePlan& plan, int l, const Rise& rise, int shift, const Finest<P>& finest,
                                         unsigned char* ring) {
    switch (plan.after) {
    case 0: return up<P, 0, kFinest>(plan, l, rise, shift, finest, ring);
    case 1: return up<P, 1, kFinest>(plan, l, rise, shift, finest, ring);
    case 2: return up<P, 2, kFinest>(plan, l, rise, shift, finest, ring);
    case 3: return up<P, 3, kFinest>(plan, l, rise, shift, finest, ring);
    default: return up<P, 4, kFinest>(plan, l, rise, shift, finest, ring);
    }
}

/// A value that another block wrote before the last barrier.
template <class T> __device__ __forceinline__ T seen(const T& cell) {
    return *const_cast<const volatile T*>(&cell);
}

template <class P> class Solve {
public:
    __device__ Solve(const CyclePlan& plan, const OuterPlan& outer, Gathered& block, unsigned char* ring)
        : ring_(ring), plan_(plan), outer_(outer), block_(block), barrier_(outer.barrier) {}

    __device__ void run() {
        if (blockIdx.x == 0) clear_small<P>(plan_);
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
        tick();
        barrier_.wait();
        tick();
    }
    __device__ void tick() {
#ifdef CYCLE_TICKS
        if (cycles_ == 3 && blockIdx.x == 0 && threadIdx.x == 0 && ticks_ < 64) outer_.outcome->ticks[ticks_++] = clock64();
#endif
    }
    int ticks_ = 0;
    __device__ void meet(Cells& cells, const Risen<P>& risen) {
        const auto sum = warp_sum(risen.squares);
        if ((threadIdx.x & (kLanes - 1)) == 0) {
            if constexpr (P::real)
                atomicAdd(reinterpret_cast<double*>(&cells.squares), sum);
            else
                block_.squares[threadIdx.x / kLanes] = sum;
        }
        if (risen.overflow) *outer_.overflow = 1;
        if constexpr (!P::real) {
            __syncthreads();
            if (threadIdx.x < kLanes) {
                const unsigned long long all = warp_sum(threadIdx.x < kWarps ? block_.squares[threadIdx.x] : 0ULL);
                if (threadIdx.x == 0 && all != 0) atomicAdd(&cells.squares, all);
            }
        }
        meet(&cells.defect, risen.bits);
    }
    __device__ Cells& cells(int cycle) { return outer_.cells[cycle % kCellSets]; }
    __device__ void clear(Cells& set) {
        if (blockIdx.x == gridDim.x - 1)
            for (int i = static_cast<int>(threadIdx.x); i < static_cast<int>(sizeof(Cells) / 4); i += kThreads)
                reinterpret_cast<unsigned*>(&set)[i] = 0;
    }
    __device__ Finest<P> finest() {
        Finest<P> f;
        f.from = static_cast<const typename P::Wide*>(outer_.u[cycles_ & 1]);
        f.to = static_cast<typename P::Wide*>(outer_.u[(cycles_ & 1) ^ 1]);
        f.b = static_cast<const typename P::Wide*>(outer_.b);
        f.read = static_cast<typename P::Defect*>(outer_.d[cycles_ & 1]);
        f.write = static_cast<typename P::Defect*>(outer_.d[(cycles_ & 1) ^ 1]);
        return f;
    }
    /// The shift of a stored defect of at most `length` bits and a little more.
    __device__ void store_for(Finest<P>& f, int length) const {
        f.p = max(0, length + outer_.headroom - outer_.stored_bits);
        f.q = max(0, length + outer_.headroom - f.p - 15);
        f.odd = f.p + f.q > 0 ? 1 : 0;
    }
    /// d from u and b, twice: to know its largest word, then to store it. Cells of the set `cycles_`.
    __device__ void rebuild() {
        Finest<P> f = finest();
        f.write = f.read;
        const bool first = cycles_ == 0 && rebuilt_ == 0;
        ++rebuilt_;
        Cells& here = cells(cycles_);
        if constexpr (!P::real) {
            // What an unfitting store gathered goes; the largest word is right already.
            if (first) {
                f.p = 63;
                Risen<P> risen = defect(plan_, f);
                risen.squares = 0;
                meet(here, risen);
            }
            length_ = length_of(seen(here.defect));
            store_for(f, length_);
        }
        barrier_.wait();
        if (blockIdx.x == 0 && threadIdx.x == 0) here.squares = 0;
        barrier_.wait();
        meet(here, defect(plan_, f));
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
        if constexpr (P::real)
            end = __longlong_as_double(static_cast<long long>(squares_)) <= outer_.real_limit;
        else
            end = length_ == 0 || squares_ <= outer_.limit[places_];
        if (outer_.raw) end = cycles_ > 0;
        if (!end && seen(*outer_.overflow) != 0) end = true, stop = Stop::overflow;
        if (!end && cycles_ >= outer_.most_cycles) end = true, stop = Stop::cycles;
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            Outcome& out = *outer_.outcome;
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
        const int w = plan_.level[0].w, last = plan_.first_small - 1;
        const int shift = length_ - (w - 1) - p_;
        meet(&now.entering[1], down_by<P, true>(plan_, 0, f.read, shift, ring_));
        for (int l = 1; l <= last; ++l)
            meet(&now.entering[l + 1], down_by<P, false>(plan_, l, nullptr, entered(now, l), ring_));
        if (blockIdx.x == 0) small<P>(plan_, now);
        clear(cells(cycles_ + 2));
        tick();
        barrier_.wait();
        tick();
        int point = seen(now.point);
        for (int l = last; l >= 1; --l) {
            const Rise rise = rise_to(now, l, point);
            meet(&now.leaving[l], up_by<P, false>(plan_, l, rise, entered(now, l), f, ring_).bits);
            point = rise.point;
        }
        const Rise rise = rise_to(now, 0, point);
        point_ = rise.point + w - 1 - length_;
        f.shift_e = outer_.raw ? 0 : point_;
        store_for(f, length_);
        meet(now, up_by<P, true>(plan_, 0, rise, shift, f, ring_));
        ++cycles_;
        take(f, now);
        if constexpr (!P::real)
            if (!outer_.raw && (length_ > p_ + outer_.stored_bits || (p_ > 0 && p_ > length_ - w))) rebuild();
    }
    __device__ int entered(const Cells& set, int l) const { return length_of(seen(set.entering[l])) - (plan_.level[l].w - 1); }
    __device__ Rise rise_to(const Cells& set, int l, int point) const {
        return Rise(plan_, l, point, length_of(seen(set.leaving[l + 1])), length_of(seen(set.entering[l + 1])));
    }

    unsigned char* ring_;
    const CyclePlan& plan_;
    const OuterPlan& outer_;
    Gathered& block_;
    GridBarrier barrier_;
    int cycles_ = 0, rebuilt_ = 0;
    int p_ = 0, places_ = 0, length_ = 0, point_ = 0;
    unsigned long long squares_ = 0;
};

template <class P>
__global__ void __launch_bounds__(kThreads, 1) solve_kernel(const __grid_constant__ CyclePlan plan,
                                                             const __grid_constant__ OuterPlan outer) {
    extern __shared__ unsigned char memory[];
    __shared__ Gathered block;
    if (threadIdx.x == 0) block = Gathered{};
    __syncthreads();
    Solve<P>(plan, outer, block, memory + plan.ring).run();
}

} // namespace mantissa::gpu::cycle_words
