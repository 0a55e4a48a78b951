// What a block of a part of a grid shares while it runs.
#pragma once

#include "grid_part.hpp"
#include "grid_point.cuh"
#include "part_block.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

template <int Threads> struct PartShared {
    long long scratch[Threads / 32][kPartWords];
    PartWordsBefore previous;
    GridState state;
    PassScalars scalars;
    Control control; // thread 0's
    SumRange range;  // thread 0's
    PartLaps laps;
    bool dead, redo;

    /// By thread 0.
    template <class T> __device__ __forceinline__ void begin(const GridPart<T>& a) {
        control.reset(a.ask, scalars, state, !a.plain);
        SumRatios(a.first_ratios).keep(state);
        dead = redo = false;
        for (auto& round : previous)
            for (auto& part : round)
                for (auto& word : part) word = 0;
        range = {};
        laps.start();
    }
    template <class T> [[nodiscard]] __device__ __forceinline__ PartBlock block(const GridPart<T>& a) {
        return {a.view,        a.words, previous, scratch, state, dead, control.leave, sizeof(T) == 8 ? a.points : 0,
                a.first_round, laps};
    }
};

#endif

} // namespace mantissa::gpu
